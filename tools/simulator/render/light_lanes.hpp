// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "tools/simulator/render/lanes.hpp"
#include "tools/simulator/render/light.hpp"

/// light.hpp's functions for as many points as there are lanes: the same operations.
namespace kerb::sim {
namespace {

KERB_LANE FN dipped_candela(FN left, FN up) {
  const FN h = left * 57.29578F, v = up * 57.29578F;
  const FN right = greater(-h, each(0.0F));
  const FN below = lesser(0.268F * right, each(2.5F)) - v;
  const FN hot_h = (h + 2.0F) / select(h < each(-2.0F), each(5.0F), each(3.4F)),
           hot_v = (below - 1.1F) / 1.5F;
  const FN wide_h = h / 17.0F,
           wide_v = (below - 2.5F) / select(below < each(2.5F), each(2.6F), each(5.0F));
  const FN light = 15.0F * exp_of(-hot_h * hot_h - hot_v * hot_v) +
                   7.0F / (1.0F + wide_h * wide_h * wide_h * wide_h) * exp_of(-wide_v * wide_v) +
                   0.6F / (1.0F + h * h / 900.0F) * smooth(14, 4, below);
  const FN stray = 0.34F / (1.0F + v * v / 40.0F) / (1.0F + h * h / 500.0F);
  return stray + light * smooth(-0.15F, 0.25F, below);
}
KERB_LANE FN full_candela(FN left, FN up) {
  const FN h = left * 57.29578F, v = up * 57.29578F;
  const FN spot = 1.0F / (1.0F + h * h / 20.0F) / (1.0F + v * v / 6.0F);
  return 36.0F * spot * spot + 3.0F / (1.0F + h * h / 400.0F) / (1.0F + v * v / 30.0F) +
         0.7F * dipped_candela(left, up + 0.01F);
}

/// lamp_light() in two steps. First where the lamp is; `reached`: lanes within its range.
struct FromLamp {
  V3N to;
  FN q, l;
  IN reached;
};
KERB_LANE FromLamp from_lamp(const Lamp& lamp, const V3N& point) {
  const V3N d = each(lamp.at) - point;
  FromLamp out;
  out.q = greater(dot(d, d), each(0.25F));
  out.reached = out.q <= each(lamp.range * lamp.range);
  out.l = root_of(out.q);
  out.to = (1.0F / out.l) * d;
  return out;
}
/// Then its light, where it reaches.
KERB_LANE V3N lamp_light(const Lamp& lamp, const FromLamp& f) {
  const FN c = -dot(f.to, lamp.axis);
  const FN zero = each(0.0F);
  FN share = zero;
  IN dark = c != c;
  if (lamp.pattern == Pattern::dipped || lamp.pattern == Pattern::full) {
    dark = c <= each(0.1F);
    if (bits_of(dark) == (1U << kLanes) - 1) return each(V3{0, 0, 0});
    const FN left = -dot(f.to, lamp.left) / c, up = -dot(f.to, lamp.up) / c;
    share = lamp.pattern == Pattern::full ? full_candela(left, up) : dipped_candela(left, up);
  } else if (lamp.pattern == Pattern::lantern) {
    share =
        0.02F + lesser(1.0F / greater(c * c, each(0.25F)), each(4.0F)) * smooth(0.24F, 0.44F, c);
  } else if (lamp.beam) {
    dark = c <= each(0.2F);
    const FN h = -dot(f.to, lamp.left) / c, v = -dot(f.to, lamp.up) / c;
    const FN spread = 1.0F / (1.0F + 7.0F * h * h) * greater(zero, 1.0F - 0.6F * h * h);
    const FN below = select(v < each(-0.012F), 1.0F / (1.0F + 26.0F * (v + 0.012F) * (v + 0.012F)),
                            0.035F + 0.965F * smooth(0.012F, -0.012F, v));
    share = spread * below;
  } else {
    share = greater(zero, c) * smooth(0.05F, 0.5F, c) + 0.02F;
  }
  const FN edge = smooth(lamp.range, 0.7F * lamp.range, f.l);
  if (lamp.extinction > 0) share *= exp_of(-lamp.extinction * f.l);
  const V3N out = (share * edge / f.q) * lamp.candela;
  return {select(dark, zero, out.x), select(dark, zero, out.y), select(dark, zero, out.z)};
}

/// Sky::look(), of one direction and of lanes.
KERB_LANE V3 look_at(const Dome& dome, V3 d) {
  const float k = 1 / (1 + std::max(d.z, -0.05F));
  const float x = (d.x * k + 1.05F) / 2.1F * f32(dome.side) - 0.5F;
  const float y = (d.y * k + 1.05F) / 2.1F * f32(dome.side) - 0.5F;
  const int x0 = std::clamp(i32(x), 0, dome.side - 2), y0 = std::clamp(i32(y), 0, dome.side - 2);
  const float fx = clamp01(x - f32(x0)), fy = clamp01(y - f32(y0));
  const V3* p = dome.pixels + at(y0 * dome.side + x0);
  return mix(mix(p[0], p[1], fx), mix(p[dome.side], p[dome.side + 1], fx), fy);
}
KERB_LANE V3N look(const Dome& dome, const V3N& d) {
  const FN k = 1.0F / (1.0F + greater(d.z, each(-0.05F)));
  const float side = f32(dome.side);
  const FN x = (d.x * k + 1.05F) / 2.1F * side - 0.5F;
  const FN y = (d.y * k + 1.05F) / 2.1F * side - 0.5F;
  const IN x0 = clamp(as_int(x), 0, dome.side - 2), y0 = clamp(as_int(y), 0, dome.side - 2);
  const FN fx = clamp01(x - as_float(x0)), fy = clamp01(y - as_float(y0));
  const IN place = y0 * dome.side + x0;
  alignas(32) float rgb[3][kLanes];
  for (int i = 0; i < kLanes; ++i) {
    const V3* p = dome.pixels + place[i];
    const auto four = [](const V3* from) {  // a pixel, and the first number of the next
      F4 v;
      std::memcpy(&v, from, sizeof v);
      return v;
    };
    const F4 a = four(p), b = four(p + 1), c = four(p + dome.side), e = four(p + dome.side + 1);
    const F4 tx = all(fx[i]), ty = all(fy[i]);
    const F4 top = a + tx * (b - a), low = c + tx * (e - c), v = top + ty * (low - top);
    rgb[0][i] = v[0];
    rgb[1][i] = v[1];
    rgb[2][i] = v[2];
  }
  V3N out;
  std::memcpy(&out.x, rgb[0], sizeof out.x);
  std::memcpy(&out.y, rgb[1], sizeof out.y);
  std::memcpy(&out.z, rgb[2], sizeof out.z);
  return out;
}

}  // namespace
}  // namespace kerb::sim
