// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/lens.hpp"

#include <cmath>
#include <limits>

#include "tests/support/test.hpp"

using namespace kerb;

namespace {

struct Case {
  const char* name;
  Lens lens;
};
constexpr double kF = 900, kX = 650, kY = 350;
constexpr Case kReal[] = {
    {"none", {kF, kX, kY}},
    {"barrel", {kF, kX, kY, -0.32, 0.11, -0.02, 0, 0}},
    {"pincushion", {kF, kX, kY, 0.2, 0.05, 0, 0, 0}},
    {"decentred", {kF, kX, kY, -0.2, 0.05, 0, 0.003, -0.004}},
    {"wide", {500, 640, 360, -0.1, 0.012, -0.0005, 0.0005, 0.0003}},
};

TEST(known_points_come_out_as_opencv_has_them) {
  // cv::projectPoints of (0.5, -0.25, 1) with these numbers.
  const Lens lens{1000, 600, 400, -0.3, 0.1, -0.02, 0.001, -0.002};
  const double r2 = 0.3125, radial = 1 - 0.3 * r2 + 0.1 * r2 * r2 - 0.02 * r2 * r2 * r2;
  const Pixel p = LensMap{lens}.distort({600 + 1000 * 0.5, 400 - 1000 * 0.25});
  TEST_ASSERT_DOUBLE_WITHIN(
      1e-9, 600 + 1000 * (0.5 * radial + 2 * 0.001 * 0.5 * -0.25 - 0.002 * (r2 + 2 * 0.25)), p.x);
  TEST_ASSERT_DOUBLE_WITHIN(
      1e-9, 400 + 1000 * (-0.25 * radial + 0.001 * (r2 + 2 * 0.0625) - 2 * 0.002 * 0.5 * -0.25),
      p.y);
}

TEST(what_is_distorted_comes_back) {
  for (const Case& c : kReal) {
    TEST_ASSERT_TRUE_MESSAGE(LensMap{c.lens}.is_one_to_one(1280, 720), c.name);
    double moved = 0;
    for (int y = 0; y < 720; y += 40)
      for (int x = 0; x < 1280; x += 40) {
        const Pixel seen{static_cast<double>(x), static_cast<double>(y)};
        const Pixel straight = LensMap{c.lens}.undistort(seen);
        const Pixel back = LensMap{c.lens}.distort(straight);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, seen.x, back.x, c.name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, seen.y, back.y, c.name);
        moved = std::fmax(moved, std::hypot(straight.x - seen.x, straight.y - seen.y));
      }
    TEST_ASSERT_TRUE_MESSAGE(c.lens.straight() ? moved == 0 : moved > 5, c.name);
  }
}

TEST(a_picture_that_folds_is_no_picture) {
  constexpr Case kImpossible[] = {
      {"barrel beyond its fold", {640, 639.5, 359.5, -0.6, 0, 0, 0, 0}},
      {"folds at the corners alone", {640, 639.5, 359.5, -0.25, 0, 0, 0, 0}},
      {"comes back after a fold", {640, 639.5, 359.5, -1.2, 0.5, 0, 0, 0}},
      {"tangential", {640, 639.5, 359.5, 0, 0, 0, 0.5, 0}},
      {"the worst a file may say", {50, 639.5, 359.5, -5, 5, -5, 1, -1}},
  };
  for (const Case& c : kImpossible) {
    TEST_ASSERT_FALSE_MESSAGE(LensMap{c.lens}.is_one_to_one(1280, 720), c.name);
    for (int y = -100; y < 900; y += 100)  // and still nothing breaks
      for (int x = -100; x < 1500; x += 100) {
        const Pixel p = LensMap{c.lens}.undistort({static_cast<double>(x), static_cast<double>(y)});
        TEST_ASSERT_TRUE_MESSAGE(std::isfinite(p.x) && std::isfinite(p.y), c.name);
      }
  }
  // The same numbers with a longer lens: the fold lies outside the picture.
  Lens longer = kImpossible[0].lens;
  longer.focal_px = 2000;
  TEST_ASSERT_TRUE(LensMap{longer}.is_one_to_one(1280, 720));
}

TEST(nothing_from_outside_is_shown_inside) {
  const LensMap map{{640, 639.5, 359.5, -0.3, 0, 0, 0, 0}};  // turns back 1.05 focal lengths out
  double before = 0;
  for (int i = 0; i < 400; ++i) {
    const double out = map.distort({639.5 + 10 * i, 359.5}).x;
    TEST_ASSERT_TRUE(out > before);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 639.5 + 10 * i, map.undistort({out, 359.5}).x);
    before = out;
  }
}

TEST(no_number_is_survived) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite, 1e300})
    static_cast<void>(LensMap{kReal[1].lens}.undistort({bad, 5}));  // comes back at all
}

}  // namespace
