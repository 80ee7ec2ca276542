// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/people/dress.hpp"

namespace kerb::test {

/// Somebody: every second a woman, every tenth a child, dressed by the seed.
inline sim::PersonSpec random_person(std::uint32_t seed) {
  sim::PersonSpec p;
  p.seed = seed;
  p.female = seed % 2 == 1;
  p.child = seed % 10 == 9;
  p.height_m = p.child ? 1.3 : p.female ? 1.64 : 1.77;
  dress(p, seed);
  return p;
}

}  // namespace kerb::test
