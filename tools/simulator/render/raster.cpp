// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/raster.hpp"

#include "tools/simulator/render/raster_lanes.hpp"

namespace kerb::sim {
namespace {

constexpr double kNear = 0.15;
constexpr double kGuard = 4000;  // pixels: edges then fit 32 bits within a tile

std::int32_t snapped(double pixel) {
  return static_cast<std::int32_t>(std::floor(pixel * kSubpixel + 0.5));
}

/// A polygon cut by a plane through the camera (or the near plane): keeps side >= 0.
struct Polygon {
  std::array<Vec3, 9> p{};
  int n = 0;
};
template <typename Side>
void cut(Polygon& poly, const Side& side) {
  Polygon out;
  for (int i = 0; i < poly.n; ++i) {
    const Vec3 a = poly.p[at(i)], b = poly.p[at((i + 1) % poly.n)];
    const double sa = side(a), sb = side(b);
    if (sa >= 0 && out.n < 9) out.p[at(out.n++)] = a;
    if ((sa >= 0) == (sb >= 0) || out.n >= 9) continue;
    // From the inside outwards, so that both neighbours of an edge find the same point.
    out.p[at(out.n++)] = sa >= 0 ? a + (sa / (sa - sb)) * (b - a) : b + (sb / (sb - sa)) * (a - b);
  }
  poly = out;
}

}  // namespace

Raster::Raster(const Canvas& canvas)
    : canvas_{canvas},
      tiles_x_{(canvas.width + kTile - 1) / kTile},
      tiles_y_{(canvas.height + kTile - 1) / kTile},
      groups_(kGroups),
      split_(kGroups + 1) {
  for (Group& g : groups_) g.tiles.resize(at(tiles()));
}

bool Raster::sees(const CameraPose& pose, const Ball& ball) const noexcept {
  const Vec3 p = pose.seen({ball.centre.x, ball.centre.y, ball.centre.z});
  const double r = ball.radius;
  if (p.z + r < kNear) return false;
  const auto beyond = [&](double along, double edge) {  // edge: pixels from the axis, outwards
    const double k = edge / canvas_.focal, n = std::sqrt(1 + k * k);
    return (along - k * p.z) / n > r;
  };
  return !beyond(p.x, canvas_.width - canvas_.centre_x) && !beyond(-p.x, canvas_.centre_x + 1) &&
         !beyond(p.y, canvas_.height - canvas_.centre_y) && !beyond(-p.y, canvas_.centre_y + 1);
}

void Raster::bin(Workers& workers, const CameraPose& pose, const std::vector<Item>& items,
                 const Materials& materials) {
  std::size_t all_faces = 0;
  for (const Item& item : items) all_faces += item.geometry->faces.size();
  std::size_t so_far = 0;
  int group = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {  // groups of about as many triangles
    while (group < kGroups && so_far * kGroups >= all_faces * at(group))
      split_[at(group++)] = i32(i);
    so_far += items[i].geometry->faces.size();
  }
  while (group <= kGroups) split_[at(group++)] = i32(items.size());
  workers.run(kGroups, [&](int g, int) {
    Group& out = groups_[at(g)];
    out.triangles.clear();
    for (std::vector<std::uint32_t>& tile : out.tiles) tile.clear();
    const auto first = static_cast<std::uint32_t>(g) << kGroupShift;
    for (int i = split_[at(g)]; i < split_[at(g + 1)]; ++i)
      if (sees(pose, items[at(i)].geometry->ball))
        bin_item(out, first, pose, items[at(i)], static_cast<std::uint32_t>(i), materials);
  });
}

void Raster::bin_item(Group& group, std::uint32_t first_id, const CameraPose& pose,
                      const Item& item, std::uint32_t index, const Materials& materials) const {
  const Geometry& geometry = *item.geometry;
  const double cx = canvas_.centre_x, cy = canvas_.centre_y, f = canvas_.focal;
  group.corners.resize(geometry.corners.size());
  for (std::size_t i = 0; i < geometry.corners.size(); ++i) {
    const V3 p = geometry.corners[i].p;
    Projected& out = group.corners[i];
    out.seen = pose.seen({p.x, p.y, p.z});
    if (out.seen.z < kNear) {
      out.inside = false;
      continue;
    }
    const double x = cx + f * out.seen.x / out.seen.z, y = cy + f * out.seen.y / out.seen.z;
    out.inside = std::abs(x) < kGuard && std::abs(y) < kGuard;
    if (!out.inside) continue;
    out.x = snapped(x);
    out.y = snapped(y);
  }
  for (const Face& face : geometry.faces) {
    const Projected& a = group.corners[face.corner[0]];
    const Projected& b = group.corners[face.corner[1]];
    const Projected& c = group.corners[face.corner[2]];
    if (a.seen.z < kNear && b.seen.z < kNear && c.seen.z < kNear) continue;
    if (a.inside && b.inside && c.inside) {  // a quick way out: beside the picture, or too small
      const std::int32_t x0 = std::min({a.x, b.x, c.x}), x1 = std::max({a.x, b.x, c.x});
      const std::int32_t y0 = std::min({a.y, b.y, c.y}), y1 = std::max({a.y, b.y, c.y});
      if (x1 < -kSubpixel || y1 < -kSubpixel || x0 > canvas_.width * kSubpixel ||
          y0 > canvas_.height * kSubpixel)
        continue;
    }
    const Vec3 bc = cross(b.seen, c.seen);
    const double det = dot(a.seen, bc);
    const Material& material = materials[face.material];
    const bool both = face.two_sided != 0 || material.cut;
    if (det == 0 || (det > 0 && !both)) continue;
    ScreenTriangle t;
    t.corner = face.corner;
    t.item = index;
    t.material = face.material;
    t.cut = material.cut;
    t.back = det > 0;
    const Vec3 ca = cross(c.seen, a.seen), ab = cross(a.seen, b.seen);
    const double k = 1 / det;
    const Vec3 b1 = k * ca, b2 = k * ab, w = k * (bc + ca + ab);
    const auto finish = [&](std::int32_t x0, std::int32_t y0, std::int32_t x1, std::int32_t y1,
                            std::int32_t x2, std::int32_t y2) {
      const std::int64_t area =
          std::int64_t{x1 - x0} * (y2 - y0) - std::int64_t{x2 - x0} * (y1 - y0);
      if (area == 0) return;
      if (area > 0) {
        t.x = {x0, x1, x2};
        t.y = {y0, y1, y2};
      } else {
        t.x = {x0, x2, x1};
        t.y = {y0, y2, y1};
      }
      const double dx = (x0 / double{kSubpixel} - cx) / f, dy = (y0 / double{kSubpixel} - cy) / f;
      const auto plane = [&](Vec3 n, float& at_start, float& by_x, float& by_y) {
        at_start = f32(n.x * dx + n.y * dy + n.z);
        by_x = f32(n.x / f);
        by_y = f32(n.y / f);
      };
      plane(w, t.w, t.wx, t.wy);
      plane(b1, t.b1, t.b1x, t.b1y);
      plane(b2, t.b2, t.b2x, t.b2y);
      add(group, first_id, t);
    };
    if (a.inside && b.inside && c.inside) {
      finish(a.x, a.y, b.x, b.y, c.x, c.y);
      continue;
    }
    Polygon poly;
    poly.p[0] = a.seen;
    poly.p[1] = b.seen;
    poly.p[2] = c.seen;
    poly.n = 3;
    const double g = kGuard - 2;
    cut(poly, [](Vec3 p) { return p.z - kNear; });
    cut(poly, [&](Vec3 p) { return (g - cx) * p.z - f * p.x; });
    cut(poly, [&](Vec3 p) { return (g + cx) * p.z + f * p.x; });
    cut(poly, [&](Vec3 p) { return (g - cy) * p.z - f * p.y; });
    cut(poly, [&](Vec3 p) { return (g + cy) * p.z + f * p.y; });
    std::array<std::int32_t, 9> xs{}, ys{};
    for (int i = 0; i < poly.n; ++i) {
      const Vec3 p = poly.p[at(i)];
      xs[at(i)] = snapped(cx + f * p.x / p.z);
      ys[at(i)] = snapped(cy + f * p.y / p.z);
    }
    for (int i = 2; i < poly.n; ++i)
      finish(xs[0], ys[0], xs[at(i - 1)], ys[at(i - 1)], xs[at(i)], ys[at(i)]);
  }
}

void Raster::add(Group& group, std::uint32_t first_id, ScreenTriangle& t) const {
  // Samples lie up to 12/32 of a pixel from its middle, which is at whole pixels.
  const auto first_pixel = [](std::int32_t v) { return (v + 19) >> 5; };
  const auto last_pixel = [](std::int32_t v) { return (v + 12) >> 5; };
  const int x0 = std::max(0, first_pixel(std::min({t.x[0], t.x[1], t.x[2]})));
  const int x1 = std::min(canvas_.width - 1, last_pixel(std::max({t.x[0], t.x[1], t.x[2]})));
  const int y0 = std::max(0, first_pixel(std::min({t.y[0], t.y[1], t.y[2]})));
  const int y1 = std::min(canvas_.height - 1, last_pixel(std::max({t.y[0], t.y[1], t.y[2]})));
  if (x0 > x1 || y0 > y1) return;
  const auto id = first_id | static_cast<std::uint32_t>(group.triangles.size());
  group.triangles.push_back(t);
  for (int ty = y0 / kTile; ty <= y1 / kTile; ++ty)
    for (int tx = x0 / kTile; tx <= x1 / kTile; ++tx) {
      if (x1 / kTile > x0 / kTile && y1 / kTile > y0 / kTile) {  // outside of an edge altogether?
        bool outside = false;
        for (int e = 0; e < 3 && !outside; ++e) {
          const std::int64_t dx = t.x[at((e + 1) % 3)] - t.x[at(e)];
          const std::int64_t dy = t.y[at((e + 1) % 3)] - t.y[at(e)];
          const std::int64_t px = (tx * kTile + (dy < 0 ? kTile : -1)) * kSubpixel - t.x[at(e)];
          const std::int64_t py = (ty * kTile + (dx > 0 ? kTile : -1)) * kSubpixel - t.y[at(e)];
          outside = dx * py - dy * px < 0;
        }
        if (outside) continue;
      }
      group.tiles[at(ty * tiles_x_ + tx)].push_back(id);
    }
}

void base::draw_four(const Raster& raster, int tile, TileSamples& out, const Materials& materials,
                     const std::vector<Item>& items) {
  draw_samples<true>(raster, tile, out, materials, items);
}

void Raster::draw_four(int tile, TileSamples& out, const Materials& materials,
                       const std::vector<Item>& items) const {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::draw_four(*this, tile, out, materials, items);
#endif
  base::draw_four(*this, tile, out, materials, items);
}
void Raster::draw_middles(int tile, TileSamples& out, const Materials& materials,
                          const std::vector<Item>& items) const {
  draw_samples<false>(*this, tile, out, materials, items);
}

}  // namespace kerb::sim
