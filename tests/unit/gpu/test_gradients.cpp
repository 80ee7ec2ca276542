// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <vector>

#include "gpu/image/gradient_math.hpp"
#include "gpu/image/gradients.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr GradientParams kAllParams[] = {{9, false}, {9, true}, {6, false}, {6, true}};

double degrees_of(int dx, int dy) {
  const double angle = std::atan2(dy, dx) * 180 / 3.14159265358979323846;
  return angle < 0 ? angle + 180 : (angle >= 180 ? angle - 180 : angle);
}

// Every gradient there can be, but for those on a bound.
TEST(bins_are_those_of_the_arctangent) {
  for (const GradientParams& p : kAllParams) {
    const double width = 180.0 / p.bins;
    for (int dy = -255; dy <= 255; ++dy)
      for (int dx = -255; dx <= 255; ++dx) {
        if (dx == 0 && dy == 0) continue;
        const double at = degrees_of(dx, dy) / width - (p.half_shifted ? 0.5 : 0.0);
        if (std::fabs(at - std::nearbyint(at)) * width < 0.05) continue;
        const int expected = (static_cast<int>(std::floor(at)) + p.bins) % p.bins;
        if (expected == gradient::bin_of(dx, dy, p.bins, p.half_shifted)) continue;
        char text[80];
        std::snprintf(text, sizeof text, "(%d, %d), %d bins", dx, dy, p.bins);
        TEST_ASSERT_EQUAL_MESSAGE(expected, gradient::bin_of(dx, dy, p.bins, p.half_shifted), text);
      }
  }
}

TEST(directions_along_the_axes) {
  for (int step : {1, 17, 255})
    for (int sign : {-1, 1}) {
      const int d = sign * step;
      TEST_ASSERT_EQUAL(0, gradient::bin_of(d, 0, 9, false));
      TEST_ASSERT_EQUAL(8, gradient::bin_of(d, 0, 9, true));
      TEST_ASSERT_EQUAL(0, gradient::bin_of(d, 0, 6, false));
      TEST_ASSERT_EQUAL(5, gradient::bin_of(d, 0, 6, true));
      TEST_ASSERT_EQUAL(4, gradient::bin_of(0, d, 9, false));
      TEST_ASSERT_EQUAL(4, gradient::bin_of(0, d, 9, true));   // on a bound: the bin above
      TEST_ASSERT_EQUAL(3, gradient::bin_of(0, d, 6, false));  // the same
      TEST_ASSERT_EQUAL(2, gradient::bin_of(0, d, 6, true));
    }
  for (const GradientParams& p : kAllParams)
    TEST_ASSERT_EQUAL(0, gradient::packed_of(0, 0, p.bins, p.half_shifted));
}

TEST(magnitudes_are_rounded_eighths) {
  for (int dy = 0; dy <= 255; ++dy)
    for (int dx = 0; dx <= 255; ++dx) {
      const int m = gradient::eighths(gradient::squared_norm(dx, dy));
      const double exact = 8 * std::sqrt(static_cast<double>(dx * dx + dy * dy));
      if (std::fabs(exact - m) > 0.5 + 1e-4) TEST_ASSERT_DOUBLE_WITHIN(0.5 + 1e-4, exact, m);
    }
  TEST_ASSERT_EQUAL(40, gradient::eighths(gradient::squared_norm(3, -4)));
  TEST_ASSERT_EQUAL(8 * 255, gradient::eighths(gradient::squared_norm(-255, 0)));
  TEST_ASSERT_EQUAL(gradient::kMaxMagnitude, gradient::eighths(gradient::squared_norm(255, 255)));
  const std::uint16_t packed = gradient::packed_of(255, 255, 9, false);
  TEST_ASSERT_EQUAL(gradient::kMaxMagnitude, gradient::magnitude_of(packed));
  TEST_ASSERT_EQUAL(2, gradient::bin_of(packed));
}

int mirrored(int i, int size) {
  if (size == 1) return 0;
  return i < 0 ? -i : (i >= size ? 2 * (size - 1) - i : i);
}
std::uint16_t by_definition(const Planes& in, int x, int y, const GradientParams& p) {
  int best = -1;
  std::uint16_t packed = 0;
  for (int c = 0; c < in.count; ++c) {
    const auto at = [&](int i, int j) {
      return static_cast<int>(in.at(c, mirrored(i, in.width), mirrored(j, in.height)));
    };
    const int dx = at(x + 1, y) - at(x - 1, y), dy = at(x, y + 1) - at(x, y - 1);
    if (dx * dx + dy * dy <= best) continue;
    best = dx * dx + dy * dy;
    packed = gradient::packed_of(dx, dy, p.bins, p.half_shifted);
  }
  return packed;
}

TEST(gradients_equal_their_definition) {
  for (int count : {1, 3})
    for (const Side& size : kPlaneSizes)
      for (const GradientParams& p : kAllParams) {
        const Planes in{count, size.width, size.height, 3};
        const int stride = size.width + 5;
        std::vector<std::uint16_t> out(static_cast<std::size_t>(stride * size.height), 0xa5a5);
        const ImageView<Space::host, std::uint16_t> view{out.data(), size.width, size.height,
                                                         stride};
        TEST_ASSERT_OK(count == 1 ? cpu::gradients(in.plane(0), p, view)
                                  : cpu::gradients(in.planes(), p, view));
        for (int y = 0; y < size.height; ++y)
          for (int x = 0; x < stride; ++x) {
            const std::uint16_t expected =
                x < size.width ? by_definition(in, x, y, p) : std::uint16_t{0xa5a5};
            const std::uint16_t actual = out[static_cast<std::size_t>(y * stride + x)];
            if (expected != actual) TEST_ASSERT_EQUAL_HEX16(expected, actual);
          }
      }
}

TEST(of_equal_channels_the_first_one_counts) {
  // Red falls to the right, green rises downwards, blue likewise: all equally steep.
  std::uint8_t planes[3][9] = {{20, 10, 0, 20, 10, 0, 20, 10, 0},
                               {0, 0, 0, 10, 10, 10, 20, 20, 20},
                               {0, 0, 0, 10, 10, 10, 20, 20, 20}};
  std::uint16_t out[9] = {};
  const PlanesView<Space::host, const std::uint8_t> in{planes[0], 3, 3, 3, 3, 9};
  TEST_ASSERT_OK(cpu::gradients(in, {9, false}, {out, 3, 3, 3}));
  TEST_ASSERT_EQUAL(gradient::pack(8 * 20, 0), out[4]);
  planes[2][7] = 21;  // now blue is steepest
  TEST_ASSERT_OK(cpu::gradients(in, {9, false}, {out, 3, 3, 3}));
  TEST_ASSERT_EQUAL(gradient::pack(8 * 21, 4), out[4]);
}

TEST(gradients_refuse_what_their_contract_refuses) {
  std::vector<std::uint8_t> bytes(1024);
  std::vector<std::uint16_t> words(1024);
  using In = ImageView<Space::host, const std::uint8_t>;
  using Colour = PlanesView<Space::host, const std::uint8_t>;
  const In in{bytes.data(), 16, 8, 16};
  const Colour rgb{bytes.data(), 3, 16, 8, 16, 128};
  const ImageView<Space::host, std::uint16_t> out{words.data(), 16, 8, 16};
  TEST_ASSERT_OK(cpu::gradients(in, {}, out));
  TEST_ASSERT_OK(cpu::gradients(rgb, {}, out));
  for (const In& bad : {In{nullptr, 16, 8, 16}, In{bytes.data(), 0, 8, 16},
                        In{bytes.data(), 16, 0, 16}, In{bytes.data(), 16, 8, 15},
                        In{bytes.data(), 15, 8, 16}, In{bytes.data(), 65537, 8, 65537}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(bad, {}, out));
  for (const Colour& bad :
       {Colour{nullptr, 3, 16, 8, 16, 128}, Colour{bytes.data(), 2, 16, 8, 16, 128},
        Colour{bytes.data(), 3, 16, 8, 15, 128}, Colour{bytes.data(), 3, 16, 8, 16, 127}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(bad, {}, out));
  for (int bins : {0, 8, 10})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(in, {bins, false}, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(in, {}, {words.data(), 16, 7, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(in, {}, {words.data(), 16, 8, 15}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::gradients(in, {}, {nullptr, 16, 8, 16}));
}

}  // namespace
