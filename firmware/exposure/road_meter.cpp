// SPDX-License-Identifier: Apache-2.0
#include "firmware/exposure/road_meter.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "firmware/lens/camera_axes.hpp"
#include "firmware/lens/camera_geometry.hpp"

namespace kerb {
namespace {

/// Fixed settings of RoadMeter.
struct RoadMeterTuning {
  int columns = 96, rows = 54;  ///< of the grid; more take longer
  double nearest_m = 5, farthest_m = 40;
  double farther = 1.08;  ///< ratio of neighbouring distances: as many to 10 as to 20 m
  double side_m = 5, side_step_m = 0.25;
  double person_m = 1.7, up_step_m = 0.1;
  int fewest_samples = 32;  ///< with fewer the camera does not see the road
};
constexpr RoadMeterTuning kMeterTuning{};

}  // namespace

RoadMeter::RoadMeter(int width, int height) : width_{width}, height_{height} { use_lower_middle(); }

RoadMeter::RoadMeter(const Camera& camera) : width_{camera.width}, height_{camera.height} {
  const int step_x = std::max(1, width_ / kMeterTuning.columns);
  const int step_y = std::max(1, height_ / kMeterTuning.rows);
  const int columns = std::max(1, width_ / step_x), rows = std::max(1, height_ / step_y);
  const CameraAxes axes = axes_of(camera, 0);
  const LensMap lens{lens_of(camera)};
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(columns) *
                                     static_cast<std::size_t>(rows));
  // A point below the camera's height lies below the horizon, whatever pitch, roll and lens are.
  const double top = std::min(kMeterTuning.person_m, camera.height_m);
  std::vector<double> distances, sides, heights;
  double next = kMeterTuning.nearest_m;
  while (next <= kMeterTuning.farthest_m)
    distances.push_back(std::exchange(next, next * kMeterTuning.farther));
  next = -kMeterTuning.side_m;
  while (next <= kMeterTuning.side_m)
    sides.push_back(std::exchange(next, next + kMeterTuning.side_step_m));
  next = 0;
  while (next < top) heights.push_back(std::exchange(next, next + kMeterTuning.up_step_m));
  for (const double away : distances)
    for (const double side : sides)
      for (const double up : heights) {
        const Vec3 seen = axes.seen(camera.ahead_m + away, camera.left_m + side, up);
        if (!(seen.z > kNearestDepth)) continue;
        const Pixel at = lens.distort(axes.pixel_of(seen));
        if (!(at.x >= 0 && at.x < width_ && at.y >= 0 && at.y < height_)) continue;
        const int column = std::min(static_cast<int>(at.x) / step_x, columns - 1);
        const int row = std::min(static_cast<int>(at.y) / step_y, rows - 1);
        const int cell = row * columns + column;
        ++weights[static_cast<std::size_t>(cell)];
      }
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const int cell = row * columns + column;
      const std::uint32_t weight = weights[static_cast<std::size_t>(cell)];
      const int x = column * step_x + step_x / 2, y = row * step_y + step_y / 2;
      if (weight == 0) continue;
      // The middle of a cell that the horizon crosses may lie in the sky.
      const Pixel straight = lens.undistort({static_cast<double>(x), static_cast<double>(y)});
      const double u = (straight.x - axes.center_x) / axes.focal_px;
      const double v = (straight.y - axes.center_y) / axes.focal_px;
      const double rises = axes.forward.z + u * axes.right.z + v * axes.down.z;
      if (rises >= 0) continue;
      samples_.push_back({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), weight});
    }
  by_mounting_ = samples_.size() >= static_cast<std::size_t>(kMeterTuning.fewest_samples);
  if (!by_mounting_) use_lower_middle();
}

void RoadMeter::use_lower_middle() {
  samples_.clear();
  const int step_x = std::max(1, width_ / kMeterTuning.columns);
  const int step_y = std::max(1, height_ / kMeterTuning.rows);
  // Below the middle, where the horizon of most cameras is, and above a bonnet.
  const int top = height_ * 11 / 20, bottom = height_ * 17 / 20;
  for (int y = top + step_y / 2; y < bottom; y += step_y)
    for (int x = width_ / 4 + step_x / 2; x < width_ - width_ / 4; x += step_x)
      samples_.push_back({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), 1});
}

MeterReading RoadMeter::measure(const ImageView<Space::host, const std::uint8_t>& grey) noexcept {
  MeterReading out;
  if (grey.data == nullptr || grey.width != width_ || grey.height != height_) return out;
  histogram_.fill(0);
  for (const Sample& s : samples_) histogram_[grey.data[s.y * grey.row_stride + s.x]] += s.weight;

  std::uint64_t all = 0, clipped = 0, dark = 0;
  for (int value = 0; value < 256; ++value) {
    const std::uint64_t weight = histogram_[static_cast<std::size_t>(value)];
    all += weight;
    if (value >= MeterReading::kClipped) clipped += weight;
    if (value <= MeterReading::kDark) dark += weight;
  }
  if (all == 0) return out;
  out.clipped = static_cast<double>(clipped) / static_cast<double>(all);
  out.dark = static_cast<double>(dark) / static_cast<double>(all);
  out.level = 255;
  if (2 * clipped >= all) return out;

  const double half = static_cast<double>(all - clipped) / 2;
  double below = 0;
  for (int value = 0; value < MeterReading::kClipped; ++value) {
    const double weight = histogram_[static_cast<std::size_t>(value)];
    if (below + weight >= half && weight > 0) {
      // Values that were rounded to this one are spread from half below it to half above: at night
      // whole grey values would be steps of half a stop.
      out.level = std::max(0.0, value - 0.5 + (half - below) / weight);
      return out;
    }
    below += weight;
  }
  return out;
}

}  // namespace kerb
