// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/flow/block_matching_plan.hpp"
#include "gpu/image/both.hpp"

/// Block matching's arithmetic, once for both backends: whole numbers as far as they go, then
/// floating point in the order written here, without fused multiply-add. For gpu/flow alone.
namespace kerb::flow::bm {

inline constexpr int kPixels = kBlock * kBlock;
inline constexpr int kParts = 16;  ///< a pixel's fractions when interpolating; also a grey level's

/// Added to variances (which are of sums: kPixels^2 times those of pixels), so that noise around
/// flat grey correlates with nothing.
inline constexpr float kCalm = 1.0F * kPixels * kPixels;
/// The same for the correlation that is a vector's quality: half a grey level.
inline constexpr float kQuiet = 0.25F * kPixels * kPixels;
inline constexpr float kExact =
    3.0e38F;  ///< the score of a block that is the same but for its mean

KERB_BOTH int at_least(int a, int b) { return a > b ? a : b; }
KERB_BOTH int at_most(int a, int b) { return a < b ? a : b; }
KERB_BOTH int between(int v, int low, int high) { return at_most(at_least(v, low), high); }

/// The shifts a block may have.
struct Bounds {
  int left, right, top, bottom;
};
KERB_BOTH Bounds bounds_of(const Level& level, int x, int y) {
  return {
      at_least(-level.limit, kFirst - x), at_most(level.limit, level.width - kFirst - kBlock - x),
      at_least(-level.limit, kFirst - y), at_most(level.limit, level.height - kFirst - kBlock - y)};
}
KERB_BOTH Shift inside(const Bounds& bounds, Shift shift) {
  return {between(shift.x, bounds.left, bounds.right), between(shift.y, bounds.top, bounds.bottom)};
}
KERB_BOTH int nearest(float v) { return static_cast<int>(floorf(v + 0.5F)); }

/// The neighbours of the block above and of the best shift, in the order they are tried.
KERB_BOTH Shift around(int i) {
  const int place = i < 4 ? i : i + 1;  // of 3 x 3, without the middle
  return {place % 3 - 1, place / 3 - 1};
}

/// kPixels^2 times the variance.
KERB_BOTH int variance_of(int sum, int squares) { return kPixels * squares - sum * sum; }
KERB_BOTH float inverse_deviation(int variance) {
  return 1.0F / sqrtf(static_cast<float>(variance) + kCalm);
}
/// What a place in the second picture has ready for NCC.
struct Sums {
  std::int32_t sum;
  float inverse;  ///< inverse_deviation()
};

/// The higher the better; kExact is best. `mine` is the first block's.
KERB_BOTH float ncc_score(int sum, int variance, float inverse, int products, Sums mine) {
  const int covariance = kPixels * products - sum * mine.sum;
  if (covariance == variance && inverse == mine.inverse) return kExact;
  return (static_cast<float>(covariance) + kCalm) * mine.inverse;
}

/// A block of the first picture: what its refinement needs. Gradients are differences over two
/// pixels, so twice as large.
struct Gradients {
  int x, y;        ///< sums
  int xx, xy, yy;  ///< sums of products
  int ax, ay;      ///< with the block itself
};
/// The second picture's block, interpolated, in 1 / kParts grey levels.
struct Warped {
  int sum, squares;
  int x, y;  ///< products with the gradients
  int a;     ///< with the first block
};
struct Step {
  float x, y;
  bool solved;
};

/// The correlation between the first block and the interpolated one.
KERB_BOTH float correlation(int sum, int variance, const Warped& warped) {
  const auto squares = static_cast<std::int64_t>(warped.squares) * kPixels -
                       static_cast<std::int64_t>(warped.sum) * warped.sum;
  const auto products =
      static_cast<std::int64_t>(warped.a) * kPixels - static_cast<std::int64_t>(sum) * warped.sum;
  const float first = (static_cast<float>(variance) + kQuiet) * (kParts * kParts);
  const float second = static_cast<float>(squares) + kQuiet * (kParts * kParts);
  return static_cast<float>(products) * kParts / sqrtf(first * second);
}

/// One Gauss-Newton step: the shift, in pixels, by which the interpolated block fits better. Zero,
/// exactly, where it fits.
KERB_BOTH Step step_of(bool normalised, int sum, int variance, const Gradients& g,
                       const Warped& warped) {
  float xx, xy, yy, rx, ry;
  if (normalised) {
    xx = static_cast<float>(kPixels * g.xx - g.x * g.x);
    xy = static_cast<float>(kPixels * g.xy - g.x * g.y);
    yy = static_cast<float>(kPixels * g.yy - g.y * g.y);
    const auto squares = static_cast<std::int64_t>(warped.squares) * kPixels -
                         static_cast<std::int64_t>(warped.sum) * warped.sum;
    const float first = (static_cast<float>(variance) + kCalm) * (kParts * kParts);
    const float second = static_cast<float>(squares) + kCalm * (kParts * kParts);
    const float gain = sqrtf(first / second);
    const auto wx =
        static_cast<std::int64_t>(warped.x) * kPixels - static_cast<std::int64_t>(warped.sum) * g.x;
    const auto wy =
        static_cast<std::int64_t>(warped.y) * kPixels - static_cast<std::int64_t>(warped.sum) * g.y;
    const int ax = kPixels * g.ax - sum * g.x, ay = kPixels * g.ay - sum * g.y;
    rx = gain * static_cast<float>(wx) - static_cast<float>(ax) * kParts;
    ry = gain * static_cast<float>(wy) - static_cast<float>(ay) * kParts;
  } else {
    xx = static_cast<float>(g.xx) * kPixels;
    xy = static_cast<float>(g.xy) * kPixels;
    yy = static_cast<float>(g.yy) * kPixels;
    rx = static_cast<float>(warped.x - kParts * g.ax) * kPixels;
    ry = static_cast<float>(warped.y - kParts * g.ay) * kPixels;
  }
  const float both = xx * yy, det = both - xy * xy;
  if (!(det > both * 1.0e-5F)) return {0, 0, false};
  const float scale = 2.0F * kParts / 4.0F;  // residuals and gradients come too large
  return {(xy * ry - yy * rx) / (det * scale), (xy * rx - xx * ry) / (det * scale), true};
}

/// A block's correlation and how far the median moved its vector, as a quality.
KERB_BOTH std::uint8_t quality_of(float correlation, float dx, float dy) {
  const float c = correlation < 0 ? 0 : correlation > 1 ? 1 : correlation;
  const float far = dx * dx + dy * dy;
  return static_cast<std::uint8_t>(nearest(c * 255.0F / (1.0F + 4.0F * far)));
}

/// Spatial weights of the nine blocks around a pixel, by its column (or row) in the cell and the
/// block's distance in cells plus one: exp(-d^2 / 2), d being the distance in cells.
KERB_BOTH float nearness(int phase, int block) {
  // d = block - 1 - (phase - 1.5) / 4
  const float table[kCell][3] = {{0.8225776F, 0.9321025F, 0.3885581F},
                                 {0.6819408F, 0.9922179F, 0.5310960F},
                                 {0.5310960F, 0.9922179F, 0.6819408F},
                                 {0.3885581F, 0.9321025F, 0.8225776F}};
  return table[phase][block];
}

/// A pixel's weight of a block: `misfit` in 1 / kParts grey levels, `unlike` in grey levels.
KERB_BOTH float weight_of(float near, int misfit, int unlike) {
  const float fit = static_cast<float>(at_least(misfit, kParts));
  const float same = 1.0F + static_cast<float>(unlike * unlike) * 0.01F;
  return near / (fit * same);
}

}  // namespace kerb::flow::bm
