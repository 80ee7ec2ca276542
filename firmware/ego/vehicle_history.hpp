// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "hal/base/clock.hpp"

namespace kerb::ego {

/// The car's recent signals with their times. A frame shows the motion between the exposures of the
/// previous frame and its own, not that at the time of processing. Plain data; allocates nothing.
class VehicleHistory {
 public:
  static constexpr std::size_t kCapacity = 64;  // at 50 messages a second: more than a second

  /// Adds the newest sample. One with the same time as the last replaces it.
  void add(Nanos at, const VehicleMotion& vehicle) noexcept {
    if (count_ == 0 || at != samples_[newest_].at) {
      newest_ = count_ == 0 ? 0 : (newest_ + 1) % kCapacity;
      if (count_ < kCapacity) ++count_;
    }
    samples_[newest_] = {at, vehicle};
  }

  /// The mean of the samples between these times, and the last turn signal and uncertainty; where
  /// there are none, the last one before; where the times are before all samples, or of another
  /// clock, the newest one.
  [[nodiscard]] VehicleMotion over(Nanos from, Nanos to) const noexcept {
    if (count_ == 0) return {};
    const Sample* before = nullptr;
    const Sample* last = nullptr;
    Mean speed, yaw_rate, steering;
    for (std::size_t i = 0; i < count_; ++i) {
      const Sample& s = samples_[i];
      if (s.at > from && s.at <= to) {
        speed.add(s.vehicle.speed_mps);
        yaw_rate.add(s.vehicle.yaw_rate_radps);
        steering.add(s.vehicle.steering_rad);
        if (last == nullptr || s.at > last->at) last = &s;
      } else if (s.at <= from && (before == nullptr || s.at > before->at)) {
        before = &s;
      }
    }
    if (last != nullptr)
      return {speed.value(), yaw_rate.value(), steering.value(), last->vehicle.turn_signal,
              last->vehicle.speed_sigma_mps};
    return before != nullptr ? before->vehicle : samples_[newest_].vehicle;
  }

 private:
  struct Sample {
    Nanos at{};
    VehicleMotion vehicle;
  };
  /// The mean is missing where one of the values is.
  struct Mean {
    double sum = 0;
    int count = 0;
    bool whole = true;
    void add(const std::optional<double>& x) noexcept {
      whole = whole && x.has_value();
      if (!x) return;
      sum += *x;
      ++count;
    }
    [[nodiscard]] std::optional<double> value() const noexcept {
      if (!whole || count == 0) return std::nullopt;
      return sum / count;
    }
  };

  std::array<Sample, kCapacity> samples_{};
  std::size_t count_ = 0, newest_ = 0;
};

}  // namespace kerb::ego
