// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/base/random.hpp"
#include "tools/simulator/base/scenario.hpp"

/// What things usually are, where a file does not say it.
namespace kerb::sim {

/// Length, width, height; the length lies along its heading.
[[nodiscard]] Vec3 usual_size(PropKind kind);
/// The solid part that people cannot walk through: of a tree the trunk.
[[nodiscard]] Vec2 foot_print(const PropSpec& prop);
/// A colour its kind may have.
[[nodiscard]] Surface usual_surface(PropKind kind, Random& random);
/// May it have a speed?
[[nodiscard]] bool can_drive(PropKind kind);

}  // namespace kerb::sim
