// SPDX-License-Identifier: Apache-2.0
// Things of towns that a detector of people must tell from people: as tall, as narrow, or made of
// upright lines.
#include "tools/simulator/render/build_things.hpp"

#include <array>

namespace kerb::sim {
namespace things {

void rod(Builder& b, V3 a, V3 c, float r, int sides, std::uint16_t m) {
  b.tube(a, c, r, r, sides, m, true);
  b.tube(c, a, r, r, sides, m, true);
}

void castor(Builder& b, V3 at, float r, float width) {
  rod(b, {at.x, at.y - width / 2, at.z}, {at.x, at.y + width / 2, at.z}, r, 12, kTyre);
}

void tapered(Builder& b, V3 low, V3 high, float share, std::uint16_t m) {
  const float cx = (low.x + high.x) / 2, cy = (low.y + high.y) / 2;
  const auto in = [&](float x, float y) {
    return V3{cx + share * (x - cx), cy + share * (y - cy), low.z};
  };
  const std::array<V3, 4> bottom = {in(low.x, low.y), in(high.x, low.y), in(high.x, high.y),
                                    in(low.x, high.y)};
  const std::array<V3, 4> top = {V3{low.x, low.y, high.z}, V3{high.x, low.y, high.z},
                                 V3{high.x, high.y, high.z}, V3{low.x, high.y, high.z}};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t k = (i + 1) % 4;
    b.quad(bottom[i], bottom[k], top[k], top[i], m);
  }
  b.quad(top[0], top[1], top[2], top[3], m);
  b.quad(bottom[3], bottom[2], bottom[1], bottom[0], m);
}

void lathe(Builder& b, const std::vector<Ring>& rings, int sides) {
  for (std::size_t i = 0; i + 1 < rings.size(); ++i) {
    const Ring &p = rings[i], &q = rings[i + 1];
    const float dz = q.z - p.z, dr = q.r - p.r, l = std::sqrt(dz * dz + dr * dr);
    if (l < 1e-6F) continue;
    std::uint32_t first = 0;
    for (int k = 0; k <= sides; ++k) {
      const float w = kTau * f32(k) / f32(sides), c = std::cos(w), s = std::sin(w);
      const V3 n{dz / l * c, dz / l * s, -dr / l};
      const float u = w * std::max(p.r, q.r);
      const std::uint32_t at = b.corner({p.r * c, p.r * s, p.z}, n, u, p.z);
      b.corner({q.r * c, q.r * s, q.z}, n, u, p.z + l);
      if (k == 0) first = at;
    }
    for (int k = 0; k < sides; ++k) {
      const std::uint32_t c = first + 2 * static_cast<std::uint32_t>(k);
      if (p.r > 0) b.face(c, c + 2, c + 3, p.material);
      if (q.r > 0) b.face(c, c + 3, c + 1, p.material);
    }
  }
}

}  // namespace things

void build_thing(Builder& out, const ThingStyle& style) {
  Dice dice{style.seed};
  Geometry made;
  Builder b{made};
  switch (style.kind) {
    case PropKind::scaffolding:
      things::scaffolding(b, style, dice);
      break;
    case PropKind::market_stall:
      things::market_stall(b, style, dice);
      break;
    case PropKind::shelter:
      things::shelter(b, style, dice);
      break;
    case PropKind::trolley:
      things::trolley(b, style);
      break;
    case PropKind::wheelie_bin:
      things::wheelie_bin(b, style, dice);
      break;
    case PropKind::bollard:
      things::bollard(b, style, dice);
      break;
    case PropKind::work_cone:
      things::work_cone(b, style, dice);
      break;
    case PropKind::parking_meter:
      things::parking_meter(b, style);
      break;
    case PropKind::advertising_column:
      things::advertising_column(b, style, dice);
      break;
    case PropKind::post_box:
      things::post_box(b, style);
      break;
    case PropKind::flower_tub:
      things::flower_tub(b, style, dice);
      break;
    case PropKind::shop_window:
      things::shop_window(b, style);
      break;
    case PropKind::cardboard_figure:
      things::cardboard_figure(b, style);
      break;
    case PropKind::football:
      things::football(b, style);
      break;
    default:
      return;
  }
  fit(made, style.size);
  out.add(made, {});
}

void fit(Geometry& made, V3 size) {
  if (made.corners.empty()) return;
  V3 low = made.corners.front().p, high = low;
  for (const Corner& c : made.corners) {
    low = {std::min(low.x, c.p.x), std::min(low.y, c.p.y), std::min(low.z, c.p.z)};
    high = {std::max(high.x, c.p.x), std::max(high.y, c.p.y), std::max(high.z, c.p.z)};
  }
  const V3 k{size.x / std::max(high.x - low.x, 1e-4F), size.y / std::max(high.y - low.y, 1e-4F),
             size.z / std::max(high.z - low.z, 1e-4F)};
  for (Corner& c : made.corners) {
    c.p = {(c.p.x - (low.x + high.x) / 2) * k.x, (c.p.y - (low.y + high.y) / 2) * k.y,
           (c.p.z - low.z) * k.z};
    c.n = unit(V3{c.n.x / k.x, c.n.y / k.y, c.n.z / k.z});
  }
}

}  // namespace kerb::sim