// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "gpu/hog/search.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::hog;

namespace {

SearchPlan planned(const SearchSettings& settings, int width, int height, const Geometry& g = {}) {
  Result<SearchPlan> plan = plan_search(g, settings, width, height);
  TEST_ASSERT_OK(plan);
  return *std::move(plan);
}

/// The scales of cv::HOGDescriptor::detectMultiScale, as OpenCV 4.6 has them.
std::vector<double> opencv_scales(int width, int height, double step, int levels) {
  std::vector<double> scales;
  double scale = 1;
  for (int i = 0; i < levels; ++i) {
    scales.push_back(scale);
    if (std::lrint(width / scale) < 64 || std::lrint(height / scale) < 128) {
      scales.pop_back();
      break;
    }
    scale *= step;
  }
  return scales;
}

TEST(levels_are_opencvs) {
  struct Case {
    int width, height;
    double step;
    int levels;
  };
  for (const Case& c :
       {Case{1280, 960, 1.05, 64}, Case{1280, 960, 1.1, 64}, Case{641, 479, 1.2, 64},
        Case{640, 480, 1.05, 7}, Case{64, 128, 1.05, 64}, Case{65, 4000, 1.01, 64},
        Case{63, 128, 1.05, 64}, Case{4096, 127, 1.05, 64}}) {
    SearchSettings settings;
    settings.scale_step = c.step;
    settings.max_levels = c.levels;
    const SearchPlan plan = planned(settings, c.width, c.height);
    const std::vector<double> expected = opencv_scales(c.width, c.height, c.step, c.levels);
    TEST_ASSERT_EQUAL(expected.size(), plan.pyramid.levels.size());
    int number = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Level& level = plan.pyramid.levels[i];
      const LevelWindows& windows = plan.windows[i];
      TEST_ASSERT_TRUE(expected[i] == level.scale);
      TEST_ASSERT_EQUAL(std::lrint(c.width / expected[i]), level.image_width);
      TEST_ASSERT_EQUAL((level.image_width - 64) / 8 + 1, windows.columns);
      TEST_ASSERT_EQUAL((level.image_height - 128) / 8 + 1, windows.rows);
      TEST_ASSERT_EQUAL(number, windows.first_window);
      number += windows.columns * windows.rows;
    }
    TEST_ASSERT_EQUAL(number, plan.window_count);
  }
}

TEST(counts_worked_out_by_hand) {
  TEST_ASSERT_EQUAL(1, planned({}, 64, 128).window_count);  // 61 x 122 holds none
  TEST_ASSERT_EQUAL(1, planned({}, 66, 133).window_count);  // 63 x 127
  TEST_ASSERT_EQUAL(2, planned({}, 71, 135).window_count);  // one here, one at 68 x 129
  SearchSettings twice;
  twice.scale_step = 2;
  // 160 x 320: 13 x 25 windows; 80 x 160: 3 x 5; 40 x 80: none.
  const SearchPlan plan = planned(twice, 160, 320);
  TEST_ASSERT_EQUAL(2, plan.windows.size());
  TEST_ASSERT_EQUAL(13 * 25, plan.windows[1].first_window);
  TEST_ASSERT_EQUAL(13 * 25 + 3 * 5, plan.window_count);
  TEST_ASSERT_EQUAL(64 + 2 * 8, plan.pyramid.levels[1].width);
  TEST_ASSERT_EQUAL(128 + 4 * 8, plan.pyramid.levels[1].height);
}

TEST(a_picture_too_small_has_no_levels) {
  for (auto [w, h] : {std::pair{63, 128}, {64, 127}, {1, 1}, {65535, 1}}) {
    const SearchPlan plan = planned({}, w, h);
    TEST_ASSERT_EQUAL(0, plan.windows.size());
    TEST_ASSERT_EQUAL(0, plan.pyramid.levels.size());
    TEST_ASSERT_EQUAL(0, plan.window_count);
    TEST_ASSERT_EQUAL(w, plan.pyramid.width);
  }
}

TEST(a_minimum_height_sets_the_first_scale) {
  SearchSettings settings;
  settings.min_height = 48;  // half the person: the picture is doubled
  SearchPlan plan = planned(settings, 100, 100);
  TEST_ASSERT_TRUE(plan.pyramid.levels[0].scale == 0.5);
  TEST_ASSERT_EQUAL(200, plan.pyramid.levels[0].image_width);
  TEST_ASSERT_EQUAL((200 - 64) / 8 + 1, plan.windows[0].columns);
  settings.min_height = 192;
  plan = planned(settings, 640, 480);
  TEST_ASSERT_TRUE(plan.pyramid.levels[0].scale == 2);
  settings.min_height = settings.max_height = 77;  // 96 * (77 / 96) is not quite 77
  plan = planned(settings, 640, 480);
  TEST_ASSERT_EQUAL(1, plan.windows.size());
  TEST_ASSERT_FLOAT_WITHIN(1e-4F, 77, plan.box({}, 0, 0, 0, 1).h);
}

TEST(a_maximum_height_stops_the_levels) {
  SearchSettings settings;
  settings.max_height = 192;
  const SearchPlan plan = planned(settings, 4000, 3000);
  TEST_ASSERT_TRUE(96 * plan.pyramid.levels.back().scale <= 192);
  TEST_ASSERT_TRUE(96 * plan.pyramid.levels.back().scale * 1.05 > 192);
  settings.max_height = 95;
  TEST_ASSERT_EQUAL(0, planned(settings, 4000, 3000).window_count);
}

TEST(boxes_are_the_persons_in_the_picture) {
  SearchSettings settings;
  settings.scale_step = 2;
  settings.padding = 16;
  const SearchPlan plan = planned(settings, 160, 320);
  TEST_ASSERT_EQUAL(-16, plan.pyramid.levels[1].x0);
  const Detection box = plan.box({}, 1, 8, 24, 0.75F);
  TEST_ASSERT_EQUAL_FLOAT((-16 + 8 + 16) * 2, box.x);
  TEST_ASSERT_EQUAL_FLOAT((-16 + 24 + 16) * 2, box.y);
  TEST_ASSERT_EQUAL_FLOAT(64, box.w);
  TEST_ASSERT_EQUAL_FLOAT(192, box.h);
  TEST_ASSERT_EQUAL_FLOAT(0.75F, box.score);
}

// --- every window, one by one ------------------------------------------------------------------

using Place = std::tuple<double, int, int>;  // scale, and the corner in the scaled picture

/// The header's words: every place of the lattice, asked one by one.
std::set<Place> by_definition(const Geometry& g, const SearchSettings& s, int width, int height) {
  std::set<Place> places;
  double scale = s.min_height == 0 ? 1 : s.min_height / double{g.person_height};
  for (int i = 0; i < s.max_levels; ++i, scale *= s.scale_step) {
    const int w = static_cast<int>(std::lrint(width / scale)) + s.padding;
    const int h = static_cast<int>(std::lrint(height / scale)) + s.padding;
    if (w + s.padding < g.window_width || h + s.padding < g.window_height) break;
    if (s.max_height != 0 && double{g.person_height} * scale > s.max_height + 1e-6) break;
    for (int y = -s.padding; y + g.window_height <= h; y += s.stride)
      for (int x = -s.padding; x + g.window_width <= w; x += s.stride) {
        // Of the image, as a person with a ruler would have them.
        const double left = (x + double{g.person_x}) * scale,
                     top = (y + double{g.person_y}) * scale;
        const double right = left + double{g.person_width} * scale;
        const double tall = double{g.person_height} * scale, foot = top + tall;
        const double slack = 0.5 * s.stride * scale + 1e-9;
        if (s.region.width != 0 &&
            (left < s.region.x - slack || right > s.region.x + s.region.width + slack))
          continue;
        if (s.region.height != 0 &&
            (top < s.region.y - slack || foot > s.region.y + s.region.height + slack))
          continue;
        if (s.ground) {
          // How tall the person is, standing there; give or take the slack.
          const double over = foot - s.ground->horizon_row + s.ground->slack_rows;
          const double under = foot - s.ground->horizon_row - s.ground->slack_rows;
          if (over * s.ground->tallest_m < tall * s.ground->camera_height_m - 1e-9) continue;
          if (under * s.ground->shortest_m > tall * s.ground->camera_height_m + 1e-9) continue;
          // How far to the side the shortest would stand.
          const double beside = std::abs((left + right) / 2 - s.ground->middle_column) / tall;
          if (s.ground->side_m > 0 && beside * s.ground->shortest_m > s.ground->side_m + 1e-9)
            continue;
        }
        places.insert({scale, x, y});
      }
  }
  return places;
}

void compare(const Geometry& g, const SearchSettings& s, int width, int height) {
  const SearchPlan plan = planned(s, width, height, g);
  std::set<Place> places;
  int number = 0;
  for (std::size_t i = 0; i < plan.windows.size(); ++i) {
    const Level& level = plan.pyramid.levels[i];
    const LevelWindows& w = plan.windows[i];
    TEST_ASSERT_TRUE(w.columns > 0 && w.rows > 0);
    TEST_ASSERT_EQUAL(number, w.first_window);
    number += w.columns * w.rows;
    TEST_ASSERT_EQUAL(0, w.first_x);
    TEST_ASSERT_EQUAL(0, w.first_y);
    TEST_ASSERT_EQUAL((w.columns - 1) * plan.stride + g.window_width, level.width);
    TEST_ASSERT_EQUAL((w.rows - 1) * plan.stride + g.window_height, level.height);
    for (int row = 0; row < w.rows; ++row)
      for (int column = 0; column < w.columns; ++column)
        places.insert({level.scale, level.x0 + column * plan.stride, level.y0 + row * plan.stride});
  }
  TEST_ASSERT_EQUAL(number, plan.window_count);
  TEST_ASSERT_EQUAL(number, places.size());
  const std::set<Place> expected = by_definition(g, s, width, height);
  TEST_ASSERT_EQUAL(expected.size(), places.size());
  TEST_ASSERT_TRUE(expected == places);
}

TEST(windows_are_those_of_the_definition) {
  const Geometry dalal, small{48, 96, 8, 8, 32, 80}, odd{37, 61, 4.5F, 3.25F, 20.75F, 50.5F};
  int cases = 0;
  for (const Geometry& g : {dalal, small, odd})
    for (int stride : {8, 5})
      for (int padding : {0, 16, 13})
        for (int region = 0; region < 5; ++region)
          for (int ground = 0; ground < 4; ++ground) {
            SearchSettings s;
            s.scale_step = 1.3;
            s.stride = stride;
            s.padding = padding;
            s.max_levels = 10;
            if (++cases % 3 == 1) s.min_height = 60;
            if (cases % 4 == 1) s.max_height = 150;
            const Region regions[] = {
                {}, {51, 40, 170, 0}, {100, 33, 90, 121}, {-50, 90, 5000, 5000}, {300, 0, 40, 0}};
            s.region = regions[region];
            if (ground == 1) s.ground = GroundPlane{90.3, 1.4, 0.9, 2.1, 8};
            if (ground == 2) s.ground = GroundPlane{-20, 2.5, 1.5, 1.8, 0};
            if (ground == 3) s.ground = GroundPlane{90.3, 1.4, 0.9, 2.1, 8, 0.7, 140.5};
            compare(g, s, 257, 203);
          }
}

TEST(a_region_or_ground_can_leave_nothing) {
  SearchSettings s;
  s.region = {1000, 1000, 10, 10};
  TEST_ASSERT_EQUAL(0, planned(s, 640, 480).window_count);
  s.region = {10, 10, 20, 20};  // smaller than a person
  TEST_ASSERT_EQUAL(0, planned(s, 640, 480).window_count);
  s.region = {};
  s.ground = GroundPlane{5000};
  TEST_ASSERT_EQUAL(0, planned(s, 640, 480).windows.size());
}

// A person 1.75 m tall, 40 m away: found on the road, not in the sky.
TEST(ground_keeps_people_on_the_road_only) {
  SearchSettings s;
  s.ground = GroundPlane{480, 1.4, 0.9, 2.1, 8};
  const SearchPlan all = planned({}, 1280, 960), road = planned(s, 1280, 960);
  TEST_ASSERT_TRUE(road.window_count > 0);
  TEST_ASSERT_TRUE(road.window_count * 3 < all.window_count);
  // 96 pixels tall: feet from 480 + 96 * 1.4 / 2.1 - 8 = 536 to 480 + 96 * 1.4 / 0.9 + 8 = 637.3.
  TEST_ASSERT_EQUAL(424, road.pyramid.levels[0].y0);  // 424 + 112 = 536
  TEST_ASSERT_EQUAL(13, road.windows[0].rows);        // ... 632
}

// Who is far away is small, and is looked for only near the middle: 40 pixels for 0.9 m are 44 a
// metre.
TEST(far_to_the_side_nobody_is_looked_for) {
  SearchSettings s;
  s.min_height = 40;
  s.max_height = 40;
  s.ground = GroundPlane{360, 1.4, 0.9, 2.1, 8, 8, 640};
  const SearchPlan near = planned(s, 1280, 720);
  TEST_ASSERT_EQUAL(1, near.windows.size());
  const Detection first = near.box({}, 0, 0, 0, 0);
  const Detection last = near.box({}, 0, (near.windows[0].columns - 1) * near.stride, 0, 0);
  const double reach = 8 * 40 / 0.9, step = near.stride * 40 / 96.0;
  TEST_ASSERT_DOUBLE_WITHIN(step, 640 - reach, double{first.x} + double{first.w} / 2);
  TEST_ASSERT_DOUBLE_WITHIN(step, 640 + reach, double{last.x} + double{last.w} / 2);
  TEST_ASSERT_TRUE(double{first.x} + double{first.w} / 2 >= 640 - reach);
  s.ground->side_m = 0;
  TEST_ASSERT_TRUE(planned(s, 1280, 720).windows[0].columns > near.windows[0].columns * 3 / 2);
}

TEST(settings_that_make_no_sense_are_refused) {
  const auto refused = [](auto change) {
    SearchSettings s;
    s.ground = GroundPlane{};
    change(s);
    TEST_ASSERT_ERROR(Errc::invalid_argument, validate(s));
    TEST_ASSERT_ERROR(Errc::invalid_argument, plan_search({}, s, 640, 480));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TEST_ASSERT_OK(validate(SearchSettings{}));
  refused([](SearchSettings& s) { s.scale_step = 1; });
  refused([](SearchSettings& s) { s.scale_step = 0.5; });
  refused([](SearchSettings& s) { s.scale_step = 17; });
  refused([=](SearchSettings& s) { s.scale_step = nan; });
  refused([](SearchSettings& s) { s.stride = 0; });
  refused([](SearchSettings& s) { s.stride = 257; });
  refused([](SearchSettings& s) { s.min_height = -1; });
  refused([](SearchSettings& s) { s.max_height = -1; });
  refused([](SearchSettings& s) { s.min_height = 65536; });
  refused([](SearchSettings& s) { s.max_height = 65536; });
  refused([](SearchSettings& s) { s.min_height = 100, s.max_height = 99; });
  refused([](SearchSettings& s) { s.padding = -1; });
  refused([](SearchSettings& s) { s.padding = 1025; });
  refused([](SearchSettings& s) { s.max_levels = 0; });
  refused([](SearchSettings& s) { s.max_levels = 1025; });
  refused([](SearchSettings& s) { s.region.width = -1; });
  refused([](SearchSettings& s) { s.region.height = -1; });
  refused([=](SearchSettings& s) { s.ground->horizon_row = nan; });
  refused([=](SearchSettings& s) { s.ground->camera_height_m = nan; });
  refused([](SearchSettings& s) { s.ground->camera_height_m = 0; });
  refused([](SearchSettings& s) { s.ground->shortest_m = 0; });
  refused([](SearchSettings& s) { s.ground->shortest_m = 2.2; });
  refused([=](SearchSettings& s) { s.ground->tallest_m = nan; });
  refused([](SearchSettings& s) { s.ground->slack_rows = -1; });
}

TEST(pictures_and_windows_that_make_no_sense_are_refused) {
  for (auto [w, h] : {std::pair{0, 480}, {640, 0}, {-1, 480}, {65536, 480}, {640, 65536}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, plan_search({}, {}, w, h));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Geometry& g :
       {Geometry{0, 128}, Geometry{64, -1}, Geometry{1025, 128}, Geometry{64, 128, nan},
        Geometry{64, 128, 0, nan}, Geometry{64, 128, 16, 16, 0}, Geometry{64, 128, 16, 16, 32, 0},
        Geometry{64, 128, 16, 16, 32, nan}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, plan_search(g, {}, 640, 480));
  SearchSettings enlarging;
  enlarging.min_height = 1;
  TEST_ASSERT_ERROR(Errc::invalid_argument, plan_search({}, enlarging, 1280, 960));
}

TEST(huge_pictures_are_planned_or_refused) {
  SearchSettings s;
  const SearchPlan plan = planned(s, 16384, 16384);
  TEST_ASSERT_TRUE(plan.window_count > 4'000'000);
  s.stride = 1;
  TEST_ASSERT_ERROR(Errc::unsupported, plan_search({}, s, 65535, 65535));
}

}  // namespace
