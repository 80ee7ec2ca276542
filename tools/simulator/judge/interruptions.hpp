// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "tools/simulator/judge/judge.hpp"

namespace kerb::sim {

inline constexpr const char* kNotInterrupted = "warning_not_interrupted";

/// The rule "warning_not_interrupted": from the beginning of a warning of somebody in danger to the
/// contact, or until the danger is gone, the driver is without that level for at most
/// CommonRules::longest_silence, all holes together. Whose person the warning is does not matter.
///
/// A collision warning begins for the one of those in danger who is touched first. For somebody
/// else it counts once their danger was evident for kSeeingTime_s and it is (still) on.
///
/// Where the scenario asks for information (`informs`), the same holds for information or more
/// while somebody stays in the close zone.
/// Nothing: no such warning ever began.
[[nodiscard]] std::optional<Verdict> judge_not_interrupted(const Truth& truth, const Sent& sent,
                                                           const CommonRules& rules, bool informs);

/// How long in begin..end there was no warning of the level, or a higher one.
[[nodiscard]] double silent_between(const Sent& sent, WarningLevel level, double begin, double end);

}  // namespace kerb::sim
