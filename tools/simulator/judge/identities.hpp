// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "tools/simulator/judge/sent.hpp"
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// How well the numbers of the object list stay with people.
struct Identities {
  int changes = 0;              ///< of a person's number, all people together
  std::optional<double> first;  ///< when the first was
  int due = 0;                  ///< people in view, list by list, since each was first in one
  double followed = 0;          ///< the share of those that were in the list
};

/// Who is meant by an object is told by where it is: at most half a metre across the line of sight,
/// or 2.3 degrees, and two fifths of the distance along it. Who was meant by it in the list before
/// is meant again, as long as that holds. Within the lists from the first on that has a person to
/// the last in which they are in view: half visible, 3 to 40 m ahead.
[[nodiscard]] Identities find_identities(const Truth& truth, const Sent& sent);

}  // namespace kerb::sim
