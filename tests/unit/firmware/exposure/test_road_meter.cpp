// SPDX-License-Identifier: Apache-2.0
#include "firmware/exposure/road_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

struct Picture {
  Picture(int w, int h, int padding = 0)
      : width{w},
        height{h},
        stride{w + padding},
        pixels(static_cast<std::size_t>(stride) * static_cast<std::size_t>(h), 0) {}
  [[nodiscard]] std::uint8_t& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y * stride + x)];
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view() const {
    return {pixels.data(), width, height, stride};
  }
  void draw(const std::function<int(int, int)>& value) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) at(x, y) = static_cast<std::uint8_t>(value(x, y));
  }
  int width, height, stride;
  std::vector<std::uint8_t> pixels;
};

Camera mounted(double pitch_deg, double roll_deg, double k1 = 0, int width = 1280) {
  CameraSettings settings;
  settings.pitch_deg = pitch_deg;
  settings.roll_deg = roll_deg;
  settings.yaw_deg = 2;
  settings.k1 = k1;
  return camera_of(settings, width, width * 9 / 16);
}

/// Whether a pixel looks above the horizon, by rotating its ray; not how the meter finds it.
bool is_sky(const Camera& c, int x, int y) {
  const Pixel p = undistort(c, {static_cast<double>(x), static_cast<double>(y)});
  const double u = (p.x - c.center_x) / c.focal_px, v = (p.y - c.center_y) / c.focal_px;
  const double down = v * std::cos(c.roll_rad) + u * std::sin(c.roll_rad);
  return std::sin(c.pitch_rad) - down * std::cos(c.pitch_rad) >= 0;
}

double weight_of(const RoadMeter& meter) {
  double sum = 0;
  for (const RoadMeter::Sample& s : meter.samples()) sum += s.weight;
  return sum;
}

TEST(the_sky_does_not_count_however_the_camera_is_mounted) {
  for (const double pitch : {-12.0, -3.0, 4.0})
    for (const double roll : {-8.0, 0.0, 5.0})
      for (const double k1 : {0.0, -0.2}) {
        const Camera camera = mounted(pitch, roll, k1, 480);
        RoadMeter meter{camera};
        TEST_ASSERT_TRUE(meter.by_mounting());
        Picture day{camera.width, camera.height}, night{camera.width, camera.height};
        day.draw([&](int x, int y) { return is_sky(camera, x, y) ? 255 : 60; });
        night.draw([&](int x, int y) { return day.at(x, y) == 255 ? 0 : 60; });
        const MeterReading by_day = meter.measure(day.view());
        TEST_ASSERT_DOUBLE_WITHIN(0.51, 60, by_day.level);
        TEST_ASSERT_EQUAL_DOUBLE(0, by_day.clipped);
        const MeterReading by_night = meter.measure(night.view());
        TEST_ASSERT_DOUBLE_WITHIN(0.51, 60, by_night.level);
        TEST_ASSERT_EQUAL_DOUBLE(0, by_night.dark);
      }
}

TEST(it_meters_where_people_stand_and_not_the_bonnet) {
  const Camera camera = mounted(-2, 0);
  RoadMeter meter{camera};
  const auto share_near = [&](double ahead, double left, double up) {
    const Pixel at = *project(camera, {camera.ahead_m + ahead, camera.left_m + left}, up);
    double sum = 0;
    for (const RoadMeter::Sample& s : meter.samples())
      if (std::abs(s.x - at.x) < 20 && std::abs(s.y - at.y) < 20) sum += s.weight;
    return sum / weight_of(meter);
  };
  for (const double ahead : {6.0, 10.0, 20.0, 35.0})
    for (const double left : {-2.0, 0.0, 2.0}) TEST_ASSERT_TRUE(share_near(ahead, left, 0.7) > 0);
  // Where feet stand nearer than 5 m there may be a bonnet; far places count as much as near ones,
  // although they are small.
  const double nearest_row = project(camera, {camera.ahead_m + 5, 0}, 0)->y;
  double far = 0;
  for (const RoadMeter::Sample& s : meter.samples()) {
    TEST_ASSERT_TRUE(s.y < nearest_row + 14);
    if (s.y < project(camera, {camera.ahead_m + 15, 0}, 0)->y) far += s.weight / weight_of(meter);
  }
  TEST_ASSERT_TRUE(far > 0.5);
}

TEST(headlights_and_lamps_hardly_move_it) {
  const Camera camera = mounted(-2, 0);
  RoadMeter meter{camera};
  Picture picture{1280, 720};
  test::Random random{7};
  // An unlit road with some structure, and the lights of oncoming cars over 15 % of what counts.
  const auto road = [&] { return static_cast<int>(20 + random.next() % 21); };
  picture.draw([&](int, int) { return road(); });
  const double before = meter.measure(picture.view()).level;
  double lit = 0, mean_before = 0, mean_after = 0;
  for (const RoadMeter::Sample& s : meter.samples())
    mean_before += s.weight * picture.at(s.x, s.y) / weight_of(meter);
  for (const RoadMeter::Sample& s : meter.samples()) {
    if (lit >= 0.15 * weight_of(meter)) break;
    picture.at(s.x, s.y) = 255;
    lit += s.weight;
  }
  for (const RoadMeter::Sample& s : meter.samples())
    mean_after += s.weight * picture.at(s.x, s.y) / weight_of(meter);
  const MeterReading after = meter.measure(picture.view());
  std::printf("15 %% clipped: median %.2f to %.2f, mean %.2f to %.2f\n", before, after.level,
              mean_before, mean_after);
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.15, after.clipped);
  TEST_ASSERT_DOUBLE_WITHIN(1, before, after.level);
  TEST_ASSERT_TRUE(mean_after > 2 * mean_before);  // what a mean would have said
}

TEST(its_median_is_that_of_a_sorted_list) {
  test::Random random{3};
  for (int round = 0; round < 20; ++round) {
    RoadMeter meter{mounted(-2, 3, 0, 320)};
    Picture picture{320, 180, 16};
    const auto low = static_cast<int>(random.next() % 200),
               span = 1 + static_cast<int>(random.next() % 90);
    picture.draw([&](int, int) {
      return std::min(255, low + static_cast<int>(random.next() % static_cast<unsigned>(span)));
    });
    std::vector<int> sorted;
    double clipped = 0, dark = 0;
    for (const RoadMeter::Sample& s : meter.samples()) {
      const int value = picture.at(s.x, s.y);
      if (value >= 250) clipped += s.weight;
      if (value <= 8) dark += s.weight;
      if (value < 250) sorted.insert(sorted.end(), s.weight, value);
    }
    const MeterReading reading = meter.measure(picture.view());
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, clipped / weight_of(meter), reading.clipped);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, dark / weight_of(meter), reading.dark);
    if (2 * clipped >= weight_of(meter)) {
      TEST_ASSERT_EQUAL_DOUBLE(255, reading.level);
      continue;
    }
    std::sort(sorted.begin(), sorted.end());
    const int median = sorted[sorted.size() / 2];
    TEST_ASSERT_TRUE(std::abs(reading.level - median) <= 1.0);
  }
}

TEST(fractions_of_a_grey_value_tell_dark_pictures_apart) {
  RoadMeter meter{640, 360};
  Picture picture{640, 360};
  test::Random random{5};
  double last = -1;
  for (int tenths = 10; tenths <= 40; tenths += 5) {  // means of 1.0, 1.5 ... grey values, dithered
    picture.draw([&](int, int) {
      return tenths / 10 + (static_cast<int>(random.next() % 10) < tenths % 10 ? 1 : 0);
    });
    const double level = meter.measure(picture.view()).level;
    TEST_ASSERT_DOUBLE_WITHIN(0.3, tenths / 10.0, level);
    TEST_ASSERT_TRUE(level > last);
    last = level;
  }
}

TEST(without_a_mounting_it_is_the_lower_middle) {
  RoadMeter meter{1280, 720};
  TEST_ASSERT_FALSE(meter.by_mounting());
  TEST_ASSERT_GREATER_THAN(500, meter.samples().size());
  for (const RoadMeter::Sample& s : meter.samples()) {
    TEST_ASSERT_TRUE(s.x >= 320 && s.x < 960);
    TEST_ASSERT_TRUE(s.y >= 396 && s.y < 612);
  }
  // A camera that looks into the sky sees no road.
  CameraSettings up;
  up.pitch_deg = 45;
  TEST_ASSERT_FALSE(RoadMeter{camera_of(up, 1280, 720)}.by_mounting());
}

TEST(small_and_wrong_pictures_are_harmless) {
  for (const auto& [w, h] : {std::pair{1, 1}, {2, 3}, {64, 48}, {97, 55}}) {
    RoadMeter meter{w, h};
    Picture picture{w, h};
    picture.draw([](int, int) { return 100; });
    const MeterReading reading = meter.measure(picture.view());
    if (!meter.samples().empty()) TEST_ASSERT_DOUBLE_WITHIN(0.5, 100, reading.level);
  }
  RoadMeter meter{64, 48};
  TEST_ASSERT_EQUAL_DOUBLE(0, meter.measure(Picture{48, 64}.view()).level);
  TEST_ASSERT_EQUAL_DOUBLE(0, meter.measure({}).level);
}

TEST(a_frame_costs_microseconds_and_no_memory) {
  RoadMeter meter{mounted(-2, 0)};
  Picture picture{1280, 720};
  test::Random random{1};
  picture.draw([&](int, int) { return static_cast<int>(random.next() % 256); });
  const std::uint64_t before = test::thread_allocations();
  double quickest = 1e9, level = 0;  // of several, so that a busy machine does not count
  for (int i = 0; i < 2000; ++i) {
    const auto start = std::chrono::steady_clock::now();
    level = meter.measure(picture.view()).level;
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    quickest = std::min(quickest, spent.count());
  }
  TEST_ASSERT_EQUAL_UINT64(before, test::thread_allocations());
  std::printf("%zu samples, %.2f us a frame (level %.1f)\n", meter.samples().size(), quickest,
              level);
  TEST_ASSERT_TRUE(quickest < 1000);
}

}  // namespace
