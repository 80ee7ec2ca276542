// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim {

/// What a spec leaves open, as met in a street: clothes, skin, hair and shoes, for its sex and age.
/// Mostly dark and muted clothes, jeans, some bright; skin and hair of many tones, all with
/// reflectances. The same for a seed everywhere.
void dress(PersonSpec& person, std::uint32_t seed);

}  // namespace kerb::sim
