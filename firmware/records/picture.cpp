// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/picture.hpp"

#include <cstddef>
#include <cstring>

namespace kerb::records {
namespace {

/// A compile-time factor: the compiler makes vector code of it.
template <int By>
void shrink_by(const GreyView& picture, std::uint8_t* out) noexcept {
  const int width = picture.width / By, height = picture.height / By;
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* rows = picture.data + std::ptrdiff_t{y} * By * picture.row_stride;
    for (int x = 0; x < width; ++x) {
      unsigned sum = By * By / 2;
      for (int dy = 0; dy < By; ++dy)
        for (int dx = 0; dx < By; ++dx)
          sum += rows[dy * picture.row_stride + std::ptrdiff_t{x} * By + dx];
      out[x] = static_cast<std::uint8_t>(sum / (By * By));
    }
    out += width;
  }
}

/// The one that matters: 1280 x 720, in the frame loop. Pairs of bytes are added as halves of
/// 64-bit words, four at a time.
template <>
void shrink_by<2>(const GreyView& picture, std::uint8_t* out) noexcept {
  constexpr std::uint64_t kEven = 0x00FF00FF00FF00FFU, kTwo = 0x0002000200020002U;
  const int width = picture.width / 2, height = picture.height / 2;
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* upper = picture.data + std::ptrdiff_t{y} * 2 * picture.row_stride;
    const std::uint8_t* lower = upper + picture.row_stride;
    int x = 0;
    for (; x + 4 <= width; x += 4) {
      std::uint64_t a = 0, b = 0;
      std::memcpy(&a, upper + 2 * x, sizeof a);
      std::memcpy(&b, lower + 2 * x, sizeof b);
      const std::uint64_t sums =
          (a & kEven) + (a >> 8 & kEven) + (b & kEven) + (b >> 8 & kEven) + kTwo;
      const std::uint64_t means = sums >> 2 & kEven;
      const std::uint64_t pairs = (means | means >> 8) & 0x0000FFFF0000FFFFU;
      const auto four = static_cast<std::uint32_t>(pairs | pairs >> 16);
      std::memcpy(out + x, &four, sizeof four);
    }
    for (; x < width; ++x)
      out[x] = static_cast<std::uint8_t>(
          (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) / 4);
    out += width;
  }
}

}  // namespace

int shrink_for(int width) noexcept {
  int by = 1;
  while (by < 8 && width / by > 960) by *= 2;
  return by;
}

void shrink(const GreyView& picture, int by, std::uint8_t* out) noexcept {
  switch (by) {
    case 2:
      return shrink_by<2>(picture, out);
    case 4:
      return shrink_by<4>(picture, out);
    case 8:
      return shrink_by<8>(picture, out);
    default:
      for (int y = 0; y < picture.height; ++y, out += picture.width)
        std::memcpy(out, picture.data + std::ptrdiff_t{y} * picture.row_stride,
                    static_cast<std::size_t>(picture.width));
  }
}

}  // namespace kerb::records
