// SPDX-License-Identifier: Apache-2.0
// Weather and lamps: extinction against its closed form, beams against the regulation's points,
// mirror images and glare where they must be, and pictures without weather as they always were.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/renderer.hpp"
#include "tools/simulator/render/weather.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

Scenario country() {
  Scenario s;
  s.camera.width = 256;
  s.camera.height = 144;
  s.street.left = s.street.right = Side::fields;
  s.street.clutter = 0;
  s.car.speeds = {{0, 10, 3}};
  return s;
}
PersonSpec somebody(double x, double y) {
  PersonSpec p;
  p.start = {{x, y}, 1.5};
  p.clothing.top_surface.rgb = {0.9, 0.9, 0.9};
  p.clothing.bottom_surface.rgb = {0.9, 0.9, 0.9};
  return p;
}
Rendered drawn(const Scenario& s, double t = 0.3, int threads = 2) {
  const World world{s};
  Renderer renderer{s, {.truth = true, .threads = threads}};
  Rendered out;
  renderer.draw(world, t, out);
  return out;
}
double mean(const Rendered& r, int x0, int y0, int x1, int y1) {
  double sum = 0;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) sum += r.pixels[3 * at(y * r.width + x) + 1];
  return sum / ((x1 - x0) * (y1 - y0));
}

/// Radiance in the middle of a wall of this colour, so far away, under this light.
float wall_radiance(float colour, float metres, const Light& light, const Sky& sky,
                    Sensor sensor = Sensor::rgb) {
  CameraSpec camera;
  camera.width = camera.height = 64;
  camera.behind_m = 0;
  const Lens lens{camera};
  const Canvas canvas{camera, lens};
  Materials materials;
  Material m;
  m.rgb = {colour, colour, colour};
  m.texture = &texture_of(Paint::plain);
  const std::uint16_t id = materials.add(m);
  Geometry wall;
  Builder b{wall};
  b.two_sided = true;
  b.quad({metres, 400, -400}, {metres, -400, -400}, {metres, -400, 400}, {metres, 400, 400}, id);
  wall.bound();
  const std::vector<Item> items{{&wall, nullptr, 0}};
  Raster raster{canvas};
  Workers workers{1};
  Shading s;
  s.pose = s.later = pose_of(camera, {});
  raster.bin(workers, s.pose, items, materials);
  const std::vector<Lamp> lamps;
  const std::vector<Occluder> occluders;
  s.canvas = &canvas;
  s.raster = &raster;
  s.items = &items;
  s.materials = &materials;
  s.light = &light;
  s.sky = &sky;
  s.stains = &stains();
  s.lamps = &lamps;
  s.occluders = &occluders;
  s.sensor = sensor;
  Radiance out;
  out.width = out.height = 64;
  out.planes.assign(1, std::vector<F4>(64U * 64U, all(-1.0F)));
  out.velocity.resize(64U * 64U);
  const auto samples = std::make_unique<TileSamples>();
  raster.draw_four(0, *samples, materials, items);
  DrawLists lists;
  shade_tile(view_of(s, lists, out), 0, *samples);
  return out.planes[0][32U * 64U + 32U][1];
}

TEST(fog_takes_contrast_away_as_koschmieder_says) {
  const LightSpec spec;
  Light clear = light_of(spec, 1);
  clear.haze = 0;
  const Sky sky{spec, clear, false, 1};
  for (const double visibility : {50.0, 100.0, 200.0}) {
    WeatherSpec weather;
    weather.fog_m = visibility;
    Light light = clear;
    add_weather(weather, light);
    for (const double share : {0.1, 0.5, 1.0, 1.6}) {
      const auto far = f32(share * visibility);
      const double through = std::pow(0.05, share);  // 5 % of the contrast at the visibility
      const double white = wall_radiance(0.8F, far, clear, sky);
      const double black = wall_radiance(0, far, clear, sky);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, black);
      const double white_in_fog = wall_radiance(0.8F, far, light, sky);
      const double black_in_fog = wall_radiance(0, far, light, sky);
      TEST_ASSERT_DOUBLE_WITHIN(2e-3 * through, through, (white_in_fog - black_in_fog) / white);
      TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1 - through, black_in_fog / double{light.horizon.y});
    }
  }
}

TEST(lamps_fade_in_fog_by_the_same_law) {
  Lamp lamp = real_beam({0, 0, 0.66F}, {1, 0, 0}, Beam::dipped);
  V3 to{};
  const V3 point{30, 0, 0.1F};
  const float clear = lamp_light(lamp, point, to).y;
  lamp.extinction = fog_extinction(60);
  const double far = std::sqrt(30 * 30 + 0.56 * 0.56);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4 * double{clear}, double{clear} * std::pow(0.05, far / 60),
                            lamp_light(lamp, point, to).y);
}

/// UN Regulation 112, class B, traffic on the right: kilocandela from lux at 25 m. The points are
/// given against the horizon; the beam is aimed 1 % (0.57 degrees) below it.
TEST(a_dipped_beam_keeps_the_regulations_points) {
  struct Point {
    const char* name;
    double right, up;    // degrees
    double least, most;  // kcd
  };
  constexpr double kLux = 0.625;  // kcd of a lux at 25 m
  for (const Point& p :
       {Point{"B50L", -3.43, 0.57, 0, 0.56 * kLux}, Point{"75R", 1.15, -0.57, 12 * kLux, 99},
        Point{"75L", -3.43, -0.57, 0, 12 * kLux}, Point{"50L", -3.43, -0.86, 0, 15 * kLux},
        Point{"50R", 1.72, -0.86, 12 * kLux, 99}, Point{"50V", 0, -0.86, 6 * kLux, 99},
        Point{"25L", -9, -1.72, 2 * kLux, 99}, Point{"25R", 9, -1.72, 2 * kLux, 99},
        Point{"zone III", -4, 1, 0, 0.7 * kLux}, Point{"zone III, high", 0, 4, 0, 0.7 * kLux}}) {
    const auto tangent = [](double degrees) { return f32(std::tan(radians(degrees))); };
    const double kcd = beam_candela(Beam::dipped, -tangent(p.right), tangent(p.up + 0.573));
    const std::string text = std::string{p.name} + ": " + std::to_string(kcd) + " kcd";
    TEST_ASSERT_TRUE_MESSAGE(kcd >= p.least && kcd <= p.most, text.c_str());
  }
}

TEST(a_dipped_beam_reaches_60_m_of_road_and_a_full_one_farther) {
  const auto lux = [](Beam beam, float x, float y, float z) {
    V3 to{};
    return 2000 * lamp_light(real_beam({0, 0, 0.66F}, {1, 0, 0}, beam), {x, y, z}, to).y;
  };
  TEST_ASSERT_TRUE(lux(Beam::dipped, 50, -1.5F, 0) > 3);    // in the lane
  TEST_ASSERT_TRUE(lux(Beam::dipped, 50, 5, 1.2F) < 0.6F);  // eyes of who comes towards us
  TEST_ASSERT_TRUE(lux(Beam::dipped, 50, -4, 1.0F) > 4 * lux(Beam::dipped, 50, 4, 1.0F));
  TEST_ASSERT_TRUE(lux(Beam::full, 100, 0, 1.2F) > 3);
  TEST_ASSERT_TRUE(lux(Beam::dipped, 100, 0, 1.2F) < 0.3F);
}

TEST(street_lanterns_light_the_road_as_streets_are_lit) {
  // Lanterns 20 m apart on alternate sides: level light on the middle of the road, in lux.
  double sum = 0, least = 1e9;
  for (int x = 0; x < 40; ++x) {
    double here = 0;
    for (int k = -4; k <= 4; ++k) {
      V3 to{};
      const V3 e =
          lamp_light(real_lantern({f32(20 * k), k % 2 == 0 ? 3.5F : -3.5F, 7}), {f32(x), 0, 0}, to);
      here += 1000 * double{e.y} * double{std::max(to.z, 0.0F)};
    }
    sum += here / 40;
    least = std::min(least, here);
  }
  TEST_ASSERT_TRUE_MESSAGE(sum > 5 && sum < 20, std::to_string(sum).c_str());  // classes P3 to P1
  TEST_ASSERT_TRUE_MESSAGE(least > 0.2 * sum, std::to_string(least).c_str());
}

TEST(a_wet_road_mirrors_who_stands_on_it) {
  // On the road 3 m before their feet: too far for their contact shadow.
  for (const double wet : {0.0, 1.0}) {
    Scenario with = country();
    with.camera.noise = 0;
    with.camera.exposure_ms = 4;  // so that both are exposed alike
    with.weather.wet = wet;
    with.car.speeds = {{0, 0, 3}};
    Scenario without = with;
    // In black: a white one is about as bright as the sky that they hide from the mirror.
    with.people = {somebody(14, 0)};
    with.people[0].clothing.top_surface.rgb =
        with.people[0].clothing.bottom_surface.rgb = {0.05, 0.05, 0.05};
    const Rendered a = drawn(with), b = drawn(without);
    const double focal = 128 / std::tan(radians(30.0));
    const int y = static_cast<int>(71.5 + focal * 1.3 / (11 + 1.7));
    const double change =
        std::abs(mean(a, 124, y - 2, 132, y + 3) - mean(b, 124, y - 2, 132, y + 3));
    const std::string text = "wet " + std::to_string(wet) + ": " + std::to_string(change);
    TEST_ASSERT_TRUE_MESSAGE(wet > 0 ? change > 2 : change < 0.5, text.c_str());
  }
}

TEST(a_wet_road_is_darker_in_the_headlamps_and_mirrors_the_sky_far_away) {
  Scenario s = country();
  s.camera.noise = 0;
  s.camera.exposure_ms = 4;
  const Rendered dry = drawn(s);
  s.weather.wet = 1;
  const Rendered wet = drawn(s);
  TEST_ASSERT_TRUE(mean(wet, 122, 75, 134, 78) > mean(dry, 122, 75, 134, 78));
  s.camera.exposure_ms = 0;  // as far as it goes, in both
  s.light.kind = Daylight::night;
  s.light.lamps = Lamps::real;
  s.light.headlamps = true;
  const Rendered wet_night = drawn(s);
  s.weather.wet = 0;
  const Rendered dry_night = drawn(s);
  TEST_ASSERT_TRUE(mean(dry_night, 100, 120, 156, 143) > 20);
  TEST_ASSERT_TRUE(mean(wet_night, 100, 120, 156, 143) < 0.9 * mean(dry_night, 100, 120, 156, 143));
}

TEST(the_sun_veils_what_is_near_it_and_not_from_behind) {
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, WeatherPasses::veil(5) * 25.25F,
                           WeatherPasses::veil(10) * 100.25F);
  const auto grey = [](double azimuth, double glare, int x0) {
    Scenario s = country();
    s.camera.noise = 0;
    s.camera.exposure_ms = 1;
    s.light.kind = Daylight::low_sun;
    s.light.sun_azimuth_deg = azimuth;
    s.light.sun_elevation_deg = 8;
    s.weather.glare = glare;
    return mean(drawn(s), x0, 90, x0 + 30, 120);
  };
  const double left = grey(20, 1, 10) - grey(20, 0, 10),
               right = grey(20, 1, 216) - grey(20, 0, 216);
  TEST_ASSERT_TRUE(left > 8);  // the sun is to the left
  TEST_ASSERT_TRUE(left > right + 3);
  TEST_ASSERT_TRUE(std::abs(grey(180, 1, 110) - grey(180, 0, 110)) < 2);
}

TEST(oncoming_headlamps_glare_into_the_dark_around_them) {
  Scenario s = country();
  s.camera.noise = 0;
  s.car.speeds = {{0, 0, 3}};
  s.light.kind = Daylight::night;
  s.light.lamps = Lamps::real;
  s.weather.glare = 1;
  PropSpec car;
  car.kind = PropKind::car;
  car.place = {{25, 3.5}, radians(180.0)};
  s.props = {car};
  const Rendered off = drawn(s);
  s.props[0].lights = true;
  const Rendered on = drawn(s);
  // Beside the car, over the road's left edge.
  TEST_ASSERT_TRUE(mean(on, 60, 60, 80, 75) > mean(off, 60, 60, 80, 75) + 2);
  int bright_on = 0, bright_off = 0;
  for (std::size_t i = 0; i < on.objects.size(); ++i) {
    if (on.objects[i] != ObjectId::kFirstProp) continue;
    bright_on += on.pixels[3 * i] > 240 ? 1 : 0;
    bright_off += off.pixels[3 * i] > 240 ? 1 : 0;
  }
  TEST_ASSERT_TRUE(bright_on >= 2);
  TEST_ASSERT_EQUAL_INT(0, bright_off);
}

TEST(a_wiper_takes_the_drops_away) {
  Scenario s = country();
  s.camera.noise = 0;
  s.camera.exposure_ms = 4;
  s.car.speeds = {{0, 0, 3}};
  const auto changed = [&](double rain, double wiper, double t) {
    Scenario a = s;
    a.weather.rain_mm_h = rain;
    a.weather.wet = 0;
    a.weather.wiper_s = wiper;
    const Rendered r = drawn(a, t), clear = drawn(s, t);
    int count = 0;
    for (std::size_t i = 0; i < r.pixels.size(); i += 3)
      count += std::abs(r.pixels[i + 1] - clear.pixels[i + 1]) > 12 ? 1 : 0;
    return count;
  };
  const int wiped = changed(8, 2, 2.4), later = changed(8, 2, 3.9), never = changed(8, 0, 3.9);
  const std::string text =
      std::to_string(wiped) + ", " + std::to_string(later) + ", " + std::to_string(never);
  TEST_ASSERT_TRUE_MESSAGE(wiped < later && later < never, text.c_str());
}

TEST(weather_is_the_same_whatever_the_threads) {
  Scenario s = country();
  s.people = {somebody(14, -1)};
  s.light.kind = Daylight::night;
  s.light.lamps = Lamps::real;
  s.light.headlamps = s.light.street_lamps = true;
  s.weather = {80, 10, 0.7, {}, 1};
  const Rendered a = drawn(s, 0.5, 1), b = drawn(s, 0.5, 3);
  TEST_ASSERT_EQUAL_MEMORY(a.pixels.data(), b.pixels.data(), a.pixels.size());
}

TEST(a_thermal_camera_sees_through_fog_at_half_its_extinction) {
  const LightSpec spec;
  Light light = light_of(spec, 1);
  const Sky sky{spec, light, false, 1};
  WeatherSpec weather;
  weather.fog_m = 100;
  light.haze = 0;
  add_weather(weather, light);
  // The wall is a material's usual 12 degrees warm, the air 8.
  for (const double share : {0.2, 1.0})
    TEST_ASSERT_DOUBLE_WITHIN(
        0.01, 8 + 4 * std::pow(0.05, share / 2),
        wall_radiance(0.5F, f32(share * weather.fog_m), light, sky, Sensor::thermal));
}

/// Of 16 and of 32 bytes, where the machine has both.
TEST(vectors_of_any_width_draw_the_same) {
  for (const Sensor sensor : {Sensor::rgb, Sensor::grey, Sensor::thermal, Sensor::mosaic})
    for (const Daylight kind : {Daylight::low_sun, Daylight::night}) {
      Scenario s = country();
      s.street.left = Side::houses;
      s.street.right = Side::park;
      s.street.parked_cars = true;
      s.camera.width += 1;  // the last pixel of a row alone
      s.camera.sensor = sensor;
      s.light.kind = kind;
      s.light.headlamps = s.light.street_lamps = kind == Daylight::night;
      s.weather = {300, 4, 0.7, {}, 1};
      s.people = {somebody(9, -1)};
      const World world{s};
      Rendered wide, narrow;
      Renderer{s, RenderOptions{true, 1, false}}.draw(world, 0.5, wide);
      Renderer{s, RenderOptions{true, 1, true}}.draw(world, 0.5, narrow);
      TEST_ASSERT_TRUE(wide.pixels.size() > 1000);
      TEST_ASSERT_EQUAL_MEMORY(narrow.pixels.data(), wide.pixels.data(), wide.pixels.size());
    }
}

#if defined(__x86_64__)
/// Sums of the bytes that these scenes had before there was any weather. Made with this machine's
/// sine and exponential (glibc 2.36): elsewhere single bytes may differ (render/README.md).
TEST(pictures_without_weather_are_what_they_were) {
  struct Case {
    Daylight kind;
    Sensor sensor;
    bool lamps;
    std::uint64_t sum;
  };
  for (const Case& c : {Case{Daylight::noon, Sensor::rgb, false, 0xd550ec8cf8a1777fULL},
                        Case{Daylight::low_sun, Sensor::rgb, false, 0xb19a2b3339ff2c32ULL},
                        Case{Daylight::overcast, Sensor::grey, false, 0xa84fa25f86e33408ULL},
                        Case{Daylight::dusk, Sensor::rgb, true, 0x1dd653d4310104c1ULL},
                        Case{Daylight::night, Sensor::rgb, true, 0xcdb0d09b08136c88ULL},
                        Case{Daylight::night, Sensor::thermal, true, 0x72b9aa81a098d6d7ULL}}) {
    Scenario s = country();
    s.street.left = s.street.right = Side::houses;
    s.street.clutter = 0.5;
    s.street.parked_cars = true;
    s.camera.sensor = c.sensor;
    s.light.kind = c.kind;
    s.light.headlamps = s.light.street_lamps = c.lamps;
    s.people = {somebody(14, -1)};
    PropSpec car;
    car.kind = PropKind::van;
    car.place = {{30, 3.5}, radians(180.0)};
    s.props = {car};
    const Rendered r = drawn(s);
    std::uint64_t h = 14695981039346656037ULL;
    for (const std::uint8_t b : r.pixels) h = (h ^ b) * 1099511628211ULL;
    char text[80];
    std::snprintf(text, sizeof text, "light %d, sensor %d: 0x%016llx", static_cast<int>(c.kind),
                  static_cast<int>(c.sensor), static_cast<unsigned long long>(h));
    TEST_ASSERT_TRUE_MESSAGE(h == c.sum, text);
  }
}
#endif

}  // namespace
