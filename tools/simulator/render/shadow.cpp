// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/shadow.hpp"

#include "tools/simulator/render/shadow_lanes.hpp"

namespace kerb::sim {
namespace {
constexpr float kFar = 1e9F;
}

Shadows::Shadows(V3 to_sun, V3 along)
    : to_sun_{to_sun},
      right_{unit(along - dot(along, to_sun) * to_sun)},
      up_{cross(to_sun, right_)} {
  if (std::abs(dot(along, to_sun)) <= 0.97F) return;
  right_ = unit(cross(V3{0, 0, 1}, to_sun));
  up_ = cross(to_sun, right_);
}

void Shadows::draw(const Geometry& geometry, const Materials& materials, Page& page, int level,
                   int px, int py) const {
  const float texel = shadow_texel(level), side = f32(kShadowPage) * texel;
  const V3 middle = in_light(geometry.ball.centre);
  const float r = geometry.ball.radius;
  const float left = f32(px) * side, bottom = f32(py) * side;
  if (middle.x + r < left || middle.x - r > left + side || middle.y + r < bottom ||
      middle.y - r > bottom + side)
    return;
  for (const Face& face : geometry.faces) {
    const Corner& ca = geometry.corners[face.corner[0]];
    const Corner& cb = geometry.corners[face.corner[1]];
    const Corner& cc = geometry.corners[face.corner[2]];
    const V3 a = in_light(ca.p), b = in_light(cb.p), c = in_light(cc.p);
    const float x0 = (a.x - left) / texel, y0 = (a.y - bottom) / texel;
    const float x1 = (b.x - left) / texel, y1 = (b.y - bottom) / texel;
    const float x2 = (c.x - left) / texel, y2 = (c.y - bottom) / texel;
    const float low_x = std::min({x0, x1, x2}), high_x = std::max({x0, x1, x2});
    const float low_y = std::min({y0, y1, y2}), high_y = std::max({y0, y1, y2});
    if (high_x < 0 || high_y < 0 || low_x > f32(kShadowPage) || low_y > f32(kShadowPage)) continue;
    const float area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    if (std::abs(area) < 1e-6F) continue;
    const float k = 1 / area;
    const Material& m = materials[face.material];
    const int from_x = std::max(0, i32(low_x)), to_x = std::min(kShadowPage - 1, i32(high_x));
    const int from_y = std::max(0, i32(low_y)), to_y = std::min(kShadowPage - 1, i32(high_y));
    for (int y = from_y; y <= to_y; ++y)
      for (int x = from_x; x <= to_x; ++x) {
        const float dx = f32(x) + 0.5F - x0, dy = f32(y) + 0.5F - y0;
        const float b1 = (dx * (y2 - y0) - dy * (x2 - x0)) * k;
        const float b2 = (dy * (x1 - x0) - dx * (y1 - y0)) * k;
        if (b1 < 0 || b2 < 0 || b1 + b2 > 1) continue;
        float& there = page.depth[at(y * kShadowPage + x)];
        const float depth = a.z + b1 * (b.z - a.z) + b2 * (c.z - a.z);
        if (depth >= there) continue;
        if (m.cut) {
          const float u = ca.u + b1 * (cb.u - ca.u) + b2 * (cc.u - ca.u);
          const float v = ca.v + b1 * (cb.v - ca.v) + b2 * (cc.v - ca.v);
          if (!m.texture->solid(u * m.per_metre, v * m.per_metre, level == 0 ? 1 : 3)) continue;
        }
        there = depth;
      }
  }
}

void Shadows::prepare(Workers& workers, V3 around, V3 ahead,
                      const std::vector<const Geometry*>& standing,
                      const std::vector<const Geometry*>& moving, const Materials& materials) {
  for (int l = 0; l < 2; ++l) {
    Level& level = levels_[l];
    const float reach = l == 0 ? kShadowNear_m : kShadowFar_m,
                side = f32(kShadowPage) * shadow_texel(l);
    // The ground the camera sees lies ahead of it: a box around that, in the light's plane.
    float x0 = kFar, x1 = -kFar, y0 = kFar, y1 = -kFar;
    for (const float d : {-2.0F, reach})
      for (const float s : {-0.75F, 0.75F})
        for (const float z : {-0.2F, l == 0 ? 6.0F : 14.0F}) {
          const V3 across{-ahead.y, ahead.x, 0};
          const V3 p =
              in_light(V3{around.x, around.y, z} + d * ahead + (s * std::max(d, 8.0F)) * across);
          x0 = std::min(x0, p.x);
          x1 = std::max(x1, p.x);
          y0 = std::min(y0, p.y);
          y1 = std::max(y1, p.y);
        }
    level.x0 = floor_int(x0 / side);
    level.y0 = floor_int(y0 / side);
    level.columns = floor_int(x1 / side) - level.x0 + 1;
    level.rows = floor_int(y1 / side) - level.y0 + 1;
    level.pages.assign(at(level.columns * level.rows), nullptr);
    level.used_copies = 0;
    std::vector<std::pair<Page*, int>> fresh;
    for (int y = 0; y < level.rows; ++y)
      for (int x = 0; x < level.columns; ++x) {
        std::unique_ptr<Page>& page = level.standing[key(level.x0 + x, level.y0 + y)];
        if (!page) {
          page = std::make_unique<Page>();
          page->serial = ++serials_;
          page->depth.assign(at(kShadowPage * kShadowPage), kFar);
          fresh.emplace_back(page.get(), y * level.columns + x);
        }
        level.pages[at(y * level.columns + x)] = page.get();
      }
    workers.run(i32(fresh.size()), [&](int i, int) {
      const auto& [page, place] = fresh[at(i)];
      for (const Geometry* s : standing)
        draw(*s, materials, *page, l, level.x0 + place % level.columns,
             level.y0 + place / level.columns);
    });
    if (level.standing.size() > 1200) {  // a long way: forget what lies far behind
      std::erase_if(level.standing, [&](const auto& entry) {
        const auto px = static_cast<std::int32_t>(entry.first >> 32);
        const auto py = static_cast<std::int32_t>(entry.first);
        return px < level.x0 || py < level.y0 || px >= level.x0 + level.columns ||
               py >= level.y0 + level.rows;
      });
    }
    // What moves, on copies.
    std::vector<std::vector<const Geometry*>> movers(level.pages.size());
    for (const Geometry* i : moving) {
      const Ball& ball = i->ball;
      const V3 p = in_light(ball.centre);
      const int c0 = std::max(floor_int((p.x - ball.radius) / side) - level.x0, 0);
      const int c1 = std::min(floor_int((p.x + ball.radius) / side) - level.x0, level.columns - 1);
      const int r0 = std::max(floor_int((p.y - ball.radius) / side) - level.y0, 0);
      const int r1 = std::min(floor_int((p.y + ball.radius) / side) - level.y0, level.rows - 1);
      for (int y = r0; y <= r1; ++y)
        for (int x = c0; x <= c1; ++x) movers[at(y * level.columns + x)].push_back(i);
    }
    std::vector<std::pair<Page*, int>> work;
    for (std::size_t i = 0; i < movers.size(); ++i) {
      if (movers[i].empty()) continue;
      if (level.used_copies == level.copies.size())
        level.copies.push_back(std::make_unique<Page>());
      work.emplace_back(level.copies[level.used_copies++].get(), i32(i));
    }
    workers.run(i32(work.size()), [&](int i, int) {
      const auto& [page, place] = work[at(i)];
      page->depth = level.pages[at(place)]->depth;
      page->serial = 0;
      for (const Geometry* m : movers[at(place)])
        draw(*m, materials, *page, l, level.x0 + place % level.columns,
             level.y0 + place / level.columns);
    });
    for (const auto& [page, place] : work) level.pages[at(place)] = page;
    level.depths.clear();
    for (const Page* page : level.pages) level.depths.push_back(page->depth.data());
  }
}

ShadowView Shadows::view() const noexcept {
  ShadowView out{to_sun_, right_, up_, {}};
  for (int l = 0; l < 2; ++l) {
    const Level& level = levels_[l];
    out.level[l] = {level.x0, level.y0, level.columns, level.rows, level.depths.data()};
  }
  return out;
}

float Shadows::sunlight(V3 point, V3 normal, bool near) const noexcept {
  return kerb::sim::sunlight(view(), point, normal, near);
}

}  // namespace kerb::sim
