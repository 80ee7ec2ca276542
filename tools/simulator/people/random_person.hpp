// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim {

struct Crowd {
  double children = 0.10;  ///< share
  double women = 0.5;
  double summer = 0.35;  ///< 0 winter: coats and hats .. 1 hot: shirts, dresses, shorts
  bool carrying = true;  ///< bags, backpacks, now and then a pram or an umbrella
};
/// Somebody as met in a street, standing at the origin: men of 1.77 +- 0.07 m, women of
/// 1.64 +- 0.065 m, children of 4 to 12 years by age; mostly dark and muted clothes, jeans, some
/// bright; skin and hair of many tones, all with reflectances. The same for a seed everywhere.
PersonSpec random_person(std::uint32_t seed, const Crowd& crowd = {});
/// The same for what a spec leaves open: clothes, skin, hair and shoes, for its sex and age.
void dress(PersonSpec& person, std::uint32_t seed, const Crowd& crowd = {});
/// Median stature of a child of this age (CDC growth charts, both sexes together), m.
double child_height(double years);

}  // namespace kerb::sim
