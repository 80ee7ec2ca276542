// SPDX-License-Identifier: Apache-2.0
#include "tools/train/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/image/grid_histogram.hpp"
#include "gpu/image/simd.hpp"

namespace kerb::train {
namespace {

using namespace simd;

GridSettings settings_of(int grid, Planes planes) {
  GridSettings settings;
  settings.grid = grid;
  settings.colour = planes == Planes::luv;
  return settings;
}

/// The nine vectors of cascade_layout.hpp, as floats.
KERB_INLINE void sums_of(const std::uint32_t* window, const std::ptrdiff_t* o, F32x4 (&out)[9]) {
  U32x4 last[4];
  for (int part = 0; part < 3; ++part) {
    const std::uint32_t* at = window + 4 * part;
    const auto n = [&](int i) { return load<U32x4>(at + o[i]); };
    const U32x4 middle = n(4);
    const U32x4 upper_left = n(1) - n(0), upper_right = n(2) - n(1);
    const U32x4 left = middle - n(3), right = n(5) - middle;
    const U32x4 lower_left = n(7) - n(6), lower_right = n(8) - n(7);
    const U32x4 cells[4] = {left - upper_left, right - upper_right, lower_left - left,
                            lower_right - right};
    for (int c = 0; c < 4; ++c) {
      if (part < 2) {
        out[4 * part + c] = to_float(cells[c]);
      } else {
        last[c] = cells[c];
      }
    }
  }
  out[8] = to_float(U32x4{last[0][0], last[1][0], last[2][0], last[3][0]});
}

KERB_INLINE float sum_of(F32x4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

}  // namespace

std::vector<Block> block_pool(int window_width, int window_height, int grid, bool fine) {
  std::vector<Block> pool;
  struct Ratio {
    int x, y;
  };
  for (const Ratio ratio : {Ratio{1, 1}, Ratio{1, 2}, Ratio{2, 1}})
    for (int side = 12; side <= std::max(window_width, window_height); side += 2) {
      const int width = side * ratio.x, height = side * ratio.y;
      if (width > window_width || height > window_height) continue;
      if (width % (2 * grid) != 0 || height % (2 * grid) != 0) continue;
      int step = side < 16 ? 4 : side < 24 ? 6 : 8;
      if (step % grid != 0) step = 8;
      if (fine && step == 8) step = 4;
      for (int y = 0; y + height <= window_height; y += step)
        for (int x = 0; x + width <= window_width; x += step) pool.push_back({x, y, width, height});
    }
  return pool;
}

Histograms::Histograms(int window_width, int window_height, int grid, Planes planes)
    : width_{window_width},
      height_{window_height},
      grid_{grid},
      lanes_{cpu::GridHistogram{settings_of(grid, planes), 1}.lanes()},
      row_{(window_width / grid + 1) * lanes_},
      planes_{planes},
      window_size_{static_cast<std::size_t>(row_) *
                   static_cast<std::size_t>(window_height / grid + 1)} {}

void Histograms::add(const Patches& patches, std::size_t from, Workers& workers) {
  if (from >= patches.size()) return;
  const std::size_t first = size();
  nodes_.resize(nodes_.size() + (patches.size() - from) * window_size_);
  Level level;
  level.image_width = level.width = width_;
  level.image_height = level.height = height_;
  level.row_stride = (width_ + 2 + kLevelAlign - 1) / kLevelAlign * kLevelAlign;
  const auto plane_size =
      static_cast<std::size_t>(level.row_stride) * static_cast<std::size_t>(height_ + 2) + 64;
  struct Desk {
    cpu::GridHistogram grid;
    std::vector<std::uint8_t> samples;
  };
  std::vector<Desk> desks;
  desks.reserve(static_cast<std::size_t>(workers.count()));
  const int planes = count_of(planes_);
  for (int i = 0; i < workers.count(); ++i)
    desks.push_back({cpu::GridHistogram{settings_of(grid_, planes_), width_},
                     std::vector<std::uint8_t>(plane_size * 3)});
  constexpr std::size_t kAtOnce = 16;
  const std::size_t count = patches.size() - from;
  workers.run(static_cast<int>((count + kAtOnce - 1) / kAtOnce), [&](int task, int worker) {
    Desk& desk = desks[static_cast<std::size_t>(worker)];
    const std::size_t begin = static_cast<std::size_t>(task) * kAtOnce;
    const std::uint8_t* corners[3] = {};
    for (int p = 0; p < planes; ++p)
      corners[p] = desk.samples.data() + static_cast<std::size_t>(p) * plane_size;
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, count); ++i) {
      for (int p = 0; p < planes; ++p) {
        const std::uint8_t* in = patches.plane(from + i, p);
        std::uint8_t* out = desk.samples.data() + static_cast<std::size_t>(p) * plane_size;
        for (int y = 0; y < height_ + 2; ++y, in += patches.row_stride(), out += level.row_stride)
          std::memcpy(out, in, static_cast<std::size_t>(patches.row_stride()));
      }
      const int rows = height_ / grid_;
      desk.grid.build_rows(level, corners, nodes_.data() + (first + i) * window_size_, rows + 1, 0,
                           rows);
    }
  });
}

void Histograms::keep(std::size_t count) { nodes_.resize(count * window_size_); }

void Histograms::keep(const std::vector<std::size_t>& rising) {
  for (std::size_t i = 0; i < rising.size(); ++i)
    if (rising[i] != i)
      std::memcpy(nodes_.data() + i * window_size_, window(rising[i]),
                  window_size_ * sizeof(std::uint32_t));
  keep(rising.size());
}

Histograms::Corners Histograms::corners(const Block& block) const noexcept {
  Corners corners{};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      corners.at[3 * j + i] = std::ptrdiff_t{(block.y + j * block.height / 2) / grid_} * row_ +
                              std::ptrdiff_t{(block.x + i * block.width / 2) / grid_} * lanes_;
  return corners;
}

void Histograms::values(const std::uint32_t* window, const Corners& corners, float* out) noexcept {
  F32x4 sums[9];
  sums_of(window, corners.at, sums);
  F32x4 square{};
  for (const F32x4 v : sums) square += v * v;
  const float scale = 1.0F / (std::sqrt(sum_of(square)) + 1.0F);
  for (int k = 0; k < 9; ++k) store(out + 4 * k, sums[k] * scale);
}

float Histograms::value(const std::uint32_t* window, const Corners& corners, const float* weights,
                        float offset) noexcept {
  F32x4 sums[9];
  sums_of(window, corners.at, sums);
  F32x4 square{}, dot{};
  for (int k = 0; k < 9; ++k) {
    square += sums[k] * sums[k];
    dot += load<F32x4>(weights + 4 * k) * sums[k];
  }
  return sum_of(dot) / (std::sqrt(sum_of(square)) + 1.0F) - offset;
}

void to_learner_order(const float* weights, float* out) noexcept {
  for (int cell = 0; cell < 4; ++cell) {
    for (int i = 0; i < 4; ++i) {
      out[9 * cell + i] = weights[4 * cell + i];
      out[9 * cell + 4 + i] = weights[16 + 4 * cell + i];
    }
    out[9 * cell + 8] = weights[32 + cell];
  }
}

void to_arithmetic_order(const float* weights, float* out) noexcept {
  for (int cell = 0; cell < 4; ++cell) {
    for (int i = 0; i < 4; ++i) {
      out[4 * cell + i] = weights[9 * cell + i];
      out[16 + 4 * cell + i] = weights[9 * cell + 4 + i];
    }
    out[32 + cell] = weights[9 * cell + 8];
  }
}

std::int32_t vote_of(const hog::LinearLearner& learner, float v) noexcept {
  std::int32_t vote = v >= 0 ? learner.pass : learner.fail;
  if (learner.slope != 0) {
    const float clamped =
        std::min(std::max(v * learner.slope, -hog::kSlopeLimit), hog::kSlopeLimit);
    vote += static_cast<std::int32_t>(std::nearbyintf(clamped));
  }
  return vote;
}

}  // namespace kerb::train
