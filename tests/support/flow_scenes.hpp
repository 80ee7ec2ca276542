// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "gpu/flow/flow.hpp"
#include "tests/support/random.hpp"
#include "tests/support/unity.hpp"

/// Synthetic pictures with known motion, masks, and fields to compare, for the tests of flow.
namespace kerb::test {

struct GreyPicture {
  int width, height, row_stride;
  std::vector<std::uint8_t> bytes;

  GreyPicture(int w, int h, int padding = 0)
      : width{w},
        height{h},
        row_stride{w + padding},
        bytes(static_cast<std::size_t>(row_stride) * static_cast<std::size_t>(h)) {}
  [[nodiscard]] std::uint8_t& at(int x, int y) {
    return bytes[static_cast<std::size_t>(y) * static_cast<std::size_t>(row_stride) +
                 static_cast<std::size_t>(x)];
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view() const {
    return {bytes.data(), width, height, row_stride};
  }
};

/// A smooth random surface over the whole plane: lattices of random numbers 3, 7 and 17 pixels
/// wide, blended.
class Surface {
 public:
  explicit Surface(std::uint64_t seed) : seed_{seed} {}
  [[nodiscard]] double at(double x, double y) const {
    return 128 + 45 * lattice(x / 3, y / 3, 1) + 45 * lattice(x / 7, y / 7, 2) +
           35 * lattice(x / 17, y / 17, 3);
  }

 private:
  [[nodiscard]] double node(std::int64_t x, std::int64_t y, std::uint64_t layer) const {
    const auto spot = static_cast<std::uint64_t>(x * 7919 + y * 104729);
    Random random{seed_ * 1000003 + layer * 77 + spot};
    return static_cast<double>(random.next() >> 40) / (1 << 23) - 1;
  }
  [[nodiscard]] double lattice(double x, double y, std::uint64_t layer) const {
    const auto ix = static_cast<std::int64_t>(std::floor(x));
    const auto iy = static_cast<std::int64_t>(std::floor(y));
    const auto ease = [](double t) { return t * t * (3 - 2 * t); };
    const double fx = ease(x - std::floor(x)), fy = ease(y - std::floor(y));
    const double upper = node(ix, iy, layer) * (1 - fx) + node(ix + 1, iy, layer) * fx;
    const double lower = node(ix, iy + 1, layer) * (1 - fx) + node(ix + 1, iy + 1, layer) * fx;
    return upper * (1 - fy) + lower * fy;
  }
  std::uint64_t seed_;
};

/// The surface seen so that what was at (x, y) is now at (x + u, y + v).
inline GreyPicture moved(const Surface& surface, int width, int height, double u, double v,
                         int padding = 0) {
  GreyPicture picture{width, height, padding};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      picture.at(x, y) =
          static_cast<std::uint8_t>(std::clamp(std::lround(surface.at(x - u, y - v)), 0L, 255L));
  return picture;
}

/// A square of another surface, in front in the middle, that moves differently.
inline void put_square(GreyPicture& picture, const Surface& surface, double u, double v) {
  const int side = std::min(picture.width, picture.height) / 2;
  const int left = (picture.width - side) / 2, top = (picture.height - side) / 2;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const double from_x = x - u, from_y = y - v;
      if (from_x >= left && from_x < left + side && from_y >= top && from_y < top + side)
        picture.at(x, y) = static_cast<std::uint8_t>(
            std::clamp(std::lround(surface.at(from_x, from_y)), 0L, 255L));
    }
}

/// A field in host memory, filled with arbitrary values at first.
struct Vectors {
  int width, height, row_stride;
  std::vector<float> u, v;
  std::vector<std::uint8_t> quality, flags;

  Vectors(int w, int h, int padding = 0)
      : width{w},
        height{h},
        row_stride{w + padding},
        u(static_cast<std::size_t>(row_stride) * static_cast<std::size_t>(h), 77.0F),
        v(u.size(), 77.0F),
        quality(u.size(), 77),
        flags(u.size(), 77) {}
  [[nodiscard]] flow::FieldView<Space::host> view() {
    return {u.data(), v.data(), quality.data(), flags.data(), width, height, row_stride};
  }
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(row_stride) +
           static_cast<std::size_t>(x);
  }
};

inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
/// Vector, quality and flags of a pixel, bit for bit.
inline bool same_at(const Vectors& a, const Vectors& b, int x, int y) {
  const std::size_t i = a.index(x, y), j = b.index(x, y);
  return same_bits(a.u[i], b.u[j]) && same_bits(a.v[i], b.v[j]) && a.quality[i] == b.quality[j] &&
         a.flags[i] == b.flags[j];
}

/// A pair of pictures with all difficulties: a moving square, a flat patch, noise, a part that
/// vanishes.
struct Scene {
  GreyPicture first, second;
};
inline Scene busy_scene(int width, int height, std::uint64_t seed, int padding = 0) {
  const Surface back{seed}, front{seed + 50};
  Scene scene{moved(back, width, height, 0, 0, padding),
              moved(back, width, height, 3.3, -1.6, padding)};
  put_square(scene.first, front, 0, 0);
  put_square(scene.second, front, -6.4, 4.75);
  Random random{seed};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      if (x < width / 5 && y < height / 4) scene.first.at(x, y) = scene.second.at(x, y) = 90;
      if (x > width * 4 / 5 && y > height * 3 / 4)
        scene.second.at(x, y) = static_cast<std::uint8_t>(random.next() >> 40);
      const auto noise = static_cast<int>(random.next() % 5) - 2;
      if (x > width / 2) {
        std::uint8_t& pixel = scene.second.at(x, y);
        pixel = static_cast<std::uint8_t>(std::clamp(pixel + noise, 0, 255));
      }
    }
  return scene;
}

/// Two pictures of independent noise: vectors are arbitrary.
inline Scene wild_scene(int width, int height, std::uint64_t seed) {
  Scene scene{GreyPicture{width, height}, GreyPicture{width, height}};
  Random random{seed};
  for (GreyPicture* picture : {&scene.first, &scene.second})
    for (std::uint8_t& pixel : picture->bytes)
      pixel = static_cast<std::uint8_t>(random.next() >> 56);
  return scene;
}

/// Masks of several shapes.
enum class Wanted { everything, nothing, rectangle, one_cell, two_corners, few_pixels, squares };
inline constexpr Wanted kMasks[] = {Wanted::everything, Wanted::nothing,     Wanted::rectangle,
                                    Wanted::one_cell,   Wanted::two_corners, Wanted::few_pixels,
                                    Wanted::squares};
inline GreyPicture mask_of(Wanted wanted, int width, int height, int padding = 0) {
  GreyPicture mask{width, height, padding};
  Random random{3};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      bool is_wanted = wanted == Wanted::everything;
      if (wanted == Wanted::rectangle)
        is_wanted = x >= width / 2 && x < width * 2 / 3 && y >= height / 3 && y < height / 2;
      // As masks are kept by Lucas-Kanade: vectors lead out of it.
      if (wanted == Wanted::one_cell) is_wanted = x >= 16 && x < 32 && y >= 96 && y < 112;
      if (wanted == Wanted::two_corners)
        is_wanted = (x == 0 && y == 0) || (x == width - 1 && y == height - 1);
      if (wanted == Wanted::few_pixels) is_wanted = random.next() % 3000 == 0;
      if (wanted == Wanted::squares) is_wanted = (x / 40 + y / 40) % 2 == 0;
      mask.at(x, y) = is_wanted ? 255 : 0;
    }
  return mask;
}

/// Checks that both fields are equal, bit for bit, at every pixel of the mask and empty elsewhere.
/// Returns the number of pixels in the mask.
inline int assert_same_where(const Vectors& expected, const Vectors& actual, GreyPicture& mask,
                             const char* what) {
  int count = 0;
  for (int y = 0; y < expected.height; ++y)
    for (int x = 0; x < expected.width; ++x) {
      const std::size_t e = expected.index(x, y), a = actual.index(x, y);
      const bool wanted = mask.at(x, y) != 0;
      count += wanted ? 1 : 0;
      if (wanted ? same_at(expected, actual, x, y)
                 : actual.u[a] == 0 && actual.v[a] == 0 && actual.quality[a] == 0 &&
                       actual.flags[a] == flow::kMaskedOut)
        continue;
      char text[240];
      std::snprintf(text, sizeof text,
                    "%s: at %d, %d (%s) there is (%.9g, %.9g), quality %d, flags %d, not (%.9g, "
                    "%.9g), %d, %d",
                    what, x, y, wanted ? "wanted" : "not wanted", static_cast<double>(actual.u[a]),
                    static_cast<double>(actual.v[a]), actual.quality[a], actual.flags[a],
                    static_cast<double>(expected.u[e]), static_cast<double>(expected.v[e]),
                    expected.quality[e], expected.flags[e]);
      TEST_FAIL_MESSAGE(text);
    }
  return count;
}
inline void assert_same(const Vectors& expected, const Vectors& actual, const char* what) {
  GreyPicture all = mask_of(Wanted::everything, expected.width, expected.height);
  (void)assert_same_where(expected, actual, all, what);
}

}  // namespace kerb::test
