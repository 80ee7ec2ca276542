// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/road_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "firmware/lens/camera_geometry.hpp"

namespace kerb::config {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr int kPlaces = 16;  // along each edge of the picture: a lens may bend it

}  // namespace

RoadView road_view(const CameraSettings& camera) noexcept {
  const double right = camera.width - 1, bottom = camera.height - 1;
  const Lens lens = lens_of(
      camera_of(camera, camera.width, camera.height, [](double angle) { return std::tan(angle); }));
  RoadView view;
  view.fov_deg = 2 * std::atan(camera.width / 2.0 / lens.focal_px) / kDegree;
  const LensMap map{lens};
  view.folds = !map.is_one_to_one(camera.width, camera.height);
  const double pitch = camera.pitch_deg * kDegree, roll = camera.roll_deg * kDegree;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto look = [&](double x, double y) {
    const Pixel straight = map.undistort({x, y});
    const double u = (straight.x - lens.center_x) / lens.focal_px;
    const double v = (straight.y - lens.center_y) / lens.focal_px;
    const double side = u * std::cos(roll) - v * std::sin(roll);
    const double down = u * std::sin(roll) + v * std::cos(roll);
    const double up = std::sin(pitch) - down * std::cos(pitch);
    const double forward = std::cos(pitch) + down * std::sin(pitch);
    const double angle = std::atan2(up, std::hypot(side, forward));
    lowest = std::min(lowest, angle);
    highest = std::max(highest, angle);
  };
  for (int i = 0; i <= kPlaces; ++i) {
    const double share = static_cast<double>(i) / kPlaces;
    look(share * right, 0);
    look(share * right, bottom);
    look(0, share * bottom);
    look(right, share * bottom);
  }
  view.lowest_deg = lowest / kDegree;
  view.highest_deg = highest / kDegree;
  view.farthest_road_m =
      highest < 0 ? camera.height_m / std::tan(-highest) : std::numeric_limits<double>::infinity();
  return view;
}

}  // namespace kerb::config
