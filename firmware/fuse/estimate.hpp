// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "firmware/types/person.hpp"

/// One person from what several cameras say of them. In the car's axes as in firmware/track; exact
/// (see firmware/exact); nothing here allocates.
namespace kerb::fuse {

/// A normal distribution: of x, y, or of x, y, vx, vy. Covariance in rows.
template <std::size_t N>
struct Normal {
  std::array<double, N> mean{};
  std::array<double, N * N> covariance{};
};
using Moving = Normal<4>;
using Place = Normal<2>;

/// The car's own motion over a short time.
struct Way {
  double seconds = 0;
  double speed_mps = 0, yaw_rate_radps = 0;
  bool speed_known = false, yaw_rate_known = false;
};

/// Whether all is finite and the covariance is positive definite.
[[nodiscard]] bool is_proper(const Moving& of) noexcept;
[[nodiscard]] bool is_proper(const Place& of) noexcept;

/// Where somebody is after this time, in the car's axes then: as the tracker predicts one who
/// walks, and one who stands.
void advance(Moving& person, const Way& way) noexcept;
void advance(Place& person, const Way& way) noexcept;

/// Covariance intersection (Julier and Uhlmann 1997): the estimate of one thing from two estimates
/// whose errors may depend on each other in any way. Two cameras share the height they assume, the
/// car's speed and yaw rate, its nodding: taking them for independent would make the result surer
/// than it is. The inverse covariances are weighed so that the determinant is the least: it is
/// never larger than the better one's. Where both are farther apart than chance has it, the
/// covariance grows by their distance. Returns the weight of `a`, 0 to 1. Both must be proper.
double intersect(const Moving& a, const Moving& b, Moving& out) noexcept;
double intersect(const Place& a, const Place& b, Place& out) noexcept;

/// Log-likelihood ratio of "these are one person" to "they are two": by place and velocity, given
/// how many people there are on a road. Nothing: far beyond chance, or not proper.
[[nodiscard]] std::optional<double> one_person(const Moving& a, const Moving& b) noexcept;

/// What one camera says of a person, at the moment of fusion.
struct Opinion {
  const track::Person* person = nullptr;  ///< as it was reported,
  Way since;                              ///< and the car's way since then
};

/// The values of a Person that two or more opinions are weighed for: place, velocity and their
/// covariances in both hypotheses, walks, height, certainty, confirmed, seen, times. The rest (id,
/// box) stays as it is in `out`. False: none of them is proper; `out` is unchanged.
bool fuse(const Opinion* opinions, std::size_t count, track::Person& out) noexcept;

/// Place and velocity of a person, both hypotheses together.
[[nodiscard]] Moving moving_of(const track::Person& person) noexcept;

}  // namespace kerb::fuse
