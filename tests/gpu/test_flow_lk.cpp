// SPDX-License-Identifier: Apache-2.0
// Lucas-Kanade on CUDA gives what it gives on the CPU, bit for bit: vectors, qualities, flags.
#include <cstdio>

#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/flow/points.hpp"
#include "tests/gpu/device.hpp"
#include "tests/unit/gpu/flow_bm_scenes.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::unique_ptr<Estimator> make(const Context& context, const LucasKanadeSettings& settings,
                                int width, int height) {
  Result<std::unique_ptr<Estimator>> made =
      make_lucas_kanade(context, *workers, settings, width, height);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

void assert_same(const Vectors& expected, const Vectors& actual, const char* what) {
  for (int y = 0; y < expected.height; ++y)
    for (int x = 0; x < expected.width; ++x) {
      const std::size_t e = expected.index(x, y), a = actual.index(x, y);
      if (expected.u[e] == actual.u[a] && expected.v[e] == actual.v[a] &&
          expected.quality[e] == actual.quality[a] && expected.flags[e] == actual.flags[a])
        continue;
      char text[240];
      std::snprintf(text, sizeof text,
                    "%s: at %d, %d the CPU has (%.9g, %.9g), quality %d, flags %d; CUDA (%.9g, "
                    "%.9g), %d, %d",
                    what, x, y, static_cast<double>(expected.u[e]),
                    static_cast<double>(expected.v[e]), expected.quality[e], expected.flags[e],
                    static_cast<double>(actual.u[a]), static_cast<double>(actual.v[a]),
                    actual.quality[a], actual.flags[a]);
      TEST_FAIL_MESSAGE(text);
    }
}

struct Case {
  const char* name;
  int width, height, padding;
  LucasKanadeSettings settings;
};
LucasKanadeSettings with(int iterations, int finest, int levels = 0, bool check_back = false) {
  LucasKanadeSettings settings;
  settings.iterations = iterations;
  settings.finest_iterations = finest;
  settings.pyramid.levels = levels;
  settings.check_back = check_back;
  return settings;
}
const Case kCases[] = {
    {"the smallest picture", 16, 16, 0, {}},
    {"narrow and odd, padded rows", 17, 131, 3, {}},
    {"one tile", 32, 32, 0, {}},
    {"just past a tile", 33, 31, 1, {}},
    {"one level", 97, 75, 0, with(3, 3, 1)},
    {"one iteration", 160, 121, 0, with(1, 1)},
    {"many iterations", 160, 121, 0, with(9, 4)},
    {"the way back checked", 201, 163, 7, with(5, 2, 0, true)},
    {"the way back checked, an odd number of iterations", 201, 163, 7, with(4, 3, 0, true)},
    {"odd, all levels", 643, 483, 5, {}},
    {"a road camera", 1280, 720, 0, {}},
};

void test_every_case_equals_the_cpu_bit_for_bit() {
  for (const Case& c : kCases) {
    const Scene scene = busy_scene(c.width, c.height, 3, c.padding);
    Vectors expected{c.width, c.height}, actual{c.width, c.height, c.padding};
    TEST_ASSERT_OK(make(*cpu, c.settings, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), expected.view()));
    TEST_ASSERT_OK(make(*gpu, c.settings, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), actual.view()));
    assert_same(expected, actual, c.name);
  }
}

void test_masks_equal_the_cpu_bit_for_bit() {
  constexpr int kWidth = 403, kHeight = 301;
  const Scene scene = busy_scene(kWidth, kHeight, 4);
  const auto on_cpu = make(*cpu, {}, kWidth, kHeight), on_gpu = make(*gpu, {}, kWidth, kHeight);
  for (int kind = 0; kind < 3; ++kind) {
    GreyPicture mask{kWidth, kHeight, 11};
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const bool wanted = kind == 0   ? x > 200 && x < 260 && y > 100 && y < 133
                            : kind == 1 ? (x == 7 && y == 9) || (x == 402 && y == 300)
                                        : false;
        mask.at(x, y) = wanted ? 255 : 0;
      }
    Vectors expected{kWidth, kHeight}, actual{kWidth, kHeight};
    TEST_ASSERT_OK(
        on_cpu->run(scene.first.view(), scene.second.view(), mask.view(), expected.view()));
    TEST_ASSERT_OK(
        on_gpu->run(scene.first.view(), scene.second.view(), mask.view(), actual.view()));
    assert_same(expected, actual, "masked");
  }
}

void test_pictures_on_the_device_give_the_same_wherever_they_lie() {
  constexpr int kWidth = 322, kHeight = 241, kStride = 331;
  const auto on_gpu = make(*gpu, {}, kWidth, kHeight);
  const auto on_cpu = make(*cpu, {}, kWidth, kHeight);
  for (int round = 0; round < 3; ++round) {
    const Scene scene =
        busy_scene(kWidth, kHeight, 9 + static_cast<std::uint64_t>(round), kStride - kWidth);
    Vectors expected{kWidth, kHeight, kStride - kWidth};
    TEST_ASSERT_OK(on_cpu->run(scene.first.view(), scene.second.view(), expected.view()));
    const DeviceBuffer<std::uint8_t> first = upload(scene.first.bytes);
    const DeviceBuffer<std::uint8_t> second = upload(scene.second.bytes);
    const DeviceBuffer<float> u = upload(expected.u), v = upload(expected.v);
    const DeviceBuffer<std::uint8_t> quality = upload(expected.quality);
    const DeviceBuffer<std::uint8_t> flags = upload(expected.flags);
    TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), u.device_data(), 7, u.size() * 4));
    const FieldView<Space::device> out{
        u.device_data(), v.device_data(), quality.device_data(), flags.device_data(), kWidth,
        kHeight,         kStride};
    for (int again = 0; again < 2; ++again)
      TEST_ASSERT_OK(on_gpu->run({first.device_data(), kWidth, kHeight, kStride},
                                 {second.device_data(), kWidth, kHeight, kStride}, out));
    Vectors actual{kWidth, kHeight, kStride - kWidth};
    actual.u = download(u, u.size());
    actual.v = download(v, v.size());
    actual.quality = download(quality, quality.size());
    actual.flags = download(flags, flags.size());
    assert_same(expected, actual, "on the device");
  }
}

void test_equal_and_flat_pictures_give_zero() {
  constexpr int kWidth = 200, kHeight = 120;
  const auto on_gpu = make(*gpu, {}, kWidth, kHeight);
  const GreyPicture still = moved(Surface{8}, kWidth, kHeight, 0, 0);
  const GreyPicture flat{kWidth, kHeight};
  for (const GreyPicture* picture : {&still, &flat}) {
    Vectors out{kWidth, kHeight};
    TEST_ASSERT_OK(on_gpu->run(picture->view(), picture->view(), out.view()));
    for (std::size_t i = 0; i < out.u.size(); ++i) {
      TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0);
      if (picture == &flat) TEST_ASSERT_EQUAL_UINT8(kTexturePoor, out.flags[i]);
    }
  }
}

void test_points_equal_the_cpu_bit_for_bit() {
  constexpr int kWidth = 403, kHeight = 301;
  const Scene scene = busy_scene(kWidth, kHeight, 6, 9);
  std::vector<Point> points;
  for (int y = -1; y < kHeight; y += 7)
    for (int x = -1; x < kWidth; x += 9)
      points.push_back({static_cast<float>(x) + 0.37F, static_cast<float>(y) + 0.8F});
  const int count = static_cast<int>(points.size());
  for (const int radius : {2, 3, 7, 10})
    for (const bool check_back : {false, true}) {
      PointTrackerSettings settings;
      settings.radius = radius;
      settings.check_back = check_back;
      std::vector<TrackedPoint> expected(points.size()), actual(points.size());
      Result<std::unique_ptr<PointTracker>> on_cpu =
          make_point_tracker(*cpu, *workers, settings, kWidth, kHeight, count);
      Result<std::unique_ptr<PointTracker>> on_gpu =
          make_point_tracker(*gpu, *workers, settings, kWidth, kHeight, count);
      TEST_ASSERT_OK(on_cpu);
      TEST_ASSERT_OK(on_gpu);
      TEST_ASSERT_OK((*on_cpu)->run(scene.first.view(), scene.second.view(), points.data(), count,
                                    expected.data()));
      TEST_ASSERT_OK((*on_gpu)->run(scene.first.view(), scene.second.view(), points.data(), count,
                                    actual.data()));
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (expected[i].x == actual[i].x && expected[i].y == actual[i].y &&
            expected[i].quality == actual[i].quality && expected[i].flags == actual[i].flags)
          continue;
        char text[200];
        std::snprintf(text, sizeof text,
                      "radius %d, point %zu: (%.9g, %.9g) %d %d is not (%.9g, %.9g) %d %d", radius,
                      i, static_cast<double>(actual[i].x), static_cast<double>(actual[i].y),
                      actual[i].quality, actual[i].flags, static_cast<double>(expected[i].x),
                      static_cast<double>(expected[i].y), expected[i].quality, expected[i].flags);
        TEST_FAIL_MESSAGE(text);
      }
    }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  if (const int code = open_gpu(); code != 0) return code;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace();
  UNITY_BEGIN();
  RUN_TEST(test_every_case_equals_the_cpu_bit_for_bit);
  RUN_TEST(test_masks_equal_the_cpu_bit_for_bit);
  RUN_TEST(test_pictures_on_the_device_give_the_same_wherever_they_lie);
  RUN_TEST(test_equal_and_flat_pictures_give_zero);
  RUN_TEST(test_points_equal_the_cpu_bit_for_bit);
  return UNITY_END();
}
