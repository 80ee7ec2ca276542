// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/render/vecf.hpp"
#include "tools/simulator/world/street_line.hpp"

namespace kerb::sim {

inline constexpr double kKerbHeight = 0.10;

/// The street's own measures: s along its middle line from where the car starts, d to the left.
/// The car starts in the middle of the rightmost lane. Parked cars have bays outside of the lanes.
class Street {
 public:
  explicit Street(const Scenario& scenario);
  [[nodiscard]] Place frame(double s) const { return way_.at(s); }
  [[nodiscard]] Vec2 at(double s, double d) const {
    const Place p = way_.at(s);
    return p.at + d * left_of(direction(p.heading));
  }
  struct Coordinates {
    double s = 0, d = 0;
  };
  /// The nearest place of the middle line.
  [[nodiscard]] Coordinates locate(Vec2 p) const;
  /// How high the ground is: the road 0, pavements a kerb higher, a gentle step between.
  [[nodiscard]] double ground(Vec2 p) const;
  [[nodiscard]] double curvature(double s) const { return way_.curvature(s); }
  [[nodiscard]] double half_road() const noexcept { return half_; }  ///< to the lanes' edge
  [[nodiscard]] double kerb() const noexcept { return kerb_; }       ///< |d| of the kerb
  [[nodiscard]] double pavement_end() const noexcept { return kerb_ + spec_.pavement_m; }
  [[nodiscard]] const StreetSpec& spec() const noexcept { return spec_; }
  /// Whether this place beside the street is not nearer to another part of it, round a bend.
  [[nodiscard]] bool owns(double s, double d) const {
    return spec_.way.empty() || std::abs(locate(at(s, d)).d) > std::abs(d) - 0.5;
  }
  /// Whether a place is on the road of a street that opens into this one, or `room` beside it.
  [[nodiscard]] bool on_side_street(Vec2 p, double room) const;
  /// Whether nobody walks and nothing of the scenario stands within `room` of there.
  [[nodiscard]] bool is_free(Vec2 p, double room) const;

 private:
  StreetSpec spec_;
  Way way_;
  double half_ = 0, kerb_ = 0;
  struct Taken {
    Vec2 a, b;
    double radius;
  };
  std::vector<Taken> taken_;
};

}  // namespace kerb::sim
