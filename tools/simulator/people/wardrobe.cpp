// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include "tools/simulator/base/random.hpp"
#include "tools/simulator/people/layers.hpp"
namespace kerb::sim {
std::array<Surface, static_cast<std::size_t>(BodyPart::count)> body_surfaces(
    const PersonSpec& person) {
  std::array<Surface, static_cast<std::size_t>(BodyPart::count)> out;
  const auto at = [&out](BodyPart part) -> Surface& { return out[static_cast<std::size_t>(part)]; };
  const Clothing& c = person.clothing;
  at(BodyPart::skin) = c.skin;
  at(BodyPart::hair) = c.hair;
  at(BodyPart::top) = c.top_surface;
  at(BodyPart::bottom) = c.bottom_surface;
  at(BodyPart::shoes) = c.shoes;
  at(BodyPart::thing).rgb = {0.2, 0.22, 0.35};
  at(BodyPart::thing_dark).rgb = {0.1, 0.1, 0.1};
  at(BodyPart::trim).rgb = {0.8, 0.8, 0.82};
  at(BodyPart::hat).rgb = {0.15, 0.15, 0.2};
  at(BodyPart::eyes).rgb = {0.12, 0.09, 0.08};
  at(BodyPart::lips).rgb = {0.6, 0.32, 0.3};
  at(BodyPart::legwear).rgb = {0.08, 0.08, 0.09};
  return out;
}
double pattern_share(int, double, double, std::uint32_t) { return 0; }
}  // namespace kerb::sim
