// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "tools/simulator/judge/sent.hpp"
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// How consistently the ids of the object list belong to the same people.
struct Identities {
  int changes = 0;              ///< changes of a person's id, all people together
  std::optional<double> first;  ///< time of the first change
  int due = 0;                  ///< people in view, summed over lists, since each was first listed
  double followed = 0;          ///< share of `due` that was in the list
};

/// Assigns objects to people by position: at most half a metre across the line of sight, or 2.3
/// degrees, and two fifths of the distance along it. An assignment of the previous list is kept as
/// long as it meets this. A person counts from the first list with them to the last in which they
/// are in view: half visible, 3 to 40 m ahead.
[[nodiscard]] Identities find_identities(const Truth& truth, const Sent& sent);

}  // namespace kerb::sim
