// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How far counts of few runs can be trusted.
namespace kerb::sim {

struct Interval {
  double low = 0, high = 0;
};

/// Wilson's 95 % interval of a share, of `passed` of `runs` that are independent. 0..1 of no runs.
[[nodiscard]] Interval wilson_interval(int passed, int runs) noexcept;

/// The exact 95 % interval (Garwood) of the mean of a Poisson distribution of which `count` were
/// seen: no assumption but that they come independently of each other.
[[nodiscard]] Interval poisson_interval(int count) noexcept;

}  // namespace kerb::sim
