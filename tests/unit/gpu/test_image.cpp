// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <vector>

#include "gpu/image/grey_math.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/oracle.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr std::uint8_t kPoison = 0xa5;

TEST(to_grey_equals_its_definition) {
  int cases = 0;
  each_picture([&](const Picture& picture) {
    const RawImageView<Space::host>& in = picture.view;
    const int stride = in.width + ++cases % 4;  // the output's rows may be padded too
    std::vector<std::uint8_t> out(static_cast<std::size_t>(stride * in.height), kPoison);
    TEST_ASSERT_OK(cpu::to_grey(in, {out.data(), in.width, in.height, stride}));
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < stride; ++x) {
        const std::uint8_t expected = x < in.width ? grey_by_definition(in, x, y) : kPoison;
        const std::uint8_t actual = out[static_cast<std::size_t>(y * stride + x)];
        if (expected == actual) continue;
        char text[200];
        std::snprintf(text, sizeof text, "%s at (%d, %d)", picture.name().c_str(), x, y);
        TEST_ASSERT_EQUAL_UINT8_MESSAGE(expected, actual, text);
      }
  });
}

TEST(split_mosaic_equals_its_definition) {
  each_picture([](const Picture& picture) {
    const RawImageView<Space::host>& in = picture.view;
    if (in.mosaic == 0) return;
    const int n = in.mosaic, width = in.width / n, height = in.height / n;
    const int stride = width + 3, plane = stride * height + 5;
    std::vector<std::uint16_t> out(static_cast<std::size_t>(plane * n * n), 0xa5a5);
    TEST_ASSERT_OK(cpu::split_mosaic(in, {out.data(), n * n, width, height, stride, plane}));
    for (int band = 0; band < n * n; ++band)
      for (int i = 0; i < plane; ++i) {
        const int x = i % stride, y = i / stride;
        const std::uint16_t expected =
            x < width && y < height ? band_by_definition(in, band, x, y) : 0xa5a5;
        const std::uint16_t actual = out[static_cast<std::size_t>(band * plane + i)];
        if (expected != actual)
          TEST_ASSERT_EQUAL_UINT16_MESSAGE(expected, actual, picture.name().c_str());
      }
  });
}

TEST(grey_of_colours_is_bt601_luma) {
  const std::uint8_t steps[] = {0, 1, 64, 127, 128, 200, 254, 255};
  for (std::uint8_t r : steps)
    for (std::uint8_t g : steps)
      for (std::uint8_t b : steps) {
        const std::uint8_t rgb[3] = {r, g, b}, bayer[4] = {r, g, g, b};
        std::uint8_t out[4] = {};
        RawImageView<Space::host> in{rgb, 1, 1, 3};
        in.format = PixelFormat::rgb24;
        TEST_ASSERT_OK(cpu::to_grey(in, {out, 1, 1, 1}));
        TEST_ASSERT_DOUBLE_WITHIN(0.51, 0.299 * r + 0.587 * g + 0.114 * b, out[0]);
        in = {bayer, 2, 2, 2};
        in.format = PixelFormat::bayer8;
        TEST_ASSERT_OK(cpu::to_grey(in, {out, 2, 2, 2}));
        TEST_ASSERT_DOUBLE_WITHIN(0.51, 0.299 * r + 0.587 * g + 0.114 * b, out[3]);
      }
}

// A flat picture must stay flat: no pattern may shine through, whatever the depth.
TEST(flat_pictures_stay_flat_at_every_level) {
  for (PixelFormat format : {PixelFormat::bayer8, PixelFormat::bayer10, PixelFormat::bayer12,
                             PixelFormat::grey8, PixelFormat::grey16})
    for (int mosaic : {0, 2, 3, 5, 7, 8}) {
      const int bits = bit_depth(format), step = bits > 12 ? 997 : bits > 8 ? 97 : 1;
      for (int level = 0; level < 1 << bits; level += step) {
        std::vector<std::uint16_t> words(16 * 16, static_cast<std::uint16_t>(level));
        std::vector<std::uint8_t> narrow(words.begin(), words.end()), out(16 * 16, kPoison);
        RawImageView<Space::host> in{narrow.data(), 16, 16, 16};
        if (bits > 8) in = {reinterpret_cast<const std::uint8_t*>(words.data()), 16, 16, 32};
        in.format = format;
        in.mosaic = mosaic;
        TEST_ASSERT_OK(cpu::to_grey(in, {out.data(), 16, 16, 16}));
        TEST_ASSERT_EACH_EQUAL_UINT8(level >> (bits - 8), out.data(), out.size());
      }
    }
}

// The mean is taken in float. It never falls as the sum rises, so that the two sides of each step
// prove all sums.
TEST(mosaic_means_are_exact_for_every_sum) {
  for (int n = 2; n <= 8; ++n)
    for (int shift : {0, 2, 4, 8}) {
      const grey::Mean mean = grey::mean_of(n, shift);
      const int step = n * n << shift, half = n * n / 2;
      for (int level = 0; level < 256; ++level) {
        const int first = level * step - half, last = (level + 1) * step - half - 1;
        if (first >= 0)
          TEST_ASSERT_EQUAL(level, grey::from_sum(mean, static_cast<unsigned>(first)));
        TEST_ASSERT_EQUAL(level, grey::from_sum(mean, static_cast<unsigned>(last)));
      }
    }
}

TEST(operators_refuse_what_their_contract_refuses) {
  std::vector<std::uint8_t> bytes(4096);
  std::vector<std::uint16_t> planes(4096);
  const RawImageView<Space::host> good = [&] {
    RawImageView<Space::host> in{bytes.data(), 16, 8, 48};
    in.format = PixelFormat::grey8;
    return in;
  }();
  const auto grey = [&](const RawImageView<Space::host>& in) {
    return cpu::to_grey(in, {bytes.data() + 2048, in.width, in.height, in.width});
  };
  TEST_ASSERT_OK(grey(good));
  const auto refused = [&](auto change) {
    RawImageView<Space::host> in = good;
    change(in);
    TEST_ASSERT_ERROR(Errc::invalid_argument, grey(in));
  };
  refused([](auto& in) { in.data = nullptr; });
  refused([](auto& in) { in.width = 0; });
  refused([](auto& in) { in.height = -1; });
  refused([](auto& in) { in.width = 65537, in.row_stride = 65537; });
  refused([](auto& in) { in.row_stride = 15; });
  refused([](auto& in) { in.row_stride = -48; });
  refused([](auto& in) { in.format = PixelFormat::grey10, in.row_stride = 31; });
  refused([](auto& in) { in.format = PixelFormat::grey10, in.row_stride = 33; });
  refused([](auto& in) { in.format = PixelFormat::grey10, ++in.data; });
  refused([](auto& in) { in.format = PixelFormat::rgb24, in.row_stride = 47; });
  refused([](auto& in) { in.format = PixelFormat::yuyv, in.width = 15; });
  refused([](auto& in) { in.format = PixelFormat::nv12, in.height = 7; });
  refused([](auto& in) { in.format = PixelFormat::bayer8, in.height = 7; });
  refused([](auto& in) { in.format = static_cast<PixelFormat>(200); });
  refused([](auto& in) { in.mosaic = 1; });
  refused([](auto& in) { in.mosaic = 9; });
  refused([](auto& in) { in.mosaic = -3; });
  refused([](auto& in) { in.mosaic = 3, in.format = PixelFormat::rgb24; });
  refused([](auto& in) { in.mosaic = 4, in.height = 3; });

  std::uint8_t* out = bytes.data() + 2048;
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_grey(good, {nullptr, 16, 8, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_grey(good, {out, 15, 8, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_grey(good, {out, 16, 9, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_grey(good, {out, 16, 8, 15}));

  RawImageView<Space::host> in = good;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::split_mosaic(in, {planes.data(), 1, 16, 8, 16, 128}));
  in.mosaic = 3;  // 5 x 2 planes
  TEST_ASSERT_OK(cpu::split_mosaic(in, {planes.data(), 9, 5, 2, 5, 10}));
  const PlanesView<Space::host, std::uint16_t> wrong[] = {
      {nullptr, 9, 5, 2, 5, 10},       {planes.data(), 8, 5, 2, 5, 10},
      {planes.data(), 9, 6, 2, 6, 12}, {planes.data(), 9, 5, 3, 5, 15},
      {planes.data(), 9, 5, 2, 4, 10}, {planes.data(), 9, 5, 2, 5, 9}};
  for (const auto& view : wrong)
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::split_mosaic(in, view));
}

}  // namespace
