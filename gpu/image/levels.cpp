// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/levels.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

constexpr int kMaxSide = 65535;
constexpr int kMaxArea = kMaxSide + 4096;  // an area may stand out of its picture

/// Back into 0..size-1 by mirroring at the edge pixels, however far outside.
int mirror(int i, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  i = ((i % period) + period) % period;
  return i < size ? i : period - i;
}

std::size_t align(std::size_t n) { return (n + kLevelAlign - 1) / kLevelAlign * kLevelAlign; }

/// The coarsest octave that is no coarser than the level.
int octave_of(double scale, int width, int height) {
  int shift = 0;
  while (shift < kMaxOctave && scale >= static_cast<double>(2 << shift) &&
         std::min(width, height) >> (shift + 1) >= 1)
    ++shift;
  return shift;
}

void append_octaves(int count, PyramidPlan& plan) {
  for (int shift = 1; shift <= count; ++shift) {
    Octave octave;
    octave.shift = shift;
    octave.width = plan.width >> shift;
    octave.height = plan.height >> shift;
    octave.row_stride = static_cast<int>(align(static_cast<std::size_t>(octave.width)));
    octave.offset = plan.samples;
    plan.samples +=
        static_cast<std::size_t>(octave.row_stride) * static_cast<std::size_t>(octave.height);
    plan.octaves.push_back(octave);
  }
}

}  // namespace

int scaled_side(int side, double scale) noexcept {
  return static_cast<int>(std::nearbyint(static_cast<double>(side) / scale));
}

void append_taps(int in, int out, int first, int count, int shift, std::vector<Tap>& taps) {
  // In OpenCV's order: in / out is not always the same double, and some halves would then round the
  // other way.
  const double ratio =
      1 / (static_cast<double>(out) / static_cast<double>(in)) / static_cast<double>(1 << shift);
  const int last = (in >> shift) - 1;
  for (int i = first; i < first + count; ++i) {
    const double at = (static_cast<double>(mirror(i, out)) + 0.5) * ratio - 0.5;
    const double whole = std::floor(at);
    int index = static_cast<int>(whole);
    int weight = static_cast<int>(std::nearbyint((at - whole) * 256));
    if (weight == 256) {
      ++index;
      weight = 0;
    }
    if (index < 0) index = weight = 0;
    if (index >= last) {
      index = last;
      weight = 0;
    }
    taps.push_back({static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(weight)});
  }
}

Result<PyramidPlan> plan_pyramid(int width, int height, const std::vector<LevelArea>& areas,
                                 Scaling scaling) {
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide)
    return Error{Errc::invalid_argument, 0, "pyramid", "the picture's sides must be 1..65535"};
  PyramidPlan plan;
  plan.width = width;
  plan.height = height;
  int octaves = 0;
  for (const LevelArea& area : areas) {
    const Error refused{Errc::invalid_argument, 0, "pyramid", "an empty or too large level"};
    const double largest = std::max(width, height) / area.scale;
    if (!(area.scale > 0) || !(largest <= kMaxSide)) return refused;
    Level level;
    level.scale = area.scale;
    level.image_width = scaled_side(width, area.scale);
    level.image_height = scaled_side(height, area.scale);
    level.x0 = area.x0;
    level.y0 = area.y0;
    level.width = area.width;
    level.height = area.height;
    if (level.image_width < 1 || level.image_height < 1 || area.width < 1 || area.height < 1 ||
        area.width > kMaxArea || area.height > kMaxArea)
      return refused;
    if (scaling == Scaling::octaves) level.octave = octave_of(area.scale, width, height);
    octaves = std::max(octaves, level.octave);
    level.row_stride = static_cast<int>(align(static_cast<std::size_t>(area.width) + 2));
    level.offset = plan.samples;
    plan.samples +=
        static_cast<std::size_t>(level.row_stride) * (static_cast<std::size_t>(area.height) + 2);
    level.x_taps = static_cast<int>(plan.taps.size());
    append_taps(width, level.image_width, area.x0 - 1, area.width + 2, level.octave, plan.taps);
    level.y_taps = static_cast<int>(plan.taps.size());
    append_taps(height, level.image_height, area.y0 - 1, area.height + 2, level.octave, plan.taps);
    plan.levels.push_back(level);
  }
  append_octaves(octaves, plan);
  return plan;
}

}  // namespace kerb
