// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "tests/board/world.hpp"

namespace kerb::board {

/// How soon driver and bus got a warning that a workshop asked for, in ms of firmware time; -1: not
/// at all.
struct Reaction {
  double lamp_ms = -1, bus_ms = -1;
  bool within(double limit) const {
    return lamp_ms >= 0 && lamp_ms <= limit && bus_ms >= 0 && bus_ms <= limit;
  }
};
/// Asks for a collision warning of `lasts_s` of firmware time, and waits for both. The car stands.
Reaction ask_for_warning(World& world, double lasts_s);

/// The longest pause between two messages that follow each other, in ms of firmware time. From
/// `from` on, and up to `to`, they count as pauses too.
template <typename Message>
double longest_pause(const World& world, const std::vector<Heard<Message>>& heard,
                     RealClock::time_point from, RealClock::time_point to) {
  double longest = 0;
  auto last = from;
  for (const Heard<Message>& one : heard) {
    if (one.time > to) break;
    longest = std::max(longest, world.firmware_ms(one.time - last));
    last = one.time;
  }
  return std::max(longest, world.firmware_ms(to - last));
}

/// Both cyclic messages over a while in which nothing may be wrong.
struct Cycles {
  std::size_t statuses = 0, warnings = 0;
  double status_pause = 0, warning_pause = 0;  ///< ms of firmware time, the longest
  int not_active = 0;                          ///< statuses
  int levels = 0;                              ///< warnings that say something
  std::string worst;                           ///< the first status that was not ACTIVE
  bool within(double limit) const {
    return statuses > 0 && not_active == 0 && status_pause <= limit && warning_pause <= limit;
  }
  std::string in_words() const;
};
/// Of what came between the two times.
Cycles cycles(World& world, RealClock::time_point from, RealClock::time_point to);

}  // namespace kerb::board
