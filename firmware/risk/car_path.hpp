// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/ego/ego_motion.hpp"
#include "hal/base/clock.hpp"

/// Where the car and people are going, and whether they meet. In the car's frame of firmware/track:
/// on the road below the middle of the rear axle, x forward, y to the left.
namespace kerb::risk {

struct CarShape {
  double width_m = 1.8, length_m = 4.5;
  double axle_to_bumper_m = 3.6;  ///< from the rear axle to the front
};

/// Where the car will be in a while, in its frame of now.
struct Pose {
  double x = 0, y = 0, heading = 0;  ///< of the rear axle; heading to the left, radians
  double sigma_along = 0, sigma_across = 0, sigma_heading = 0;
};

/// The car's own path: constant speed change and yaw rate, as far as both have been seen to last,
/// with doubt that grows with time. One thread at a time; allocates nothing.
class CarPath {
 public:
  /// What the car told as of `at`. Nothing told is nothing known: it ages.
  void update(Nanos at, const ego::VehicleMotion& told) noexcept;
  /// Whether enough is known to say where the car goes: a speed, and lately.
  [[nodiscard]] bool known() const noexcept;
  [[nodiscard]] double speed_mps() const noexcept;
  [[nodiscard]] double acceleration_mps2() const noexcept;
  [[nodiscard]] double yaw_rate_radps() const noexcept;
  [[nodiscard]] Pose after(double seconds) const noexcept;
  void reset() noexcept;

 private:
  Nanos at_{};
  std::optional<double> speed_, yaw_rate_;
  double acceleration_ = 0, yaw_acceleration_ = 0, yaw_sigma_ = 0;
  int seen_ = 0;
};

}  // namespace kerb::risk
