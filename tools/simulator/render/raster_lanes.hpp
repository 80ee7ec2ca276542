// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstring>

#include "tools/simulator/render/lanes.hpp"
#include "tools/simulator/render/raster.hpp"
#include "tools/simulator/render/texture_lanes.hpp"

/// Samples of a tile, for sources that are compiled for several machines.
namespace kerb::sim {
namespace {

/// Whether any lane is true.
KERB_LANE bool some(I4 mask) {
#if defined(__x86_64__)
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) != 0;
#else
  return any(mask);
#endif
}

/// True in lane k where bit 8 k is set.
KERB_LANE I4 lanes_in(std::uint32_t bits) {
  alignas(16) static constexpr std::int32_t kTrue[16][4] = {
      {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
      {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
      {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
      {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
  const std::uint32_t which = ((bits & 0x01010101U) * 0x01020408U) >> 24 & 15U;
  I4 out;
  std::memcpy(&out, kTrue[which], sizeof out);
  return out;
}

/// A triangle's edges: whole numbers that are not negative inside, modulo 2^32.
template <bool kFour>
struct Edges {
  static constexpr std::int32_t kLaneX[4] = {kFour ? -4 : 0, kFour ? 12 : 32, kFour ? -12 : 64,
                                             kFour ? 4 : 96};
  static constexpr std::int32_t kLaneY[4] = {kFour ? -12 : 0, kFour ? -4 : 0, kFour ? 4 : 0,
                                             kFour ? 12 : 0};
  static constexpr int kVectors = 8 / kLanes;                          // for eight steps
  std::array<std::uint32_t, 3> start{}, by_x{}, by_y{}, first_lane{};  // by pixel
  std::array<std::int32_t, 3> gain{}, loss{};  // within a block of 8 x 8 pixels, at most
  UN along[3][4][kVectors];  // from the row's start, by edge and lane, step by step

  Edges(const ScreenTriangle& t, int x, int y) {
    for (std::size_t e = 0; e < 3; ++e) {
      const std::int64_t ex = t.x[e], ey = t.y[e];
      const std::int64_t dx = t.x[(e + 1) % 3] - ex, dy = t.y[(e + 1) % 3] - ey;
      const std::int64_t px = std::int64_t{x} * kSubpixel - ex,
                         py = std::int64_t{y} * kSubpixel - ey;
      // An edge that does not pass through the tile keeps its sign there when cut off.
      start[e] = static_cast<std::uint32_t>(static_cast<std::int32_t>(
          std::clamp<std::int64_t>(dx * py - dy * px, -(1 << 30), 1 << 30)));
      const auto sx = static_cast<std::int32_t>(-dy), sy = static_cast<std::int32_t>(dx);
      by_x[e] = static_cast<std::uint32_t>(sx) * kSubpixel;
      by_y[e] = static_cast<std::uint32_t>(sy) * kSubpixel;
      const std::int32_t samples = (std::abs(sx) + std::abs(sy)) * 12 + std::max(sx, 0) * 4;
      gain[e] = (std::max(sx, 0) + std::max(sy, 0)) * kSubpixel * 8 + samples;
      loss[e] = (std::min(sx, 0) + std::min(sy, 0)) * kSubpixel * 8 - samples;
      UN steps{};
      for (int i = 0; i < kLanes; ++i) steps[i] = static_cast<std::uint32_t>(i);
      steps *= by_x[e] * (kFour ? 1U : 4U);
      for (std::size_t k = 0; k < 4; ++k) {
        const std::uint32_t lane =
            static_cast<std::uint32_t>(sx * kLaneX[k]) + static_cast<std::uint32_t>(sy * kLaneY[k]);
        if (k == 0) first_lane[e] = lane;
        for (std::size_t v = 0; v < kVectors; ++v)
          along[e][k][v] =
              steps + (lane + static_cast<std::uint32_t>(v) * kLanes * by_x[e] * (kFour ? 1U : 4U));
      }
    }
  }

  /// Of eight steps from `row`: bit 8 k + i says that lane k of step i is inside.
  [[nodiscard]] std::uint32_t covered(const std::array<std::uint32_t, 3>& row) const {
    std::uint32_t outside = 0;
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const UN signs =
            (along[0][k][v] + row[0]) | (along[1][k][v] + row[1]) | (along[2][k][v] + row[2]);
        outside |= bits_of(reinterpret_cast<IN>(signs)) << (8 * k + v * kLanes);
      }
    return ~outside;
  }
};

template <bool kFour>
void draw_samples(const Raster& raster, int tile, TileSamples& out, const Materials& materials,
                  const std::vector<Item>& items) {
  // Lanes are the samples of one pixel, or four pixels side by side.
  constexpr int kStep = kFour ? 1 : 4;
  constexpr I4 kLaneX = kFour ? I4{-4, 12, -12, 4} : I4{0, 32, 64, 96};
  constexpr I4 kLaneY = kFour ? I4{-12, -4, 4, 12} : I4{0, 0, 0, 0};
  constexpr int kRow = kFour ? kTile : kTile / 4;
  out.w.fill(all(0.0F));
  out.id.fill(all(static_cast<std::int32_t>(kNothing)));
  const int left = tile % raster.tiles_x() * kTile, top = tile / raster.tiles_x() * kTile;
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
  for (int g = 0; g < Raster::kGroups; ++g)
    for (const std::uint32_t id : raster.in_tile(g, tile)) {
      const ScreenTriangle& t = raster.triangle(id);
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
      const Edges<kFour> edges{t, left + x0, top + y0};
      const F4 w_x = all(t.wx * f32(kStep));
      const auto id_here = all(static_cast<std::int32_t>(id));
      const Material* material = t.cut ? &materials[t.material] : nullptr;
      struct {
        float u = 0, v = 0, u1 = 0, v1 = 0, u2 = 0, v2 = 0;
      } cloth;  // where the texture is, in its sides
      TextureView cloth_texture;
      if (material != nullptr) {
        cloth_texture = material->texture->view();
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
          bool reject = false, inside = material == nullptr;
          std::array<std::uint32_t, 3> row{};
          for (std::size_t e = 0; e < 3; ++e) {
            row[e] = edges.start[e] + static_cast<std::uint32_t>(bx - x0) * edges.by_x[e] +
                     static_cast<std::uint32_t>(by - y0) * edges.by_y[e];
            const auto first = static_cast<std::int32_t>(row[e] + edges.first_lane[e]);
            reject = reject || (first + edges.gain[e] < 0);
            inside = inside && first + edges.loss[e] >= 0;
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
                *there = visible ? w : *there;
                *who = visible ? id_here : *who;
                w += w_x;
              }
            }
            continue;
          }
          const std::uint32_t columns = 0x01010101U * ((2U << ((x_end - bx) / kStep)) - 1U);
          const F4 dx = all(f32(left + bx) - ref_x) + lane_x;
          for (int y = by; y <= y_end; ++y) {
            // A bit for each sample inside: pixel by pixel, then the next lane's.
            const std::uint32_t covered = edges.covered(row) & columns;
            for (std::size_t e = 0; e < 3; ++e) row[e] += edges.by_y[e];
            if (covered == 0) continue;
            const F4 dy = all(f32(top + y) - ref_y) + lane_y;
            F4 depths[kBlock / kStep];
            depths[0] = all(t.w) + all(t.wx) * dx + all(t.wy) * dy;
            for (int i = 1; i < kBlock / kStep; ++i) depths[i] = depths[i - 1] + w_x;
            std::uint32_t pixels = covered | covered >> 16;
            pixels = (pixels | pixels >> 8) & 0xFFU;
            F4* there = out.w.data() + at(y * kRow + (kFour ? bx : bx / 4));
            I4* who = out.id.data() + at(y * kRow + (kFour ? bx : bx / 4));
            if (material == nullptr) {
              for (; pixels != 0; pixels &= pixels - 1) {
                const int i = std::countr_zero(pixels);
                const I4 visible = lanes_in(covered >> i) & (depths[i] > there[i]);
                there[i] = visible ? depths[i] : there[i];
                who[i] = visible ? id_here : who[i];
              }
              continue;
            }
            for (; pixels != 0; pixels &= pixels - 1) {
              const int i = std::countr_zero(pixels);
              const F4 w = depths[i];
              I4 visible = lanes_in(covered >> i) & (w > there[i]);
              if (!some(visible)) continue;
              const F4 lx = all(f32(left + bx + i * kStep) - ref_x) + lane_x, z = all(1.0F) / w;
              const F4 b1 = (all(t.b1) + all(t.b1x) * lx + all(t.b1y) * dy) * z;
              const F4 b2 = (all(t.b2) + all(t.b2x) * lx + all(t.b2y) * dy) * z;
              const F4 u = all(cloth.u) + b1 * all(cloth.u1) + b2 * all(cloth.u2);
              const F4 v = all(cloth.v) + b1 * all(cloth.v1) + b2 * all(cloth.v2);
              const int level = w[0] < 0.04F ? 2 : w[0] < 0.1F ? 1 : 0;
              visible &= solid(cloth_texture, u, v, level);
              there[i] = visible ? w : there[i];
              who[i] = visible ? id_here : who[i];
            }
          }
        }
      }
    }
}

}  // namespace
}  // namespace kerb::sim
