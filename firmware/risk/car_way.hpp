// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

/// One way that the car may take from now on, as poses in steps of time. In the car's axes as in
/// firmware/track: origin on the road below the middle of the rear axle, x forward, y to the left.
namespace kerb::risk {

/// The car's speed over time: it is kept until `from_s`, and then changes evenly. Braking ends at
/// `least_mps`, speeding up after `speeds_up_for_s`.
struct SpeedPlan {
  double mps = 0;  ///< now; backwards is negative
  double change_mps2 = 0;
  double from_s = 0;
  double speeds_up_for_s = 1.5;
  double least_mps = 0;  ///< not negative, for either direction of travel

  [[nodiscard]] bool brakes() const noexcept { return mps * change_mps2 < 0; }
  [[nodiscard]] double speed_after(double t) const noexcept {
    t = std::max(t - from_s, 0.0);
    if (!brakes()) return mps + change_mps2 * std::min(t, speeds_up_for_s);
    const double then = mps + change_mps2 * t;
    if (mps < 0) return then < -least_mps ? then : -least_mps;
    return then > least_mps ? then : least_mps;
  }
  /// The way driven, in metres.
  [[nodiscard]] double driven(double t) const noexcept {
    const double kept = mps * std::min(t, from_s);
    t = std::max(t - from_s, 0.0);
    const double v = mps, a = change_mps2;
    if (brakes()) {
      const double end = mps < 0 ? -least_mps : least_mps;
      const double until = std::min(t, (end - v) / a);
      return kept + (v * until + a * until * until / 2) + end * (t - until);
    }
    const double faster = std::min(t, speeds_up_for_s);
    return kept + (v * t + a * faster * faster / 2 + a * faster * (t - faster));
  }
};

/// A pose of a way, ready for use: of the rear axle, with the standard deviations of its place.
struct PathKnot {
  double x = 0, y = 0, cos = 1, sin = 0;
  double speed = 0;
  double sigma_along = 0, sigma_across = 0;
};

struct CarWay {
  static constexpr double kHorizon_s = 6;
  static constexpr double kStep_s = 0.05;  ///< between two knots
  static constexpr int kKnots = 121;

  double share = 1;        ///< probability that the car takes it; those of all ways add up to 1
  bool likeliest = false;  ///< of all, or in the middle of the likeliest group
  SpeedPlan speed;
  double fastest_mps = 0, fastest_turn_radps = 0;
  std::array<PathKnot, kKnots> knots{};

  /// Upper bound of the speed of any point within `reach` metres of the rear axle.
  [[nodiscard]] double fastest(double reach) const noexcept {
    return fastest_mps + reach * fastest_turn_radps;
  }
};

}  // namespace kerb::risk
