// SPDX-License-Identifier: Apache-2.0
// A poster's picture: somebody standing, drawn flat into a texture.
#include "tools/simulator/people/dress.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/scene.hpp"

namespace kerb::sim {

namespace {

constexpr int kLog = 8, kSide = 1 << kLog;

/// Somebody's mesh seen from ahead, into texels where `px` and `py` say; `drawn` where it is.
template <typename At>
void draw_flat(const Mesh& mesh, const PersonSpec& person, const At& place,
               std::vector<Texture::Texel>& texels, std::vector<float>& depth) {
  const auto surfaces = body_surfaces(person);
  for (const Triangle& t : mesh.triangles) {
    float px[3], py[3], pd[3];
    V3 n{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vertex& v = mesh.vertices[t.corner[k]];
      place(v, px[k], py[k]);
      pd[k] = v.position[0];
      n = n + V3{v.normal[0], v.normal[1], v.normal[2]};
    }
    n = unit(n);
    const float area = (px[1] - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (py[1] - py[0]);
    if (std::abs(area) < 1e-6F) continue;
    const Surface& s = surfaces[std::min<std::size_t>(t.material, surfaces.size() - 1)];
    const float lit = 0.35F + 0.75F * std::max(0.0F, dot(n, unit(V3{0.7F, 0.5F, 0.6F})));
    const V3 rgb = (2 * lit) *
                   V3{linear_of(f32(s.rgb[0])), linear_of(f32(s.rgb[1])), linear_of(f32(s.rgb[2]))};
    for (int y = std::max(0, i32(std::min({py[0], py[1], py[2]})));
         y <= std::min(kSide - 1, i32(std::max({py[0], py[1], py[2]}))); ++y)
      for (int x = std::max(0, i32(std::min({px[0], px[1], px[2]})));
           x <= std::min(kSide - 1, i32(std::max({px[0], px[1], px[2]}))); ++x) {
        const float dx = f32(x) + 0.5F - px[0], dy = f32(y) + 0.5F - py[0];
        const float b1 = (dx * (py[2] - py[0]) - dy * (px[2] - px[0])) / area;
        const float b2 = (dy * (px[1] - px[0]) - dx * (py[1] - py[0])) / area;
        if (b1 < 0 || b2 < 0 || b1 + b2 > 1) continue;
        const float d = pd[0] + b1 * (pd[1] - pd[0]) + b2 * (pd[2] - pd[0]);
        const std::size_t i = at(y * kSide + x);
        if (d <= depth[i]) continue;
        depth[i] = d;
        texels[i].rgb = rgb;
      }
  }
}

}  // namespace

Texture poster_texture(std::uint64_t seed) {
  Dice dice{mix64(seed, 31)};
  PersonSpec person;
  person.seed = dice.bits();
  person.female = dice.chance(0.5F);
  person.height_m = dice.between(1.6F, 1.85F);
  const auto colour = [&] {
    return std::array<double, 3>{dice.between(0.1F, 0.8F), dice.between(0.1F, 0.7F),
                                 dice.between(0.1F, 0.8F)};
  };
  person.clothing.top_surface.rgb = colour();
  person.clothing.bottom_surface.rgb = {0.15, 0.17, 0.25};
  person.clothing.hair.rgb = {0.2, 0.14, 0.1};
  person.clothing.skin.rgb = {0.8, 0.62, 0.52};
  person.clothing.shoes.rgb = {0.1, 0.1, 0.1};
  const Body body{person};
  PersonState state;
  state.walked_m = 0.35;
  state.mps = 1.3;
  state.velocity = {1.3, 0};
  state.place.heading = dice.between(-0.5F, 0.5F);
  Mesh mesh;
  body.pose(state, 0, mesh);
  // Seen from ahead (+x), upright, in a square of 256: the poster is narrower, so it is stretched.
  const V3 back{dice.between(0.3F, 1.8F), dice.between(0.5F, 1.8F), dice.between(0.5F, 1.8F)};
  std::vector<Texture::Texel> texels(at(kSide * kSide));
  std::vector<float> depth(texels.size(), -1e9F);
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const float v = f32(y) / kSide;
      texels[at(y * kSide + x)].rgb = v < 0.16F ? V3{1.8F, 1.8F, 1.75F} : (0.6F + 0.5F * v) * back;
      if (v > 0.04F && v < 0.12F && hash32(x / 9, 0, static_cast<std::uint32_t>(seed)) % 5 != 0 &&
          x > 24 && x < 232)
        texels[at(y * kSide + x)].rgb = {0.1F, 0.1F, 0.1F};
    }
  const float high = f32(person.height_m), scale = 0.76F / high;
  const float wide = scale * 2.0F / 1.18F;
  draw_flat(
      mesh, person,
      [&](const Vertex& v, float& x, float& y) {
        x = (0.5F + v.position[1] * wide) * kSide;
        y = (0.19F + v.position[2] * scale) * kSide;
      },
      texels, depth);
  return Texture{kLog, texels};
}

CutOut cut_out(std::uint64_t seed) {
  Dice dice{mix64(seed, 47)};
  PersonSpec person;
  person.seed = dice.bits();
  person.female = dice.chance(0.5F);
  person.height_m = dice.between(1.62F, 1.85F);
  dress(person, person.seed);
  const Body body{person};
  PersonState state;
  state.place.heading = dice.between(-0.35F, 0.35F);
  Mesh mesh;
  body.pose(state, dice.between(0, 9), mesh);
  float low_y = 1e9F, high_y = -1e9F, high = 0;
  for (const Vertex& v : mesh.vertices) {
    low_y = std::min(low_y, v.position[1]);
    high_y = std::max(high_y, v.position[1]);
    high = std::max(high, v.position[2]);
  }
  std::vector<Texture::Texel> front(at(kSide * kSide)), back(front.size());
  std::vector<float> depth(front.size(), -1e9F);
  draw_flat(
      mesh, person,
      [&](const Vertex& v, float& x, float& y) {
        x = (v.position[1] - low_y) / (high_y - low_y) * kSide;
        y = v.position[2] / high * kSide;
      },
      front, depth);
  for (std::size_t i = 0; i < front.size(); ++i) {
    front[i].alpha = depth[i] > -1e8F ? 1.0F : 0.0F;
    // The back is seen from the other side.
    const std::size_t mirrored = i / kSide * kSide + (kSide - 1 - i % kSide);
    back[mirrored] = {{0.75F, 0.52F, 0.32F}, front[i].alpha};
  }
  return {Texture{kLog, front}, Texture{kLog, back}};
}

}  // namespace kerb::sim
