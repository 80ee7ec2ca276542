// SPDX-License-Identifier: Apache-2.0
// Crops against their definition, and against exact arithmetic.
#include "gpu/net/crop.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/gpu/net_cases.hpp"
#include "tests/unit/gpu/net_oracle.hpp"

using namespace kerb;
using namespace kerb::test;
using net::CropPlace;
using net::CropShape;

namespace {

std::vector<std::uint8_t> cut(const Planes& picture, const CropShape& shape,
                              const CropPlace& place) {
  const int samples = shape.planes * shape.width * shape.height;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(samples), 0xa5);
  net::cut_crop(picture.planes(), shape, place, out.data());
  return out;
}

void expect_as_defined(const Planes& picture, const CropShape& shape, const CropPlace& place) {
  const std::vector<std::uint8_t> expected = plain_crop(picture, shape, place);
  char what[120];
  std::snprintf(what, sizeof what, "%dx%d crop, step %d, from %lld %lld", shape.width, shape.height,
                place.step, static_cast<long long>(place.left), static_cast<long long>(place.top));
  TEST_ASSERT_EQUAL_UINT8_ARRAY_MESSAGE(expected.data(), cut(picture, shape, place).data(),
                                        expected.size(), what);
}

TEST(crops_of_candidates_are_as_defined) {
  const CropShape shapes[] = {{48, 96, 3, 64}, {48, 96, 1, 64}, {10, 14, 3, 9}, {2, 2, 1, 1}};
  for (const CropShape& shape : shapes) {
    const Planes picture{shape.planes, 211, 163, 5, 3};
    const int count = shape.width > 20 ? 24 : 100;
    for (const Detection& d : net_candidates(count, 211, 163, shape, 17))
      expect_as_defined(picture, shape, net::place_crop(shape, d));
  }
}

TEST(crops_of_tiny_pictures_are_as_defined) {
  const CropShape shape{20, 18, 3, 12};
  for (const Side& side : kPlaneSizes) {
    // Not a byte more than the picture has, so that the sanitizers see what is read beyond it.
    const Planes picture{3, side.width, side.height, 0, 7};
    for (const Detection& d : net_candidates(10, side.width, side.height, shape, 5))
      expect_as_defined(picture, shape, net::place_crop(shape, d));
  }
}

/// Every number of taps, at the steps where it begins and ends; wide crops take several turns.
TEST(all_steps_are_as_defined) {
  const Planes picture{1, 300, 40, 0, 11};
  for (int taps = 1; taps <= net::kMaxTaps; ++taps)
    for (const int step : {(taps - 1) * 65536 + 1, taps * 65536 - 1, taps * 65536}) {
      CropPlace place{-3 * 65536 + 12345, 2 * 65536 - 777, std::max(step, 1024), taps};
      expect_as_defined(picture, {62, 6, 1, 6}, place);
      place.left = 290 * 65536;
      expect_as_defined(picture, {14, 4, 1, 4}, place);
    }
  for (const int step : {1024, 17 * 65536 + 5, 100 * 65536, 1 << 24}) {
    const int taps = step < 65536 ? 1 : net::kMaxTaps;
    for (const std::int64_t left :
         {std::int64_t{0}, std::int64_t{-40} << 24, std::int64_t{40} << 24, std::int64_t{-3} << 24})
      expect_as_defined(picture, {256, 2, 1, 2}, {left, -(std::int64_t{1} << 16), step, taps});
  }
}

TEST(white_stays_white) {
  Planes picture{3, 640, 500, 0};
  std::fill(picture.bytes.begin(), picture.bytes.end(), std::uint8_t{255});
  for (const int taps : {1, 3, 7, 16})
    for (const std::uint8_t b : cut(picture, {48, 96, 3, 64}, {99, 77, taps * 65536, taps}))
      TEST_ASSERT_EQUAL_UINT8(255, b);
}

/// A scale of one at whole pixels is a copy; the place of a box is exact.
TEST(a_crop_of_the_same_scale_is_a_copy) {
  const CropShape shape{48, 96, 3, 64};
  const Planes picture{3, 100, 120, 3, 5};
  const CropPlace place = net::place_crop(shape, {28 - 16.0F, 60 - 32.0F, 32, 64, 0});
  TEST_ASSERT_EQUAL(65536, place.step);
  TEST_ASSERT_EQUAL(1, place.taps);
  TEST_ASSERT_EQUAL_INT64(4 * 65536, place.left);
  TEST_ASSERT_EQUAL_INT64(12 * 65536, place.top);
  const std::vector<std::uint8_t> crop = cut(picture, shape, place);
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < 96; ++y)
      for (int x = 0; x < 48; ++x)
        TEST_ASSERT_EQUAL_UINT8(picture.at(p, x + 4, y + 12),
                                crop[static_cast<std::size_t>((p * 96 + y) * 48 + x)]);
}

TEST(places_are_limited_whatever_the_box) {
  const CropShape shape{48, 96, 3, 64};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float most = std::numeric_limits<float>::max();
  for (const float v : {nan, most, -most, std::numeric_limits<float>::infinity(), 0.0F, 1e-30F}) {
    const CropPlace place = net::place_crop(shape, {v, v, v, v, 0});
    TEST_ASSERT_TRUE(place.step >= 1024 && place.step <= 1 << 24);
    TEST_ASSERT_TRUE(place.taps >= 1 && place.taps <= net::kMaxTaps);
    expect_as_defined(Planes{3, 20, 20, 0}, shape, place);
  }
  TEST_ASSERT_EQUAL(1024, net::place_crop(shape, {0, 0, 1, 0.5F, 0}).step);
  TEST_ASSERT_EQUAL(2, net::place_crop(shape, {0, 0, 1, 64.01F, 0}).taps);
  TEST_ASSERT_EQUAL(1 << 24, net::place_crop(shape, {0, 0, 1, 1e9F, 0}).step);
}

TEST(normalised_crops_are_as_defined) {
  Random random{9};
  for (const CropShape& shape : {CropShape{48, 96, 3, 64}, CropShape{6, 4, 1, 4},
                                 CropShape{2, 2, 3, 2}, CropShape{256, 256, 3, 100}})
    for (int kind = 0; kind < 8; ++kind) {
      const int samples = shape.planes * shape.width * shape.height;
      std::vector<std::uint8_t> crop(static_cast<std::size_t>(samples));
      for (std::uint8_t& b : crop) {
        const std::uint64_t r = random.next() >> 8;
        const std::uint64_t kinds[] = {r % 256,    r % 2 * 255, 0,      255,
                                       40 + r % 3, r % 9,       r % 97, r % 500 == 0 ? 255U : 3U};
        b = static_cast<std::uint8_t>(kinds[kind]);
      }
      std::vector<std::uint8_t> out(crop.size(), 0xa5);
      net::normalise_crop(shape, crop.data(), out.data());
      TEST_ASSERT_EQUAL_UINT8_ARRAY(plain_normalised(shape, crop).data(), out.data(), out.size());
    }
}

/// Contrast and brightness go: the same crop at another exposure is nearly the same to a network. A
/// flat one stays flat.
TEST(normalised_crops_do_not_depend_on_the_exposure) {
  const CropShape shape{48, 96, 1, 64};
  std::vector<std::uint8_t> dark, bright, flat;
  Random random{4};
  for (int i = 0; i < 48 * 96; ++i) {
    const int v = static_cast<int>(random.next() >> 40) % 61;
    dark.push_back(static_cast<std::uint8_t>(10 + v));
    bright.push_back(static_cast<std::uint8_t>(60 + 3 * v));
    flat.push_back(static_cast<std::uint8_t>(100 + v % 2));
  }
  std::vector<std::uint8_t> a(dark.size()), b(dark.size()), c(dark.size());
  net::normalise_crop(shape, dark.data(), a.data());
  net::normalise_crop(shape, bright.data(), b.data());
  net::normalise_crop(shape, flat.data(), c.data());
  double mean = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    TEST_ASSERT_UINT8_WITHIN(1, a[i], b[i]);
    TEST_ASSERT_UINT8_WITHIN(4, 64, c[i]);  // half a level is 24 / 3 / 2
    mean += a[i];
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 64, mean / static_cast<double>(a.size()));
}

}  // namespace
