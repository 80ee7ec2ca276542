// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/weather.hpp"

#include "tools/simulator/render/noise.hpp"

namespace kerb::sim {
namespace {

// Glare. The scattered radiance falls with the square of the angle (as in an eye: CIE 146), so
// every octave of angles holds as much of the light.
constexpr float kVeil = 2;             // cd/m2 per lux and square degree, of clean glass
constexpr float kVeilCore_deg = 0.5F;  // below which it stays even
constexpr float kOctave = 0.00133F;    // of the light, per octave and unit of kVeil
constexpr int kFirstShrink = 4, kMostLevels = 7;

// Lit fog: cells of the view, farther ones deeper.
constexpr int kCellPixels = 16, kDepths = 28;
constexpr float kNearest = 1.2F, kDeeper = 1.19F;  // metres; 1.2 to 130 m
constexpr int kParts = 4;  // of a cell along its ray: the edge of a beam is sharper than a cell

// Mirror images: steps along the mirrored ray.
constexpr int kSteps = 15;
constexpr float kFirstStep = 0.25F, kStepGrows = 1.45F;
constexpr int kTilts = 5;  // mirrors of one place
// Of a source, against the sky's light, but at least this much: lamps themselves are mirrored by
// the shading.
constexpr float kMostMirrored = 8, kLeastMirrored = 0.3F;

// Drops on the windscreen, behind which the camera sits.
constexpr float kWindscreen_m = 0.12F;  // from the lens
constexpr float kAperture_mm = 2.5F;    // of the lens: drops are that much out of focus
constexpr float kDropLife_s = 6;        // until it runs off by itself
constexpr float kWipe_s = 0.3F;         // of the blade from side to side
constexpr int kMostDrops = 700, kMostStreaks = 8000;

float depth_of(int i) { return kNearest * std::pow(kDeeper, f32(i)); }

/// Light that fog sends this way, against one that scatters evenly: a strong forward lobe, and
/// about half of even light backwards (lidar ratio of water clouds: 18 sr).
float phase(float cosine) {
  constexpr float g = 0.85F;
  const float q = 1 + g * g - 2 * g * cosine;
  return 0.4F + 0.6F * (1 - g * g) / (q * std::sqrt(q));
}

V3 v3(F4 x) { return {x[0], x[1], x[2]}; }
F4 f4(V3 x) { return F4{x.x, x.y, x.z, 0}; }

}  // namespace

float WeatherPasses::veil(float degrees) noexcept {
  return 3.1415927F * kVeil / (degrees * degrees + kVeilCore_deg * kVeilCore_deg);
}

WeatherPasses::WeatherPasses(const Scenario& scenario, const Canvas& canvas)
    : weather_{scenario.weather}, canvas_{canvas}, seed_{mix64(scenario.seed, 0x57)} {
  const Sensor sensor = scenario.camera.sensor;
  any_ = weather_.any() && (sensor == Sensor::rgb || sensor == Sensor::grey);
  wet_ = f32(weather_.wetness());
  // Lamps light the fog at any time; by day it does not show.
  const bool dark = scenario.light.kind == Daylight::night || scenario.light.kind == Daylight::dusk;
  fog_ = dark ? fog_extinction(weather_.fog_m) + 0.2F * rain_extinction(weather_.rain_mm_h) : 0.0F;
}

void WeatherPasses::apply(Workers& workers, const Shading& s, double t, double exposure_s,
                          double mps, Radiance& picture) {
  if (!any_) return;
  if (wet_ > 0) mirror_images(workers, s, picture);
  if (fog_ > 0) lit_fog(workers, s, picture);
  if (weather_.rain_mm_h > 0) streaks(s, t, exposure_s, mps, picture);
  if (weather_.glare > 0 || weather_.rain_mm_h > 0) shrink(workers, picture);
  if (weather_.glare > 0) scatter(workers, s, picture);
  if (weather_.rain_mm_h > 0) drops(s, t, mps, picture);
}

void WeatherPasses::mirror_images(Workers& workers, const Shading& s, Radiance& picture) const {
  const V3 eye = to_v3(s.pose.at), right = to_v3(s.pose.axes[0]), down = to_v3(s.pose.axes[1]),
           ahead = to_v3(s.pose.axes[2]);
  const float focal = f32(canvas_.focal), f = 1 / focal, cx = f32(canvas_.centre_x),
              cy = f32(canvas_.centre_y);
  const int width = picture.width, height = picture.height;
  const V3 open = s.light->sun_shines ? s.light->sky + s.light->sun : s.light->sky;
  const float brightest = std::max(kMostMirrored * open.y, kLeastMirrored);
  const auto pixel_of = [&](V3 p, float& z) {  // -1: outside of the picture
    const V3 d = p - eye;
    z = dot(ahead, d);
    if (z < 0.3F) return -1;
    const int x = floor_int(cx + focal * dot(right, d) / z + 0.5F);
    const int y = floor_int(cy + focal * dot(down, d) / z + 0.5F);
    return x < 0 || y < 0 || x >= width || y >= height ? -1 : y * width + x;
  };
  const auto mirrored = [&](V3 point, V3 r) {
    float reach = kFirstStep, before = 0;
    for (int k = 0; k < kSteps; ++k, before = reach, reach *= kStepGrows) {
      float z = 0;
      const int i = pixel_of(point + reach * r, z);
      if (i < 0) break;
      const Radiance::SeenSurface& seen = picture.surfaces[at(i)];
      if (seen.z > z || z - seen.z > 0.7F + 1.2F * (reach - before) || seen.mirror > 0) continue;
      float low = before, high = reach;  // where the ray goes behind what is seen
      int hit = i;
      for (int n = 0; n < 3; ++n) {
        const float middle = 0.5F * (low + high);
        const int j = pixel_of(point + middle * r, z);
        if (j >= 0 && picture.surfaces[at(j)].z <= z && picture.surfaces[at(j)].mirror == 0) {
          high = middle;
          hit = j;
        } else {
          low = middle;
        }
      }
      const V3 light = v3(picture.planes[0][at(hit)]);
      const float most = std::max({light.x, light.y, light.z});
      return most > brightest ? (brightest / most) * light : light;
    }
    V3 sky = s.sky->mirrored({r.x, r.y, std::max(r.z, 0.0F)});
    if (s.light->fog) sky = mix(s.light->horizon, sky, sky_through_fog(*s.light, r.z));
    return sky;
  };
  // Pictures on rough ground are soft: one colour for two by two pixels. What is mirrored is never
  // wet ground itself, so the order of rows does not matter.
  workers.run((height + 1) / 2, [&](int row, int) {
    for (int x = 0; x < width; x += 2) {
      const int y = 2 * row;
      float most = 0, z = 0, slope = 0;
      for (int k = 0; k < 4; ++k) {
        if (x + k % 2 >= width || y + k / 2 >= height) continue;
        const Radiance::SeenSurface& seen = picture.surfaces[at((y + k / 2) * width + x + k % 2)];
        if (seen.mirror <= most) continue;
        most = seen.mirror;
        z = seen.z;
        slope = seen.slope;
      }
      if (most < 0.004F) continue;
      const V3 ray = ahead + ((f32(x) + 0.5F - cx) * f) * right + ((f32(y) + 0.5F - cy) * f) * down;
      const V3 point = eye + z * ray, v = unit(ray), level = unit(V3{v.x, v.y, 0});
      const V3 beside{-level.y, level.x, 0};
      // Grains of the road tilt the mirror, most of all along the line of sight: what is seen is
      // drawn out lengthwise. Each place of the road has its own.
      const std::uint64_t grain =
          mix64(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(48 * point.x))),
                static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(48 * point.y))));
      const float along = f32(grain & 0xFFFF) / 65536 - 0.5F,
                  aside = f32(grain >> 16 & 0xFFFF) / 65536 - 0.5F;
      V3 sum{};
      for (int k = 0; k < kTilts; ++k) {
        const float tilt = 0.9F * (f32(k - kTilts / 2) + along);
        const V3 n = unit(V3{0, 0, 1} + (tilt * slope) * level + (0.5F * aside * slope) * beside);
        V3 r = v - (2 * dot(v, n)) * n;
        if (r.z < 0.004F) r = unit(V3{r.x, r.y, 0.004F});
        sum = sum + mirrored(point, r);
      }
      const float through = std::exp(-s.light->haze * z);
      const F4 light = f4((through / f32(kTilts)) * sum);
      for (int k = 0; k < 4; ++k) {
        if (x + k % 2 >= width || y + k / 2 >= height) continue;
        const std::size_t i = at((y + k / 2) * width + x + k % 2);
        picture.planes[0][i] += all(picture.surfaces[i].mirror) * light;
      }
    }
  });
}

void WeatherPasses::lit_fog(Workers& workers, const Shading& s, Radiance& picture) {
  const int columns = (picture.width - 1) / kCellPixels + 2,
            rows = (picture.height - 1) / kCellPixels + 2;
  cells_.resize(at(columns * rows * kDepths));
  const V3 eye = to_v3(s.pose.at), right = to_v3(s.pose.axes[0]), down = to_v3(s.pose.axes[1]),
           ahead = to_v3(s.pose.axes[2]);
  const float f = f32(1 / canvas_.focal), cx = f32(canvas_.centre_x), cy = f32(canvas_.centre_y);
  const float haze = s.light->haze;
  // Light scattered once, summed along each ray from the eye outwards.
  workers.run(rows, [&](int row, int) {
    for (int column = 0; column < columns; ++column) {
      const V3 ray = ahead + ((f32(column * kCellPixels) - cx) * f) * right +
                     ((f32(row * kCellPixels) - cy) * f) * down;
      const float stretch = length(ray);
      const V3 v = (1 / stretch) * ray;
      V3 sum{};
      float before = 0;
      for (int i = 0; i < kDepths; ++i) {
        const float z = depth_of(i), middle = 0.5F * (before + z);
        V3 light{};
        for (int part = 0; part < kParts; ++part) {
          const V3 point = eye + mix(before, z, (f32(part) + 0.5F) / kParts) * ray;
          if (point.z <= 0) break;
          for (const Lamp& lamp : *s.lamps) {
            V3 to{};
            const V3 e = lamp_light(lamp, point, to);
            if (e.x <= 0) continue;
            // A headlamp is no point: near it, a cell would hold more light than the lamp sends.
            const V3 off = lamp.at - point;
            const float q = dot(off, off);
            light = light + (phase(dot(to, v)) * q / (q + 4) / kParts) * e;
          }
        }
        const float step = (z - before) * stretch;
        sum = sum + (0.25F * fog_ * step * std::exp(-haze * middle * stretch)) * light;
        cells_[at((row * columns + column) * kDepths + i)] = sum;
        before = z;
      }
    }
  });
  const float per_octave = 1 / std::log(kDeeper);
  workers.run(picture.height, [&](int y, int) {
    const int row = y / kCellPixels;
    const float fy = f32(y % kCellPixels) / kCellPixels;
    for (int x = 0; x < picture.width; ++x) {
      const std::size_t i = at(y * picture.width + x);
      const float place =
          std::log(std::max(picture.surfaces[i].z, kNearest) / kNearest) * per_octave;
      const int d = std::min(i32(place), kDepths - 2);
      const float fd = std::min(place - f32(d), 1.0F);
      const int column = x / kCellPixels;
      const float fx = f32(x % kCellPixels) / kCellPixels;
      const auto cell = [&](int c, int r) {
        const V3* p = cells_.data() + at((r * columns + c) * kDepths + d);
        return mix(p[0], p[1], fd);
      };
      picture.planes[0][i] +=
          f4(mix(mix(cell(column, row), cell(column + 1, row), fx),
                 mix(cell(column, row + 1), cell(column + 1, row + 1), fx), fy));
    }
  });
}

void WeatherPasses::streaks(const Shading& s, double t, double exposure_s, double mps,
                            Radiance& picture) const {
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
        if (qx < 0 || py < 0 || qx >= picture.width || py >= picture.height) continue;
        F4& to = picture.planes[0][at(py * picture.width + qx)];
        to += all(alpha) * (f4(light) - to);
      }
    }
  }
}

void WeatherPasses::shrink(Workers& workers, const Radiance& picture) {
  levels_.resize(at(kMostLevels));
  int width = (picture.width + kFirstShrink - 1) / kFirstShrink,
      height = (picture.height + kFirstShrink - 1) / kFirstShrink;
  for (int n = 0; n < kMostLevels; ++n) {
    Level& level = levels_[at(n)];
    level.width = width;
    level.height = height;
    level.pixels.resize(at(width * height));
    width = std::max((width + 1) / 2, 1);
    height = std::max((height + 1) / 2, 1);
  }
  Level& first = levels_[0];
  workers.run(first.height, [&](int y, int) {
    for (int x = 0; x < first.width; ++x) {
      F4 sum = all(0.0F);
      int count = 0;
      for (int j = 0; j < kFirstShrink; ++j)
        for (int i = 0; i < kFirstShrink; ++i) {
          const int px = x * kFirstShrink + i, py = y * kFirstShrink + j;
          if (px >= picture.width || py >= picture.height) continue;
          sum += picture.planes[0][at(py * picture.width + px)];
          ++count;
        }
      first.pixels[at(y * first.width + x)] = sum * all(1 / f32(count));
    }
  });
  for (int n = 1; n < kMostLevels; ++n) {
    const Level& from = levels_[at(n - 1)];
    Level& to = levels_[at(n)];
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x) {  // 1 3 3 1 each way
        F4 sum = all(0.0F);
        constexpr float kWeight[4] = {0.125F, 0.375F, 0.375F, 0.125F};
        for (int j = 0; j < 4; ++j)
          for (int i = 0; i < 4; ++i) {
            const int px = std::clamp(2 * x - 1 + i, 0, from.width - 1);
            const int py = std::clamp(2 * y - 1 + j, 0, from.height - 1);
            sum += all(kWeight[i] * kWeight[j]) * from.pixels[at(py * from.width + px)];
          }
        to.pixels[at(y * to.width + x)] = sum;
      }
  }
}

F4 WeatherPasses::look(const Level& level, float x, float y) noexcept {
  const float cx = std::clamp(x, 0.0F, f32(level.width - 1)),
              cy = std::clamp(y, 0.0F, f32(level.height - 1));
  const int x0 = i32(cx), y0 = i32(cy);
  const int x1 = std::min(x0 + 1, level.width - 1), y1 = std::min(y0 + 1, level.height - 1);
  const F4 fx = all(cx - f32(x0)), fy = all(cy - f32(y0));
  const F4* row = level.pixels.data() + at(y0 * level.width);
  const F4* next = level.pixels.data() + at(y1 * level.width);
  const F4 top = row[x0] + fx * (row[x1] - row[x0]);
  const F4 low = next[x0] + fx * (next[x1] - next[x0]);
  return top + fy * (low - top);
}

void WeatherPasses::scatter(Workers& workers, const Shading& s, Radiance& picture) {
  const float octave = f32(weather_.glare) * kVeil * kOctave;
  // From the widest halo to the narrowest, each level added to the one twice as fine.
  spread_.resize(levels_.size());
  for (std::size_t n = levels_.size(); n-- > 0;) {
    const Level& own = levels_[n];
    Level& out = spread_[n];
    out.width = own.width;
    out.height = own.height;
    out.pixels.resize(own.pixels.size());
    for (int y = 0; y < own.height; ++y)
      for (int x = 0; x < own.width; ++x) {
        const std::size_t i = at(y * own.width + x);
        out.pixels[i] = all(octave) * own.pixels[i];
        if (n + 1 < levels_.size())
          out.pixels[i] += look(spread_[n + 1], 0.5F * f32(x) - 0.25F, 0.5F * f32(y) - 0.25F);
      }
  }
  // The sun, which may be outside of the picture: shaded by the roof when it is high.
  const Light& light = *s.light;
  V3 sun{};
  V3 to_sun{};
  if (light.sun_shines) {
    float shown =
        s.shadows != nullptr ? s.shadows->sunlight(to_v3(s.pose.at), light.to_sun, true) : 1.0F;
    to_sun = {dot(to_v3(s.pose.axes[0]), light.to_sun), dot(to_v3(s.pose.axes[1]), light.to_sun),
              dot(to_v3(s.pose.axes[2]), light.to_sun)};
    shown *= smooth(0.02F, 0.25F, to_sun.z);   // from behind it does not reach the glass
    shown *= smooth(0.62F, 0.42F, -to_sun.y);  // the roof's edge, 25 to 38 degrees up
    sun = (shown * f32(weather_.glare)) * light.sun;
  }
  const bool sunny = sun.x > 0;
  const float rest = 1 - octave * f32(levels_.size());
  const float f = f32(1 / canvas_.focal), cx = f32(canvas_.centre_x), cy = f32(canvas_.centre_y);
  workers.run(picture.height, [&](int y, int) {
    for (int x = 0; x < picture.width; ++x) {
      F4& to = picture.planes[0][at(y * picture.width + x)];
      to = all(rest) * to + look(spread_[0], (f32(x) - 1.5F) * (1.0F / kFirstShrink),
                                 (f32(y) - 1.5F) * (1.0F / kFirstShrink));
      if (!sunny) continue;
      const V3 d = unit(V3{(f32(x) - cx) * f, (f32(y) - cy) * f, 1});
      const V3 off = d - to_sun;  // its length: twice the sine of half the angle
      to += all(veil(57.29578F * length(off))) * f4(sun);
    }
  });
}

void WeatherPasses::drops(const Shading& s, double t, double mps, Radiance& picture) const {
  (void)s;
  const float per_mm = f32(canvas_.focal) * 0.001F / kWindscreen_m;  // pixels
  // How many hit the part of the glass that the camera looks through, a second: more when driving.
  const double area = (canvas_.width / canvas_.focal) * (canvas_.height / canvas_.focal) *
                      kWindscreen_m * kWindscreen_m / 0.0104;
  const double per_s =
      12 * std::pow(weather_.rain_mm_h, 0.7) * (0.35 + 0.65 * std::abs(mps) / 14) * area;
  const double stays =
      weather_.wiper_s > 0 ? std::min(weather_.wiper_s, double{kDropLife_s}) : double{kDropLife_s};
  const int count = std::min(kMostDrops, i32(per_s * stays) + 1);
  const Level& blurred = levels_[3];  // a 32nd
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
    const float x = dice.unit() * f32(picture.width), y = dice.unit() * f32(picture.height);
    const float mm = 0.5F - 0.8F * std::log(std::max(dice.unit(), 0.004F));
    const float across = dice.between(0.85F, 1.15F);
    const float outer = 0.5F * (mm + kAperture_mm) * per_mm,
                inner = 0.5F * std::abs(mm - kAperture_mm) * per_mm;
    const float peak = std::min(1.0F, (mm / kAperture_mm) * (mm / kAperture_mm));
    const int x_from = std::max(floor_int(x - outer * 1.2F), 0),
              x_to = std::min(floor_int(x + outer * 1.2F) + 1, picture.width - 1);
    const int y_from = std::max(floor_int(y - outer * 1.2F), 0),
              y_to = std::min(floor_int(y + outer * 1.2F) + 1, picture.height - 1);
    for (int py = y_from; py <= y_to; ++py)
      for (int px = x_from; px <= x_to; ++px) {
        const float dx = (f32(px) - x) * across, dy = (f32(py) - y) / across;
        const float r = std::sqrt(dx * dx + dy * dy);
        if (r >= outer) continue;
        const float alpha = 0.92F * peak * smooth(outer, inner, r);
        // Upside down and small: the drop is a lens of a few millimetres.
        const float k = 1 / outer;
        const float sx = x - 0.30F * dx * k * f32(picture.width),
                    sy = 0.5F * f32(picture.height) - 0.55F * dy * k * f32(picture.height);
        const F4 seen = look(blurred, sx * (1.0F / 32) - 0.5F, sy * (1.0F / 32) - 0.5F);
        const std::size_t at_pixel = at(py * picture.width + px);
        F4& to = picture.planes[0][at_pixel];
        to += all(alpha) * (all(0.93F) * seen - to);
        if (alpha > 0.5F) picture.velocity[at_pixel] = {0, 0};  // the drop goes with the camera
      }
  }
  if (weather_.wiper_s <= 0) return;
  // The blade, far out of focus, crosses at the beginning of each interval.
  const double since = t - std::floor(t / weather_.wiper_s) * weather_.wiper_s;
  if (since > kWipe_s) return;
  const float half = 0.5F * (18 + kAperture_mm) * per_mm, soft = kAperture_mm * per_mm;
  const float middle = mix(-half, f32(picture.width) + half, f32(since / kWipe_s));
  for (int py = 0; py < picture.height; ++py) {
    const float lean = middle + 0.25F * (f32(py) - 0.5F * f32(picture.height));
    const int from = std::max(floor_int(lean - half), 0),
              to = std::min(floor_int(lean + half), picture.width - 1);
    for (int px = from; px <= to; ++px) {
      const float alpha = 0.95F * smooth(half, half - soft, std::abs(f32(px) - lean));
      F4& p = picture.planes[0][at(py * picture.width + px)];
      p -= all(alpha * 0.97F) * p;
      picture.velocity[at(py * picture.width + px)] = {0, 0};
    }
  }
}

}  // namespace kerb::sim
