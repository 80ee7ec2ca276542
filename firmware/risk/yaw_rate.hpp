// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "firmware/types/risk_settings.hpp"

namespace kerb::risk {

struct YawRate {
  double radps = 0, sigma_radps = 0;
};

/// The yaw rate that the angle of the front wheels gives, once the car has followed it: a
/// single-track model with understeer.
[[nodiscard]] inline YawRate yaw_rate_of_steering(const PathSettings& s, double steering_rad,
                                                  double speed_mps) noexcept {
  const double ratio = speed_mps / s.characteristic_mps;
  const double per_angle = speed_mps / (s.wheelbase_m * (1 + ratio * ratio));
  // tan(x) to the third order: within 1 % up to 0.6 rad, and the error share is larger than that.
  const double angle = steering_rad * (1 + steering_rad * steering_rad / 3);
  const double yaw_rate = per_angle * angle;
  const double offset = per_angle * s.steering_sigma_rad, share = s.steering_share * yaw_rate;
  return {yaw_rate, std::sqrt(offset * offset + share * share)};
}

/// The mean of independent measurements, each weighed by its variance. One alone is passed on
/// as it is, to the last bit.
class YawRateMean {
 public:
  void add(const YawRate& measured) noexcept {
    const double sigma = std::max(measured.sigma_radps, 1e-6), weight = 1 / (sigma * sigma);
    first_ = count_++ == 0 ? measured : first_;
    sum_ += weight * measured.radps;
    weights_ += weight;
  }
  [[nodiscard]] std::optional<YawRate> value() const noexcept {
    if (count_ == 0) return std::nullopt;
    if (count_ == 1) return first_;
    return YawRate{sum_ / weights_, 1 / std::sqrt(weights_)};
  }

 private:
  int count_ = 0;
  YawRate first_;
  double sum_ = 0, weights_ = 0;
};

/// The car's yaw rate by its own sensor, the angle of its front wheels and the road's flow; nothing
/// where none of them is known. The flow's own estimate starts from the sensor's value, so they are
/// not independent: the flow counts only where the sensor does not. `sensor_wrong`: the flow has
/// contradicted the sensor.
[[nodiscard]] inline std::optional<YawRate> fuse_yaw_rate(const PathSettings& s,
                                                          const ego::VehicleMotion& reported,
                                                          std::optional<double> flow_radps,
                                                          bool sensor_wrong,
                                                          double speed_mps) noexcept {
  const auto known = [](const std::optional<double>& x) { return x && std::isfinite(*x); };
  const bool sensor = known(reported.yaw_rate_radps) && !sensor_wrong;
  YawRateMean mean;
  if (sensor) mean.add({*reported.yaw_rate_radps, s.yaw_rate_sigma_radps});
  if (!sensor && flow_radps) mean.add({*flow_radps, s.flow_yaw_sigma_radps});
  if (known(reported.steering_rad))
    mean.add(yaw_rate_of_steering(s, *reported.steering_rad, speed_mps));
  return mean.value();
}

}  // namespace kerb::risk
