// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/light.hpp"

#include "tools/simulator/render/noise.hpp"

namespace kerb::sim {
namespace {

/// A direction of the dome by its place in a square: the stereographic image of a half sphere.
V3 direction_at(int x, int y, int side) {
  const float a = (f32(x) + 0.5F) / f32(side) * 2.1F - 1.05F;
  const float b = (f32(y) + 0.5F) / f32(side) * 2.1F - 1.05F;
  const float q = a * a + b * b;
  return {2 * a / (1 + q), 2 * b / (1 + q), (1 - q) / (1 + q)};
}

}  // namespace

Light light_of(const LightSpec& spec, std::uint32_t seed) {
  Light out;
  Dice dice{mix64(seed, 77)};
  double elevation = 0, azimuth = 360.0 * dice.unit();
  switch (spec.kind) {
    case Daylight::noon:
      elevation = 52;
      out.sun_shines = true;
      out.sun = {92, 87, 78};
      out.sky = {14, 17, 22};
      out.horizon = {13, 15, 18};
      out.exposure_s = 0.0015;
      break;
    case Daylight::low_sun:
      elevation = 13;
      azimuth = 55 + 20.0 * dice.unit();
      out.sun_shines = true;
      out.sun = {52, 41, 27};
      out.sky = {7, 8.5F, 11};
      out.horizon = {13, 11.5F, 10};
      out.haze = 1.0F / 1300;
      out.exposure_s = 0.003;
      break;
    case Daylight::overcast:
      elevation = 40;
      out.sky = {13, 13.6F, 14.2F};
      out.horizon = {8.5F, 9, 9.6F};
      out.haze = 1.0F / 900;
      out.exposure_s = 0.004;
      break;
    case Daylight::dusk:
      elevation = -3;
      out.sky = {0.16F, 0.19F, 0.28F};
      out.horizon = {0.21F, 0.18F, 0.19F};
      out.haze = 1.0F / 1500;
      out.lamps = true;
      out.exposure_s = 0.014;
      out.gain = 3;
      out.darkest = 0.02F;
      break;
    case Daylight::night:
      elevation = -20;
      out.sky = {0.0008F, 0.0009F, 0.0013F};
      out.horizon = {0.0016F, 0.0013F, 0.0011F};
      out.lamps = true;
      out.exposure_s = 0.024;
      out.gain = 6;
      out.darkest = 0.012F;
      break;
  }
  if (spec.sun_elevation_deg) elevation = *spec.sun_elevation_deg;
  if (spec.sun_azimuth_deg) azimuth = *spec.sun_azimuth_deg;
  const double e = radians(elevation), a = radians(azimuth);
  out.to_sun = to_v3({std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)});
  if (out.to_sun.z <= 0.02F) out.sun_shines = false;
  out.side = 0.25F * out.sky;
  return out;
}

float fog_extinction(double fog_m) { return fog_m > 0 ? f32(std::log(20.0) / fog_m) : 0.0F; }
float rain_extinction(double mm_h) {
  return mm_h > 0 ? f32(1.076e-3 * std::pow(mm_h, 0.67) / 4.342945) : 0.0F;
}

void add_weather(const WeatherSpec& weather, Light& light) {
  light.haze += rain_extinction(weather.rain_mm_h);
  if (weather.fog_m <= 0) return;
  const float fog = fog_extinction(weather.fog_m);
  light.haze += fog;
  light.fog = true;
  if (light.sun_shines) {
    // What the sun loses on its way down through a layer of 60 m comes from everywhere instead,
    // but for a third that goes back up.
    const float left = std::exp(-fog * 60 / light.to_sun.z);
    light.sky = light.sky + (0.67F * (1 - left) * light.to_sun.z) * light.sun;
    light.sun = left * light.sun;
    light.sun_shines = left > 0.02F;
    light.side = 0.25F * light.sky;
  }
  // Air light: a thick fog under this sky is about as bright as a light grey wall.
  const float grey = (light.sky.x + light.sky.y + light.sky.z) / 3;
  light.horizon = 0.7F * mix(light.sky, V3{grey, grey, grey}, 0.6F);
}

float beam_candela(Beam beam, float left, float up) {
  const float h = left * 57.29578F, v = up * 57.29578F;  // degrees; small angles
  if (beam == Beam::full) {
    const float spot = 1 / (1 + h * h / 20) / (1 + v * v / 6);
    // The dipped beam stays on with it.
    return 36 * spot * spot + 3 / (1 + h * h / 400) / (1 + v * v / 30) +
           0.7F * beam_candela(Beam::dipped, left, up + 0.01F);
  }
  // Dipped: below a cut-off that is level on the left and climbs by 15 degrees to the right. The
  // hot spot lies to the right, just under it; the rest is a wide carpet.
  const float right = std::max(-h, 0.0F);
  const float below = std::min(0.268F * right, 2.5F) - v;
  const float hot_h = (h + 2.0F) / (h < -2 ? 5.0F : 3.4F), hot_v = (below - 1.1F) / 1.5F;
  const float wide_h = h / 17, wide_v = (below - 2.5F) / (below < 2.5F ? 2.6F : 5.0F);
  const float light = 15 * std::exp(-hot_h * hot_h - hot_v * hot_v) +
                      7 / (1 + wide_h * wide_h * wide_h * wide_h) * std::exp(-wide_v * wide_v) +
                      0.6F / (1 + h * h / 900) * smooth(14, 4, below);
  // Above: 0.25 to 0.4 kcd for signs and the eyes of others, less and less upwards.
  const float stray = 0.34F / (1 + v * v / 40) / (1 + h * h / 500);
  return stray + light * smooth(-0.15F, 0.25F, below);
}

Lamp real_beam(V3 at, V3 ahead, Beam beam) {
  const float tilt = beam == Beam::dipped ? -0.01F : 0.0F;
  Lamp out{at, unit(ahead + V3{0, 0, tilt}), {1, 0.97F, 0.90F}, 220, true};
  out.left = unit(cross(V3{0, 0, 1}, out.axis));
  out.up = cross(out.axis, out.left);
  out.pattern = beam == Beam::dipped ? Pattern::dipped : Pattern::full;
  return out;
}

Lamp real_lantern(V3 at) {
  Lamp out{at, {0, 0, -1}, {0.55F, 0.49F, 0.37F}, 36, false};
  out.pattern = Pattern::lantern;
  return out;
}

Lamp low_beam(V3 at, V3 axis) {
  Lamp out{at, unit(axis), {17, 16.2F, 14.5F}, 95, true};
  out.left = unit(cross(V3{0, 0, 1}, out.axis));
  out.up = cross(out.axis, out.left);
  return out;
}

V3 lamp_light(const Lamp& lamp, V3 point, V3& to_lamp) {
  const V3 d = lamp.at - point;
  const float q = std::max(dot(d, d), 0.25F);
  if (q > lamp.range * lamp.range) return {0, 0, 0};
  const float l = std::sqrt(q);
  to_lamp = (1 / l) * d;
  const float c = -dot(to_lamp, lamp.axis);
  float share = 0;
  if (lamp.pattern == Pattern::dipped || lamp.pattern == Pattern::full) {
    if (c <= 0.1F) return {0, 0, 0};
    share = beam_candela(lamp.pattern == Pattern::full ? Beam::full : Beam::dipped,
                         -dot(to_lamp, lamp.left) / c, -dot(to_lamp, lamp.up) / c);
  } else if (lamp.pattern == Pattern::lantern) {
    // 1 / cos^2 out to 60 degrees from straight down, then a cut-off: even light, little glare.
    share = 0.02F + std::min(1 / std::max(c * c, 0.25F), 4.0F) * smooth(0.24F, 0.44F, c);
  } else if (lamp.beam) {
    if (c <= 0.2F) return {0, 0, 0};
    // Tangents of the angles to the left and above the axis.
    const float h = -dot(to_lamp, lamp.left) / c, v = -dot(to_lamp, lamp.up) / c;
    const float spread = 1 / (1 + 7 * h * h) * std::max(0.0F, 1 - 0.6F * h * h);
    const float below = v < -0.012F ? 1 / (1 + 26 * (v + 0.012F) * (v + 0.012F))
                                    : 0.035F + 0.965F * smooth(0.012F, -0.012F, v);
    share = spread * below;
  } else {
    share = std::max(0.0F, c) * smooth(0.05F, 0.5F, c) + 0.02F;
  }
  const float edge = smooth(lamp.range, 0.7F * lamp.range, l);
  if (lamp.extinction > 0) share *= std::exp(-lamp.extinction * l);
  return (share * edge / q) * lamp.candela;
}

V3 Sky::look(const std::vector<V3>& dome, int side, V3 d) noexcept {
  const float k = 1 / (1 + std::max(d.z, -0.05F));
  const float x = (d.x * k + 1.05F) / 2.1F * f32(side) - 0.5F;
  const float y = (d.y * k + 1.05F) / 2.1F * f32(side) - 0.5F;
  const int x0 = std::clamp(i32(x), 0, side - 2), y0 = std::clamp(i32(y), 0, side - 2);
  const float fx = clamp01(x - f32(x0)), fy = clamp01(y - f32(y0));
  const V3* p = dome.data() + at(y0 * side + x0);
  return mix(mix(p[0], p[1], fx), mix(p[side], p[side + 1], fx), fy);
}

Sky::Sky(const LightSpec& spec, const Light& light, bool houses, std::uint32_t seed)
    : sky_(at(kSide * kSide + 1)), mirror_(at(kMirror * kMirror + 1)) {
  const bool overcast = spec.kind == Daylight::overcast;
  const bool late = spec.kind == Daylight::dusk;
  const float cover = overcast                         ? 1.0F
                      : spec.kind == Daylight::noon    ? 0.42F
                      : spec.kind == Daylight::low_sun ? 0.35F
                                                       : 0.5F;
  const float day = (light.sky.x + light.sky.y + light.sky.z) / 3;
  const auto radiance_of = [&](V3 d) {
    const float up = std::max(d.z, 0.0F);
    V3 clear = mix(light.horizon, 0.62F * light.sky, smooth(0, 0.45F, up));
    if (!overcast)
      clear = clear * mix(V3{1, 1, 1}, V3{0.72F, 0.88F, 1.18F}, smooth(0.02F, 0.5F, up));
    if (light.sun_shines) {
      const float c = std::max(0.0F, dot(d, light.to_sun));
      const float glow = c * c * c * c;
      clear = clear + (0.02F * glow + 0.12F * std::pow(glow, 16.0F)) * light.sun;
      if (c > 0.99996F) clear = clear + 40.0F * light.sun;
    }
    if (late) {
      const float c = 0.5F + 0.5F * (d.x * light.to_sun.x + d.y * light.to_sun.y);
      clear = clear + (2.2F * c * c * c * smooth(0.35F, 0.0F, up)) * V3{0.30F, 0.16F, 0.07F};
    }
    // Clouds on a layer overhead: smaller towards the horizon.
    const float k = 1 / (up + 0.12F);
    const float n = cloud_noise(d.x * k * 0.9F + 40, d.y * k * 0.9F + 40, seed + 5, 6);
    if (overcast) {
      const float shape = 0.72F + 0.56F * n, grade = (1 + 2 * up) / 3;
      return mix(light.horizon, (1.15F * grade * shape) * light.sky, smooth(0.0F, 0.12F, up));
    }
    const float edge = 0.72F - 0.42F * cover;
    const float cloud = smooth(edge, edge + 0.16F, n) * smooth(0.0F, 0.06F, up);
    const float inner = smooth(edge, edge + 0.34F, n);
    const V3 lit = mix(0.95F * light.sky + 0.30F * light.sun, 0.75F * light.sky + 0.10F * light.sun,
                       inner * 0.8F);
    const V3 body = light.sun_shines ? lit : (late ? 0.7F : 1.3F) * light.sky;
    return mix(clear, mix(light.horizon, body, smooth(0.0F, 0.3F, up)), cloud * 0.92F);
  };
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      sky_[at(y * kSide + x)] = radiance_of(direction_at(x, y, kSide));
  for (int y = 0; y < kMirror; ++y)
    for (int x = 0; x < kMirror; ++x) {
      const V3 d = direction_at(x, y, kMirror);
      const float turn = std::atan2(d.y, d.x);
      const float top = houses
                            ? 0.25F + 0.35F * std::abs(d.y) + 0.12F * value_noise(turn * 4, 1, seed)
                            : 0.06F + 0.10F * value_noise(turn * 6, 1, seed);
      const float dark = 0.10F + 0.28F * value_noise(turn * 9, d.z * 14, seed + 1);
      const V3 wall = (dark * (0.5F + (light.sun_shines ? 0.6F : 0.0F))) *
                      (light.sky + (light.sun_shines ? 0.15F : 0.0F) * light.sun);
      const float above = smooth(top - 0.02F, top + 0.02F, d.z);
      V3 s = look(sky_, kSide, d);
      const float most = std::max({s.x, s.y, s.z});
      if (most > 6 * day) s = (6 * day / most) * s;
      mirror_[at(y * kMirror + x)] = mix(wall, s, above);
    }
}

}  // namespace kerb::sim
