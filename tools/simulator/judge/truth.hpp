// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/judge/visibility.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// What is true in a run, as far as it is judged and drawn: who would be hit and when, when they
/// could be seen, who was close, and a time line. Seconds and metres.
struct Truth {
  /// The truth about the most relevant person at this time: the one who is hit first if car and
  /// people keep their motion, otherwise the nearest.
  struct Sample {
    double t = 0;
    double car_mps = 0;
    int person = -1;  ///< -1: there is nobody
    double distance = 0, ahead = 0, left = 0;
    std::optional<double> ttc;
    double visible = 0;
    Zone zone = Zone::elsewhere;
  };
  struct Close {
    int person = 0;
    double begin = 0, end = 0;
  };
  /// Everybody at one moment, in the scenario's order; where the scenario asks for it.
  struct Everybody {
    struct Place {
      double ahead = 0, left = 0, visible = 0;
    };
    double t = 0;
    std::vector<Place> people;
  };
  double seconds = 0;
  std::optional<Contact> contact;  ///< the first; without correction
  std::optional<double> seen;      ///< when a tenth of that person was first visible
  /// When half of them was; again when they had been hidden (under a tenth) in between.
  std::optional<double> half_visible;
  double contact_mps = 0;            ///< how fast the car is at the contact
  std::vector<Close> close;          ///< in the close zone of a car that stands or creeps
  std::vector<Sample> samples;       ///< evenly in time
  std::vector<Everybody> everybody;  ///< as these; with Criteria::most_identity_changes alone
};

/// A car slower than this creeps: people in its close zone are a reason for information.
inline constexpr double kCreeping = 10 / 3.6;
inline constexpr double kSeenShare = 0.1, kHalfShare = 0.5;

[[nodiscard]] Truth find_truth(const World& world);

}  // namespace kerb::sim
