// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim {

struct PersonState;

/// Somebody's walk: stands, speeds up, walks, slows down, turns. The position is exact: straight
/// lines with constant or evenly changing speed. The body turns to a new direction within kTurn
/// seconds: before walking on where it stands first, round the corner where it does not.
class Walk {
 public:
  explicit Walk(const PersonSpec& person);
  void at(double t, PersonState& out) const;
  [[nodiscard]] double fastest() const noexcept { return fastest_; }
  [[nodiscard]] double fastest_turn() const noexcept;           ///< rad/s
  [[nodiscard]] double ends() const noexcept { return ends_; }  ///< s; stands from then on
  static constexpr double kTurn = 0.6;

 private:
  struct Phase {
    double t;  // begin
    Vec2 from, along;
    double walked, mps, mps2;
  };
  struct Turn {
    double begin, end;
    double from, by;  // heading
  };
  void go(const WalkLeg& leg, Vec2 from, bool standing);
  std::vector<Phase> phases_;  // at least one
  std::vector<Turn> turns_;
  double first_heading_ = 0, last_heading_ = 0, fastest_ = 0, ends_ = 0, walked_ = 0;
};

}  // namespace kerb::sim
