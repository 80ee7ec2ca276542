// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/motion_points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;

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

TEST(a_shift_is_found_at_points_all_over_the_picture) {
  const std::vector<std::uint8_t> before = picture(0, 0), after = picture(4.5, -3);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points})
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

TEST(nothing_moved_is_exactly_zero) {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::points}) {
    const Made m{method, 161};
    TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 100, *field));
    TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 100, *field));
    TEST_ASSERT_GREATER_THAN_INT(50, field->count);
    for (int i = 0; i < field->count; ++i) {
      TEST_ASSERT_EQUAL_FLOAT(0, field->items[i].dx);
      TEST_ASSERT_EQUAL_FLOAT(0, field->items[i].dy);
    }
  }
}

TEST(a_wall_without_texture_gives_no_points) {
  const std::vector<std::uint8_t> wall(static_cast<std::size_t>(kWidth) * kHeight, 90);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points}) {
    const Made m{method, 161};
    for (int i = 0; i < 2; ++i) TEST_ASSERT_OK(m.points->estimate(prepared(wall), 300, *field));
    TEST_ASSERT_TRUE(field->has_previous);
    TEST_ASSERT_EQUAL_INT(0, field->count);
  }
}

TEST(after_forgetting_there_is_no_previous) {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const auto field = std::make_unique<MotionField>();
  const Made m{Method::lucas_kanade, 161};
  for (int i = 0; i < 2; ++i) TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  TEST_ASSERT_TRUE(field->has_previous);
  m.points->forget();
  TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
  TEST_ASSERT_FALSE(field->has_previous);
}

TEST(a_picture_of_another_size_is_refused_and_forgets) {
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

TEST(a_frame_allocates_nothing) {
  const std::vector<std::uint8_t> before = picture(0, 0), after = picture(2, 1);
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points}) {
    const Made m{method, 161};
    TEST_ASSERT_OK(m.points->estimate(prepared(before), 100, *field));
    const std::uint64_t count = kerb::test::allocations();
    const PreparedImage image = prepared(after);
    const Detection box{100, 80, 40, 100, 1};
    const bool done = static_cast<bool>(m.points->estimate(image, 100, *field));
    m.points->add_points_within(&box, 1, 40, *field);
    TEST_ASSERT_EQUAL_UINT64(count, kerb::test::allocations());
    TEST_ASSERT_TRUE(done);
  }
}

TEST(the_cpu_looks_at_points_unless_told_otherwise) {
  const Made chosen{Method::automatic, 161}, dense{Method::lucas_kanade, 161};
  TEST_ASSERT_EQUAL_STRING("points", chosen.points->name());
  TEST_ASSERT_EQUAL_STRING("lk", dense.points->name());
}

/// The street moves one way, a person in front of it another.
constexpr int kLeft = 130, kTop = 60, kWide = 48, kHigh = 120;
std::vector<std::uint8_t> street(double shift, int person) {
  std::vector<std::uint8_t> out = picture(shift, 0);
  const std::vector<std::uint8_t> other = picture(37 + person, 53);
  for (int y = kTop; y < kTop + kHigh; ++y) {
    const auto at = std::ptrdiff_t{y} * kWidth + kLeft + person;
    std::copy_n(other.begin() + at, kWide, out.begin() + at);
  }
  return out;
}

TEST(looking_closer_gives_more_of_what_is_in_a_box) {
  const std::vector<std::uint8_t> before = street(0, 0), after = street(-2, 6);
  const Detection person{kLeft + 6, kTop, kWide, kHigh, 1};
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points}) {
    const Made m{method, 0};
    TEST_ASSERT_OK(m.points->estimate(prepared(before), 60, *field));
    TEST_ASSERT_OK(m.points->estimate(prepared(after), 60, *field));
    const int few = field->count;
    const std::vector<FlowVector> first(field->items, field->items + few);
    m.points->add_points_within(&person, 1, 40, *field);
    TEST_ASSERT_GREATER_THAN_INT(few + 20, field->count);
    TEST_ASSERT_LESS_OR_EQUAL_INT(few + 40, field->count);
    for (int i = 0; i < few; ++i)  // what was there stays
      TEST_ASSERT_EQUAL_MEMORY(&first[static_cast<std::size_t>(i)], &field->items[i],
                               sizeof(FlowVector));
    int good = 0;
    for (int i = few; i < field->count; ++i) {
      const FlowVector& v = field->items[i];
      TEST_ASSERT_TRUE(v.x + v.dx >= person.x && v.x + v.dx <= person.x + person.w);
      TEST_ASSERT_TRUE(v.y + v.dy >= person.y && v.y + v.dy <= person.y + person.h);
      good += std::hypot(v.dx - 6, v.dy) < 0.5F ? 1 : 0;
    }
    TEST_ASSERT_GREATER_THAN_INT((field->count - few) * 7 / 10, good);
    // A second look at the same squares adds nothing.
    m.points->add_points_within(&person, 1, 400, *field);
    const int most = field->count;
    m.points->add_points_within(&person, 1, 400, *field);
    TEST_ASSERT_EQUAL_INT(most, field->count);
  }
}

/// A dozen vectors of the picture's squares lie within the box of somebody at 12 m, and half of
/// them are the background's: so more are looked for.
TEST(looking_closer_adds_to_the_few_that_are_there) {
  const std::vector<std::uint8_t> before = street(0, 0), after = street(-2, 6);
  const Detection person{kLeft + 6, kTop, kWide, kHigh, 1};
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points}) {
    const Made m{method, 0};
    TEST_ASSERT_OK(m.points->estimate(prepared(before), 300, *field));
    TEST_ASSERT_OK(m.points->estimate(prepared(after), 300, *field));
    const auto within = [&] {
      return std::count_if(field->items, field->items + field->count, [&](const FlowVector& v) {
        return v.x + v.dx >= person.x && v.x + v.dx <= person.x + person.w &&
               v.y + v.dy >= person.y && v.y + v.dy <= person.y + person.h;
      });
    };
    const auto few = within();
    TEST_ASSERT_GREATER_THAN_INT(7, few);
    TEST_ASSERT_LESS_THAN_INT(40, few);
    m.points->add_points_within(&person, 1, 40, *field);
    TEST_ASSERT_GREATER_THAN_INT(few + 20, within());
  }
}

/// Neither again what the picture's squares have given, nor once for each of two boxes.
TEST(looking_closer_gives_no_vector_twice) {
  const std::vector<std::uint8_t> before = street(0, 0), after = street(-2, 6);
  const Detection people[] = {{kLeft + 6, kTop, kWide, kHigh, 1},
                              {kLeft + 20, kTop + 10, kWide, kHigh, 1}};
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::block_matching, Method::points})
    for (const int widest : {0, 161, 120}) {
      const Made m{method, widest};
      TEST_ASSERT_OK(m.points->estimate(prepared(before), 300, *field));
      TEST_ASSERT_OK(m.points->estimate(prepared(after), 300, *field));
      const int few = field->count;
      m.points->add_points_within(people, 2, 40, *field);
      TEST_ASSERT_GREATER_THAN_INT(few + 10, field->count);
      for (int i = 0; i < field->count; ++i)
        for (int k = 0; k < i; ++k)
          TEST_ASSERT_FALSE(field->items[i].x == field->items[k].x &&
                            field->items[i].y == field->items[k].y);
    }
}

TEST(boxes_beyond_the_picture_and_nothing_to_compare_with_give_nothing) {
  const std::vector<std::uint8_t> pixels = picture(0, 0);
  const Detection outside[] = {
      {-400, -300, 100, 200, 1}, {5000, 4000, 80, 200, 1}, {50, 50, 0, 0, 1}};
  const Detection inside{100, 60, 60, 120, 1};
  const auto field = std::make_unique<MotionField>();
  for (const Method method : {Method::lucas_kanade, Method::points}) {
    const Made m{method, 161};
    TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
    m.points->add_points_within(&inside, 1, 40, *field);
    TEST_ASSERT_EQUAL_INT(0, field->count);
    TEST_ASSERT_OK(m.points->estimate(prepared(pixels), 50, *field));
    const int before = field->count;
    m.points->add_points_within(outside, 3, 40, *field);
    m.points->add_points_within(&inside, 1, 0, *field);
    m.points->add_points_within(nullptr, 0, 40, *field);
    TEST_ASSERT_EQUAL_INT(before, field->count);
  }
}

}  // namespace
