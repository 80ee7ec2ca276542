// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>

#include "firmware/can/messages.hpp"
#include "firmware/types/people_report.hpp"

namespace kerb {

using ObjectList = std::array<can::ObjectMessage, can::kMaxObjects>;

/// Everybody whom the tracker is sure of and who is ahead of the front bumper, from all cameras
/// together, the nearest first: what KW_Objects says. How many of `out` were filled; who is farther
/// than they reach is left out.
std::size_t list_objects(std::span<const risk::PeopleReport* const> reports,
                         double axle_to_bumper_m, ObjectList& out) noexcept;

}  // namespace kerb
