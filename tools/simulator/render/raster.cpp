// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/raster.hpp"

#include <bit>

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

template <bool kFour>
void Raster::draw(int tile, TileSamples& out, const Materials& materials,
                  const std::vector<Item>& items) const {
  // Lanes are the samples of one pixel, or four pixels side by side.
  constexpr int kStep = kFour ? 1 : 4;
  constexpr I4 kLaneX = kFour ? I4{-4, 12, -12, 4} : I4{0, 32, 64, 96};
  constexpr I4 kLaneY = kFour ? I4{-12, -4, 4, 12} : I4{0, 0, 0, 0};
  constexpr int kRow = kFour ? kTile : kTile / 4;
  out.w.fill(all(0.0F));
  out.id.fill(all(static_cast<std::int32_t>(kNothing)));
  const int left = tile % tiles_x_ * kTile, top = tile / tiles_x_ * kTile;
  const F4 lane_x = __builtin_convertvector(kLaneX, F4) * all(1.0F / kSubpixel);
  const F4 lane_y = __builtin_convertvector(kLaneY, F4) * all(1.0F / kSubpixel);
  // The farthest sample of each block of 8 x 8, brought up to date now and then.
  std::array<float, 64> farthest{};
  int drawn = 0;
  std::uint64_t touched = 0;  // blocks since then
  const auto look_back = [&] {
    for (; touched != 0; touched &= touched - 1) {
      const int b = std::countr_zero(touched);
      F4 least = all(1e30F);
      constexpr int kAcross = kFour ? 8 : 2;
      for (int y = 0; y < 8; ++y) {
        const F4* p = out.w.data() + at((b / 8 * 8 + y) * kRow + b % 8 * kAcross);
        for (int x = 0; x < kAcross; ++x) least = p[x] < least ? p[x] : least;
      }
      farthest[at(b)] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    }
    drawn = 0;
  };
  for (int g = 0; g < kGroups; ++g)
    for (const std::uint32_t id : groups_[at(g)].tiles[at(tile)]) {
      const ScreenTriangle& t = triangle(id);
      const auto low = [](const std::array<std::int32_t, 3>& v) {
        return (std::min({v[0], v[1], v[2]}) + 19) >> 5;
      };
      const auto high = [](const std::array<std::int32_t, 3>& v) {
        return (std::max({v[0], v[1], v[2]}) + 12) >> 5;
      };
      int x0 = std::max(low(t.x) - left, 0);
      const int x1 = std::min(high(t.x) - left, kTile - 1);
      const int y0 = std::max(low(t.y) - top, 0), y1 = std::min(high(t.y) - top, kTile - 1);
      if (x0 > x1 || y0 > y1) continue;
      // Blocks lie on a fixed grid.
      const int gx = x0 & ~7, gy = y0 & ~7;
      float nearest = 0;
      {  // behind all that is there?
        const auto corner = [&](std::int32_t x, std::int32_t y) {
          return t.w + t.wx * f32(x - t.x[0]) * (1.0F / kSubpixel) +
                 t.wy * f32(y - t.y[0]) * (1.0F / kSubpixel);
        };
        nearest = std::max({t.w, corner(t.x[1], t.y[1]), corner(t.x[2], t.y[2])}) * 1.0001F;
        bool hidden = true;
        for (int by = gy; by <= y1 && hidden; by += 8)
          for (int bx = gx; bx <= x1 && hidden; bx += 8)
            hidden = nearest < farthest[at(by + bx / 8)];
        if (hidden) continue;
        if (++drawn > 64) look_back();
      }
      if constexpr (!kFour) x0 &= ~3;
      std::array<I4, 3> row{}, by_x{}, by_y{};
      std::array<std::int32_t, 3> gain{}, loss{};  // within a block of 8 x 8 pixels, at most
      for (int e = 0; e < 3; ++e) {
        const std::int64_t ex = t.x[at(e)], ey = t.y[at(e)];
        const std::int64_t dx = t.x[at((e + 1) % 3)] - ex, dy = t.y[at((e + 1) % 3)] - ey;
        const std::int64_t px = (left + x0) * kSubpixel - ex, py = (top + y0) * kSubpixel - ey;
        // An edge that does not pass through the tile keeps its sign there when cut off.
        const std::int64_t start = std::clamp<std::int64_t>(dx * py - dy * px, -(1 << 30), 1 << 30);
        const auto sx = static_cast<std::int32_t>(-dy), sy = static_cast<std::int32_t>(dx);
        row[at(e)] = all(static_cast<std::int32_t>(start)) + sx * kLaneX + sy * kLaneY;
        by_x[at(e)] = all(sx * kSubpixel * kStep);
        by_y[at(e)] = all(sy * kSubpixel);
        const std::int32_t samples = (std::abs(sx) + std::abs(sy)) * 12 + std::max(sx, 0) * 4;
        gain[at(e)] = (std::max(sx, 0) + std::max(sy, 0)) * kSubpixel * 8 + samples;
        loss[at(e)] = (std::min(sx, 0) + std::min(sy, 0)) * kSubpixel * 8 - samples;
      }
      const F4 w_x = all(t.wx * f32(kStep));
      const auto id_here = all(static_cast<std::int32_t>(id));
      const Material* material = t.cut ? &materials[t.material] : nullptr;
      struct {
        float u = 0, v = 0, u1 = 0, v1 = 0, u2 = 0, v2 = 0;
      } cloth;  // where the texture is, in its sides
      if (material != nullptr) {
        const std::vector<Corner>& corners = items[t.item].geometry->corners;
        const Corner &a = corners[t.corner[0]], &b = corners[t.corner[1]],
                     &c = corners[t.corner[2]];
        const float k = material->per_metre;
        cloth = {k * a.u,         k * a.v,         k * (b.u - a.u),
                 k * (b.v - a.v), k * (c.u - a.u), k * (c.v - a.v)};
      }
      const float ref_x = f32(t.x[0]) * (1.0F / kSubpixel),
                  ref_y = f32(t.y[0]) * (1.0F / kSubpixel);
      constexpr int kBlock = 8;
      for (int by = y0; by <= y1; by += kBlock) {
        const int y_end = std::min(by + kBlock - 1, y1);
        for (int bx = x0; bx <= x1; bx += kBlock) {
          // A block of this row may lie over two of the grid's, each way.
          const int cell = (by & ~7) + bx / 8, right = std::min(bx + 7, kTile - 1) / 8 - bx / 8;
          const int below = std::min(by + 7, kTile - 1) / 8 * 8 - (by & ~7);
          if (nearest < farthest[at(cell)] && nearest < farthest[at(cell + right)] &&
              nearest < farthest[at(cell + below)] && nearest < farthest[at(cell + below + right)])
            continue;
          touched |= 1ULL << cell | 1ULL << (cell + right) | 1ULL << (cell + below) |
                     1ULL << (cell + below + right);
          const int dx_steps = (bx - x0) / kStep, dy_steps = by - y0;
          std::array<I4, 3> e0{};
          bool reject = false, inside = material == nullptr;
          for (std::size_t e = 0; e < 3; ++e) {
            e0[e] = row[e] + dx_steps * by_x[e] + dy_steps * by_y[e];
            reject = reject || (e0[e][0] + gain[e] < 0);
            inside = inside && e0[e][0] + loss[e] >= 0;
          }
          if (reject) continue;
          const int x_end = std::min(bx + kBlock - 1, x1);
          if (inside) {  // only the depth is left to ask
            for (int y = by; y <= y_end; ++y) {
              const F4 dy = all(f32(top + y) - ref_y) + lane_y;
              const F4 dx = all(f32(left + bx) - ref_x) + lane_x;
              F4 w = all(t.w) + all(t.wx) * dx + all(t.wy) * dy;
              F4* there = out.w.data() + at(y * kRow + (kFour ? bx : bx / 4));
              I4* who = out.id.data() + at(y * kRow + (kFour ? bx : bx / 4));
              for (int x = bx; x <= x_end; x += kStep, ++there, ++who) {
                const I4 visible = w > *there;
                if (any(visible)) {
                  *there = visible ? w : *there;
                  *who = visible ? id_here : *who;
                }
                w += w_x;
              }
            }
            continue;
          }
          for (int y = by; y <= y_end; ++y) {
            I4 ea = e0[0], eb = e0[1], ec = e0[2];
            const F4 dy = all(f32(top + y) - ref_y) + lane_y;
            const F4 dx = all(f32(left + bx) - ref_x) + lane_x;
            F4 w = all(t.w) + all(t.wx) * dx + all(t.wy) * dy;
            const int base = y * kRow;
            for (int x = bx; x <= x_end; x += kStep) {
              const I4 outside = (ea | eb | ec) < 0;
              const std::size_t i = at(base + (kFour ? x : x / 4));
              I4 visible = ~outside & (w > out.w[i]);
              if (any(visible)) {
                if (material != nullptr) {
                  const F4 lx = all(f32(left + x) - ref_x) + lane_x, z = all(1.0F) / w;
                  const F4 b1 = (all(t.b1) + all(t.b1x) * lx + all(t.b1y) * dy) * z;
                  const F4 b2 = (all(t.b2) + all(t.b2x) * lx + all(t.b2y) * dy) * z;
                  const F4 u = all(cloth.u) + b1 * all(cloth.u1) + b2 * all(cloth.u2);
                  const F4 v = all(cloth.v) + b1 * all(cloth.v1) + b2 * all(cloth.v2);
                  const int level = w[0] < 0.04F ? 2 : w[0] < 0.1F ? 1 : 0;
                  visible &= material->texture->solid(u, v, level);
                }
                out.w[i] = visible ? w : out.w[i];
                out.id[i] = visible ? id_here : out.id[i];
              }
              ea += by_x[0];
              eb += by_x[1];
              ec += by_x[2];
              w += w_x;
            }
            e0[0] += by_y[0];
            e0[1] += by_y[1];
            e0[2] += by_y[2];
          }
        }
      }
    }
}

void Raster::draw_four(int tile, TileSamples& out, const Materials& materials,
                       const std::vector<Item>& items) const {
  draw<true>(tile, out, materials, items);
}
void Raster::draw_middles(int tile, TileSamples& out, const Materials& materials,
                          const std::vector<Item>& items) const {
  draw<false>(tile, out, materials, items);
}

}  // namespace kerb::sim
