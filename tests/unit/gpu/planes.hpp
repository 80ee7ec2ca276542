// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hal/base/view.hpp"
#include "tests/unit/gpu/pictures.hpp"

/// Random pictures of 8-bit planes for the tests of gpu/image, unit and gpu.
namespace kerb::test {

struct Side {
  int width, height;
};
/// One pixel, one row, one column, round the kernels' blocks (128 x 8) and some odd ones.
inline constexpr Side kPlaneSizes[] = {{1, 1}, {2, 1},  {1, 2},    {3, 3},    {9, 1},
                                       {1, 9}, {31, 7}, {128, 16}, {129, 17}, {131, 33}};

/// Planes with `slack` bytes after each row. Half of the pixels are like their left neighbour, so
/// that small differences and equals come too.
struct Planes {
  int count, width, height, stride;
  std::vector<std::uint8_t> bytes;

  Planes(int planes, int w, int h, int slack, std::uint64_t seed = 1)
      : count{planes},
        width{w},
        height{h},
        stride{w + slack},
        bytes(static_cast<std::size_t>(planes) * static_cast<std::size_t>(h) *
              static_cast<std::size_t>(w + slack)) {
    Random random{seed};
    std::uint8_t last = 0;
    for (std::uint8_t& b : bytes) {
      const std::uint64_t r = random.next();
      if (r % 4 == 0) last = static_cast<std::uint8_t>(last + (r >> 8) % 3);
      if (r % 4 >= 2) last = static_cast<std::uint8_t>(r >> 8);
      b = last;
    }
  }
  [[nodiscard]] std::ptrdiff_t plane_stride() const {
    return static_cast<std::ptrdiff_t>(stride) * height;
  }
  [[nodiscard]] std::uint8_t at(int plane, int x, int y) const {
    return bytes[static_cast<std::size_t>(plane * plane_stride() + y * stride + x)];
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> plane(int index) const {
    return {bytes.data() + index * plane_stride(), width, height, stride};
  }
  [[nodiscard]] PlanesView<Space::host, const std::uint8_t> planes() const {
    return {bytes.data(), count, width, height, stride, plane_stride()};
  }
};

}  // namespace kerb::test
