// SPDX-License-Identifier: Apache-2.0
#include "hal/base/pixel_format.hpp"

namespace kerb {
namespace {

struct Row {
  PixelFormat format;
  const char* name;
  int bits;
  int bytes_per_pixel;  // in the first plane
  bool single_sample;
  int even_width, even_height;  // the sides must be multiples of these
};
constexpr Row kRows[] = {
    {PixelFormat::grey8, "grey8", 8, 1, true, 1, 1},
    {PixelFormat::grey10, "grey10", 10, 2, true, 1, 1},
    {PixelFormat::grey12, "grey12", 12, 2, true, 1, 1},
    {PixelFormat::grey14, "grey14", 14, 2, true, 1, 1},
    {PixelFormat::grey16, "grey16", 16, 2, true, 1, 1},
    {PixelFormat::yuyv, "yuyv", 8, 2, false, 2, 1},
    {PixelFormat::uyvy, "uyvy", 8, 2, false, 2, 1},
    {PixelFormat::nv12, "nv12", 8, 1, false, 2, 2},
    {PixelFormat::rgb24, "rgb24", 8, 3, false, 1, 1},
    {PixelFormat::bgr24, "bgr24", 8, 3, false, 1, 1},
    {PixelFormat::bayer8, "bayer8", 8, 1, true, 2, 2},
    {PixelFormat::bayer10, "bayer10", 10, 2, true, 2, 2},
    {PixelFormat::bayer12, "bayer12", 12, 2, true, 2, 2},
};

const Row& row(PixelFormat format) noexcept { return kRows[static_cast<int>(format)]; }

}  // namespace

const char* name_of(PixelFormat format) noexcept { return row(format).name; }

const char* name_of(BayerOrder order) noexcept {
  constexpr const char* kNames[] = {"rggb", "bggr", "grbg", "gbrg"};
  return kNames[static_cast<int>(order)];
}

bool parse(std::string_view name, PixelFormat& format) noexcept {
  for (const Row& r : kRows)
    if (name == r.name) {
      format = r.format;
      return true;
    }
  return false;
}

int bit_depth(PixelFormat format) noexcept { return row(format).bits; }
bool is_single_sample(PixelFormat format) noexcept { return row(format).single_sample; }
bool has_colour(PixelFormat format) noexcept {
  return format > PixelFormat::grey16;  // the grey ones come first
}
int min_row_bytes(PixelFormat format, int width) noexcept {
  return row(format).bytes_per_pixel * width;
}
bool size_fits(PixelFormat format, int width, int height) noexcept {
  return width > 0 && height > 0 && width % row(format).even_width == 0 &&
         height % row(format).even_height == 0;
}

}  // namespace kerb
