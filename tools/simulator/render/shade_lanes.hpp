// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>

#include "tools/simulator/render/tile_shader.hpp"

/// Shading of pixels, for sources that are compiled for several machines.
namespace kerb::sim {
namespace {

template <int kPlanes>
struct Ink {
  KERB_INNER explicit Ink(int planes) {
    for (int p = 0; p < planes; ++p) plane[p] = all(0.0F);
  }
  F4 plane[kPlanes];  // those in use
};
using ManyInks = Ink<kMostPlanes>;

KERB_LANE F4* pixel_at(float* plane, std::size_t i) { return reinterpret_cast<F4*>(plane + 4 * i); }

/// How much of the sky is left behind fog, in this direction: a layer of 100 m.
KERB_LANE float left_of_sky(const Light& light, float up) {
  return exp_of_one(-light.haze * std::min(100 / std::max(up, 0.01F), 2000.0F));
}

#if !defined(KERB_ONE_LANE)
/// A place's share of a pixel, for cameras of other bands.
inline void colour(const DrawView& s, const TileShader::Answer& a, float weight, ManyInks& ink) {
  const float t = a.through;
  if (s.thermal) {
    // Long waves pass fog about half as badly as light does; the air's own warmth is 8 degrees.
    const float left = s.light.fog ? std::sqrt(t) : 0.4F + 0.6F * t;
    ink.plane[0] += all(weight) * all(mix(8.0F, a.celsius, left));
    return;
  }
  const V3 haze = (1 - t) * s.light.horizon;
  const V3 plain = t * a.extra + haze;
  for (int b = 0; b < s.band_mix.count; ++b) {
    const std::array<float, 3>& k = s.band_mix.data[b];
    const float albedo = k[0] * a.albedo.x + k[1] * a.albedo.y + k[2] * a.albedo.z;
    const float light = k[0] * a.light.x + k[1] * a.light.y + k[2] * a.light.z;
    const float more = k[0] * plain.x + k[1] * plain.y + k[2] * plain.z;
    const float corrected = std::min(albedo * a.material->bands[b], 1.0F);
    ink.plane[b / 4][b % 4] += weight * (t * corrected * light + more);
  }
}

inline void sky_in_bands(const DrawView& s, V3 d, V3 rgb, float weight, ManyInks& ink) {
  if (s.thermal) {
    float celsius = mix(4.0F, -22.0F, smooth(0.0F, 0.5F, d.z));
    if (s.light.fog) celsius = mix(8.0F, celsius, std::sqrt(left_of_sky(s.light, d.z)));
    ink.plane[0] += all(weight * celsius);
    return;
  }
  for (int b = 0; b < s.band_mix.count; ++b) {
    const std::array<float, 3>& k = s.band_mix.data[b];
    ink.plane[b / 4][b % 4] += weight * (k[0] * rgb.x + k[1] * rgb.y + k[2] * rgb.z);
  }
}
#endif

template <typename Inks>
KERB_INNER void sky_colour(const DrawView& s, V3 ray, bool plain, float weight, Inks& ink) {
  const V3 d = unit(ray);
  V3 rgb = look_at(s.sky, d);
  if (s.light.fog) rgb = mix(s.light.horizon, rgb, left_of_sky(s.light, d.z));
#if !defined(KERB_ONE_LANE)
  if (!plain) {
    sky_in_bands(s, d, rgb, weight, ink);
    return;
  }
#else
  static_cast<void>(plain);
#endif
  ink.plane[0] += all(weight) * F4{rgb.x, rgb.y, rgb.z, 0};
}

KERB_INNER inline Velocity velocity_of(const DrawView& s, V3 from_eye, const ScreenTriangle* t,
                                       float x, float y) {
  const Shift& shift = s.shift;
  V3 p = shift.away + from_eye;
  if (t != nullptr && s.items[t->item].later != nullptr) {
    const ItemView& item = s.items[t->item];
    const Hit hit = hit_at(*t, x, y);
    const auto moved = [&](std::size_t k) {
      return item.later[t->corner[k]] - item.corners[t->corner[k]].p;
    };
    p = p + (1 - hit.b1 - hit.b2) * moved(0) + hit.b1 * moved(1) + hit.b2 * moved(2);
  }
  const float z = dot(shift.ahead, p);
  if (z < 0.1F) return {0, 0};
  const float k = shift.focal / z;
  const auto fixed = [](float d) {
    return static_cast<std::int16_t>(std::clamp(d * 64, -4000.0F, 4000.0F));
  };
  return {fixed(shift.cx + k * dot(shift.right, p) - x),
          fixed(shift.cy + k * dot(shift.down, p) - y)};
}

/// Four pixels at a time, where they are of one plain triangle.
KERB_INNER inline bool shade_four(const DrawView& s, TileShader& shader, std::uint32_t id, int x,
                                  int y) {
  const ScreenTriangle& t = s.triangle(id);
  if (!shader.plain(t)) return false;
  const Shift& shift = s.shift;
  TileShader::Four p;
  const float px = f32(x), py = f32(y);
  shader.four(t, px, py, p);
  const std::size_t target = at(y * s.width + x);
  F4* to = pixel_at(s.plane[0], target);
  for (int k = 0; k < 4; ++k) to[k] = F4{p.r[k], p.g[k], p.b[k], 0};
  if (s.seen_wanted)
    for (int k = 0; k < 4; ++k) s.seen[target + at(k)] = {1 / p.w[k], 0, 0};
  if (!s.moves) return true;
  Velocity* velocity = s.velocity + target;
  if (shift.tiny(std::max(p.w[0], p.w[3]), px, py) &&
      shift.tiny(std::max(p.w[0], p.w[3]), px + 3, py)) {
    for (int k = 0; k < 4; ++k) velocity[k] = {0, 0};
    return true;
  }
  const F4 qx = p.x + all(shift.away.x), qy = p.y + all(shift.away.y), qz = p.z + all(shift.away.z);
  const auto along = [&](V3 axis) {
    return qx * all(axis.x) + qy * all(axis.y) + qz * all(axis.z);
  };
  F4 z = along(shift.ahead);
  z = pick(z < all(0.1F), all(0.1F), z);
  const F4 k64 = all(shift.focal) / z, limit = all(4000.0F);
  F4 vx = (all(shift.cx - px) - F4{0, 1, 2, 3} + k64 * along(shift.right)) * all(64.0F);
  F4 vy = (all(shift.cy - py) + k64 * along(shift.down)) * all(64.0F);
  vx = pick(vx > limit, limit, pick(vx < -limit, -limit, vx));
  vy = pick(vy > limit, limit, pick(vy < -limit, -limit, vy));
  for (int k = 0; k < 4; ++k)
    velocity[k] = {static_cast<std::int16_t>(vx[k]), static_cast<std::int16_t>(vy[k])};
  return true;
}

/// Pixels of sky, side by side: four or eight.
KERB_INNER inline void sky_run(const DrawView& s, const TileShader& shader, int x, int y,
                               int count) {
  const std::size_t target = at(y * s.width + x);
  const float py = f32(y);
  for (int from = 0; from < count; from += kLanes) {
    FN px = each(f32(x + from));
    for (int k = 0; k < kLanes; ++k) px[k] += f32(k);
    const V3N ray = shader.rays(px, py);
    const FN l = root_of(dot(ray, ray));
    const V3N d = (1.0F / l) * ray;
    V3N rgb = look(s.sky, d);
    const int here = std::min(count - from, int{kLanes});
    if (s.light.fog) {
      FN t{};
      for (int k = 0; k < here; ++k) t[k] = left_of_sky(s.light, d.z[k]);
      const V3N h = each(s.light.horizon);
      rgb = {mix(h.x, rgb.x, t), mix(h.y, rgb.y, t), mix(h.z, rgb.z, t)};
    }
    F4* to = pixel_at(s.plane[0], target + at(from));
    for (int k = 0; k < here; ++k) to[k] = F4{rgb.x[k], rgb.y[k], rgb.z[k], 0};
  }
  if (s.seen_wanted)
    for (int k = 0; k < count; ++k) s.seen[target + at(k)] = {};
  if (!s.moves) return;
  for (int k = 0; k < count; k += 4) {
    const float from = f32(x + k);
    const bool still = s.shift.tiny(0.001F, from, py) && s.shift.tiny(0.001F, from + 3, py);
    for (int j = k; j < k + 4; ++j)
      s.velocity[target + at(j)] =
          still ? Velocity{}
                : velocity_of(s, 1e6F * shader.ray(f32(x + j), py), nullptr, f32(x + j), py);
  }
}

/// A surface's share of a pixel.
struct Share {
  float weight;
  int place;  // -1: sky
};
struct PixelParts {
  int x, y;  // of the picture
  int first, entries;
  int nearest;  // the place that says where the pixel goes; -1: sky
  const ScreenTriangle* moved;
  float mx, my, w;
};

/// What a pixel shows, and with what weights. `Rest`: what it is written down in.
template <typename Rest>
KERB_INNER void gather(const DrawView& s, const I4& id, const F4& depth, int x, int y, Rest& rest) {
  const float px = f32(x), py = f32(y);
  const auto add = [&](const ScreenTriangle& t, float hx, float hy, float weight) {
    rest.entry[rest.entries++] = {weight, i32(rest.places)};
    rest.place[rest.places++] = {&t, hx, hy};
  };
  PixelParts& pixel = rest.pixel[rest.pixels++];
  pixel = {x, y, i32(rest.entries), 1, -1, nullptr, px, py, depth[0]};
  if (id[0] == id[1] && id[0] == id[2] && id[0] == id[3]) {
    if (id[0] == -1) {
      rest.entry[rest.entries++] = {1, -1};
    } else {
      pixel.moved = &s.triangle(static_cast<std::uint32_t>(id[0]));
      pixel.nearest = i32(rest.places);
      add(*pixel.moved, px, py, 1);
    }
    return;
  }
  unsigned done = 0;
  float nearest = -1;
  for (int k = 0; k < 4; ++k) {
    if ((done >> k & 1U) != 0) continue;
    float weight = 0.25F;
    if (id[k] == -1) {
      for (int j = k + 1; j < 4; ++j)
        if (id[j] == -1) {
          weight += 0.25F;
          done |= 1U << j;
        }
      rest.entry[rest.entries++] = {weight, -1};
      if (nearest < 0) nearest = 0;
      continue;
    }
    const ScreenTriangle& t = s.triangle(static_cast<std::uint32_t>(id[k]));
    const float w = depth[k];
    for (int j = k + 1; j < 4; ++j) {
      if ((done >> j & 1U) != 0 || id[j] == -1) continue;
      if (id[j] != id[k]) {  // a neighbour of the same surface counts as the same
        const ScreenTriangle& o = s.triangle(static_cast<std::uint32_t>(id[j]));
        if (o.item != t.item || o.material != t.material ||
            (!t.cut && std::abs(depth[j] - w) > 0.01F * w))
          continue;
      }
      weight += 0.25F;
      done |= 1U << j;
    }
    const bool most =
        weight > 0.6F;  // else where the sample is: (-1, -3), (3, -1), (-3, 1), (1, 3)
    const float sx = k == 0 ? -0.125F : k == 1 ? 0.375F : k == 2 ? -0.375F : 0.125F;
    const float sy = k == 0 ? -0.375F : k == 1 ? -0.125F : k == 2 ? 0.125F : 0.375F;
    const float hx = px + (most ? 0.0F : sx), hy = py + (most ? 0.0F : sy);
    if (w > nearest) {
      nearest = w;
      pixel.nearest = i32(rest.places);
      pixel.moved = &t;
      pixel.mx = hx;
      pixel.my = hy;
    }
    add(t, hx, hy, weight);
  }
  pixel.entries = i32(rest.entries) - pixel.first;
}

/// The surfaces of a pixel, shaded, as one. `Rest::kPlanes`: 1 for cameras of three colours alone.
template <typename Rest>
KERB_INNER void put_together(const DrawView& s, const TileShader& shader, const Rest& rest,
                             const PixelParts& p, bool plain) {
  const float px = f32(p.x), py = f32(p.y);
  Ink<Rest::kPlanes> ink{s.planes};
  const Share* entries = rest.entry.data() + p.first;
  float mirror = 0, slope = 0;
  const auto add = [&](const Share& entry) {
    const TileShader::Shaded& one = rest.shaded[at(entry.place)];
    if constexpr (Rest::kPlanes > 1) {
      if (!plain) {
        colour(s, rest.answers[at(entry.place)], entry.weight, ink);
        return;
      }
    }
    ink.plane[0] += all(entry.weight) * one.rgb;
  };
  if (p.entries == 1 && entries->place >= 0 && entries->weight == 1) {
    const TileShader::Shaded& only = rest.shaded[at(entries->place)];
    if (plain)
      ink.plane[0] = only.rgb;
    else
      add(*entries);
    mirror = only.mirror;
    slope = only.slope;
  } else {
    for (int e = 0; e < p.entries; ++e) {
      const Share& entry = entries[e];
      if (entry.place < 0) {
        sky_colour(s, shader.ray(px, py), plain, entry.weight, ink);
        continue;
      }
      const TileShader::Shaded& one = rest.shaded[at(entry.place)];
      add(entry);
      mirror += entry.weight * one.mirror;
      slope = std::max(slope, one.slope);
    }
  }
  const V3 from_eye = p.nearest >= 0 ? rest.shaded[at(p.nearest)].point : 1e6F * shader.ray(px, py);
  const std::size_t target = at(p.y * s.width + p.x);
  for (int i = 0; i < s.planes; ++i) *pixel_at(s.plane[i], target) = ink.plane[i];
  if (s.seen_wanted) s.seen[target] = {dot(s.ahead, from_eye), mirror, slope};
  if (!s.moves) return;
  const bool stands = p.moved == nullptr || s.items[p.moved->item].later == nullptr;
  if (stands && s.shift.tiny(p.w * 1.1F + 0.001F, px, py))
    s.velocity[target] = {0, 0};
  else
    s.velocity[target] = velocity_of(s, from_eye, p.moved, p.mx, p.my);
}

}  // namespace
}  // namespace kerb::sim
