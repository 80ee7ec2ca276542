// SPDX-License-Identifier: Apache-2.0
// The product's flow on CUDA gives what it gives on the CPU, bit for bit, frame after frame.
#include <algorithm>
#include <cstdio>

#include "gpu/flow/motion_points.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"

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

/// The picture as it comes from a preparer: on the device too, with rows that are longer.
struct OnDevice {
  static constexpr int kStride = kWidth + 13;
  DeviceBuffer<std::uint8_t> pixels;
  PreparedImage image;
  explicit OnDevice(const GreyPicture& picture) {
    const ImageView<Space::host, const std::uint8_t> grey = picture.view();
    std::vector<std::uint8_t> rows(static_cast<std::size_t>(kStride) * kHeight, 0xa5);
    for (int y = 0; y < kHeight; ++y)
      std::copy_n(grey.data + y * grey.row_stride, kWidth, rows.begin() + y * kStride);
    pixels = upload(rows);
    image.grey = grey;
    image.device_grey = {pixels.device_data(), kWidth, kHeight, kStride};
  }
};

/// So many that their squares are more than there is room for, here and there, some outside.
std::vector<Detection> crowd() {
  std::vector<Detection> boxes = {
      {120, 60, 60, 150, 1}, {300, 100, 40, 110, 1}, {-20, 250, 90, 200, 1}};
  for (int i = 0; i < 160; ++i)
    boxes.push_back({static_cast<float>(i * 37 % 400) - 10, static_cast<float>(i * 53 % 290) - 10,
                     static_cast<float>(6 + i % 40), static_cast<float>(15 + i % 90), 1});
  return boxes;
}

TEST(frames_and_boxes_equal_the_cpu_bit_for_bit) {
  const Surface surface{17};
  const std::pair<double, double> way[] = {{0, 0},    {2.5, 1},   {5, 1.5}, {5, 1.5},
                                           {-3, 0.5}, {-9.5, -4}, {-10, -4}};
  const std::vector<Detection> boxes = crowd();
  TEST_ASSERT_GREATER_THAN_INT(MotionField::kCapacity, 36 * static_cast<int>(boxes.size()));
  const auto expected = std::make_unique<MotionField>(), actual = std::make_unique<MotionField>(),
             also = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points})
    for (const int widest : {0, 202, 150}) {
      const auto on_cpu = make(*cpu, method, widest), on_gpu = make(*gpu, method, widest),
                 from_host = make(*gpu, method, widest);
      TEST_ASSERT_EQUAL_STRING(on_cpu->name(), on_gpu->name());
      int number = 0;
      for (const auto& [x, y] : way) {
        const GreyPicture picture = moved(surface, kWidth, kHeight, x, y);
        const OnDevice there{picture};
        PreparedImage image;
        image.grey = picture.view();
        if (++number == 5) {  // a gap, and two frames with nothing between
          on_cpu->forget();
          on_gpu->forget();
          from_host->forget();
        }
        char text[80];
        std::snprintf(text, sizeof text, "%s, %d wide, frame %d", on_gpu->name(), widest, number);
        TEST_ASSERT_OK(on_cpu->estimate(image, 300, *expected));
        TEST_ASSERT_OK(on_gpu->estimate(there.image, 300, *actual));
        TEST_ASSERT_OK(from_host->estimate(image, 300, *also));
        assert_same(*expected, *actual, text);
        assert_same(*expected, *also, text);
        // Few boxes, then so many that not all fit.
        for (const int count : {3, static_cast<int>(boxes.size())}) {
          on_cpu->add_points_within(boxes.data(), count, 40, *expected);
          on_gpu->add_points_within(boxes.data(), count, 40, *actual);
          from_host->add_points_within(boxes.data(), count, 40, *also);
          assert_same(*expected, *actual, text);
          assert_same(*expected, *also, text);
        }
        if (number > 1 && number != 5) TEST_ASSERT_GREATER_THAN_INT(100, actual->count);
      }
    }
}

TEST(cuda_looks_at_every_pixel_unless_told_otherwise) {
  TEST_ASSERT_EQUAL_STRING("lk", make(*gpu, Method::automatic, 0)->name());
}

TEST(a_sequence_of_points_equals_the_cpu_both_ways) {
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

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace();
  return Start::run;
}
