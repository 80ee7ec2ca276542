// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/people/polygonise.hpp"
#include "tools/simulator/people/posture.hpp"

/// Dogs: led by people, or things of their own.
namespace kerb::sim::people {

/// A closed part of a dog that stands at the origin and faces +x.
struct DogPart {
  Skin skin;
  bool dark = false;  ///< nose, eyes, collar
  int leg = -1;       ///< 0 front left, 1 front right, 2 hind left, 3 hind right; -1: the rest
  Vec3 pivot;         ///< of a leg
};
/// In exactly this size: length from nose to tail, width, height.
std::vector<DogPart> dog_parts(Vec3 size);

/// A leg's swing forward (rad) after so many metres, and where it turns. Diagonal legs go together:
/// a trot.
struct DogLeg {
  double swing = 0;
  Vec3 pivot;
};
DogLeg dog_leg(Vec3 size, int leg, double stride_m, double metres);
/// Where a dog stands whom somebody leads, in their space.
Vec3 dog_beside(const Figure& f, const Manner& manner);

}  // namespace kerb::sim::people
