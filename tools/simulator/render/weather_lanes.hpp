// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/shade_lanes.hpp"
#include "tools/simulator/render/weather_view.hpp"

/// Weather, pixel by pixel: for sources of the CPU and of the GPU.
namespace kerb::sim {
namespace {

constexpr float kFogNearest = 1.2F;  // metres: where the first cell of lit fog ends
constexpr int kFogParts = 4;  // of a cell along its ray: the edge of a beam is sharper than a cell
// Mirror images: steps along the mirrored ray.
constexpr int kMirrorSteps = 15;
constexpr float kFirstStep = 0.25F, kStepGrows = 1.45F;
constexpr int kTilts = 5;  // mirrors of one place
// Glare of clean glass. It falls with the square of the angle (as in an eye: CIE 146), so every
// octave of angles holds as much of the light.
constexpr float kVeil = 2;             // cd/m2 per lux and square degree
constexpr float kVeilCore_deg = 0.5F;  // below which it stays even

KERB_LANE F4 f4(V3 x) { return F4{x.x, x.y, x.z, 0}; }
KERB_LANE F4& picture_at(const DrawView& s, int i) { return *pixel_at(s.plane[0], at(i)); }

/// lamp_light() of one point.
KERB_LANE V3 light_of_lamp(const Lamp& lamp, V3 point, V3& to) {
#if defined(KERB_ONE_LANE)
  const FromLamp from = from_lamp(lamp, each(point));
  if (bits_of(from.reached) == 0) return {0, 0, 0};
  to = {from.to.x[0], from.to.y[0], from.to.z[0]};
  const V3N e = lamp_light(lamp, from);
  return {e.x[0], e.y[0], e.z[0]};
#else
  return lamp_light(lamp, point, to);
#endif
}

/// Where on the picture a point is, and how far; -1: outside.
KERB_LANE int picture_place(const DrawView& s, const WeatherView& w, V3 p, float& z) {
  const V3 d = p - s.eye;
  z = dot(s.ahead, d);
  if (z < 0.3F) return -1;
  const int x = floor_int(s.cx + w.focal * dot(s.right, d) / z + 0.5F);
  const int y = floor_int(s.cy + w.focal * dot(s.down, d) / z + 0.5F);
  return x < 0 || y < 0 || x >= s.width || y >= s.height ? -1 : y * s.width + x;
}

/// What a mirror at a point shows in a direction: a march through the picture's depths.
KERB_INNER inline V3 mirrored(const DrawView& s, const WeatherView& w, V3 point, V3 r) {
  float reach = kFirstStep, before = 0;
  for (int k = 0; k < kMirrorSteps; ++k, before = reach, reach *= kStepGrows) {
    float z = 0;
    const int i = picture_place(s, w, point + reach * r, z);
    if (i < 0) break;
    const SeenSurface& seen = s.seen[i];
    if (seen.z > z || z - seen.z > 0.7F + 1.2F * (reach - before) || seen.mirror > 0) continue;
    float low = before, high = reach;  // where the ray goes behind what is seen
    int hit = i;
    for (int n = 0; n < 3; ++n) {
      const float middle = 0.5F * (low + high);
      const int j = picture_place(s, w, point + middle * r, z);
      if (j >= 0 && s.seen[j].z <= z && s.seen[j].mirror == 0) {
        high = middle;
        hit = j;
      } else {
        low = middle;
      }
    }
    const F4 there = picture_at(s, hit);
    const V3 light{there[0], there[1], there[2]};
    const float most = std::max(std::max(light.x, light.y), light.z);
    return most > w.brightest ? (w.brightest / most) * light : light;
  }
  V3 sky = look_at(s.mirror, {r.x, r.y, std::max(r.z, 0.0F)});
  if (s.light.fog) sky = mix(s.light.horizon, sky, left_of_sky(s.light, r.z));
  return sky;
}

/// Mirror images on wet ground, for two by two pixels: pictures on rough ground are soft. What is
/// mirrored is never wet ground itself, so the order of pixels does not matter.
KERB_INNER inline void mirror_block(const DrawView& s, const WeatherView& w, int x, int y) {
  float most = 0, z = 0, slope = 0;
  for (int k = 0; k < 4; ++k) {
    if (x + k % 2 >= s.width || y + k / 2 >= s.height) continue;
    const SeenSurface& seen = s.seen[(y + k / 2) * s.width + x + k % 2];
    if (seen.mirror <= most) continue;
    most = seen.mirror;
    z = seen.z;
    slope = seen.slope;
  }
  if (most < 0.004F) return;
  const float f = w.inverse_focal;
  const V3 ray =
      s.ahead + ((f32(x) + 0.5F - s.cx) * f) * s.right + ((f32(y) + 0.5F - s.cy) * f) * s.down;
  const V3 point = s.eye + z * ray, v = unit(ray), level = unit(V3{v.x, v.y, 0});
  const V3 beside{-level.y, level.x, 0};
  // Grains of the road tilt the mirror, most of all along the line of sight: what is seen is
  // drawn out lengthwise. Each place of the road has its own.
  const std::uint64_t grain =
      mix64(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(48 * point.x))),
            static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(48 * point.y))));
  const float along = f32(static_cast<std::uint32_t>(grain & 0xFFFF)) / 65536 - 0.5F,
              aside = f32(static_cast<std::uint32_t>(grain >> 16 & 0xFFFF)) / 65536 - 0.5F;
  V3 sum{};
  for (int k = 0; k < kTilts; ++k) {
    const float tilt = 0.9F * (f32(k - kTilts / 2) + along);
    const V3 n = unit(V3{0, 0, 1} + (tilt * slope) * level + (0.5F * aside * slope) * beside);
    V3 r = v - (2 * dot(v, n)) * n;
    if (r.z < 0.004F) r = unit(V3{r.x, r.y, 0.004F});
    sum = sum + mirrored(s, w, point, r);
  }
  const float through = exp_of_one(-s.light.haze * z);
  const F4 light = f4((through / f32(kTilts)) * sum);
  for (int k = 0; k < 4; ++k) {
    if (x + k % 2 >= s.width || y + k / 2 >= s.height) continue;
    const int i = (y + k / 2) * s.width + x + k % 2;
    if (s.seen[i].mirror > 0) picture_at(s, i) += all(s.seen[i].mirror) * light;
  }
}

/// Light that fog sends this way, against one that scatters evenly: a strong forward lobe, and
/// about half of even light backwards (lidar ratio of water clouds: 18 sr).
KERB_LANE float phase(float cosine) {
  constexpr float g = 0.85F;
  const float q = 1 + g * g - 2 * g * cosine;
  return 0.4F + 0.6F * (1 - g * g) / (q * std::sqrt(q));
}

/// Lamps' light scattered once, of one cell of fog.
KERB_INNER inline V3 fog_cell(const DrawView& s, const WeatherView& w, int column, int row, int i) {
  const V3 ray = s.ahead + ((f32(column * kFogPixels) - s.cx) * s.f) * s.right +
                 ((f32(row * kFogPixels) - s.cy) * s.f) * s.down;
  const float stretch = length(ray);
  const V3 v = (1 / stretch) * ray;
  const float before = i > 0 ? w.depth.data()[i - 1] : 0.0F, z = w.depth.data()[i],
              middle = 0.5F * (before + z);
  V3 light{};
  for (int part = 0; part < kFogParts; ++part) {
    const V3 point = s.eye + mix(before, z, (f32(part) + 0.5F) / kFogParts) * ray;
    if (point.z <= 0) break;
    for (int l = 0; l < s.lamps.count; ++l) {
      const Lamp& lamp = s.lamps.data[l];
      V3 to{};
      const V3 e = light_of_lamp(lamp, point, to);
      if (e.x <= 0) continue;
      // A headlamp is no point: near it, a cell would hold more light than the lamp sends.
      const V3 off = lamp.at - point;
      const float q = dot(off, off);
      light = light + (phase(dot(to, v)) * q / (q + 4) / kFogParts) * e;
    }
  }
  const float step = (z - before) * stretch;
  return (0.25F * w.fog * step * exp_of_one(-s.light.haze * middle * stretch)) * light;
}
/// Sums it along a ray from the eye outwards.
KERB_INNER inline void sum_fog(const WeatherView& w, int column, int row) {
  V3* cells = w.cells + at((row * w.columns + column) * kFogDepths);
  V3 sum{};
  for (int i = 0; i < kFogDepths; ++i) cells[i] = sum = sum + cells[i];
}
KERB_INNER inline void add_fog(const DrawView& s, const WeatherView& w, int x, int y) {
  const int row = y / kFogPixels, column = x / kFogPixels, pixel = y * s.width + x;
  const float fy = f32(y % kFogPixels) / kFogPixels, fx = f32(x % kFogPixels) / kFogPixels;
  const float place =
      std::log(std::max(s.seen[pixel].z, 0.0F + kFogNearest) / kFogNearest) * w.per_octave;
  const int d = std::min(i32(place), kFogDepths - 2);
  const float fd = std::min(place - f32(d), 1.0F);
  const auto cell = [&](int c, int r) {
    const V3* p = w.cells + at((r * w.columns + c) * kFogDepths + d);
    return mix(p[0], p[1], fd);
  };
  picture_at(s, pixel) += f4(mix(mix(cell(column, row), cell(column + 1, row), fx),
                                 mix(cell(column, row + 1), cell(column + 1, row + 1), fx), fy));
}

/// A chain of what lies over a pixel, from its first.
KERB_INNER inline void blend_chain(const DrawView& s, const WeatherView& w, int i) {
  if (!w.blends[i].first) return;
  F4 to = picture_at(s, w.blends[i].pixel);
  for (int k = i; k >= 0; k = w.blends[k].next)
    to += all(w.blends[k].alpha) * (f4(w.blends[k].light) - to);
  picture_at(s, w.blends[i].pixel) = to;
}

KERB_LANE F4& level_at(const LevelView& level, int i) { return *pixel_at(level.pixels, at(i)); }
/// The first level of the pyramid, and the n-th from the one before.
KERB_INNER inline void shrink_picture(const DrawView& s, const WeatherView& w, int x, int y) {
  F4 sum = all(0.0F);
  int count = 0;
  for (int j = 0; j < kFirstShrink; ++j)
    for (int i = 0; i < kFirstShrink; ++i) {
      const int px = x * kFirstShrink + i, py = y * kFirstShrink + j;
      if (px >= s.width || py >= s.height) continue;
      sum += picture_at(s, py * s.width + px);
      ++count;
    }
  level_at(w.level[0], y * w.level[0].width + x) = sum * all(1 / f32(count));
}
KERB_INNER inline void shrink_level(const WeatherView& w, int n, int x, int y) {
  const LevelView &from = w.level[n - 1], &to = w.level[n];
  F4 sum = all(0.0F);
  const auto weight = [](int i) { return i == 0 || i == 3 ? 0.125F : 0.375F; };  // 1 3 3 1
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int px = std::clamp(2 * x - 1 + i, 0, from.width - 1);
      const int py = std::clamp(2 * y - 1 + j, 0, from.height - 1);
      sum += all(weight(i) * weight(j)) * level_at(from, py * from.width + px);
    }
  level_at(to, y * to.width + x) = sum;
}
KERB_LANE F4 look_in(const LevelView& level, float x, float y) {
  const float cx = std::clamp(x, 0.0F, f32(level.width - 1)),
              cy = std::clamp(y, 0.0F, f32(level.height - 1));
  const int x0 = i32(cx), y0 = i32(cy);
  const int x1 = std::min(x0 + 1, level.width - 1), y1 = std::min(y0 + 1, level.height - 1);
  const F4 fx = all(cx - f32(x0)), fy = all(cy - f32(y0));
  const F4 *row = pixel_at(level.pixels, at(y0 * level.width)),
           *next = pixel_at(level.pixels, at(y1 * level.width));
  const F4 top = row[x0] + fx * (row[x1] - row[x0]);
  const F4 low = next[x0] + fx * (next[x1] - next[x0]);
  return top + fy * (low - top);
}
/// Scattered light, from the widest halo to the narrowest, each level added to the one twice as
/// fine.
KERB_INNER inline void spread_level(const WeatherView& w, int n, int x, int y) {
  const int i = y * w.level[n].width + x;
  F4 out = all(w.octave) * level_at(w.level[n], i);
  if (n + 1 < kGlareLevels)
    out += look_in(w.spread[n + 1], 0.5F * f32(x) - 0.25F, 0.5F * f32(y) - 0.25F);
  level_at(w.spread[n], i) = out;
}
/// Radiance that a unit of light on the camera adds this far from its source.
KERB_LANE float veil_at(float degrees) {
  return 3.1415927F * kVeil / (degrees * degrees + kVeilCore_deg * kVeilCore_deg);
}
KERB_INNER inline void scatter_pixel(const DrawView& s, const WeatherView& w, int x, int y) {
  F4& to = picture_at(s, y * s.width + x);
  to = all(w.rest) * to + look_in(w.spread[0], (f32(x) - 1.5F) * (1.0F / kFirstShrink),
                                  (f32(y) - 1.5F) * (1.0F / kFirstShrink));
  if (!w.sunny) return;
  const V3 d = unit(V3{(f32(x) - s.cx) * s.f, (f32(y) - s.cy) * s.f, 1});
  const V3 off = d - w.to_sun;  // its length: twice the sine of half the angle
  to += all(veil_at(57.29578F * length(off))) * f4(w.sun);
}

/// A drop before one pixel of its box: an image of the surroundings, upside down and small.
KERB_INNER inline void drop_pixel(const DrawView& s, const WeatherView& w, const Drop& drop, int x,
                                  int y) {
  const float dx = (f32(x) - drop.x) * drop.across, dy = (f32(y) - drop.y) / drop.across;
  const float r = std::sqrt(dx * dx + dy * dy);
  if (r >= drop.outer) return;
  const float alpha = 0.92F * drop.peak * smooth(drop.outer, drop.inner, r);
  const float k = 1 / drop.outer;
  const float sx = drop.x - 0.30F * dx * k * f32(s.width),
              sy = 0.5F * f32(s.height) - 0.55F * dy * k * f32(s.height);
  const F4 seen = look_in(w.level[3], sx * (1.0F / 32) - 0.5F, sy * (1.0F / 32) - 0.5F);
  F4& to = picture_at(s, y * s.width + x);
  to += all(alpha) * (all(0.93F) * seen - to);
  if (alpha > 0.5F) s.velocity[y * s.width + x] = {0, 0};  // the drop goes with the camera
}
/// The blade, far out of focus.
KERB_INNER inline void blade_pixel(const DrawView& s, const WeatherView& w, int x, int y) {
  const float lean = w.blade_middle + 0.25F * (f32(y) - 0.5F * f32(s.height));
  if (x < std::max(floor_int(lean - w.blade_half), 0) ||
      x > std::min(floor_int(lean + w.blade_half), s.width - 1))
    return;
  const float alpha =
      0.95F * smooth(w.blade_half, w.blade_half - w.blade_soft, std::abs(f32(x) - lean));
  F4& p = picture_at(s, y * s.width + x);
  p = p - all(alpha * 0.97F) * p;
  s.velocity[y * s.width + x] = {0, 0};
}

}  // namespace
}  // namespace kerb::sim
