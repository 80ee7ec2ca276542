// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/judge/truth.hpp"

namespace kerb::sim {

/// How well the person of the contact can be seen when they must be, for a warning `before_s`
/// before it: kSeeingTime_s earlier still. From two pictures of that moment, one with the sensor's
/// noise and one without; nothing where they are not in the picture, or where there is no contact.
/// Costs two pictures.
[[nodiscard]] std::optional<Truth::PersonLight> measure_person_light(const World& world,
                                                                     const Truth& truth,
                                                                     double before_s, int threads);

}  // namespace kerb::sim
