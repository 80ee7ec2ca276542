// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/build_things.hpp"

namespace kerb::sim::things {

void football(Builder& b, const ThingStyle& t) {
  // Twelve dark patches round the corners of an icosahedron.
  constexpr float kG = 1.618034F;
  std::vector<V3> patches;
  for (const float a : {-1.0F, 1.0F})
    for (const float c : {-kG, kG}) {
      patches.push_back(unit(V3{0, a, c}));
      patches.push_back(unit(V3{a, c, 0}));
      patches.push_back(unit(V3{c, 0, a}));
    }
  const float r = t.size.x / 2;
  constexpr int kRings = 16, kSides = 32;
  std::uint32_t first = 0;
  const auto direction_at = [](float j, float i) {
    const float a = 3.14159265F * j / kRings, w = kTau * i / kSides;
    return V3{std::sin(a) * std::cos(w), std::sin(a) * std::sin(w), std::cos(a)};
  };
  for (int j = 0; j <= kRings; ++j)
    for (int i = 0; i <= kSides; ++i) {
      const V3 d = direction_at(f32(j), f32(i));
      const std::uint32_t c = b.corner(V3{0, 0, r} + r * d, d, 0, 0);
      if (i == 0 && j == 0) first = c;
    }
  const auto corner = [&](int j, int i) {
    return first + static_cast<std::uint32_t>(j * (kSides + 1) + i);
  };
  for (int j = 0; j < kRings; ++j)
    for (int i = 0; i < kSides; ++i) {
      const V3 d = direction_at(f32(j) + 0.5F, f32(i) + 0.5F);
      bool dark = false;
      for (const V3& p : patches) dark = dark || dot(p, d) > 0.93F;
      const std::uint16_t m = dark && t.make != 2 ? kPlastic : t.paint;
      if (j > 0) b.face(corner(j, i), corner(j + 1, i), corner(j, i + 1), m);
      if (j + 1 < kRings) b.face(corner(j + 1, i), corner(j + 1, i + 1), corner(j, i + 1), m);
    }
}

}  // namespace kerb::sim::things
