// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/road_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace kerb::lab {
namespace {

constexpr double kNearest = 3, kFarthest = 20;  // metres ahead: of the road that is looked at,
constexpr double kBeside = 2;                   // and to both sides of where the car is going
constexpr std::size_t kFewest = 12;             // points
constexpr double kMemory = 0.3;                 // seconds: cars change their speed slowly

}  // namespace

std::optional<double> RoadSpeed::update(const ego::EgoEstimator& ego, Nanos interval) {
  const ego::EgoMotion& motion = ego.motion();
  const double dt = std::chrono::duration<double>(interval).count();
  if (motion.state != ego::EgoState::valid || !(dt > 0)) return speed_mps_;
  const Camera& camera = ego.camera();
  double seen = 0;
  if (motion.travel != ego::Travel::none) {
    ways_.clear();
    for (const ego::PointResidual& p : ego.residuals()) {
      const double below = double{p.y} - motion.horizon_row;
      if (!(below > 1)) continue;
      const double ahead = camera.focal_px * camera.height_m / below;
      const double beside = ahead * (double{p.x} - ego::aim(camera).x) / camera.focal_px;
      if (ahead < kNearest || ahead > kFarthest || std::abs(beside) > kBeside) continue;
      ways_.push_back(double{p.inverse_depth} * ahead);  // what stands up is nearer: flows faster
    }
    if (ways_.size() < kFewest) return speed_mps_;
    const auto middle = ways_.begin() + static_cast<std::ptrdiff_t>(ways_.size() / 2);
    std::nth_element(ways_.begin(), middle, ways_.end());
    seen = *middle / dt;
  }
  const double share = speed_mps_ ? 1 - std::exp(-dt / kMemory) : 1;
  speed_mps_ = speed_mps_.value_or(0) + share * (seen - speed_mps_.value_or(0));
  return speed_mps_;
}

}  // namespace kerb::lab
