// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/motion_points.hpp"

#include <cmath>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/unity.hpp"

using namespace kerb;
using namespace kerb::flow;

void setUp() {}
void tearDown() {}

namespace {

constexpr int kWidth = 322, kHeight = 241;  // odd, so that a rest is left over

/// Values that look drawn at whole places, with a smooth way between them: never the same twice, so
/// that there is one right answer.
double lattice(int x, int y) {
  std::uint32_t h =
      static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U;
  h = (h ^ (h >> 13)) * 1274126177U;
  return static_cast<double>((h ^ (h >> 16)) & 0xFFFFU) / 65535.0;
}
double noise(double x, double y) {
  const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
  const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
  const double u = smooth(x - ix), v = smooth(y - iy);
  return (lattice(ix, iy) * (1 - u) + lattice(ix + 1, iy) * u) * (1 - v) +
         (lattice(ix, iy + 1) * (1 - u) + lattice(ix + 1, iy + 1) * u) * v;
}
double texture(double x, double y) {
  return 20 + 130 * noise(x / 14 + 100, y / 14 + 100) + 85 * noise(x / 6 + 300, y / 6 + 300);
}

std::vector<std::uint8_t> picture(double shift_x, double shift_y) {
  std::vector<std::uint8_t> out;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      out.push_back(static_cast<std::uint8_t>(
          std::lround(std::clamp(texture(x - shift_x, y - shift_y), 0.0, 255.0))));
  return out;
}

PreparedImage prepared(const std::vector<std::uint8_t>& pixels) {
  PreparedImage image;
  image.grey = {pixels.data(), kWidth, kHeight, kWidth};
  return image;
}

struct Made {
  Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{1};
  std::unique_ptr<MotionPoints> points;
  explicit Made(Method method, int widest) {
    MotionPointsSettings settings;
    settings.method = method;
    settings.widest = widest;
    settings.block_matching.levels = 3;
    Result<std::unique_ptr<MotionPoints>> made =
        MotionPoints::create(*context, workers, settings, kWidth, kHeight);
    if (made) points = std::move(*made);
  }
};

void test_a_shift_is_found_at_points_all_over_the_picture() {
  const std::vector<std::uint8_t> before = picture(0, 0), after = picture(4.5, -3);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching})
    for (const int widest : {0, 161, 120}) {
      const Made m{method, widest};
      TEST_ASSERT_NOT_NULL(m.points.get());
      TEST_ASSERT_EQUAL_INT(widest == 0 ? 1 : widest == 161 ? 2 : 3, m.points->reduction());
      TEST_ASSERT_OK(m.points->estimate(prepared(before), 200, *field));
      TEST_ASSERT_FALSE(field->has_previous);
      TEST_ASSERT_EQUAL_INT(0, field->count);
      TEST_ASSERT_OK(m.points->estimate(prepared(after), 200, *field));
      TEST_ASSERT_TRUE(field->has_previous);
      TEST_ASSERT_GREATER_THAN_INT(100, field->count);
      TEST_ASSERT_LESS_OR_EQUAL_INT(200, field->count);
      int good = 0;
      float left = 1e9F, right = 0, top = 1e9F, bottom = 0;
      for (int i = 0; i < field->count; ++i) {
        const FlowVector& v = field->items[i];
        good += std::hypot(v.dx - 4.5F, v.dy + 3.0F) < 0.5F ? 1 : 0;
        TEST_ASSERT_TRUE(v.quality > 0 && v.quality <= 1);
        left = std::min(left, v.x);
        right = std::max(right, v.x);
        top = std::min(top, v.y);
        bottom = std::max(bottom, v.y);
      }
      TEST_ASSERT_GREATER_THAN_INT(field->count * 8 / 10, good);
      TEST_ASSERT_TRUE(left < 60 && right > kWidth - 60 && top < 60 && bottom > kHeight - 60);
    }
}

void test_nothing_moved_is_exactly_zero() {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const auto field = std::make_unique<MotionField>();
  const Made m{Method::lucas_kanade, 161};
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 100, *field));
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 100, *field));
  TEST_ASSERT_GREATER_THAN_INT(50, field->count);
  for (int i = 0; i < field->count; ++i) {
    TEST_ASSERT_EQUAL_FLOAT(0, field->items[i].dx);
    TEST_ASSERT_EQUAL_FLOAT(0, field->items[i].dy);
  }
}

void test_a_wall_without_texture_gives_no_points() {
  const std::vector<std::uint8_t> wall(static_cast<std::size_t>(kWidth) * kHeight, 90);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching}) {
    const Made m{method, 161};
    for (int i = 0; i < 2; ++i) TEST_ASSERT_OK(m.points->estimate(prepared(wall), 300, *field));
    TEST_ASSERT_TRUE(field->has_previous);
    TEST_ASSERT_EQUAL_INT(0, field->count);
  }
}

void test_after_forgetting_there_is_no_previous() {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const auto field = std::make_unique<MotionField>();
  const Made m{Method::lucas_kanade, 161};
  for (int i = 0; i < 2; ++i) TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  TEST_ASSERT_TRUE(field->has_previous);
  m.points->forget();
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  TEST_ASSERT_FALSE(field->has_previous);
}

void test_a_picture_of_another_size_is_refused_and_forgets() {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const auto field = std::make_unique<MotionField>();
  const Made m{Method::lucas_kanade, 161};
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  PreparedImage smaller = prepared(pixels);
  smaller.grey.width -= 1;
  const Status refused = m.points->estimate(smaller, 50, *field);
  TEST_ASSERT_FALSE(refused);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Errc::invalid_argument),
                        static_cast<int>(refused.error().code));
  TEST_ASSERT_FALSE(m.points->estimate(PreparedImage{}, 50, *field));
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  TEST_ASSERT_FALSE(field->has_previous);
}

void test_a_frame_allocates_nothing() {
  const std::vector<std::uint8_t> before = picture(0, 0), after = picture(2, 1);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching}) {
    const Made m{method, 161};
    TEST_ASSERT_OK(m.points->estimate(prepared(before), 100, *field));
    const std::uint64_t count = kerb::test::allocations();
    const PreparedImage image = prepared(after);
    const bool done = static_cast<bool>(m.points->estimate(image, 100, *field));
    TEST_ASSERT_EQUAL_UINT64(count, kerb::test::allocations());
    TEST_ASSERT_TRUE(done);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_a_shift_is_found_at_points_all_over_the_picture);
  RUN_TEST(test_nothing_moved_is_exactly_zero);
  RUN_TEST(test_a_wall_without_texture_gives_no_points);
  RUN_TEST(test_after_forgetting_there_is_no_previous);
  RUN_TEST(test_a_picture_of_another_size_is_refused_and_forgets);
  RUN_TEST(test_a_frame_allocates_nothing);
  return UNITY_END();
}
