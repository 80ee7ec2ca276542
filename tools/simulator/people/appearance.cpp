// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/layers.hpp"

namespace kerb::sim::people {
namespace {

Cut cut_of(Random& random, bool female, bool child) {
  const double x = random.unit();
  if (female) {
    if (x < 0.30) return Cut::shoulder;
    if (x < 0.52) return Cut::tail;
    if (x < 0.72) return Cut::bob;
    if (x < 0.84) return Cut::bun;
    if (x < 0.93) return Cut::full;
    return Cut::curls;
  }
  if (child) return x < 0.6 ? Cut::brief : x < 0.9 ? Cut::full : Cut::curls;
  if (x < 0.08) return Cut::bald;
  if (x < 0.30) return Cut::cropped;
  if (x < 0.75) return Cut::brief;
  return x < 0.95 ? Cut::full : Cut::curls;
}

}  // namespace

Appearance appearance_of(const PersonSpec& person) {
  Random random{0x5eed0000u + person.seed};
  Appearance look;
  look.seed = static_cast<std::uint32_t>(random.next() >> 40);
  look.cut = cut_of(random, person.female, person.child);
  const bool outer = person.clothing.top == Garment::jacket || person.clothing.top == Garment::coat;
  const double hat = random.unit();
  if (outer && hat < 0.10)
    look.hat = Hat::beanie;
  else if (outer && hat < 0.14)
    look.hat = Hat::hood;
  else if (!person.female && hat > 0.92)
    look.hat = Hat::cap;
  look.hood_down = outer && random.chance(0.35);
  look.collar = random.chance(outer ? 0.8 : 0.5);
  look.open = outer && random.chance(0.40);
  look.scarf = outer && random.chance(0.12);
  look.boots = person.clothing.bottom == Garment::skirt ? random.chance(0.5) : random.chance(0.15);
  look.pale_soles = !look.boots && random.chance(0.45);
  look.long_sleeves = outer || random.chance(0.45);
  look.shoulder_bag = random.chance(0.5);
  look.tights = random.chance(0.6) && person.clothing.bottom != Garment::shorts;
  look.trouser_ease = person.female ? random.between(0, 0.6) : random.between(0.25, 0.9);
  look.hem = random.between(-1, 1);
  Manner& m = look.manner;
  m.side = random.chance(0.5) ? 1 : -1;
  m.rhythm = random.between(0, 6.28);
  m.swing = random.between(0.75, 1.2);
  m.lean = random.between(-0.02, 0.05);
  m.toe_out = random.between(0.05, 0.18);
  m.look_down = random.between(0, 0.12);
  const double idle = random.unit(), walking = random.unit();
  m.standing = idle < 0.45   ? Hands::free
               : idle < 0.65 ? Hands::pockets
               : idle < 0.80 ? Hands::phone
               : idle < 0.90 ? Hands::clasped
                             : Hands::one_pocket;
  m.walking = walking < 0.80   ? Hands::free
              : walking < 0.88 ? Hands::pockets
              : walking < 0.94 ? Hands::phone
                               : Hands::one_pocket;
  if (person.child && m.walking != Hands::free) m.walking = Hands::free;
  if (person.carries == Carries::pram) m.walking = m.standing = Hands::push;
  if (person.carries == Carries::umbrella) m.walking = m.standing = Hands::hold_up;
  if (person.carries == Carries::bag && !look.shoulder_bag) m.walking = m.standing = Hands::bag;
  if (person.carries == Carries::trolley) m.walking = m.standing = Hands::push;
  if (person.carries == Carries::dog) {
    m.dog = usual_size(PropKind::dog, look.seed);
    m.dog_stride = 1.3 * m.dog->z;
    m.walking = m.standing = Hands::lead;
  }
  if (person.phone) {
    m.walking = m.standing = Hands::phone;
    m.look_down = 0.5;
    look.shoulder_bag = true;
  }
  if (person.rides == Rides::bicycle && (person.child || person.seed % 5 < 3))
    look.hat = Hat::helmet;
  return look;
}

}  // namespace kerb::sim::people
