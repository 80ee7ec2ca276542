// SPDX-License-Identifier: Apache-2.0
#include "tests/board/reaction.hpp"

#include "tests/board/checks.hpp"

namespace kerb::board {

Reaction ask_for_warning(World& world, double lasts_s) {
  constexpr double kPatience = 1000;  // ms of firmware time
  const auto asked = RealClock::now();
  world.car().ask({can::ServiceRequest::warning_test, WarningLevel::collision, lasts_s, 0});
  Reaction seen;
  world.await(
      [&] {
        const auto lit = world.lamps().warning_lit(asked);
        if (lit) seen.lamp_ms = world.firmware_ms(*lit - asked);
        for (const HeardWarning& heard : world.car().warnings(asked))
          if (seen.bus_ms < 0 && heard.message.level == WarningLevel::collision)
            seen.bus_ms = world.firmware_ms(heard.time - asked);
        return seen.lamp_ms >= 0 && seen.bus_ms >= 0;
      },
      kPatience);
  return seen;
}

std::string Cycles::in_words() const {
  return text(
      "%zu KW_Status, longest pause %.0f ms, %d not ACTIVE%s%s; %zu KW_Warning, longest pause %.0f "
      "ms",
      statuses, status_pause, not_active, worst.empty() ? "" : ": ", worst.c_str(), warnings,
      warning_pause);
}

Cycles cycles(World& world, RealClock::time_point from, RealClock::time_point to) {
  Cycles out;
  const auto statuses = world.car().statuses(from);
  const auto warnings = world.car().warnings(from);
  out.status_pause = longest_pause(world, statuses, from, to);
  out.warning_pause = longest_pause(world, warnings, from, to);
  for (const HeardStatus& heard : statuses) {
    if (heard.time > to) break;
    ++out.statuses;
    if (heard.message.health.state == HealthState::active) continue;
    if (out.not_active++ == 0) out.worst = board::in_words(heard.message);
  }
  for (const HeardWarning& heard : warnings) {
    if (heard.time > to) break;
    ++out.warnings;
    out.levels += heard.message.level != WarningLevel::none;
  }
  return out;
}

}  // namespace kerb::board
