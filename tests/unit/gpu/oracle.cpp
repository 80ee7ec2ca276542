// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/oracle.hpp"

#include <cmath>

namespace kerb::test {
namespace {

using In = RawImageView<Space::host>;

int bits_of(PixelFormat f) {
  switch (f) {
    case PixelFormat::grey10:
    case PixelFormat::bayer10:
      return 10;
    case PixelFormat::grey12:
    case PixelFormat::bayer12:
      return 12;
    case PixelFormat::grey14:
      return 14;
    case PixelFormat::grey16:
      return 16;
    default:
      return 8;
  }
}

/// All stored bits of a single sample: a little-endian word above 8 bits.
double raw(const In& in, int x, int y) {
  const std::uint8_t* row = in.data + y * in.row_stride;
  return bits_of(in.format) == 8 ? row[x] : row[2 * x] + 256.0 * row[2 * x + 1];
}
double sample(const In& in, int x, int y) {
  const double levels = 1 << bits_of(in.format), value = raw(in, x, y);
  return value - levels * std::floor(value / levels);
}
double to_8_bits(const In& in, double value) {
  return std::floor(value * 256 / (1 << bits_of(in.format)));
}
double nearest(double value) { return std::floor(value + 0.5); }

constexpr double kRed = 9798 / 32768.0, kGreen = 19235 / 32768.0, kBlue = 3735 / 32768.0;

double bayer(const In& in, int x, int y) {
  if (x == in.width - 1) --x;
  if (y == in.height - 1) --y;
  const char* order = name_of(in.bayer);
  double red = 0, green = 0, blue = 0;
  for (int v = y; v <= y + 1; ++v)
    for (int u = x; u <= x + 1; ++u) {
      const char colour = order[v % 2 * 2 + u % 2];
      (colour == 'r' ? red : colour == 'g' ? green : blue) += sample(in, u, v);
    }
  return to_8_bits(in, nearest(kRed * red + kGreen * green / 2 + kBlue * blue));
}

int window(int x, int n, int size) {
  int start = x - (n % 2 == 1 ? n / 2 : n / 2 - 1);
  while (start < 0) ++start;
  while (start + n > size) --start;
  return start;
}

double mosaic(const In& in, int x, int y) {
  const int n = in.mosaic, x0 = window(x, n, in.width), y0 = window(y, n, in.height);
  double sum = 0;
  for (int v = y0; v < y0 + n; ++v)
    for (int u = x0; u < x0 + n; ++u) sum += sample(in, u, v);
  return to_8_bits(in, std::floor((sum + std::floor(n * n / 2.0)) / (n * n)));
}

double grey(const In& in, int x, int y) {
  const std::uint8_t* row = in.data + y * in.row_stride;
  if (in.mosaic != 0) return mosaic(in, x, y);
  switch (in.format) {
    case PixelFormat::yuyv:
      return row[2 * x];
    case PixelFormat::uyvy:
      return row[2 * x + 1];
    case PixelFormat::nv12:
      return row[x];
    case PixelFormat::rgb24:
      return nearest(kRed * row[3 * x] + kGreen * row[3 * x + 1] + kBlue * row[3 * x + 2]);
    case PixelFormat::bgr24:
      return nearest(kRed * row[3 * x + 2] + kGreen * row[3 * x + 1] + kBlue * row[3 * x]);
    case PixelFormat::bayer8:
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      return bayer(in, x, y);
    default:
      return to_8_bits(in, sample(in, x, y));
  }
}

}  // namespace

std::uint8_t grey_by_definition(const In& in, int x, int y) {
  return static_cast<std::uint8_t>(grey(in, x, y));
}

std::uint16_t band_by_definition(const In& in, int band, int x, int y) {
  const int n = in.mosaic;
  return static_cast<std::uint16_t>(raw(in, x * n + band % n, y * n + band / n));
}

}  // namespace kerb::test
