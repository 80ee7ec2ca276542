// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/judge/dangers.hpp"
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
  /// How well the person who will be hit can be seen, from the drawn picture, kSeeingTime_s before
  /// a warning is due; where the scenario accepts a limited view (run/person_light.hpp).
  struct PersonLight {
    double at = 0;        ///< seconds
    double lux = 0;       ///< on what of them faces the car, mean over the body
    double contrast = 0;  ///< grey levels between them and what is around, over eight heights (RMS)
    double noise = 0;     ///< grey levels: standard deviation of the picture's noise there
    double pixels = 0;    ///< that show them
  };
  double seconds = 0;
  std::optional<PersonLight> light;
  std::optional<Contact> contact;  ///< the first; without correction
  std::optional<double> seen;      ///< when a tenth of that person was first visible
  /// When half of them was; again when they had been hidden (under a tenth) in between.
  std::optional<double> half_visible;
  double contact_mps = 0;            ///< how fast the car is at the contact
  std::vector<Danger> dangers;       ///< unless the scenario forbids collision warnings
  std::vector<Close> close;          ///< in the close zone of a car that stands or creeps
  std::vector<Sample> samples;       ///< evenly in time
  std::vector<Everybody> everybody;  ///< as these; with Criteria::most_identity_changes alone
};

/// A car slower than this creeps: people in its close zone are a reason for information.
inline constexpr double kCreeping = 10 / 3.6;
inline constexpr double kSeenShare = 0.1, kHalfShare = 0.5;

/// Before a warning is due, the person must have been visible this long: they are found in several
/// pictures, and their motion is believed, before there is anything to warn of.
inline constexpr double kSeeingTime_s = 0.5;
/// The rule "too dark". Less light than 1 lx on the side that faces the car: the least vertical
/// light of a lit residential street (EN 13201-2, class P5) and what Euro NCAP calls dark. And a
/// contrast under one standard deviation of the noise: details of a pixel are lost in it, as
/// Rose's rule wants five for a detail that is surely seen. Both, for headlamps make a contrast
/// even in little light, and dark clothes have none before a dark house even in much.
inline constexpr double kDarkBelow_lux = 1.0, kDarkContrast = 1.0;
[[nodiscard]] bool too_dark(const Truth::PersonLight& light) noexcept;

[[nodiscard]] Truth find_truth(const World& world);

}  // namespace kerb::sim
