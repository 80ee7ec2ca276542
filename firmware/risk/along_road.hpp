// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/car_way.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/risk_settings.hpp"

namespace kerb::risk {

/// A person who walks along the road, as most people beside one do.
struct AlongRoad {
  double probability = 0;
  track::Person person;  ///< the same, as estimated with such a walker's prior
};

/// The tracker takes a velocity in any direction for equally likely. But people beside a road walk
/// along it or across it. For one whose velocity is not known well, a part of it across the road is
/// therefore likelier an error than for one who surely walks towards it. Compares both priors by
/// the evidence in the person's velocity and its covariance; the road's direction where they are is
/// that of the car's way at its nearest point. One who surely does not move along the road is
/// not taken for such a walker: who has just begun to cross is not. Exact; allocates nothing.
[[nodiscard]] AlongRoad along_road(const PaceSettings& settings, const track::Person& person,
                                   const CarWay& way) noexcept;

}  // namespace kerb::risk
