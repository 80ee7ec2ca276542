// SPDX-License-Identifier: Apache-2.0
// Lucas-Kanade at given points on the CPU: what its header says, on pictures whose motion is known.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/flow/corners.hpp"
#include "gpu/flow/lucas_kanade_pyramid.hpp"
#include "gpu/flow/points.hpp"
#include "gpu/flow/points_math.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::flow::points;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::unique_ptr<PointTracker> make(const PointTrackerSettings& settings, int width, int height) {
  Result<std::unique_ptr<PointTracker>> made =
      make_point_tracker(*cpu, *workers, settings, width, height, 1000);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

/// Over the whole picture, off the pixels' centres.
std::vector<Point> some_points(int width, int height) {
  std::vector<Point> points;
  for (int y = 0; y < height; y += 13)
    for (int x = 0; x < width; x += 17)
      points.push_back({static_cast<float>(x) + 0.3F, static_cast<float>(y) + 0.61F});
  for (Point& p : points) {
    p.x = std::min(p.x, static_cast<float>(width - 1));
    p.y = std::min(p.y, static_cast<float>(height - 1));
  }
  return points;
}

std::vector<TrackedPoint> run(const PointTrackerSettings& settings, const GreyPicture& first,
                              const GreyPicture& second, const std::vector<Point>& points) {
  std::vector<TrackedPoint> out(points.size());
  TEST_ASSERT_OK(make(settings, first.width, first.height)
                     ->run(first.view(), second.view(), points.data(),
                           static_cast<int>(points.size()), out.data()));
  return out;
}

TEST(equal_pictures_leave_every_point_exactly_where_it_was) {
  for (const auto& [width, height] : {std::pair{131, 97}, std::pair{16, 16}}) {
    const Scene scene = busy_scene(width, height, 2);
    const std::vector<Point> points = some_points(width, height);
    const std::vector<TrackedPoint> out = run({}, scene.first, scene.first, points);
    for (std::size_t i = 0; i < points.size(); ++i)
      TEST_ASSERT_TRUE(out[i].x == points[i].x && out[i].y == points[i].y);
  }
}

TEST(shifts_by_whole_pixels_are_found_exactly_inside_the_picture) {
  constexpr int kWidth = 320, kHeight = 240;
  const Surface surface{5};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const std::vector<Point> points = some_points(kWidth, kHeight);
  const std::pair<int, int> shifts[] = {{1, 0}, {-3, 2}, {7, -9}, {-16, 0}, {12, 20}, {-17, -8}};
  for (const auto& [u, v] : shifts) {
    const std::vector<TrackedPoint> out =
        run({}, first, moved(surface, kWidth, kHeight, u, v), points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point p = points[i];
      if (p.x < 48 || p.y < 48 || p.x > kWidth - 48 || p.y > kHeight - 48) continue;
      TEST_ASSERT_TRUE_MESSAGE(out[i].x == p.x + static_cast<float>(u), "x is not exact");
      TEST_ASSERT_TRUE_MESSAGE(out[i].y == p.y + static_cast<float>(v), "y is not exact");
      TEST_ASSERT_EQUAL_UINT8(kValid, out[i].flags);
    }
  }
}

TEST(fractions_of_a_pixel_are_found_to_a_twentieth) {
  constexpr int kWidth = 200, kHeight = 160;
  const Surface surface{6};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const std::vector<Point> points = some_points(kWidth, kHeight);
  for (const double u : {0.25, 0.5, -1.7, 4.4}) {
    GreyPicture second = moved(surface, kWidth, kHeight, u, -0.6 * u);
    for (std::uint8_t& pixel : second.bytes) pixel = static_cast<std::uint8_t>(pixel * 0.9 + 20);
    const std::vector<TrackedPoint> out = run({}, first, second, points);
    double error = 0;
    int count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point p = points[i];
      if (p.x < 24 || p.y < 24 || p.x > kWidth - 24 || p.y > kHeight - 24) continue;
      error += std::hypot(out[i].x - p.x - u, out[i].y - p.y + 0.6 * u);
      ++count;
    }
    TEST_ASSERT_TRUE_MESSAGE(error / count < 0.05, "the mean error is too large");
  }
}

TEST(flat_windows_are_marked_and_trusted_nowhere) {
  const GreyPicture flat{120, 90};
  GreyPicture other{120, 90};
  std::fill(other.bytes.begin(), other.bytes.end(), std::uint8_t{200});
  const std::vector<Point> points = some_points(120, 90);
  for (const TrackedPoint& p : run({}, flat, other, points)) {
    TEST_ASSERT_EQUAL_UINT8(kTexturePoor, p.flags);
    TEST_ASSERT_EQUAL_UINT8(0, p.quality);
  }
}

TEST(an_edge_alone_is_texture_poor) {
  GreyPicture first{120, 90};
  for (int y = 0; y < 90; ++y)
    for (int x = 0; x < 120; ++x) first.at(x, y) = x < 60 ? 40 : 200;
  const std::vector<TrackedPoint> out = run({}, first, first, {{60.0F, 45.0F}});
  TEST_ASSERT_EQUAL_UINT8(kTexturePoor, out[0].flags);
}

TEST(points_outside_stay_and_are_flagged) {
  const Surface surface{10};
  const GreyPicture first = moved(surface, 160, 120, 0, 0);
  const GreyPicture second = moved(surface, 160, 120, -6, 0);
  const std::vector<Point> points = {{-0.5F, 10},   {10, 119.5F}, {NAN, 3},
                                     {INFINITY, 3}, {5.0F, 60},   {80, 60}};
  const std::vector<TrackedPoint> out = run({}, first, second, points);
  for (std::size_t i = 0; i < 4; ++i) {
    TEST_ASSERT_EQUAL_UINT8(kOutOfView, out[i].flags);
    TEST_ASSERT_EQUAL_UINT8(0, out[i].quality);
  }
  TEST_ASSERT_TRUE(out[0].x == -0.5F && out[0].y == 10);
  TEST_ASSERT_EQUAL_UINT8(kOutOfView, out[4].flags & kOutOfView);  // left the picture
  TEST_ASSERT_EQUAL_UINT8(kValid, out[5].flags);
}

TEST(points_that_do_not_lead_back_are_flagged) {
  constexpr int kWidth = 200, kHeight = 160;
  const Surface back{31}, front{32};
  GreyPicture first = moved(back, kWidth, kHeight, 0, 0), second = first;
  put_square(first, front, 0, 0);
  put_square(second, front, -8, 0);  // covers what lies left of it
  PointTrackerSettings settings;
  settings.check_back = true;
  const std::vector<Point> points = {{56, 60}, {56, 80}, {56, 100}, {100, 80}, {20, 20}, {180, 80}};
  const std::vector<TrackedPoint> out = run(settings, first, second, points);
  for (std::size_t i = 0; i < 3; ++i)
    TEST_ASSERT_EQUAL_UINT8(kInconsistent, out[i].flags & kInconsistent);
  for (std::size_t i = 3; i < 6; ++i) TEST_ASSERT_EQUAL_UINT8(kValid, out[i].flags);
}

TEST(one_thread_gives_what_many_give_and_allocates_nothing) {
  const Scene scene = busy_scene(203, 151, 15);
  const std::vector<Point> points = some_points(203, 151);
  const int count = static_cast<int>(points.size());
  Workers one{1};
  Result<std::unique_ptr<PointTracker>> alone = make_point_tracker(*cpu, one, {}, 203, 151, count);
  TEST_ASSERT_OK(alone);
  const auto many = make({}, 203, 151);
  std::vector<TrackedPoint> a(points.size()), b(points.size());
  const std::uint64_t before = allocations();
  (void)(*alone)->run(scene.first.view(), scene.second.view(), points.data(), count, a.data());
  (void)many->run(scene.first.view(), scene.second.view(), points.data(), count, b.data());
  TEST_ASSERT_EQUAL_UINT64(before, allocations());
  TEST_ASSERT_EQUAL_MEMORY(a.data(), b.data(), a.size() * sizeof(TrackedPoint));
}

TEST(what_it_cannot_take_is_refused_with_a_clear_line) {
  const auto refused = [](auto change, int width = 64, int most = 10) {
    PointTrackerSettings settings;
    change(settings);
    return make_point_tracker(*cpu, *workers, settings, width, 64, most);
  };
  const auto as_is = [](auto&) {};
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(as_is, 1));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(as_is, 64, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.radius = 1; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.radius = 11; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.iterations = 0; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.texture = NAN; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.back_tolerance = 0; }));
  const GreyPicture picture{64, 48}, other{64, 49};
  const auto tracker = make({}, 64, 48);
  std::vector<Point> points(1001);
  std::vector<TrackedPoint> out(1001);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tracker->run(picture.view(), other.view(), points.data(), 1, out.data()));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tracker->run(picture.view(), picture.view(), points.data(), 1001, out.data()));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tracker->run(picture.view(), picture.view(), nullptr, 1, out.data()));
  TEST_ASSERT_OK(tracker->run(picture.view(), picture.view(), nullptr, 0, nullptr));
  TEST_ASSERT_ERROR(Errc::unsupported, tracker->advance(flow::Picture<Space::device>{}));
}

/// Lucas and Kanade's step by plain sums of floating-point samples: one level, one window.
TEST(a_step_is_the_least_squares_solution) {
  constexpr int kWidth = 64, kHeight = 64, kRadius = 5;
  const Surface surface{40};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const GreyPicture second = moved(surface, kWidth, kHeight, 0.4, 0.3);
  const auto smooth = [](const GreyPicture& p, int x, int y) {
    double sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        sum +=
            (2 - std::abs(i)) * (2 - std::abs(j)) * p.view().data[(y + j) * p.row_stride + x + i];
    return sum / 16;
  };
  PointTrackerSettings settings;
  settings.pyramid.levels = 1;
  settings.radius = kRadius;
  settings.iterations = 1;
  const std::vector<TrackedPoint> out = run(settings, first, second, {{30, 33}});
  double sw = 0, sx = 0, sy = 0, se = 0, sxx = 0, sxy = 0, syy = 0, sxe = 0, sye = 0;
  for (int j = -kRadius; j <= kRadius; ++j)
    for (int i = -kRadius; i <= kRadius; ++i) {
      const double w = (kRadius + 1 - std::abs(i)) * (kRadius + 1 - std::abs(j));
      const int x = 30 + i, y = 33 + j;
      const double gx = (smooth(first, x + 1, y) - smooth(first, x - 1, y)) / 2;
      const double gy = (smooth(first, x, y + 1) - smooth(first, x, y - 1)) / 2;
      const double e = smooth(first, x, y) - smooth(second, x, y);
      sw += w;
      sx += w * gx;
      sy += w * gy;
      se += w * e;
      sxx += w * gx * gx;
      sxy += w * gx * gy;
      syy += w * gy * gy;
      sxe += w * gx * e;
      sye += w * gy * e;
    }
  const double a = sxx - sx * sx / sw, b = sxy - sx * sy / sw, c = syy - sy * sy / sw;
  const double p = sxe - sx * se / sw, q = sye - sy * se / sw;
  const double det = a * c - b * b;
  TEST_ASSERT_TRUE(std::fabs(out[0].x - 30 - (c * p - b * q) / det) < 1e-3);
  TEST_ASSERT_TRUE(std::fabs(out[0].y - 33 - (a * q - b * p) / det) < 1e-3);
}

/// Pixel by pixel, as the definition has it.
class Plain {
 public:
  TextureSums texture(const Sample* picture, const lk::Level& level, int px, int py,
                      int radius) const {
    patch_.clear();
    for (int j = -radius - 1; j <= radius + 1; ++j)
      for (int i = -radius - 1; i <= radius + 1; ++i)
        patch_.push_back(sample_at(picture, level, px + i * lk::kUnit, py + j * lk::kUnit));
    TextureSums sums{};
    for (int j = -radius; j <= radius; ++j)
      for (int i = -radius; i <= radius; ++i) add_texture(sums, patch_.data(), i, j, radius);
    return sums;
  }
  FitSums fit(const Sample* picture, const lk::Level& level, int px, int py, int radius) const {
    FitSums sums{};
    for (int j = -radius; j <= radius; ++j)
      for (int i = -radius; i <= radius; ++i)
        add_fit(sums, patch_.data(),
                sample_at(picture, level, px + i * lk::kUnit, py + j * lk::kUnit), i, j, radius);
    return sums;
  }
  MisfitSums misfit(const Sample* picture, const lk::Level& level, int px, int py,
                    int radius) const {
    MisfitSums sums{};
    for (int j = -radius; j <= radius; ++j)
      for (int i = -radius; i <= radius; ++i)
        add_misfit(sums, patch_.data(),
                   sample_at(picture, level, px + i * lk::kUnit, py + j * lk::kUnit), i, j, radius);
    return sums;
  }

 private:
  mutable std::vector<int> patch_;
};

TEST(every_window_gives_what_its_definition_gives) {
  constexpr int kWidth = 131, kHeight = 97;
  const Scene scene = busy_scene(kWidth, kHeight, 3);
  const std::vector<Point> all = some_points(kWidth, kHeight);
  for (int radius = kMinRadius; radius <= kMaxRadius; ++radius) {
    PointTrackerSettings settings;
    settings.radius = radius;
    settings.check_back = radius % 2 == 1;
    LucasKanadeSettings layout;
    layout.pyramid = settings.pyramid;
    const lk::Plan plan = lk::make_plan(layout, kWidth, kHeight);
    std::vector<Sample> pictures[2];
    for (auto& picture : pictures) picture.resize(plan.samples);
    std::vector<std::uint16_t> scratch(lk::pyramid_scratch(plan, *workers));
    lk::make_pyramids(*workers, plan, scene.first.view(), scene.second.view(), pictures, scratch);
    const points::Job job = make_job(settings, plan);
    const std::vector<TrackedPoint> out = run(settings, scene.first, scene.second, all);
    for (std::size_t i = 0; i < all.size(); i += 3) {
      const TrackedPoint expected =
          tracked(Plain{}, job, pictures[0].data(), pictures[1].data(), all[i]);
      TEST_ASSERT_EQUAL_MEMORY(&expected, &out[i], sizeof expected);
    }
  }
}

TEST(a_sequence_gives_what_its_pairs_give_both_ways) {
  constexpr int kWidth = 160, kHeight = 120;
  const Surface surface{21};
  const GreyPicture pictures[] = {moved(surface, kWidth, kHeight, 0, 0),
                                  moved(surface, kWidth, kHeight, 2.5, 1),
                                  moved(surface, kWidth, kHeight, 4, 3)};
  const std::vector<Point> points = some_points(kWidth, kHeight);
  const int count = static_cast<int>(points.size());
  const auto tracker = make({}, kWidth, kHeight);
  std::vector<TrackedPoint> out(points.size());
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tracker->track(Way::forward, points.data(), count, out.data()));
  TEST_ASSERT_OK(tracker->advance(pictures[0].view()));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tracker->track(Way::forward, points.data(), count, out.data()));
  for (int i = 1; i < 3; ++i) {
    TEST_ASSERT_OK(tracker->advance(pictures[i].view()));
    TEST_ASSERT_OK(tracker->track(Way::forward, points.data(), count, out.data()));
    std::vector<TrackedPoint> pair = run({}, pictures[i - 1], pictures[i], points);
    TEST_ASSERT_EQUAL_MEMORY(pair.data(), out.data(), out.size() * sizeof(TrackedPoint));
    TEST_ASSERT_OK(tracker->track(Way::backward, points.data(), count, out.data()));
    pair = run({}, pictures[i], pictures[i - 1], points);
    TEST_ASSERT_EQUAL_MEMORY(pair.data(), out.data(), out.size() * sizeof(TrackedPoint));
  }
}

/// The smaller eigenvalue by plain sums, for the pixel 2 x + 1, 2 y + 1.
double corner_at(const GreyPicture& picture, int x, int y, int rows) {
  double a = 0, b = 0, c = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const int px = 2 * (x + i) + 1, py = 2 * std::clamp(y + j, 0, rows - 1) + 1;
      const auto at = [&](int u, int v) {
        return static_cast<double>(picture.view().data[v * picture.row_stride + u]);
      };
      const double gx = (at(px + 1, py) - at(px - 1, py)) / 2;
      const double gy = (at(px, py + 1) - at(px, py - 1)) / 2;
      a += gx * gx / 25;
      b += gx * gy / 25;
      c += gy * gy / 25;
    }
  return (a + c) / 2 - std::sqrt((a - c) * (a - c) / 4 + b * b);
}

TEST(corners_are_where_the_smaller_eigenvalue_is_largest) {
  constexpr int kWidth = 101, kHeight = 78;
  const GreyPicture picture = moved(Surface{9}, kWidth, kHeight, 0, 0);
  Corners corners{*workers, kWidth, kHeight};
  const Square squares[] = {{0, 0, kWidth, kHeight}, {6, 6, 20, 20},   {20, 40, 34, 54},
                            {60, 60, 95, 78},        {-50, -9, 17, 9}, {80, 10, 400, 700}};
  for (int again = 0; again < 2; ++again) {
    corners.look_at(picture.view());
    for (const Square& s : squares) {
      const int columns = (kWidth - 1) / 2, rows = (kHeight - 1) / 2;
      double best = 0;
      for (int y = std::max(s.y0 / 2, 0); y < std::min(s.y1 / 2, rows); ++y)
        for (int x = std::max(s.x0 / 2, 2); x < std::min(s.x1 / 2, columns - 2); ++x)
          best = std::max(best, corner_at(picture, x, y, rows));
      Point found;
      TEST_ASSERT_TRUE(corners.best_of(s, 0.1F, found));
      TEST_ASSERT_TRUE(found.x >= static_cast<float>(s.x0) && found.x < static_cast<float>(s.x1));
      TEST_ASSERT_TRUE(found.y >= static_cast<float>(s.y0) && found.y < static_cast<float>(s.y1));
      const double there =
          corner_at(picture, static_cast<int>(found.x) / 2, static_cast<int>(found.y) / 2, rows);
      TEST_ASSERT_TRUE(std::fabs(there - best) <= 1e-4 * best);
      TEST_ASSERT_FALSE(corners.best_of(s, static_cast<float>(best * 1.01), found));
    }
  }
  Point none;
  TEST_ASSERT_FALSE(corners.best_of({30, 30, 30, 30}, 0, none));
  const GreyPicture flat{kWidth, kHeight};
  corners.look_at(flat.view());
  TEST_ASSERT_FALSE(corners.best_of({0, 0, kWidth, kHeight}, 0, none));
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  return Start::run;
}
