// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/spectra.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/simulator/base/colour.hpp"

namespace kerb::sim {
namespace {

struct DyeBand {
  double centre, width, height;  // nm, nm, of K/S
};
/// A band falls off faster towards the red than towards the blue.
double band(const DyeBand& b, double nm) {
  const double t = (nm - b.centre) / (nm > b.centre ? 0.75 * b.width : b.width);
  return b.height * std::exp(-0.5 * t * t);
}

std::array<DyeBand, 4> bands_of(Dye dye) {
  switch (dye) {
    case Dye::black:
      return {{{400, 70, 9}, {490, 60, 9}, {580, 60, 11}, {650, 60, 9}}};
    case Dye::carbon:
      return {};
    case Dye::indigo:
      return {{{660, 75, 4.2}, {580, 60, 1.6}, {400, 60, 0.9}, {500, 60, 0.7}}};
    case Dye::navy:
      return {{{620, 80, 9}, {540, 60, 5}, {460, 45, 1.4}, {400, 50, 2.0}}};
    case Dye::blue:
      return {{{610, 70, 6.0}, {550, 50, 1.8}, {400, 40, 0.8}, {660, 40, 1.5}}};
    case Dye::red:
      return {{{510, 50, 9}, {545, 28, 5}, {430, 60, 6}, {400, 40, 2}}};
    case Dye::green:
      return {{{640, 60, 5}, {420, 55, 5}, {690, 40, 2}, {580, 40, 0.6}}};
    case Dye::yellow:
      return {{{430, 45, 7}, {400, 40, 4}, {470, 30, 1}, {400, 1, 0}}};
    case Dye::orange:
      return {{{460, 55, 7}, {510, 40, 3.5}, {400, 40, 4}, {400, 1, 0}}};
    case Dye::purple:
      return {{{555, 50, 4.5}, {600, 40, 2.5}, {500, 40, 2}, {430, 40, 0.8}}};
    case Dye::turquoise:
      return {{{640, 60, 4.5}, {680, 40, 3}, {590, 40, 1.2}, {400, 40, 0.6}}};
    case Dye::brown:
      return {{{400, 70, 5}, {470, 70, 3.6}, {560, 70, 2.4}, {640, 60, 1.0}}};
    case Dye::beige:
      return {{{400, 80, 0.9}, {470, 70, 0.25}, {560, 70, 0.10}, {640, 60, 0.05}}};
    case Dye::olive:
      return {{{420, 70, 3.8}, {480, 60, 1.4}, {600, 70, 1.3}, {670, 45, 1.2}}};
    case Dye::grey:
      return {{{410, 70, 0.9}, {490, 60, 0.8}, {580, 60, 0.95}, {650, 60, 0.85}}};
    case Dye::pink:
      return {{{520, 40, 0.55}, {550, 25, 0.3}, {430, 40, 0.1}, {400, 1, 0}}};
    default:
      return {};
  }
}

Surface surface_of(std::vector<double> reflectance) {
  Surface s;
  s.rgb = srgb_of(reflectance);
  s.reflectance = std::move(reflectance);
  return s;
}

}  // namespace

Surface cloth_surface(Fibre fibre, Dye dye, double depth) {
  std::vector<double> out(kReflectances);
  const std::array<DyeBand, 4> bands = bands_of(dye);
  for (std::size_t i = 0; i < kReflectances; ++i) {
    const double nm = reflectance_nm(i);
    // The bare fibre: wool is yellowish, cotton takes water's bands a little.
    double k = fibre == Fibre::wool ? 0.06 + 0.9 * std::exp(-(nm - 380) / 70)
               : fibre == Fibre::cotton
                   ? 0.022 + 0.16 * std::exp(-(nm - 380) / 40) + band({970, 30, 0.012}, nm)
                   : 0.035 + 0.12 * std::exp(-(nm - 380) / 30);
    for (const DyeBand& b : bands) k += depth * band(b, nm);
    if (dye == Dye::black || dye == Dye::navy)  // a tail that reaches beyond red
      k += depth * 6 * std::exp(-std::pow(std::max(nm - 640, 0.0) / 75, 2));
    if (dye == Dye::carbon) k += depth * 9;
    const double inner = 1 + k - std::sqrt(k * k + 2 * k);
    const double sheen = fibre == Fibre::synthetic ? 0.018 : 0.010;  // off the fibres' surface
    out[i] = std::clamp(sheen + (1 - sheen) * 0.93 * inner, 0.0, 1.0);
  }
  return surface_of(std::move(out));
}

Surface skin_surface(double melanin, double blood) {
  std::vector<double> out(kReflectances);
  for (std::size_t i = 0; i < kReflectances; ++i) {
    const double nm = reflectance_nm(i);
    const double dark = (0.05 + 1.85 * melanin) * std::pow(nm / 550, -3.1);
    const double haemoglobin = band({415, 30, 0.70}, nm) + band({542, 17, 0.26}, nm) +
                               band({576, 13, 0.28}, nm) +
                               0.30 * (1 - 1 / (1 + std::exp(-(nm - 592) / 9)));
    const double water = band({970, 32, 0.20}, nm);
    const double deep = 0.74 - 0.16 * std::exp(-(nm - 400) / 120);
    out[i] = 0.025 + 0.975 * deep * std::exp(-dark - blood * haemoglobin - water);
  }
  return surface_of(std::move(out));
}

Surface hair_surface(double dark, double red) {
  std::vector<double> out(kReflectances);
  const double amount = 0.20 + 3.9 * dark * dark;
  for (std::size_t i = 0; i < kReflectances; ++i) {
    const double nm = reflectance_nm(i);
    const double eumelanin = amount * std::pow(550 / nm, 2.0);
    const double pheomelanin = (0.9 * red + 0.35 * dark * (1 - dark)) * std::exp(-(nm - 480) / 60);
    out[i] = 0.022 + 0.60 * std::exp(-eumelanin - pheomelanin);
  }
  return surface_of(std::move(out));
}

Surface leather_surface(double lightness, double warmth) {
  std::vector<double> out(kReflectances);
  for (std::size_t i = 0; i < kReflectances; ++i) {
    const double nm = reflectance_nm(i);
    const double tilt = 1 + warmth * (nm - 560) / 320;
    const double beyond = 0.25 * (1 - lightness) / (1 + std::exp(-(nm - 780) / 45));
    out[i] = std::clamp(lightness * std::clamp(tilt, 0.25, 2.0) + beyond, 0.02, 0.92);
  }
  return surface_of(std::move(out));
}

}  // namespace kerb::sim
