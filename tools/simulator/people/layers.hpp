// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/simulator/people/body.hpp"
#include "tools/simulator/people/figure.hpp"
#include "tools/simulator/people/polygonise.hpp"
#include "tools/simulator/people/posture.hpp"

namespace kerb::sim::people {

/// How a layer follows the bones.
enum class Cling : std::uint8_t {
  body,   ///< each part with the bone under it
  legs,   ///< as body, but ends at the ankle: trousers do not turn with the foot
  skirt,  ///< hangs between the thighs
  hair,   ///< the head, and the back below it
  rigid,  ///< one bone
  lead    ///< from the hand to a dog
};

/// One closed surface of a dressed person, at rest.
struct Layer {
  Field field;
  Vec3 low, high;
  double cell = 0.028;
  BodyPart part = BodyPart::skin;
  Cling cling = Cling::body;
  Bone bone = kHead;
  bool own = true;  ///< the person's, not what is carried
  Skin ready{};     ///< where there is no field: the surface itself
};

enum class Cut : std::uint8_t { bald, cropped, brief, full, bob, shoulder, tail, bun, curls };
enum class Hat : std::uint8_t { none, beanie, cap, hood, helmet };

/// What a seed decides about somebody's looks, where the spec does not say.
struct Appearance {
  Cut cut = Cut::brief;
  Hat hat = Hat::none;
  bool hood_down = false, collar = true, open = false, boots = false, pale_soles = false;
  bool long_sleeves = true, shoulder_bag = false, tights = false, scarf = false;
  double trouser_ease = 0;  ///< 0 tight .. 1 wide
  double hem = 0;           ///< -1 short .. 1 long
  std::uint32_t seed = 0;
  Manner manner;
};
Appearance appearance_of(const PersonSpec& person);

void add_head(const Figure& f, const Appearance& look, std::vector<Layer>& out);
void add_clothes(const Figure& f, const PersonSpec& person, const Appearance& look,
                 std::vector<Layer>& out);
void add_things(const Figure& f, const PersonSpec& person, const Appearance& look,
                std::vector<Layer>& out);

/// What somebody rides.
void add_ride(const Figure& f, const PersonSpec& person, const Appearance& look,
              std::vector<Layer>& out);
/// A closed surface of revolution about the way from a to b: radii at shares of the way.
Skin turned(const Vec3& a, const Vec3& b, const std::vector<Key>& radii, int sides);
Skin tube(const Vec3& a, const Vec3& b, double r);

/// Where a top ends.
double hem_of(Garment top, const Figure& f, const Appearance& look);
/// Sections between two places, let out.
std::vector<Section> between(const std::vector<Section>& sections, double from, double to);

}  // namespace kerb::sim::people
