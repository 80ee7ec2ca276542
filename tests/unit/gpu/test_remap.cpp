// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/remap.hpp"
#ifdef KERB_OPENCV
#include <opencv2/imgproc.hpp>
#endif
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"
#include "tests/unit/gpu/remap_cases.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

const Context& context() {
  static Result<Context> made = Context::create(BackendChoice::cpu);
  return *made;
}

std::vector<std::uint8_t> remapped(const Planes& in, const RemapCase& c,
                                   const std::vector<Remapper::Place>& table, int threads,
                                   int slack) {
  Result<Remapper> made = Remapper::create(context(), c.in, c.out, table);
  TEST_ASSERT_OK(made);
  Workers workers{threads};
  const int stride = c.out.width + slack;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(c.planes * stride * c.out.height), 0xa5);
  TEST_ASSERT_OK(
      made->run(workers, in.planes(),
                {out.data(), c.planes, c.out.width, c.out.height, stride, stride * c.out.height}));
  return out;
}

/// In double, from the nearest 256th.
TEST(each_pixel_lies_between_its_four) {
  for (const RemapCase& c : kRemapCases) {
    const Planes in{c.planes, c.in.width, c.in.height, 3};
    const std::vector<Remapper::Place> table = scattered(c, 7);
    const std::vector<std::uint8_t> out = remapped(in, c, table, 2, 5);
    const int stride = c.out.width + 5;
    for (int plane = 0; plane < c.planes; ++plane)
      for (int y = 0; y < c.out.height; ++y)
        for (int x = 0; x < c.out.width; ++x) {
          const Remapper::Place& p = table[static_cast<std::size_t>(y * c.out.width + x)];
          const auto inside = [](float at, int size) {
            return std::round(std::clamp(static_cast<double>(at), 0.0, size - 1.0) * 256) / 256;
          };
          const double px = inside(p.x, c.in.width), py = inside(p.y, c.in.height);
          double sum = 0;
          for (int dy = 0; dy < 2; ++dy)
            for (int dx = 0; dx < 2; ++dx) {
              const int ix = std::min(static_cast<int>(px) + dx, c.in.width - 1);
              const int iy = std::min(static_cast<int>(py) + dy, c.in.height - 1);
              const double wx = dx == 1 ? px - std::floor(px) : 1 - (px - std::floor(px));
              const double wy = dy == 1 ? py - std::floor(py) : 1 - (py - std::floor(py));
              sum += wx * wy * in.at(plane, ix, iy);
            }
          const auto expected = static_cast<std::uint8_t>(std::floor(sum + 0.5));
          TEST_ASSERT_EQUAL_UINT8(
              expected, out[static_cast<std::size_t>((plane * c.out.height + y) * stride + x)]);
        }
    for (int row = 0; row < c.planes * c.out.height; ++row)  // what lies beyond stays
      TEST_ASSERT_EQUAL_HEX8(0xa5, out[static_cast<std::size_t>(row * stride + c.out.width)]);
  }
}

TEST(threads_change_nothing) {
  const RemapCase& c = kRemapCases[5];
  const Planes in{c.planes, c.in.width, c.in.height, 0};
  const std::vector<Remapper::Place> table = scattered(c, 3);
  TEST_ASSERT_TRUE(remapped(in, c, table, 1, 0) == remapped(in, c, table, 3, 0));
}

#ifdef KERB_OPENCV
/// OpenCV rounds places to 32nds of a pixel: on those both agree to a grey level.
TEST(opencv_agrees) {
  const RemapCase c = {{131, 77}, {60, 50}, 1};
  const Planes in{1, c.in.width, c.in.height, 0};
  std::vector<Remapper::Place> table = scattered(c, 11);
  cv::Mat map(c.out.height, c.out.width, CV_32FC2);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i].x = std::round(table[i].x * 32) / 32;
    table[i].y = std::round(table[i].y * 32) / 32;
    map.at<cv::Vec2f>(static_cast<int>(i)) = {table[i].x, table[i].y};
  }
  const cv::Mat from(c.in.height, c.in.width, CV_8U, const_cast<std::uint8_t*>(in.bytes.data()));
  cv::Mat theirs;
  cv::remap(from, theirs, map, {}, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  const std::vector<std::uint8_t> ours = remapped(in, c, table, 1, 0);
  for (std::size_t i = 0; i < ours.size(); ++i)
    TEST_ASSERT_INT_WITHIN(1, theirs.at<std::uint8_t>(static_cast<int>(i)), ours[i]);
}
#endif

TEST(what_is_refused) {
  const std::vector<Remapper::Place> table(6);
  const auto made = [&](Remapper::Size in, Remapper::Size out,
                        const std::vector<Remapper::Place>& from) {
    return Remapper::create(context(), in, out, from);
  };
  TEST_ASSERT_OK(made({2, 2}, {3, 2}, table));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({1, 2}, {3, 2}, table));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({2, 70000}, {3, 2}, table));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({2, 2}, {3, 0}, table));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({2, 2}, {3, 3}, table));
  std::vector<Remapper::Place> broken = table;
  broken[4].y = std::numeric_limits<float>::quiet_NaN();
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({2, 2}, {3, 2}, broken));

  const Result<Remapper> remapper = made({2, 2}, {3, 2}, table);
  const Planes in{2, 2, 2, 0};
  std::vector<std::uint8_t> out(64);
  Workers workers{1};
  const PlanesView<Space::host, std::uint8_t> to{out.data(), 2, 3, 2, 3, 6};
  TEST_ASSERT_OK(remapper->run(workers, in.planes(), to));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    remapper->run(workers, in.planes(), {out.data(), 1, 3, 2, 3, 6}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    remapper->run(workers, in.planes(), {out.data(), 2, 3, 3, 3, 9}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    remapper->run(workers, in.planes(), {out.data(), 2, 3, 2, 2, 6}));
}

}  // namespace
