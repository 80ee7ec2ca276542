// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/simulator/judge/judge.hpp"

namespace kerb::sim {

/// Adds the verdicts on the scenario's faults: "fault_told_within", as the scenario asks for it,
/// and "recovers", where the run is long enough.
void judge_faults(const Scenario& scenario, const Truth& truth, const Sent& sent,
                  const CommonRules& rules, std::vector<Verdict>& out);

/// The state of health at a time; null before the first message.
[[nodiscard]] const HealthReport* health_at(const Sent& sent, double t) noexcept;
/// "DEGRADED (camera_dark)"; "silent" for null.
[[nodiscard]] std::string in_words(const HealthReport* health);

}  // namespace kerb::sim
