// SPDX-License-Identifier: Apache-2.0
#ifdef KERB_OPENCV
#include <opencv2/imgproc.hpp>
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu/image/luv_math.hpp"
#include "gpu/image/to_luv.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Exact {
  double l, u, v;
};
double linear(int srgb) {
  const double c = srgb / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
/// The textbook, in double.
Exact exact(int red, int green, int blue) {
  const double r = linear(red), g = linear(green), b = linear(blue);
  const double x = 0.412453 * r + 0.357580 * g + 0.180423 * b;
  const double y = 0.212671 * r + 0.715160 * g + 0.072169 * b;
  const double z = 0.019334 * r + 0.119193 * g + 0.950227 * b;
  const double l = y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : 24389.0 / 27 * y;
  const double white = 0.950456 + 15 + 3 * 1.088754, sum = x + 15 * y + 3 * z;
  const double u = sum > 0 ? 13 * l * (4 * x / sum - 4 * 0.950456 / white) : 0;
  const double v = sum > 0 ? 13 * l * (9 * y / sum - 9 / white) : 0;
  return {l * 255 / 100, (u + 134) * 255 / 354, (v + 140) * 255 / 262};
}

luv::Luv converted(int r, int g, int b) {
  const std::uint8_t in[3] = {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                              static_cast<std::uint8_t>(b)};
  std::uint8_t out[3] = {};
  TEST_ASSERT_OK(cpu::to_luv({in, 3, 1, 1, 1, 1}, {out, 3, 1, 1, 1, 1}));
  return {out[0], out[1], out[2]};
}

TEST(luv_is_cies) {
  const auto check = [](double expected, int actual) {
    if (std::fabs(expected - actual) > 0.501)
      TEST_ASSERT_DOUBLE_WITHIN(0.501, expected, static_cast<double>(actual));
  };
  for (int r = 0; r < 256; r += 5)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 5) {
        const luv::Luv actual = converted(r, g, b);
        const Exact e = exact(r, g, b);
        check(std::fmin(e.l, 255), actual.l);
        check(e.u, actual.u);
        check(e.v, actual.v);
      }
}

TEST(greys_have_no_colour) {
  int last = -1;
  for (int i = 0; i < 256; ++i) {
    const luv::Luv p = converted(i, i, i);
    TEST_ASSERT_EQUAL(97, p.u);
    TEST_ASSERT_EQUAL(136, p.v);
    TEST_ASSERT_TRUE(p.l >= last);
    last = p.l;
  }
  TEST_ASSERT_EQUAL(0, converted(0, 0, 0).l);
  TEST_ASSERT_EQUAL(255, converted(255, 255, 255).l);
}

// A number for the bits of all results: it must not depend on machine, compiler or its options.
TEST(the_bits_are_the_same_everywhere) {
  std::uint32_t hash = 2166136261u;
  const auto add = [&](std::uint8_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (int r = 0; r < 256; r += 3)
    for (int g = 0; g < 256; g += 3)
      for (int b = 0; b < 256; b += 17) {
        const luv::Luv p = converted(r, g, b);
        add(p.l);
        add(p.u);
        add(p.v);
      }
  TEST_ASSERT_EQUAL_HEX32(0x7bb31773u, hash);
}

TEST(planes_of_every_size_and_in_place) {
  for (const Side& size : {Side{1, 1}, Side{31, 7}, Side{255, 2}, Side{256, 2}, Side{613, 3}}) {
    const Planes in{3, size.width, size.height, 2};
    Planes out{3, size.width, size.height, 2};
    std::fill(out.bytes.begin(), out.bytes.end(), std::uint8_t{0xa5});
    TEST_ASSERT_OK(cpu::to_luv(in.planes(), {out.bytes.data(), 3, size.width, size.height,
                                             out.stride, out.plane_stride()}));
    Planes same = in;
    TEST_ASSERT_OK(cpu::to_luv(same.planes(), {same.bytes.data(), 3, size.width, size.height,
                                               same.stride, same.plane_stride()}));
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width + 2; ++x) {
        if (x >= size.width) {
          TEST_ASSERT_EQUAL_HEX8(0xa5, out.at(0, x, y));
          TEST_ASSERT_EQUAL_HEX8(in.at(1, x, y), same.at(1, x, y));
          continue;
        }
        const luv::Luv p = converted(in.at(0, x, y), in.at(1, x, y), in.at(2, x, y));
        const std::uint8_t expected[3] = {p.l, p.u, p.v};
        for (int c = 0; c < 3; ++c) {
          TEST_ASSERT_EQUAL(expected[c], out.at(c, x, y));
          TEST_ASSERT_EQUAL(expected[c], same.at(c, x, y));
        }
      }
  }
}

TEST(to_luv_refuses_what_its_contract_refuses) {
  std::vector<std::uint8_t> bytes(2048);
  using In = PlanesView<Space::host, const std::uint8_t>;
  using Out = PlanesView<Space::host, std::uint8_t>;
  std::uint8_t* to = bytes.data() + 1024;
  const In in{bytes.data(), 3, 16, 8, 16, 128};
  const Out out{to, 3, 16, 8, 16, 128};
  TEST_ASSERT_OK(cpu::to_luv(in, out));
  for (const In& bad :
       {In{nullptr, 3, 16, 8, 16, 128}, In{to, 1, 16, 8, 16, 128}, In{to, 3, 0, 8, 16, 128},
        In{to, 3, 16, 8, 15, 128}, In{to, 3, 16, 8, 16, 127}, In{to, 3, 65537, 1, 65537, 65537}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_luv(bad, out));
  for (const Out& bad : {Out{nullptr, 3, 16, 8, 16, 128}, Out{to, 4, 16, 8, 16, 128},
                         Out{to, 3, 15, 8, 16, 128}, Out{to, 3, 16, 8, 16, 127}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_luv(in, bad));
}

#ifdef KERB_OPENCV
// OpenCV interpolates in a table for 8 bits, and is exact for floats.
TEST(luv_is_near_opencvs) {
  double sum = 0, count = 0;
  for (int r = 0; r < 256; r += 15)
    for (int g = 0; g < 256; g += 15)
      for (int b = 0; b < 256; b += 15) {
        cv::Mat from(1, 1, CV_8UC3, cv::Scalar(r, g, b)), to, scaled, exact_to;
        cv::cvtColor(from, to, cv::COLOR_RGB2Luv);
        from.convertTo(scaled, CV_32F, 1 / 255.0);
        cv::cvtColor(scaled, exact_to, cv::COLOR_RGB2Luv);
        const luv::Luv p = converted(r, g, b);
        const int ours[3] = {p.l, p.u, p.v};
        const auto f = exact_to.at<cv::Vec3f>(0, 0);
        const double exact_ones[3] = {static_cast<double>(f[0]) * 2.55,
                                      (static_cast<double>(f[1]) + 134) * 255 / 354,
                                      (static_cast<double>(f[2]) + 140) * 255 / 262};
        for (int c = 0; c < 3; ++c) {
          const int difference = std::abs(ours[c] - to.at<cv::Vec3b>(0, 0)[c]);
          TEST_ASSERT_LESS_OR_EQUAL(3, difference);
          TEST_ASSERT_DOUBLE_WITHIN(0.7, exact_ones[c], static_cast<double>(ours[c]));
          sum += difference;
          ++count;
        }
      }
  TEST_ASSERT_TRUE(sum / count < 0.25);
}
#endif

}  // namespace
