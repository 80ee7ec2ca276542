// SPDX-License-Identifier: Apache-2.0
#ifdef KERB_OPENCV
#include <opencv2/imgproc.hpp>
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu/image/resize.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Case {
  Resizer::Size in, out;
};
constexpr Case kShrinking[] = {
    {{1, 1}, {1, 1}},     {{2, 2}, {1, 1}},       {{64, 48}, {64, 48}},    {{64, 48}, {32, 24}},
    {{9, 7}, {4, 3}},     {{130, 70}, {129, 69}}, {{131, 77}, {41, 19}},   {{200, 3}, {7, 1}},
    {{3, 200}, {1, 199}}, {{255, 129}, {17, 2}},  {{301, 211}, {287, 201}}};
constexpr Case kGrowing[] = {{{1, 1}, {5, 3}},     {{2, 3}, {7, 3}},    {{31, 17}, {64, 18}},
                             {{40, 30}, {80, 60}}, {{37, 5}, {36, 50}}, {{99, 61}, {101, 67}}};

const Context& context() {
  static Result<Context> made = Context::create(BackendChoice::cpu);
  return *made;
}
Resizer make(const Case& c, ResizeMethod method) {
  Result<Resizer> made = Resizer::create(context(), c.in, c.out, method);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}
std::vector<std::uint8_t> resized(const Planes& in, const Case& c, ResizeMethod method,
                                  int slack = 0) {
  const int stride = c.out.width + slack;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(stride * c.out.height), 0xa5);
  Resizer resizer = make(c, method);
  for (int round = 0; round < 2; ++round)  // it may be used again
    TEST_ASSERT_OK(resizer.run(in.plane(0), {out.data(), c.out.width, c.out.height, stride}));
  for (int y = 0; y < c.out.height; ++y)
    for (int x = c.out.width; x < stride; ++x)
      TEST_ASSERT_EQUAL_HEX8(0xa5, out[static_cast<std::size_t>(y * stride + x)]);
  return out;
}

// Parts of pixels counted one by one: 1 / (in * out) of a side is the common measure.
TEST(area_equals_the_mean_of_what_a_pixel_covers) {
  for (const Case& c : kShrinking) {
    const Planes in{1, c.in.width, c.in.height, 3};
    const std::vector<std::uint8_t> out = resized(in, c, ResizeMethod::area, 2);
    const auto overlap = [](int i, int k, int from, int to) {
      return std::max(0, std::min((i + 1) * from, (k + 1) * to) - std::max(i * from, k * to));
    };
    const std::int64_t parts = std::int64_t{c.in.width} * c.in.height;
    for (int y = 0; y < c.out.height; ++y)
      for (int x = 0; x < c.out.width; ++x) {
        std::int64_t sum = 0;
        for (int j = y * c.in.height / c.out.height; j < c.in.height; ++j) {
          const std::int64_t down = overlap(y, j, c.in.height, c.out.height);
          if (down == 0) break;
          for (int i = x * c.in.width / c.out.width; i < c.in.width; ++i) {
            const std::int64_t across = overlap(x, i, c.in.width, c.out.width);
            if (across == 0) break;
            sum += down * across * in.at(0, i, j);
          }
        }
        const std::int64_t expected = (2 * sum + parts) / (2 * parts);
        const std::uint8_t actual = out[static_cast<std::size_t>(y * (c.out.width + 2) + x)];
        if (expected != actual) TEST_ASSERT_EQUAL(expected, actual);
      }
  }
}

TEST(the_same_size_gives_the_same_picture_and_flat_stays_flat) {
  const Case same{{61, 43}, {61, 43}};
  const Planes in{1, 61, 43, 0};
  for (ResizeMethod method : {ResizeMethod::area, ResizeMethod::bilinear}) {
    TEST_ASSERT_EQUAL_UINT8_ARRAY(in.bytes.data(), resized(in, same, method).data(),
                                  in.bytes.size());
    for (const Case& c : kShrinking)
      for (int level : {0, 1, 127, 254, 255}) {
        Planes flat{1, c.in.width, c.in.height, 0};
        std::fill(flat.bytes.begin(), flat.bytes.end(), static_cast<std::uint8_t>(level));
        const std::vector<std::uint8_t> out = resized(flat, c, method);
        TEST_ASSERT_EACH_EQUAL_UINT8(level, out.data(), out.size());
      }
  }
}

TEST(halving_by_hand) {
  Planes in{1, 4, 2, 0};
  in.bytes = {0, 1, 10, 20, 2, 3, 30, 41};
  const Case c{{4, 2}, {2, 1}};
  // 6/4 rounds up, 101/4 to 25; bilinear puts its taps half-way, which is the same mean.
  for (ResizeMethod method : {ResizeMethod::area, ResizeMethod::bilinear}) {
    const std::vector<std::uint8_t> out = resized(in, c, method);
    TEST_ASSERT_EQUAL(2, out[0]);
    TEST_ASSERT_EQUAL(25, out[1]);
  }
}

// The definition once more, with weights in double.
TEST(bilinear_is_near_the_exact_interpolation) {
  const auto check = [](const Case& c) {
    const Planes in{1, c.in.width, c.in.height, 1};
    const std::vector<std::uint8_t> out = resized(in, c, ResizeMethod::bilinear);
    const auto place = [](int i, int from, int to) {
      return std::min(std::max((i + 0.5) * from / to - 0.5, 0.0), from - 1.0);
    };
    for (int y = 0; y < c.out.height; ++y)
      for (int x = 0; x < c.out.width; ++x) {
        const double fx = place(x, c.in.width, c.out.width),
                     fy = place(y, c.in.height, c.out.height);
        const int i = static_cast<int>(fx), j = static_cast<int>(fy);
        const double wx = fx - i, wy = fy - j;
        const auto at = [&](int a, int b) {
          return static_cast<double>(
              in.at(0, std::min(a, c.in.width - 1), std::min(b, c.in.height - 1)));
        };
        const double expected = (1 - wy) * ((1 - wx) * at(i, j) + wx * at(i + 1, j)) +
                                wy * ((1 - wx) * at(i, j + 1) + wx * at(i + 1, j + 1));
        const double actual = out[static_cast<std::size_t>(y * c.out.width + x)];
        if (std::fabs(expected - actual) > 1.51) TEST_ASSERT_DOUBLE_WITHIN(1.51, expected, actual);
      }
  };
  for (const Case& c : kShrinking) check(c);
  for (const Case& c : kGrowing) check(c);
}

TEST(resizers_refuse_what_their_contract_refuses) {
  using Size = Resizer::Size;
  const Size good{16, 8};
  for (Size bad : {Size{0, 8}, Size{16, 0}, Size{-1, 8}, Size{65536, 8}, Size{16, 65536}})
    for (ResizeMethod method : {ResizeMethod::area, ResizeMethod::bilinear}) {
      TEST_ASSERT_ERROR(Errc::invalid_argument, Resizer::create(context(), bad, good, method));
      TEST_ASSERT_ERROR(Errc::invalid_argument, Resizer::create(context(), good, bad, method));
    }
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    Resizer::create(context(), good, {17, 8}, ResizeMethod::area));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    Resizer::create(context(), good, {16, 9}, ResizeMethod::area));
  Resizer resizer = make({good, {8, 4}}, ResizeMethod::area);
  std::vector<std::uint8_t> bytes(1024);
  using In = ImageView<Space::host, const std::uint8_t>;
  using Out = ImageView<Space::host, std::uint8_t>;
  std::uint8_t* to = bytes.data() + 512;
  const In in{bytes.data(), 16, 8, 16};
  const Out out{to, 8, 4, 8};
  TEST_ASSERT_OK(resizer.run(in, out));
  for (const In& bad : {In{nullptr, 16, 8, 16}, In{bytes.data(), 15, 8, 16},
                        In{bytes.data(), 16, 7, 16}, In{bytes.data(), 16, 8, 15}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, resizer.run(bad, out));
  for (const Out& bad :
       {Out{nullptr, 8, 4, 8}, Out{to, 9, 4, 9}, Out{to, 8, 3, 8}, Out{to, 8, 4, 7}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, resizer.run(in, bad));
  // Without a GPU there is nothing to run on; the pointers are not looked at.
  TEST_ASSERT_ERROR(Errc::unsupported,
                    resizer.run(StreamRef{static_cast<CUstream_st*>(nullptr)},
                                ImageView<Space::device, const std::uint8_t>{in.data, 16, 8, 16},
                                ImageView<Space::device, std::uint8_t>{to, 8, 4, 8}));
}

#ifdef KERB_OPENCV
cv::Mat by_opencv(const Planes& in, const Case& c, int method) {
  const cv::Mat from(c.in.height, c.in.width, CV_8U, const_cast<std::uint8_t*>(in.bytes.data()),
                     static_cast<std::size_t>(in.stride));
  cv::Mat to;
  cv::resize(from, to, {c.out.width, c.out.height}, 0, 0, method);
  return to;
}
void compare(const Case& c, ResizeMethod method, int tolerance) {
  const Planes in{1, c.in.width, c.in.height, 3};
  const std::vector<std::uint8_t> out = resized(in, c, method);
  const cv::Mat expected =
      by_opencv(in, c, method == ResizeMethod::area ? cv::INTER_AREA : cv::INTER_LINEAR_EXACT);
  for (int y = 0; y < c.out.height; ++y)
    for (int x = 0; x < c.out.width; ++x) {
      const int actual = out[static_cast<std::size_t>(y * c.out.width + x)];
      if (std::abs(expected.at<std::uint8_t>(y, x) - actual) <= tolerance) continue;
      char text[100];
      std::snprintf(text, sizeof text, "%dx%d to %dx%d at (%d, %d)", c.in.width, c.in.height,
                    c.out.width, c.out.height, x, y);
      TEST_ASSERT_EQUAL_MESSAGE(expected.at<std::uint8_t>(y, x), actual, text);
    }
}

TEST(bilinear_equals_opencv_bit_for_bit) {
  for (const Case& c : kShrinking) compare(c, ResizeMethod::bilinear, 0);
  for (const Case& c : kGrowing) compare(c, ResizeMethod::bilinear, 0);
  // Ratios that two ways of dividing round differently, with weights of exactly a half.
  compare({{350, 1}, {1536, 1}}, ResizeMethod::bilinear, 0);
  compare({{1934, 1}, {512, 1}}, ResizeMethod::bilinear, 0);
  compare({{1, 350}, {1, 1536}}, ResizeMethod::bilinear, 0);
  Random random{5};
  for (int i = 0; i < 60; ++i) {
    const auto side = [&] { return 1 + static_cast<int>(random.next() % 90); };
    compare({{side(), side()}, {side(), side()}}, ResizeMethod::bilinear, 0);
  }
}

TEST(area_is_within_one_of_opencv) {
  for (const Case& c : kShrinking) compare(c, ResizeMethod::area, 1);
}
#endif

}  // namespace
