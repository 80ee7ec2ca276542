// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/limited_view.hpp"

#include <algorithm>

namespace kerb::sim {

bool limited_view_stands_in(const Scenario& scenario, const Truth& truth, const Sent& sent,
                            double wanted) noexcept {
  if (!scenario.criteria.limited_view_accepted || !truth.contact || !truth.light) return false;
  if (!too_dark(*truth.light)) return false;
  const double due = truth.contact->t - wanted;
  return std::ranges::any_of(sent.limited_view, [&](const Sent::Stretch& told) {
    if (told.begin > due) return false;
    if (told.end >= truth.contact->t) return true;
    return std::ranges::any_of(sent.warnings, [&](const Sent::Warning& w) {
      return w.level == WarningLevel::collision && w.begin <= told.end && w.end >= truth.contact->t;
    });
  });
}

}  // namespace kerb::sim
