// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>

#include "firmware/can/messages.hpp"
#include "firmware/types/people_report.hpp"

namespace kerb {

using ObjectList = std::array<can::ObjectMessage, can::kMaxObjects>;

/// The confirmed people ahead of the front bumper, of all cameras together, the nearest first: the
/// content of KW_Objects. Null: a camera whose people do not count. Returns how many of `out` were
/// filled; the farthest are left out where there are more.
std::size_t list_objects(std::span<const risk::PeopleReport* const> reports,
                         double axle_to_bumper_m, ObjectList& out) noexcept;

}  // namespace kerb
