// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/base/scenario.hpp"

/// What things usually are, where a file does not say it.
namespace kerb::sim {

/// Which of the makes of its kind a thing is: 0 .. makes_of(kind) - 1.
[[nodiscard]] int makes_of(PropKind kind);
[[nodiscard]] int make_of(PropKind kind, std::uint32_t seed);
/// Length, width, height; the length lies along its heading. Of kinds with several makes: of the
/// make that the seed gives.
[[nodiscard]] Vec3 usual_size(PropKind kind, std::uint32_t seed = 0);
/// As the spec has it, and where that is 0 as usual.
[[nodiscard]] Vec3 size_of(const PropSpec& prop);
/// The solid part that cars cannot drive through: of a tree the trunk.
[[nodiscard]] Vec2 foot_print(const PropSpec& prop);
/// People walk through it or under it, or it gets out of their way.
[[nodiscard]] bool lets_people_through(PropKind kind);
/// A colour its kind may have.
[[nodiscard]] Surface usual_surface(PropKind kind, Random& random);
/// May it have a speed?
[[nodiscard]] bool can_drive(PropKind kind);
/// A car, van or truck.
[[nodiscard]] constexpr bool is_vehicle(PropKind kind) noexcept {
  return kind == PropKind::car || kind == PropKind::van || kind == PropKind::truck;
}
/// May it have a door that opens?
[[nodiscard]] bool has_doors(PropKind kind);

/// A part of a thing that hides what is behind it, in the thing's own frame: from its middle, the
/// length along x.
struct SolidBox {
  Vec3 low, high;
};
/// Of things that are not one solid box: poles, roofs, panels. Empty: nothing of it hides much.
[[nodiscard]] std::vector<SolidBox> solid_parts(const PropSpec& prop);
/// A scaffolding's bays and lifts (working levels) in this size.
[[nodiscard]] int scaffold_bays(double length_m);
[[nodiscard]] int scaffold_lifts(double height_m);
inline constexpr double kScaffoldLift = 2.0;  ///< m from level to level
/// The number of bollards in a row of this length.
[[nodiscard]] int bollards_in(double length_m);

/// A front door as it hangs: where its hinge is in the vehicle's frame (on the left; mirrored on
/// the right), how long it is, and up to where it is solid.
struct DoorShape {
  Vec2 hinge;
  double length = 1, bottom = 0.3, belt = 0.9, top = 1.3;
};
[[nodiscard]] DoorShape door_of(PropKind kind, Vec3 size);
/// How far a door is open at a time, radians.
[[nodiscard]] double door_angle(const DoorSpec& door, double t);

/// How high somebody's head is over the ground: their body height on foot, more on wheels, less
/// seated.
[[nodiscard]] double top_of(const PersonSpec& person);
/// Height of what they stand or sit on, that adds to it.
inline constexpr double kScooterDeck = 0.15;
/// A disc of somebody's outline, `ahead` of their middle along their heading.
struct OutlineDisc {
  double ahead = 0, radius = 0.25;
};
/// Somebody's outline on the ground, for contact: on foot one disc of 0.25 m.
[[nodiscard]] std::vector<OutlineDisc> outline_of(const PersonSpec& person);

}  // namespace kerb::sim
