// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/simulator/judge/identities.hpp"
#include "tools/simulator/judge/sent.hpp"
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// Limits of the common rules, which hold for every run. Seconds.
struct CommonRules {
  double start_up = 1.5;          ///< longest time until ACTIVE
  double earliest_warning = 3.5;  ///< before an impact; sooner is a false alarm
  double late_end = 0.5;  ///< a warning that ends at most this long before the impact still counts
  double longest_silence = 0.2;  ///< in a warning of somebody in danger, all holes together
  /// A warning that a fault delays comes this long before the impact all the same.
  double least_despite_fault = 0.9;
  double shortest_warning = 0.5;  ///< shorter ones flicker
  double shortest_pause = 1;      ///< between two of a kind; shorter ones flicker
  double outputs = 0.1;           ///< lamp and sound follow the message within this
  double status_gap = 0.15;       ///< KW_Status comes every 0.1
  double warning_gap = 0.1;       ///< KW_Warning every 0.05, while there is one
  double warning_silence = 0.15;  ///< and every 0.1 while there is none
  double recovery = 3;            ///< longest time from the end of a fault to ACTIVE
  double naming = 2;  ///< longest time until late signals, once they arrive, are reported as late
  // An information signal may begin this long before somebody enters the close zone and last this
  // long after they left it. Outside that, it counts as false, and once more after each `idle`.
  double information_early = 1.5, information_late = 3, idle = 10;
  // The sound of a collision warning.
  double lowest_hz = 800, slowest_pulses = 6, fastest_pulses = 12, least_duty = 0.25,
         most_duty = 0.95;
};

/// One rule, and whether it held.
struct Verdict {
  std::string rule;  ///< "collision_warning_before_impact": see docs/simulator.md
  bool passed = true;
  std::string reason;   ///< in words and numbers, for a pass and for a failure
  bool common = false;  ///< a common rule: no run of a group may break it
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

/// The same by what a trace says, decoded.
[[nodiscard]] Judgement judge(const Scenario& scenario, const Truth& truth, Sent sent,
                              const CommonRules& rules = {});
/// Judges a run by what was sent and by what is true; it knows nothing of the firmware.
[[nodiscard]] Judgement judge(const Scenario& scenario, const Truth& truth, const Trace& trace,
                              const CommonRules& rules = {});

/// Number of information signals with nobody close; one that lasts counts once more after each
/// `rules.idle`. `first`: the start of the first.
[[nodiscard]] int idle_informations(const Truth& truth, const Sent& sent, const CommonRules& rules,
                                    std::optional<double>* first = nullptr);

/// Whether this status is a correct report of the fault.
[[nodiscard]] bool tells(const HealthReport& health, FaultSpec::Kind kind) noexcept;

}  // namespace kerb::sim
