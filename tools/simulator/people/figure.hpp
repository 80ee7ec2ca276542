// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/people/shape.hpp"

namespace kerb::sim::people {

/// The bones that move a body; of limbs the left one, the right one is the next.
using Bone = std::size_t;
inline constexpr Bone kPelvis = 0, kWaist = 1, kChest = 2, kNeck = 3, kHead = 4, kUpperArm = 5,
                      kForearm = 7, kHand = 9, kThigh = 11, kShank = 13, kFoot = 15, kToes = 17;
inline constexpr Bone kThing = 19;   ///< what is carried in the hand
inline constexpr Bone kGround = 20;  ///< what rolls along
/// Parts of it that turn: wheels, cranks and pedals, a dog's legs.
inline constexpr Bone kTurning = 21;
inline constexpr std::size_t kBones = 26;

/// A body's measures at rest: standing at the origin, facing +x, feet on z = 0 with shoes on, arms
/// held away from the trunk. Joints after Drillis and Contini's shares of the stature
/// (adults) and by age for children; girths after common tables of adults.
struct Figure {
  double height = 1.75;
  double scale = 1;  ///< of an adult man of 1.75 m, in lengths along the limbs
  double girth = 1;  ///< likewise, across
  double build = 0;
  bool female = false, child = false;
  double child_part = 0;  ///< 0 grown up .. 1 a toddler
  double chin = 1.52, head_height = 0.23;
  double upper_arm = 0, forearm = 0, hand = 0, thigh = 0, shank = 0;
  double heel_back = 0, ball_ahead = 0, toe_ahead = 0, ankle_height = 0;  ///< of the ankle joint
  std::array<Vec3, kBones> joint{};

  double arm_out = 0.42;  ///< radians from hanging straight down, at rest: clear of the trunk
  [[nodiscard]] Vec3 arm_axis(int right) const;
  [[nodiscard]] double leg() const { return thigh + shank; }
};
Figure figure_of(const PersonSpec& person);

/// The naked measures as cross-sections, to be let out into clothes. Of the trunk: t is z. Of an
/// arm: t from the shoulder along the arm. Of a leg: from the hip joint down the leg.
std::vector<Section> trunk_sections(const Figure& f);
std::vector<Section> arm_sections(const Figure& f);
std::vector<Section> leg_sections(const Figure& f);
/// t from the wrist; front is the thumb's side.
std::vector<Section> hand_sections(const Figure& f);
/// t is z over the chin.
std::vector<Section> head_sections(const Figure& f);
/// Head height by stature, for children (tables of growth: 1/5 of it at two years, 1/6 at six, 1/7
/// at twelve).
double child_head_share(double height);

}  // namespace kerb::sim::people
