// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/judge/judge.hpp"

namespace kerb::sim {

/// Adds a verdict for each rule that holds in every run: messages, lamp and sound, flicker. A
/// collision warning of somebody in danger does not flicker, however soon after another.
void judge_common_rules(const Sent& sent, double seconds, const CommonRules& rules,
                        std::vector<Verdict>& out, const Truth& truth = {});

}  // namespace kerb::sim
