// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <numbers>
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/world/speed_profile.hpp"
#include "tools/simulator/world/way.hpp"

namespace kerb::sim::hours {

inline constexpr double kPi = std::numbers::pi;

/// A street and the car on it, for whoever places people and things: where the car is when, and
/// where that is on the street. `s` is along the street's middle line, `d` to its left.
class DriveGround {
 public:
  explicit DriveGround(const Scenario& scenario);
  [[nodiscard]] double metre_at(double t) const { return speed_.at(t).metres; }
  [[nodiscard]] double mps_at(double t) const { return speed_.at(t).mps; }
  /// When the front first is there; the end of the drive if it never is.
  [[nodiscard]] double time_at(double metre) const;
  [[nodiscard]] double s_of(double metre) const;  ///< of a place of the car's way
  [[nodiscard]] double s_at(double t) const { return s_of(metre_at(t)); }
  [[nodiscard]] Vec2 at(double s, double d) const;
  [[nodiscard]] double heading(double s) const { return line_.at(s).heading; }
  [[nodiscard]] double curvature(double s) const { return line_.curvature(s); }
  [[nodiscard]] double kerb() const { return kerb_; }  ///< |d| of the kerb
  [[nodiscard]] double half_road() const { return half_; }
  [[nodiscard]] double pavement() const { return street_.pavement_m; }
  /// Whether a place is on the road of a side street, with `room` beside it.
  [[nodiscard]] bool on_side_street(Vec2 p, double room) const;
  [[nodiscard]] Place front_at(double t) const { return car_.at(metre_at(t)); }

 private:
  StreetSpec street_;
  Way car_, line_;
  SpeedProfile speed_;
  double seconds_, half_, kerb_;
  std::vector<double> metres_, along_;  // ends of the stretches: of the car's way, of the line
};

}  // namespace kerb::sim::hours
