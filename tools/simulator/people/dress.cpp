// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/dress.hpp"

#include <span>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/people/spectra.hpp"

namespace kerb::sim {
namespace {

constexpr double kSummer = 0.35;  // 0 winter: coats and hats .. 1 hot: shirts, dresses, shorts

struct Choice {
  Fibre fibre;
  Dye dye;
  double depth;   // of the dye
  double weight;  // how often
};
/// As counted roughly in streets: outer wear is dark.
constexpr Choice kOuter[] = {
    {Fibre::synthetic, Dye::black, 1.0, 16}, {Fibre::synthetic, Dye::carbon, 1.0, 8},
    {Fibre::synthetic, Dye::navy, 0.9, 14},  {Fibre::cotton, Dye::grey, 1.4, 8},
    {Fibre::wool, Dye::grey, 2.6, 7},        {Fibre::cotton, Dye::olive, 1.2, 8},
    {Fibre::wool, Dye::brown, 1.0, 7},       {Fibre::wool, Dye::beige, 1.6, 7},
    {Fibre::cotton, Dye::indigo, 0.9, 5},    {Fibre::synthetic, Dye::red, 0.7, 4},
    {Fibre::synthetic, Dye::blue, 0.9, 4},   {Fibre::synthetic, Dye::green, 1.0, 2},
    {Fibre::synthetic, Dye::yellow, 0.5, 2}, {Fibre::synthetic, Dye::orange, 0.7, 1},
    {Fibre::synthetic, Dye::none, 1.0, 3},   {Fibre::wool, Dye::purple, 1.2, 2}};
constexpr Choice kShirts[] = {
    {Fibre::cotton, Dye::none, 1, 14},       {Fibre::cotton, Dye::black, 0.8, 12},
    {Fibre::cotton, Dye::navy, 0.7, 10},     {Fibre::cotton, Dye::grey, 0.7, 11},
    {Fibre::cotton, Dye::blue, 0.25, 8},     {Fibre::cotton, Dye::blue, 0.9, 4},
    {Fibre::cotton, Dye::red, 0.7, 6},       {Fibre::cotton, Dye::olive, 0.7, 5},
    {Fibre::cotton, Dye::beige, 1.2, 6},     {Fibre::cotton, Dye::pink, 1.0, 4},
    {Fibre::cotton, Dye::green, 0.6, 3},     {Fibre::cotton, Dye::yellow, 0.4, 3},
    {Fibre::cotton, Dye::turquoise, 0.5, 3}, {Fibre::cotton, Dye::purple, 0.7, 3},
    {Fibre::cotton, Dye::orange, 0.5, 2},    {Fibre::wool, Dye::brown, 0.8, 4}};
constexpr Choice kTrousers[] = {
    {Fibre::cotton, Dye::indigo, 1.3, 24},   {Fibre::cotton, Dye::indigo, 0.6, 10},
    {Fibre::cotton, Dye::navy, 0.9, 12},     {Fibre::cotton, Dye::black, 1.0, 18},
    {Fibre::synthetic, Dye::carbon, 0.8, 6}, {Fibre::cotton, Dye::grey, 1.6, 9},
    {Fibre::cotton, Dye::beige, 2.0, 8},     {Fibre::cotton, Dye::olive, 1.0, 6},
    {Fibre::wool, Dye::brown, 1.0, 5},       {Fibre::cotton, Dye::none, 1.0, 2}};
constexpr Choice kSkirts[] = {
    {Fibre::cotton, Dye::black, 1.0, 16}, {Fibre::cotton, Dye::navy, 0.9, 10},
    {Fibre::cotton, Dye::grey, 1.3, 6},   {Fibre::cotton, Dye::red, 0.7, 7},
    {Fibre::cotton, Dye::indigo, 0.9, 6}, {Fibre::cotton, Dye::beige, 1.5, 6},
    {Fibre::cotton, Dye::green, 0.7, 4},  {Fibre::cotton, Dye::purple, 0.8, 4},
    {Fibre::cotton, Dye::none, 1.0, 4},   {Fibre::cotton, Dye::pink, 1.2, 3}};

Surface pick(Random& random, std::span<const Choice> choices) {
  double sum = 0;
  for (const Choice& c : choices) sum += c.weight;
  double x = random.between(0, sum);
  const Choice* chosen = &choices.back();
  for (const Choice& c : choices) {
    if (x < c.weight) {
      chosen = &c;
      break;
    }
    x -= c.weight;
  }
  return cloth_surface(chosen->fibre, chosen->dye, chosen->depth * random.between(0.7, 1.35));
}

void choose_garments(Random& random, const PersonSpec& person, double summer, Clothing& c) {
  const double warm = random.normal(summer, 0.22), x = random.unit();
  c.bottom = Garment::trousers;
  if (warm < 0.30) {
    c.top = x < 0.62 ? Garment::jacket : Garment::coat;
  } else if (warm < 0.60) {
    c.top = x < 0.60 ? Garment::jacket : x < 0.70 ? Garment::coat : Garment::shirt;
  } else {
    c.top = Garment::shirt;
    if (random.chance(person.child ? 0.5 : 0.28)) c.bottom = Garment::shorts;
  }
  if (!person.female) return;
  if (random.chance(warm > 0.5 ? 0.22 : 0.06)) c.top = Garment::dress;
  if (random.chance(0.16)) c.bottom = Garment::skirt;
}

}  // namespace

void dress(PersonSpec& person, std::uint32_t seed) {
  Random random{0xc107e5u + (std::uint64_t{seed} << 24)};
  Clothing& c = person.clothing;
  choose_garments(random, person, kSummer, c);
  const bool outer = c.top == Garment::jacket || c.top == Garment::coat;
  c.top_surface = outer ? pick(random, kOuter)
                        : pick(random, c.top == Garment::dress && random.chance(0.5)
                                           ? std::span<const Choice>{kSkirts}
                                           : std::span<const Choice>{kShirts});
  if (person.child && random.chance(0.5)) c.top_surface = pick(random, kShirts);
  c.bottom_surface = c.bottom == Garment::skirt ? pick(random, kSkirts) : pick(random, kTrousers);
  const double shoe = random.unit();
  c.shoes = shoe < 0.50   ? leather_surface(random.between(0.03, 0.07), 0)
            : shoe < 0.68 ? leather_surface(random.between(0.10, 0.22), 0.9)
            : shoe < 0.85 ? leather_surface(random.between(0.55, 0.80), 0)
                          : pick(random, kShirts);
  const double pattern = random.unit();
  const double plain = outer ? 0.90 : 0.66;
  c.pattern = pattern < plain ? 0 : 1 + random.below(3);
  // Mostly the tones of a European town, with all others.
  const double origin = random.unit();
  const double melanin = origin < 0.66   ? random.between(0.04, 0.22)
                         : origin < 0.86 ? random.between(0.20, 0.48)
                                         : random.between(0.50, 1.0);
  c.skin = skin_surface(melanin, random.between(0.7, 1.25));
  const bool old = !person.child && random.chance(0.18);
  const double dark = melanin > 0.25 ? random.between(0.88, 1.05)
                      : old          ? random.between(0.02, 0.30)
                                     : random.between(0.32, 1.0);
  c.hair = hair_surface(dark, !old && melanin < 0.2 && random.chance(0.08) ? 1.0 : 0.0);
  if (person.rides != Rides::nothing) {  // nobody rides in what hangs
    if (c.bottom == Garment::skirt) c.bottom = Garment::trousers;
    if (c.top == Garment::dress || c.top == Garment::coat) c.top = Garment::jacket;
  }
}

}  // namespace kerb::sim
