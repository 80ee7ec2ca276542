// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/sensitivity.hpp"

namespace kerb {

/// When warnings begin, continue and end. A lower likelihood and longer times: earlier warnings,
/// more false ones. The values are those of the sensitivity `normal`; at() has the others.
struct WarningRules {
  // A collision warning begins for a contact at least this likely, at most this far ahead in time.
  // The time is what a driver needs to react and act: longer for a faster car, up to
  // `most_ahead_s`.
  double likelihood = 0.55;       ///< of the contact, times the probability that it is a person
  double standing_ahead_s = 2.1;  ///< at no speed
  double longer_ahead_s_per_mps = 0.05;  ///< added for each m/s
  double most_ahead_s = 2.4;
  double late_sigmas = 0.25;  ///< a contact counts as this many standard deviations later
  int reports = 2;            ///< of one person that must ask for it
  /// Within this time of the contact so many are enough. Farther ahead they must have asked for as
  /// long as the contact is farther: there is time to see whether the car or the person turns away.
  double urgent_s = 2.0;
  double detected_within_s = 0.25;  ///< it begins only for a person detected so recently
  double blind_s = 0.5;  ///< and not longer than this after the last picture that shows people
  // A creeping car stops at once: only for a nearly certain contact that is very near in time.
  double slow_kmh = 9.4;  ///< below: the car creeps
  double creeping_likelihood = 0.9;
  double creeping_ahead_s = 1.0;

  // It stays until the danger is gone: while the contact has this likelihood, whether or not the
  // person is detected, and this long without a reason.
  double stay_likelihood = 0.12;
  double stay_longer_s = 0.6;  ///< the contact may be this much further ahead than at the beginning
  double lingers_s = 1.0;
  // Whose track is lost while the contact is expected is still in danger: until it should have
  // happened, and this long at most.
  double lost_s = 2.5;
  // The driver's reaction ends it sooner.
  double brakes_mps2 = 1;       ///< from here on: without lingering
  double brakes_hard_mps2 = 3;  ///< from here on it stays with `likelihood` only
  double steers_mps2 = 2;       ///< lateral acceleration; likewise without lingering

  // Information: the car creeps, and a person's middle is at most this far from the front bumper
  // and from the side.
  double information_kmh = 10;  ///< below
  double close_ahead_m = 3.95, close_beside_m = 0.75;
  double close_soon_s = 0.3;       ///< a person who will be there after this time counts
  double close_evidence_s = 0.06;  ///< time for which they must be there
  double information_lingers_s = 0.5;

  /// Of another sensitivity: later and surer, or earlier.
  [[nodiscard]] WarningRules at(Sensitivity sensitivity) const noexcept {
    WarningRules rules = *this;
    const double sooner = sensitivity == Sensitivity::early  ? 1
                          : sensitivity == Sensitivity::late ? -1
                                                             : 0;
    rules.likelihood -= (sooner < 0 ? 0.15 : 0.05) * sooner;
    rules.standing_ahead_s += (sooner < 0 ? 0.5 : 0.3) * sooner;
    rules.most_ahead_s += (sooner < 0 ? 0.4 : 0.5) * sooner;
    rules.urgent_s += (sooner < 0 ? 0.4 : 0.5) * sooner;
    return rules;
  }
  /// How long before a contact the warning begins at this speed.
  [[nodiscard]] double ahead_s(double speed_mps) const noexcept {
    const double speed = speed_mps < 0 ? -speed_mps : speed_mps;
    const double ahead = standing_ahead_s + longer_ahead_s_per_mps * speed;
    return ahead < most_ahead_s ? ahead : most_ahead_s;
  }
};

}  // namespace kerb
