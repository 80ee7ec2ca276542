// SPDX-License-Identifier: Apache-2.0
#include "firmware/visibility/view_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

constexpr double kHeight_m = 1.3, kBumper_m = 1.7;

Camera front(double yaw_deg = 0) {
  CameraSettings settings;
  settings.fov_deg = 60;
  settings.height_m = kHeight_m;
  settings.pitch_deg = 0;
  settings.yaw_deg = yaw_deg;
  settings.ahead_m = 1.9;
  return camera_of(settings, 1280, 720);
}

ViewMeterSettings usual() {
  ViewMeterSettings settings;
  settings.to_bumper_m = kBumper_m;
  return settings;
}

/// A level camera's picture: the road by its distance, and what is above the horizon by the angle
/// (radians up). Not how the meter finds either.
struct Picture {
  using Road = std::function<double(double distance_m)>;
  using Above = std::function<double(double right, double up)>;
  Picture(const Camera& c, const Road& road, const Above& above, double noise, unsigned seed = 1)
      : width{c.width}, height{c.height} {
    std::mt19937 random{seed};
    std::normal_distribution<double> bell{0, 1};
    pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
      const double down = (y - c.center_y) / c.focal_px;
      const double level = down > 1e-3 ? road(kHeight_m / down) : 0;
      for (int x = 0; x < width; ++x) {
        const double value =
            down > 1e-3 ? level : above((x - c.center_x) / c.focal_px, std::max(0.0, -down));
        pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x)] =
            static_cast<std::uint8_t>(
                std::clamp(std::lround(value + noise * bell(random)), 0L, 255L));
      }
    }
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view() const {
    return {pixels.data(), width, height, width};
  }
  int width, height;
  std::vector<std::uint8_t> pixels;
};

Picture::Above even(double level) {
  return [level](double, double) { return level; };
}
/// Houses with windows: edges as in any street.
double houses(double right, double up) {
  const int column = static_cast<int>(std::floor(right * 60)), row = static_cast<int>(up * 60);
  return (column + row) % 2 == 0 ? 90 : 190;
}

ViewMeasurement measured(const Picture& picture, const Camera& camera,
                         const ViewMeterSettings& settings = usual()) {
  ViewMeter meter{camera, settings};
  return meter.measure(picture.view(), milliseconds{0});
}

TEST(the_noise_is_measured_whatever_the_slope_of_the_light) {
  const Camera camera = front();
  for (const double sigma : {1.5, 4.0, 9.0}) {
    const Picture picture{camera, [](double d) { return 60 + 400 / d; }, even(100), sigma};
    TEST_ASSERT_DOUBLE_WITHIN(0.2 * sigma, sigma, measured(picture, camera).noise);
  }
}

TEST(a_person_in_dark_clothes_has_a_quarter_of_the_roads_light) {
  ViewMeterSettings settings;
  settings.response = 1;  // as light
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 75, person_contrast(100, 100, settings));
  settings.response = 0.5;  // as its root
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50, person_contrast(100, 100, settings));
  // Before a bright sky they are a dark shape, before the night they are lit legs.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 190, person_contrast(20, 200, settings));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50, person_contrast(100, 0, settings));
  TEST_ASSERT_EQUAL_DOUBLE(0, person_contrast(-3, -3, settings));
}

TEST(the_ratio_counts_contrast_noise_size_and_air) {
  ViewMeterSettings settings;
  settings.person_m = 1.6;
  settings.model_px = 64;
  // 1.6 m at 10 m and 1000 px: 160 px, reduced 2.5 times; contrast 50, noise 5.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 25,
                            signal_to_noise({10, 100, 5, 100}, kClearAir_m, 1000, settings));
  // At 40 m they are 40 px: nothing is averaged.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10,
                            signal_to_noise({40, 100, 5, 100}, kClearAir_m, 1000, settings));
  // At the visibility 5 % of the contrast is left.
  TEST_ASSERT_DOUBLE_WITHIN(3e-3, 0.5, signal_to_noise({40, 100, 5, 100}, 40, 1000, settings));
}

TEST(the_distance_is_where_the_ratio_crosses_its_limit) {
  std::vector<double> distances, ratios;
  for (double d = 5; d < 80; d *= 1.2) {
    distances.push_back(d);
    ratios.push_back(7 * 17 * 17 / (d * d));  // enough up to 17 m
  }
  const RatioDistance found = distance_of_ratio(distances, ratios, 7);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 17, found.distance_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.125, found.spread);  // half the spread of the ratio's logarithm
  // One dark patch ends nothing, three do.
  std::vector<double> patched = ratios;
  patched[3] = 0.5;
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 17, distance_of_ratio(distances, patched, 7).distance_m);
  patched[4] = patched[5] = 0.5;
  TEST_ASSERT_TRUE(distance_of_ratio(distances, patched, 7).distance_m < distances[4]);
  // Nobody is seen at all.
  for (double& ratio : ratios) ratio = 0.01;
  TEST_ASSERT_TRUE(distance_of_ratio(distances, ratios, 7).distance_m < 1);
  TEST_ASSERT_EQUAL_DOUBLE(0, distance_of_ratio({}, {}, 7).distance_m);
}

TEST(the_view_ends_where_the_headlamps_do) {
  const Camera camera = front();
  for (const double end : {9.0, 14.0, 22.0, 32.0}) {
    const Picture picture{camera, [end](double d) { return d < end ? 110.0 : 4.0; }, even(3), 6};
    const ViewMeasurement view = measured(picture, camera);
    TEST_ASSERT_TRUE(view.known);
    TEST_ASSERT_TRUE(view.limit == ViewLimit::light);
    TEST_ASSERT_DOUBLE_WITHIN(0.2 * end, end - kBumper_m, view.distance_m);
  }
}

TEST(less_light_and_more_noise_shorten_the_view) {
  const Camera camera = front();
  double last = std::numeric_limits<double>::infinity();
  for (const double light : {200.0, 100.0, 50.0, 25.0}) {
    const Picture picture{camera, [light](double d) { return std::min(250.0, light * 8 / d); },
                          even(3), 4};
    const double seen = measured(picture, camera).distance_m;
    TEST_ASSERT_TRUE(seen < 0.95 * last);
    last = seen;
  }
  last = std::numeric_limits<double>::infinity();
  for (const double noise : {3.0, 5.0, 8.0, 12.0}) {
    const Picture picture{camera, [](double d) { return std::min(250.0, 1200 / d); }, even(3),
                          noise};
    const double seen = measured(picture, camera).distance_m;
    TEST_ASSERT_TRUE(seen < last);
    last = seen;
  }
}

TEST(by_day_nothing_but_the_size_of_people_ends_the_view) {
  const Camera camera = front();
  const double clear = camera.focal_px * 1.7 / 40 - kBumper_m;
  const Picture::Road roads[] = {
      [](double) { return 120.0; },                              // even
      [](double d) { return d > 11 && d < 14 ? 35.0 : 130.0; },  // a shadow across
      [](double d) { return 70 + d; },                           // brighter far away
      [](double d) { return 160 - d; },                          // darker
  };
  for (const Picture::Road& road : roads)
    for (const double air : {60.0, 140.0, 250.0}) {
      const Picture street{camera, road, houses, 1.5};
      const ViewMeasurement view = measured(street, camera);
      TEST_ASSERT_TRUE(view.limit == ViewLimit::size);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, clear, view.distance_m);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, clear, view.clear_m);
      // Open fields under an even sky: no edge at all but the horizon.
      const Picture fields{camera, [](double) { return 110.0; }, even(air), 1.5};
      TEST_ASSERT_TRUE(measured(fields, camera).limit == ViewLimit::size);
    }
}

TEST(fog_is_measured_by_the_road_that_fades_into_the_air) {
  const Camera camera = front();
  for (const double visibility : {30.0, 50.0, 100.0}) {
    const Picture picture{
        camera, [visibility](double d) { return 180 - 90 * std::exp(-3 * d / visibility); },
        even(180), 1.5};
    const ViewMeasurement view = measured(picture, camera);
    TEST_ASSERT_DOUBLE_WITHIN(0.25 * visibility, visibility, view.visibility_m);
    if (visibility > 60) continue;
    TEST_ASSERT_TRUE(view.limit == ViewLimit::fog);
    TEST_ASSERT_TRUE(view.distance_m < 0.5 * visibility);
    TEST_ASSERT_TRUE(view.distance_m > 0.2 * visibility);
  }
  // The same road before houses that are seen well: there is no fog.
  const Picture street{camera, [](double d) { return 180 - 90 * std::exp(-3 * d / 50); }, houses,
                       1.5};
  TEST_ASSERT_EQUAL_DOUBLE(kClearAir_m, measured(street, camera).visibility_m);
}

TEST(drops_on_the_glass_are_told_by_blurred_edges) {
  const Camera camera = front();
  ViewMeter meter{camera, usual()};
  const Picture::Road road = [](double) { return 120.0; };
  const Picture sharp{camera, road, houses, 1.5};
  Picture blurred = sharp;
  constexpr int kReach = 7;
  for (int y = 0; y < sharp.height; ++y)
    for (int x = kReach; x < sharp.width - kReach; ++x) {
      int sum = 0;
      for (int k = -kReach; k <= kReach; ++k)
        sum += sharp.pixels[static_cast<std::size_t>(y * sharp.width + x + k)];
      blurred.pixels[static_cast<std::size_t>(y * sharp.width + x)] =
          static_cast<std::uint8_t>(sum / (2 * kReach + 1));
    }
  Nanos now{};
  ViewMeasurement view;
  for (int i = 0; i < 300; ++i) view = meter.measure(sharp.view(), now += milliseconds{33});
  TEST_ASSERT_TRUE(view.limit == ViewLimit::size);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1, view.sharpness);
  for (int i = 0; i < 300; ++i) view = meter.measure(blurred.view(), now += milliseconds{33});
  TEST_ASSERT_TRUE(view.limit == ViewLimit::glass);
  TEST_ASSERT_TRUE(view.distance_m < 0.8 * view.clear_m);
  for (int i = 0; i < 300; ++i) view = meter.measure(sharp.view(), now += milliseconds{33});
  TEST_ASSERT_TRUE(view.limit == ViewLimit::size);
}

TEST(a_camera_that_does_not_see_the_road_ahead_says_nothing) {
  const Camera side = front(75);
  const Picture picture{side, [](double) { return 5.0; }, even(3), 6};
  TEST_ASSERT_FALSE(measured(picture, side).known);
  const Camera camera = front();
  ViewMeter meter{camera, usual()};
  Picture small{camera, [](double) { return 5.0; }, even(3), 6};
  small.width = 640;
  TEST_ASSERT_FALSE(meter.measure(small.view(), {}).known);
  TEST_ASSERT_FALSE(meter.measure({}, {}).known);
}

TEST(a_thermal_camera_needs_no_light) {
  const Camera camera = front();
  const Picture dark{camera, [](double) { return 5.0; }, even(3), 3};
  ViewMeterSettings settings = usual();
  TEST_ASSERT_TRUE(measured(dark, camera, settings).distance_m < 5);
  settings.by_light = false;
  const ViewMeasurement view = measured(dark, camera, settings);
  TEST_ASSERT_TRUE(view.known);
  TEST_ASSERT_TRUE(view.limit == ViewLimit::size);
  TEST_ASSERT_EQUAL_DOUBLE(view.clear_m, view.distance_m);
}

TEST(measuring_takes_little_time_and_allocates_nothing) {
  const Camera camera = front();
  const Picture picture{camera, [](double d) { return 900 / d; }, houses, 5};
  ViewMeter meter{camera, usual()};
  ViewMeasurement view = meter.measure(picture.view(), {});
  auto best = std::chrono::steady_clock::duration::max();
  const std::uint64_t before = kerb::test::allocations();
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    view = meter.measure(picture.view(), milliseconds{33 * i});
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  TEST_ASSERT_TRUE(view.known);
  TEST_ASSERT_EQUAL_UINT64(0, kerb::test::allocations() - before);
  const double us = std::chrono::duration<double, std::micro>(best).count();
  std::printf("view_meter: %.1f us for a picture of 1280 x 720\n", us);
  TEST_ASSERT_TRUE(us < 3000);  // sanitizers and emulators; a board: docs/results/view.md
}

}  // namespace
