// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/simulator/judge/identities.hpp"
#include "tools/simulator/judge/sent.hpp"
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// What holds for every run, whatever its scenario asks: how a product speaks. Seconds.
struct CommonRules {
  double start_up = 1.5;          ///< so long a run may take to be ACTIVE
  double earliest_warning = 3.5;  ///< before an impact; sooner is a false alarm
  double late_end = 0.5;          ///< a warning may end so long before an impact, and still count
  double shortest_warning = 0.5;  ///< shorter ones flicker
  double shortest_pause = 1;      ///< between two of a kind; shorter ones flicker
  double outputs = 0.1;           ///< lamp and sound follow the message within this
  double status_gap = 0.15;       ///< KW_Status comes every 0.1
  double warning_gap = 0.1;       ///< KW_Warning every 0.05, while there is one
  double recovery = 3;            ///< after a fault, ACTIVE again
  double naming = 2;              ///< after they come again, late signals are called late
  // An information is about somebody: it may begin so long before they are in the close zone and
  // last so long after. Beyond, it counts as one without anybody, and anew each `idle`.
  double information_early = 1.5, information_late = 3, idle = 10;
  // The sound of a collision warning.
  double lowest_hz = 800, slowest_pulses = 6, fastest_pulses = 12, least_duty = 0.25,
         most_duty = 0.95;
};

/// One rule, and whether it held.
struct Verdict {
  std::string rule;  ///< "collision_warning_before_impact": see docs/simulator.md
  bool passed = true;
  std::string reason;   ///< in words and numbers, for both
  bool common = false;  ///< it holds for every run: no share of a group's runs may break it
};

struct Judgement {
  std::vector<Verdict> verdicts;  ///< every rule that applied
  Sent sent;
  /// The collision warning that counts: how long before the impact it began.
  std::optional<double> warned_before_impact;
  std::optional<double> warned_after_half_visible;
  std::optional<Identities> identities;  ///< where the scenario asks for them
  [[nodiscard]] bool passed() const noexcept;
  [[nodiscard]] bool kept_common_rules() const noexcept;
};

/// Judges a run by what was sent and by what is true; it knows nothing of the firmware.
[[nodiscard]] Judgement judge(const Scenario& scenario, const Truth& truth, const Trace& trace,
                              const CommonRules& rules = {});

/// How many informations there were without anybody close; one that goes on counts anew each
/// `rules.idle`. `first`: when the first began.
[[nodiscard]] int idle_informations(const Truth& truth, const Sent& sent, const CommonRules& rules,
                                    std::optional<double>* first = nullptr);

/// Whether this is what a status should say of the fault.
[[nodiscard]] bool tells(const HealthReport& health, FaultSpec::Kind kind) noexcept;

}  // namespace kerb::sim
