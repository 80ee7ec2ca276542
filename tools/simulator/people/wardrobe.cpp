// SPDX-License-Identifier: Apache-2.0
// What is left open by a spec about a body's surfaces.
#include <algorithm>
#include <cmath>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/people/body.hpp"
#include "tools/simulator/people/spectra.hpp"

namespace kerb::sim {
namespace {

Surface mixed(const Surface& a, const Surface& b, double share) {
  Surface out = a;
  for (std::size_t i = 0; i < 3; ++i) out.rgb[i] += share * (b.rgb[i] - a.rgb[i]);
  if (!a.reflectance.empty() && a.reflectance.size() == b.reflectance.size())
    for (std::size_t i = 0; i < a.reflectance.size(); ++i)
      out.reflectance[i] += share * (b.reflectance[i] - a.reflectance[i]);
  return out;
}

}  // namespace

std::array<Surface, static_cast<std::size_t>(BodyPart::count)> body_surfaces(
    const PersonSpec& person) {
  std::array<Surface, static_cast<std::size_t>(BodyPart::count)> out;
  const auto at = [&out](BodyPart part) -> Surface& { return out[static_cast<std::size_t>(part)]; };
  const Clothing& c = person.clothing;
  Random random{0x5c4f0000u + person.seed};
  at(BodyPart::skin) = c.skin;
  at(BodyPart::hair) = c.hair;
  at(BodyPart::top) = c.top_surface;
  at(BodyPart::bottom) = c.bottom_surface;
  at(BodyPart::shoes) = c.shoes;
  static constexpr Dye kThings[] = {Dye::black, Dye::navy, Dye::grey,  Dye::brown, Dye::olive,
                                    Dye::red,   Dye::blue, Dye::beige, Dye::carbon};
  at(BodyPart::thing) = cloth_surface(Fibre::synthetic, kThings[random.below(9)], 0.9);
  static constexpr Dye kCoats[] = {Dye::black, Dye::brown, Dye::beige, Dye::none, Dye::grey};
  if (person.carries == Carries::dog) {
    Random coat{0xd06u + person.seed};
    const Dye dye = kCoats[coat.below(5)];
    at(BodyPart::thing) = cloth_surface(Fibre::wool, dye, coat.between(0.6, 1.6));
  }
  if (person.carries == Carries::trolley)
    at(BodyPart::thing) = cloth_surface(Fibre::synthetic, Dye::grey, 0.5);
  at(BodyPart::thing_dark) = leather_surface(random.between(0.04, 0.09), 0);
  // Against the top: pale under dark, dark or coloured under pale.
  const double light =
      0.3 * c.top_surface.rgb[0] + 0.6 * c.top_surface.rgb[1] + 0.1 * c.top_surface.rgb[2];
  static constexpr Dye kPale[] = {Dye::none, Dye::none, Dye::beige, Dye::blue, Dye::grey, Dye::red};
  static constexpr Dye kDark[] = {Dye::navy,  Dye::black,  Dye::red,
                                  Dye::brown, Dye::indigo, Dye::green};
  at(BodyPart::trim) = light < 0.45 ? cloth_surface(Fibre::cotton, kPale[random.below(6)], 0.4)
                                    : cloth_surface(Fibre::cotton, kDark[random.below(6)], 0.8);
  static constexpr Dye kHats[] = {Dye::black, Dye::navy,  Dye::grey,   Dye::carbon,
                                  Dye::red,   Dye::olive, Dye::yellow, Dye::beige};
  at(BodyPart::hat) = cloth_surface(Fibre::wool, kHats[random.below(8)], 0.9);
  at(BodyPart::eyes) = mixed(leather_surface(0.05, 0.2), c.skin, 0.25);
  at(BodyPart::lips) = mixed(c.skin, cloth_surface(Fibre::cotton, Dye::red, 0.5), 0.30);
  at(BodyPart::legwear) = cloth_surface(Fibre::synthetic, Dye::black, random.between(0.35, 1.0));
  return out;
}

double pattern_share(int pattern, double u, double v, std::uint32_t seed) {
  Random random{0x9a77e4u + seed};
  const double size = random.between(0.02, 0.09), wide = random.between(0.25, 0.5);
  const auto line = [](double x, double period, double share) {
    const double t = x / period - std::floor(x / period);
    return t < share ? 1.0 : 0.0;
  };
  switch (pattern) {
    case 1:
      return line(v, size, wide);
    case 2:
      return 0.5 * (line(u, size + 0.02, wide) + line(v, size + 0.02, wide));
    case 3: {
      const double band = std::floor(v / 0.22 + random.unit());
      return band - 2 * std::floor(band / 2);
    }
    default:
      return 0;
  }
}

}  // namespace kerb::sim
