// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/judge/sent.hpp"
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// Whether "limited view" stands in for a collision warning that was due `wanted` seconds before
/// the impact. Only where
///   - the scenario accepts it (Criteria::limited_view_accepted: suite `night`),
///   - it truly was too dark to see the person (too_dark(), from the drawn picture),
///   - the driver was told before the warning was due, and until the impact or a warning.
[[nodiscard]] bool limited_view_stands_in(const Scenario& scenario, const Truth& truth,
                                          const Sent& sent, double wanted) noexcept;

}  // namespace kerb::sim
