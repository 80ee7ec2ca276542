// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/weather.hpp"

#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/weather_lanes.hpp"

namespace kerb::sim {
namespace {

constexpr float kOctave = 0.00133F;  // of the light, per octave and unit of kVeil
constexpr float kDeeper = 1.19F;     // a cell of lit fog against the one before: 1.2 to 130 m
// Of a source, against the sky's light, but at least this much: lamps themselves are mirrored by
// the shading.
constexpr float kMostMirrored = 8, kLeastMirrored = 0.3F;

// Drops on the windscreen, behind which the camera sits.
constexpr float kWindscreen_m = 0.12F;  // from the lens
constexpr float kAperture_mm = 2.5F;    // of the lens: drops are that much out of focus
constexpr float kDropLife_s = 6;        // until it runs off by itself
constexpr float kWipe_s = 0.3F;         // of the blade from side to side
constexpr int kMostDrops = 700, kMostStreaks = 8000;

}  // namespace

float WeatherPasses::veil(float degrees) noexcept { return veil_at(degrees); }

WeatherPasses::WeatherPasses(const Scenario& scenario, const Canvas& canvas)
    : weather_{scenario.weather}, canvas_{canvas}, seed_{mix64(scenario.seed, 0x57)} {
  const Sensor sensor = scenario.camera.sensor;
  any_ = weather_.any() && (sensor == Sensor::rgb || sensor == Sensor::grey);
  wet_ = f32(weather_.wetness());
  // Lamps light the fog at any time; by day it does not show.
  const bool dark = scenario.light.kind == Daylight::night || scenario.light.kind == Daylight::dusk;
  fog_ = dark ? fog_extinction(weather_.fog_m) + 0.2F * rain_extinction(weather_.rain_mm_h) : 0.0F;
  int width = (canvas.width + kFirstShrink - 1) / kFirstShrink,
      height = (canvas.height + kFirstShrink - 1) / kFirstShrink;
  for (int n = 0; n < kGlareLevels; ++n) {
    plan_.level[n] = plan_.spread[n] = {width, height, nullptr};
    width = std::max((width + 1) / 2, 1);
    height = std::max((height + 1) / 2, 1);
  }
  plan_.mirrors = wet_ > 0;
  plan_.focal = f32(canvas.focal);
  plan_.inverse_focal = 1 / plan_.focal;
  plan_.fog = fog_;
  plan_.columns = (canvas.width - 1) / kFogPixels + 2;
  plan_.rows = (canvas.height - 1) / kFogPixels + 2;
  for (int i = 0; i < kFogDepths; ++i) plan_.depth[at(i)] = kFogNearest * std::pow(kDeeper, f32(i));
  plan_.per_octave = 1 / std::log(kDeeper);
  plan_.shrinks = weather_.glare > 0 || weather_.rain_mm_h > 0;
  plan_.scatters = weather_.glare > 0;
  plan_.octave = f32(weather_.glare) * kVeil * kOctave;
  plan_.rest = 1 - plan_.octave * f32(kGlareLevels);
}

const WeatherView& WeatherPasses::plan(const Shading& s, double t, double exposure_s, double mps) {
  const V3 open = s.light->sun_shines ? s.light->sky + s.light->sun : s.light->sky;
  plan_.brightest = std::max(kMostMirrored * open.y, kLeastMirrored);
  blends_.clear();
  drops_.clear();
  if (weather_.rain_mm_h > 0) {
    streaks(s, t, exposure_s, mps);
    drops(t, mps);
  }
  plan_.blends = blends_.data();
  plan_.blend_count = i32(blends_.size());
  plan_.drops = drops_.data();
  plan_.drop_count = i32(drops_.size());
  plan_.sunny = false;
  if (weather_.glare > 0 && s.light->sun_shines) sun(s);
  return plan_;
}

void WeatherPasses::apply(Workers& workers, const DrawView& v, const WeatherView& plan) {
  WeatherView w = plan;
  const auto rows = [&](int width, int height, const auto& work) {
    workers.run(height, [&](int y, int) {
      for (int x = 0; x < width; ++x) work(x, y);
    });
  };
  if (w.mirrors)
    rows((v.width + 1) / 2, (v.height + 1) / 2,
         [&](int x, int y) { mirror_block(v, w, 2 * x, 2 * y); });
  if (w.fog > 0) {
    cells_.resize(at(w.columns * w.rows * kFogDepths));
    w.cells = cells_.data();
    rows(w.columns, w.rows, [&](int column, int row) {
      for (int i = 0; i < kFogDepths; ++i)
        w.cells[(row * w.columns + column) * kFogDepths + i] = fog_cell(v, w, column, row, i);
      sum_fog(w, column, row);
    });
    rows(v.width, v.height, [&](int x, int y) { add_fog(v, w, x, y); });
  }
  for (int i = 0; i < w.blend_count; ++i) blend_chain(v, w, i);
  if (w.shrinks) {
    for (int n = 0; n < kGlareLevels; ++n) {
      const std::size_t pixels = at(w.level[n].width * w.level[n].height);
      levels_[at(n)].resize(pixels);
      spread_[at(n)].resize(pixels);
      w.level[n].pixels = reinterpret_cast<float*>(levels_[at(n)].data());
      w.spread[n].pixels = reinterpret_cast<float*>(spread_[at(n)].data());
    }
    rows(w.level[0].width, w.level[0].height, [&](int x, int y) { shrink_picture(v, w, x, y); });
    for (int n = 1; n < kGlareLevels; ++n)
      rows(w.level[n].width, w.level[n].height, [&](int x, int y) { shrink_level(w, n, x, y); });
  }
  if (w.scatters) {
    for (int n = kGlareLevels; n-- > 0;)
      rows(w.level[n].width, w.level[n].height, [&](int x, int y) { spread_level(w, n, x, y); });
    rows(v.width, v.height, [&](int x, int y) { scatter_pixel(v, w, x, y); });
  }
  for (int i = 0; i < w.drop_count; ++i) {
    const Drop& drop = w.drops[i];
    for (int y = drop.y_from; y <= drop.y_to; ++y)
      for (int x = drop.x_from; x <= drop.x_to; ++x) drop_pixel(v, w, drop, x, y);
  }
  if (w.blade) rows(v.width, v.height, [&](int x, int y) { blade_pixel(v, w, x, y); });
}

void WeatherPasses::streaks(const Shading& s, double t, double exposure_s, double mps) {
  // Marshall and Palmer's drops over 0.8 mm, in the 4 m ahead where they are wide enough to see.
  const double rate = weather_.rain_mm_h, slope = 4.1 * std::pow(rate, -0.21);
  const double per_m3 = 8000 / slope * std::exp(-0.8 * slope);
  const double half_w = canvas_.width / canvas_.focal / 2,
               half_h = canvas_.height / canvas_.focal / 2;
  constexpr double kFar = 4;
  const double volume = 4.0 / 3 * half_w * half_h * kFar * kFar * kFar;
  const int count = std::min(kMostStreaks, i32(per_m3 * volume));
  Dice dice{mix64(seed_, static_cast<std::uint64_t>(std::llround(t * 1e6)))};
  const V3 eye = to_v3(s.pose.at), right = to_v3(s.pose.axes[0]), down = to_v3(s.pose.axes[1]),
           ahead = to_v3(s.pose.axes[2]);
  const float focal = f32(canvas_.focal), cx = f32(canvas_.centre_x), cy = f32(canvas_.centre_y);
  for (int i = 0; i < count; ++i) {
    const float z = f32(kFar) * std::cbrt(std::max(dice.unit(), 0.001F));
    const float x = dice.between(-1, 1) * f32(half_w) * z,
                y = dice.between(-1, 1) * f32(half_h) * z;
    const float mm = 0.8F - std::log(std::max(dice.unit(), 1e-6F)) / f32(slope);
    if (z < 0.35F) continue;
    const float fall = 9.65F - 10.3F * std::exp(-0.6F * mm);
    const V3 here{x, y, z};  // right, down, ahead of the camera
    const float dt = f32(exposure_s);
    const V3 there{x, y + fall * dt, std::max(z - f32(mps) * dt, 0.2F)};
    const float x0 = cx + focal * here.x / here.z, y0 = cy + focal * here.y / here.z;
    const float x1 = cx + focal * there.x / there.z, y1 = cy + focal * there.y / there.z;
    const float wide = focal * 0.001F * mm / z, dx = x1 - x0, dy = y1 - y0;
    const float len = std::sqrt(dx * dx + dy * dy);
    // The share of the exposure during which it is before a pixel, times that of the pixel it
    // hides.
    const float alpha = std::min(wide, 1.0F) * wide / (len + wide);
    // A drop shows most of the world before it, small: more sky than ground; and lamps by what it
    // sends back.
    V3 light = 0.6F * s.light->sky;
    const V3 point = eye + x * right + y * down + z * ahead;
    for (const Lamp& lamp : *s.lamps) {
      V3 to{};
      light = light + 0.12F * lamp_light(lamp, point, to);
    }
    const int steps = std::clamp(i32(len), 1, 200), half = std::min(i32(wide / 2), 3);
    for (int k = 0; k <= steps; ++k) {
      const float at_k = f32(k) / f32(steps);
      const int px = floor_int(x0 + at_k * dx + 0.5F), py = floor_int(y0 + at_k * dy + 0.5F);
      for (int w = -half; w <= half; ++w) {
        const int qx = px + w;
        if (qx < 0 || py < 0 || qx >= canvas_.width || py >= canvas_.height) continue;
        blends_.push_back({py * canvas_.width + qx, alpha, light, -1, true});
      }
    }
  }
  // Chains of those over one pixel.
  last_.resize(at(canvas_.width * canvas_.height), -1);
  for (std::size_t i = 0; i < blends_.size(); ++i) {
    std::int32_t& last = last_[at(blends_[i].pixel)];
    if (last >= 0) {
      blends_[at(last)].next = i32(i);
      blends_[i].first = false;
    }
    last = i32(i);
  }
  for (const Blend& b : blends_) last_[at(b.pixel)] = -1;
}

void WeatherPasses::sun(const Shading& s) {
  // It may be outside of the picture; shaded by the roof when it is high.
  const Light& light = *s.light;
  float shown =
      s.shadows != nullptr ? s.shadows->sunlight(to_v3(s.pose.at), light.to_sun, true) : 1.0F;
  const V3 to_sun{dot(to_v3(s.pose.axes[0]), light.to_sun),
                  dot(to_v3(s.pose.axes[1]), light.to_sun),
                  dot(to_v3(s.pose.axes[2]), light.to_sun)};
  shown *= smooth(0.02F, 0.25F, to_sun.z);   // from behind it does not reach the glass
  shown *= smooth(0.62F, 0.42F, -to_sun.y);  // the roof's edge, 25 to 38 degrees up
  plan_.sun = (shown * f32(weather_.glare)) * light.sun;
  plan_.to_sun = to_sun;
  plan_.sunny = plan_.sun.x > 0;
}

void WeatherPasses::drops(double t, double mps) {
  const float per_mm = f32(canvas_.focal) * 0.001F / kWindscreen_m;  // pixels
  // How many hit the part of the glass that the camera looks through, a second: more when driving.
  const double area = (canvas_.width / canvas_.focal) * (canvas_.height / canvas_.focal) *
                      kWindscreen_m * kWindscreen_m / 0.0104;
  const double per_s =
      12 * std::pow(weather_.rain_mm_h, 0.7) * (0.35 + 0.65 * std::abs(mps) / 14) * area;
  const double stays =
      weather_.wiper_s > 0 ? std::min(weather_.wiper_s, double{kDropLife_s}) : double{kDropLife_s};
  const int count = std::min(kMostDrops, i32(per_s * stays) + 1);
  const double period = stays;
  for (int i = 0; i < count; ++i) {
    Dice once{mix64(seed_, 0x9000 + static_cast<std::uint64_t>(i))};
    const double phase_s = once.unit() * period;
    // The drop that is in this place of the list now, and when it fell.
    double born = 0;
    std::int64_t number = 0;
    if (weather_.wiper_s > 0) {
      number = static_cast<std::int64_t>(std::floor(t / weather_.wiper_s));
      born = static_cast<double>(number) * weather_.wiper_s + phase_s;
      if (born > t) {
        // Until the blade comes, what the last wipe left over stays: nothing.
        continue;
      }
    } else {
      number = static_cast<std::int64_t>(std::floor((t - phase_s) / period));
      born = static_cast<double>(number) * period + phase_s;
    }
    Dice dice{mix64(mix64(seed_, 0xD209 + static_cast<std::uint64_t>(i)),
                    static_cast<std::uint64_t>(number))};
    const float x = dice.unit() * f32(canvas_.width), y = dice.unit() * f32(canvas_.height);
    const float mm = 0.5F - 0.8F * std::log(std::max(dice.unit(), 0.004F));
    const float across = dice.between(0.85F, 1.15F);
    const float outer = 0.5F * (mm + kAperture_mm) * per_mm,
                inner = 0.5F * std::abs(mm - kAperture_mm) * per_mm;
    const float peak = std::min(1.0F, (mm / kAperture_mm) * (mm / kAperture_mm));
    const int x_from = std::max(floor_int(x - outer * 1.2F), 0),
              x_to = std::min(floor_int(x + outer * 1.2F) + 1, canvas_.width - 1);
    const int y_from = std::max(floor_int(y - outer * 1.2F), 0),
              y_to = std::min(floor_int(y + outer * 1.2F) + 1, canvas_.height - 1);
    drops_.push_back({x, y, across, outer, inner, peak, x_from, x_to, y_from, y_to});
  }
  plan_.blade = false;
  if (weather_.wiper_s <= 0) return;
  // The blade, far out of focus, crosses at the beginning of each interval.
  const double since = t - std::floor(t / weather_.wiper_s) * weather_.wiper_s;
  if (since > kWipe_s) return;
  plan_.blade = true;
  plan_.blade_half = 0.5F * (18 + kAperture_mm) * per_mm;
  plan_.blade_soft = kAperture_mm * per_mm;
  plan_.blade_middle =
      mix(-plan_.blade_half, f32(canvas_.width) + plan_.blade_half, f32(since / kWipe_s));
}

}  // namespace kerb::sim
