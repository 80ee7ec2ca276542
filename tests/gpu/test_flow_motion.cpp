// SPDX-License-Identifier: Apache-2.0
// The product's flow on CUDA gives what it gives on the CPU, bit for bit, frame after frame.
#include <cstdio>

#include "gpu/flow/motion_points.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/flow_scenes.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

constexpr int kWidth = 403, kHeight = 301;

std::unique_ptr<MotionPoints> make(const Context& context, Method method, int widest) {
  MotionPointsSettings settings;
  settings.method = method;
  settings.widest = widest;
  Result<std::unique_ptr<MotionPoints>> made =
      MotionPoints::create(context, *workers, settings, kWidth, kHeight);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

void assert_same(const MotionField& expected, const MotionField& actual, const char* what) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.has_previous, actual.has_previous, what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, actual.count, what);
  for (int i = 0; i < expected.count; ++i) {
    const FlowVector &e = expected.items[i], &a = actual.items[i];
    TEST_ASSERT_TRUE_MESSAGE(
        e.x == a.x && e.y == a.y && e.dx == a.dx && e.dy == a.dy && e.quality == a.quality, what);
  }
}

void test_frames_and_boxes_equal_the_cpu_bit_for_bit() {
  const Surface surface{17};
  const std::pair<double, double> way[] = {{0, 0},    {2.5, 1},   {5, 1.5}, {5, 1.5},
                                           {-3, 0.5}, {-9.5, -4}, {-10, -4}};
  const Detection boxes[] = {{120, 60, 60, 150, 1}, {300, 100, 40, 110, 1}, {-20, 250, 90, 200, 1}};
  const auto expected = std::make_unique<MotionField>(), actual = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points})
    for (const int widest : {0, 202}) {
      const auto on_cpu = make(*cpu, method, widest), on_gpu = make(*gpu, method, widest);
      TEST_ASSERT_EQUAL_STRING(on_cpu->name(), on_gpu->name());
      int number = 0;
      for (const auto& [x, y] : way) {
        const GreyPicture picture = moved(surface, kWidth, kHeight, x, y);
        PreparedImage image;
        image.grey = picture.view();
        if (++number == 5) {  // a gap, and two frames with nothing between
          on_cpu->forget();
          on_gpu->forget();
        }
        char text[80];
        std::snprintf(text, sizeof text, "%s, %d wide, frame %d", on_gpu->name(), widest, number);
        TEST_ASSERT_OK(on_cpu->estimate(image, 300, *expected));
        TEST_ASSERT_OK(on_gpu->estimate(image, 300, *actual));
        assert_same(*expected, *actual, text);
        on_cpu->look_closer(boxes, 3, 40, *expected);
        on_gpu->look_closer(boxes, 3, 40, *actual);
        assert_same(*expected, *actual, text);
        if (number > 1 && number != 5) TEST_ASSERT_GREATER_THAN_INT(100, actual->count);
      }
    }
}

void test_cuda_looks_at_every_pixel_unless_told_otherwise() {
  TEST_ASSERT_EQUAL_STRING("lk", make(*gpu, Method::automatic, 0)->name());
}

void test_a_sequence_of_points_equals_the_cpu_both_ways() {
  const Surface surface{18};
  std::vector<Point> points;
  for (int y = 3; y < kHeight; y += 11)
    for (int x = 2; x < kWidth; x += 13)
      points.push_back({static_cast<float>(x) + 0.25F, static_cast<float>(y)});
  const int count = static_cast<int>(points.size());
  const PointTrackerSettings settings = quick_points();
  Result<std::unique_ptr<PointTracker>> on_cpu =
      make_point_tracker(*cpu, *workers, settings, kWidth, kHeight, count);
  Result<std::unique_ptr<PointTracker>> on_gpu =
      make_point_tracker(*gpu, *workers, settings, kWidth, kHeight, count);
  TEST_ASSERT_OK(on_cpu);
  TEST_ASSERT_OK(on_gpu);
  std::vector<TrackedPoint> expected(points.size()), actual(points.size());
  for (int i = 0; i < 4; ++i) {
    const GreyPicture picture = moved(surface, kWidth, kHeight, 1.7 * i, -0.8 * i);
    TEST_ASSERT_OK((*on_cpu)->advance(picture.view()));
    TEST_ASSERT_OK((*on_gpu)->advance(picture.view()));
    if (i == 0) continue;
    for (const Way way : {Way::forward, Way::backward}) {
      TEST_ASSERT_OK((*on_cpu)->track(way, points.data(), count, expected.data()));
      TEST_ASSERT_OK((*on_gpu)->track(way, points.data(), count, actual.data()));
      TEST_ASSERT_EQUAL_MEMORY(expected.data(), actual.data(),
                               expected.size() * sizeof(TrackedPoint));
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
  RUN_TEST(test_frames_and_boxes_equal_the_cpu_bit_for_bit);
  RUN_TEST(test_cuda_looks_at_every_pixel_unless_told_otherwise);
  RUN_TEST(test_a_sequence_of_points_equals_the_cpu_both_ways);
  return UNITY_END();
}
