// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "hal/base/clock.hpp"

namespace kerb::ego {

/// What the car told lately, with the time of each: a frame shows what was true while it and the
/// one before were taken, not what is told when somebody gets to look at it. Plain data; allocates
/// nothing.
class VehicleHistory {
 public:
  static constexpr std::size_t kCapacity = 64;  // at 50 messages a second, more than a second

  /// As of `at`, the newest; of the same time, it takes the other's place.
  void add(Nanos at, const VehicleMotion& vehicle) noexcept {
    if (count_ == 0 || at != samples_[newest_].at) {
      newest_ = count_ == 0 ? 0 : (newest_ + 1) % kCapacity;
      if (count_ < kCapacity) ++count_;
    }
    samples_[newest_] = {at, vehicle};
  }

  /// The mean of what was told between these times; where nothing was, the last before; where this
  /// is before all that is known, or not on this clock at all, the newest.
  [[nodiscard]] VehicleMotion over(Nanos from, Nanos to) const noexcept {
    if (count_ == 0) return {};
    const Sample* before = nullptr;
    Mean speed, yaw_rate;
    for (std::size_t i = 0; i < count_; ++i) {
      const Sample& s = samples_[i];
      if (s.at > from && s.at <= to) {
        speed.add(s.vehicle.speed_mps);
        yaw_rate.add(s.vehicle.yaw_rate_radps);
      } else if (s.at <= from && (before == nullptr || s.at > before->at)) {
        before = &s;
      }
    }
    if (speed.seen) return {speed.value(), yaw_rate.value()};
    return before != nullptr ? before->vehicle : samples_[newest_].vehicle;
  }

 private:
  struct Sample {
    Nanos at{};
    VehicleMotion vehicle;
  };
  /// Of values that are all there; one that is not believed says that the mean is not either.
  struct Mean {
    double sum = 0;
    int count = 0;
    bool seen = false, whole = true;
    void add(const std::optional<double>& x) noexcept {
      seen = true;
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
