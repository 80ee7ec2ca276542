// SPDX-License-Identifier: Apache-2.0
// Points followed on CUDA are where they are on the CPU, bit for bit, with quality and flags.
#include <cstdio>

#include "gpu/flow/points.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

TEST(points_equal_the_cpu_bit_for_bit) {
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

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace();
  return Start::run;
}
