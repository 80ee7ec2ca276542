// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/scenario/load.hpp"

/// The suite `hours`: any number of random drives through a town. docs/suites.md#hours.
namespace kerb::sim::hours {

inline constexpr const char* kName = "hours";
inline constexpr const char* kTitle = "Random drives through a town, and people who are hit";
inline constexpr double kSeconds = 60;  ///< of a drive in which nobody is hit
inline constexpr int kHitEvery = 5;     ///< of so many drives, the last is one with an impact
/// Whether traffic keeps to the left in a drive: in every second group of five, and the other way
/// round after each 20, so that every kind of impact comes in both.
[[nodiscard]] constexpr bool is_left_hand(int index) noexcept {
  return (index / kHitEvery + index / (4 * kHitEvery)) % 2 == 1;
}

/// What happens in a drive with an impact; these take turns.
enum class Hit : std::uint8_t { crossing, along, dart_out, turning };
inline constexpr int kHits = 4;

/// Drive number `index` of a seed: always the same, whatever else is driven, on every machine.
/// "drive-0003" has nobody in danger, by QuietRule; "hit-0004-crossing" ends in an impact. With a
/// seed other than 0 the name ends in it: "drive-0003@7". is_left_hand() says where traffic keeps.
/// A person's name begins with what they do: one of kDoes.
[[nodiscard]] Scenario make_drive(std::uint32_t seed, int index);

/// What people do, as their names begin.
inline constexpr const char* kDoes[] = {
    "walks",        "stands",        "waits at kerb",  "stops at kerb",    "turns back",
    "hesitates",    "crosses ahead", "crosses behind", "between parked",   "runs along",
    "phone",        "group",         "plays",          "crosses in front", "corner",
    "crosses side", "cycles",        "hit crossing",   "hit along",        "hit dart-out",
    "hit turning"};

/// The first `drives` of a seed.
[[nodiscard]] Loaded make_suite(std::uint32_t seed, int drives);
/// The drive of that name ("hit-0004-crossing@7") alone; none where no drive has it.
[[nodiscard]] Loaded make_named(std::uint32_t seed, const std::string& name);

}  // namespace kerb::sim::hours
