// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "tools/simulator/people/figure.hpp"
#include "tools/simulator/people/gait.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim::people {

/// Columns are where the axes go.
struct Turn3 {
  Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
};
constexpr Vec3 operator*(const Turn3& r, const Vec3& v) {
  return v.x * r.x + (v.y * r.y + v.z * r.z);
}
constexpr Turn3 operator*(const Turn3& a, const Turn3& b) { return {a * b.x, a * b.y, a * b.z}; }

/// Where a bone's rest space goes: p -> turn * (p - rest joint) + at.
struct BonePose {
  Turn3 turn;
  Vec3 at;
};
/// In the person's own space: at the origin, facing +x.
using Posture = std::array<BonePose, kBones>;

/// What hands do.
enum class Hands : std::uint8_t {
  free,
  pockets,
  phone,
  push,
  hold_up,
  bag,
  clasped,
  one_pocket,
  lead
};

/// Habits that a seed gives.
struct Manner {
  Hands walking = Hands::free, standing = Hands::free;
  double swing = 1;         ///< of the arms
  double lean = 0;          ///< rad, forward
  double side = 1;          ///< the leg stood on, and the hand that holds things: 1 left, -1 right
  double rhythm = 0;        ///< phase of swaying and breathing
  double toe_out = 0.12;    ///< rad
  double look_down = 0;     ///< rad
  std::optional<Vec3> dog;  ///< the size of the one on the lead
  double dog_stride = 1;    ///< m
};

/// How far a walk is on: its phase, its gait, how much of it is walking already (1) or standing
/// (0).
struct Step {
  double phase = 0;  ///< of the left foot
  double walking = 0;
  double rolled = 0;  ///< m since the start
};
void take_posture(const Figure& f, const Manner& manner, const Gait& gait, const Step& step,
                  double turned, double t, Posture& out);

}  // namespace kerb::sim::people
