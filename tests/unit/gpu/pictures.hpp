// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hal/base/view.hpp"
#include "tests/support/random.hpp"

/// Random camera pictures for the tests of gpu/image, unit and gpu.
namespace kerb::test {

inline constexpr PixelFormat kAllFormats[] = {
    PixelFormat::grey8,  PixelFormat::grey10, PixelFormat::grey12, PixelFormat::grey14,
    PixelFormat::grey16, PixelFormat::yuyv,   PixelFormat::uyvy,   PixelFormat::nv12,
    PixelFormat::rgb24,  PixelFormat::bgr24,  PixelFormat::bayer8, PixelFormat::bayer10,
    PixelFormat::bayer12};
inline constexpr BayerOrder kAllOrders[] = {BayerOrder::rggb, BayerOrder::bggr, BayerOrder::grbg,
                                            BayerOrder::gbrg};

inline bool is_bayer(PixelFormat f) {
  return f == PixelFormat::bayer8 || f == PixelFormat::bayer10 || f == PixelFormat::bayer12;
}

/// A picture with `padding` bytes after each row. All bits are random, also those above a sample's
/// depth, which the operators must not see; some pixels are all ones or all zeros, where sums are
/// largest and smallest.
struct Picture {
  std::vector<std::uint8_t> bytes;
  RawImageView<Space::host> view;
  std::size_t offset = 0;  // of the first pixel

  Picture(PixelFormat format, int width, int height, int padding, int mosaic = 0,
          BayerOrder order = BayerOrder::rggb, std::uint64_t seed = 1, std::size_t skip = 0)
      : offset{skip} {
    const int stride = min_row_bytes(format, width) + padding;
    const std::size_t luma = static_cast<std::size_t>(stride) * static_cast<std::size_t>(height);
    bytes.resize(skip + luma + (format == PixelFormat::nv12 ? luma / 2 : 0));
    Random random{seed * 1000003 + static_cast<std::uint64_t>(width * 7919 + height)};
    std::size_t i = 0;
    while (i < bytes.size()) {
      const std::uint64_t r = random.next();
      const std::size_t run =
          r % 37 == 0 ? 1 + (r >> 8) % 64 : 0;  // now and then a saturated patch
      if (run == 0) bytes[i++] = static_cast<std::uint8_t>(r >> 32);
      for (std::size_t k = 0; k < run && i < bytes.size(); ++k)
        bytes[i++] = (r >> 40) % 2 == 0 ? 0xff : 0x00;
    }
    view.data = bytes.data() + skip;
    view.width = width;
    view.height = height;
    view.row_stride = stride;
    if (format == PixelFormat::nv12) {
      view.chroma = view.data + luma;
      view.chroma_stride = stride;
    }
    view.format = format;
    view.bayer = order;
    view.mosaic = mosaic;
  }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  [[nodiscard]] std::string name() const {
    char text[128];
    std::snprintf(text, sizeof text, "%s %s %dx%d stride %d mosaic %d", name_of(view.format),
                  name_of(view.bayer), view.width, view.height, static_cast<int>(view.row_stride),
                  view.mosaic);
    return text;
  }
};

struct Size {
  int width, height;
};
/// Round the edges of the kernels' blocks (128 x 8 pixels) and of the CPU's strips (1024), and down
/// to one pixel.
inline constexpr Size kSizes[] = {{1, 1},     {2, 2},    {3, 3},   {4, 2},     {5, 7},
                                  {8, 8},     {31, 7},   {32, 8},  {33, 9},    {127, 15},
                                  {128, 16},  {129, 17}, {130, 2}, {1022, 10}, {1024, 12},
                                  {1025, 13}, {1026, 6}, {2, 130}, {641, 359}};

/// Even padding for 16-bit samples.
inline int padding_for(PixelFormat format, int padding) {
  return bit_depth(format) > 8 ? padding / 2 * 2 : padding;
}

/// Calls `fn` with every kind of picture: formats, sizes, padded rows, Bayer orders, mosaics. The
/// largest size comes once a format, and the less common mosaics with two formats only, to keep it
/// quick under sanitizers.
template <typename Fn>
void each_picture(Fn&& fn) {
  constexpr int kPaddings[] = {0, 5, 64};
  for (PixelFormat format : kAllFormats)
    for (Size size : kSizes) {
      if (!size_fits(format, size.width, size.height)) continue;
      const bool large = size.width * size.height > 100'000;
      for (int padding : kPaddings) {
        if (large && padding != 5) continue;
        for (BayerOrder order : kAllOrders) {
          if (order != BayerOrder::rggb && (large || !is_bayer(format))) continue;
          fn(Picture{format, size.width, size.height, padding_for(format, padding), 0, order});
        }
      }
      if (!is_single_sample(format)) continue;
      const bool all = format == PixelFormat::grey8 || format == PixelFormat::grey16;
      for (int n = 2; n <= 8; ++n) {
        if (size.width < n || size.height < n || (n != 3 && n != 4 && (large || !all))) continue;
        fn(Picture{format, size.width, size.height, padding_for(format, kPaddings[n % 3]), n});
      }
    }
}

}  // namespace kerb::test
