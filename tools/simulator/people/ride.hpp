// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/posture.hpp"

namespace kerb::sim::people {

/// What somebody rides, made to their measure, in their own space: facing +x over the middle of it.
struct Ride {
  Rides kind = Rides::nothing;
  double size = 1;                 ///< of what a person of 1.75 m rides
  double wheel = 0.34;             ///< radius
  double front_x = 0, back_x = 0;  ///< of the axles
  Vec3 hip;                        ///< where the hips' middle is
  Vec3 grip;                       ///< of the left hand
  double lean = 0;                 ///< of the trunk, rad forward
  Vec3 crank;                      ///< bicycle: its axle
  double crank_length = 0.17;
  double per_turn = 4.4;  ///< m that a turn of the crank takes it; wheelchair: that a push does
};
Ride ride_of(const Figure& f, const PersonSpec& person);

/// The posture of somebody who rides: legs that pedal, feet on a deck or on foot rests, hands at
/// the grips or the hand rims. Wheels and cranks turn with the distance.
void sit_on(const Figure& f, const Manner& manner, const Ride& ride, const PersonState& state,
            double t, Posture& out);

}  // namespace kerb::sim::people
