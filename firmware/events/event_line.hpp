// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "firmware/events/event.hpp"

namespace kerb {

/// What the log adds to an event.
struct EventStamp {
  std::uint64_t seq = 0;
  const char* run = "";
  Nanos utc{};  ///< since 1970
};

/// No line is longer, whatever its text: each of 96 bytes may become 6.
inline constexpr std::size_t kMaxEventLine =
    256 + Event::kMaxFields * (EventKey::kMax + 6 * 96 + 8);

/// The event as one JSON object and a line feed, as docs/events.md describes it.
void append_line(std::string& out, const Event& event, const EventStamp& stamp);

}  // namespace kerb
