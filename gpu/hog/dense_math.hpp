// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/hog/model.hpp"
#include "gpu/image/both.hpp"

/// The arithmetic of dense HoG, once for both backends, and the order of its sums. For gpu/hog
/// alone.
///
/// Every product and every sum is rounded by itself, in float, in the order written here; then CPU
/// and CUDA agree bit for bit. A product with a share of 0 may be left out: sums are never negative
/// there, so adding +0 changes nothing.
///
/// rhog. The weights of a vote are products of one for the column and one for the row, so a block
/// falls into sums that windows and neighbours share. A *group* is 8 x 8 pixels; it lies in up to 4
/// blocks: its own, whose corner it is, the one to the left, the one above, and the one above left.
///   1. vote_of() splits a pixel's magnitude between two neighbouring bins.
///   2. Row u of a group: spread[slot][k] = sum over its 8 pixels, left to right, of
///      share[column][k] * vote. k: 0, 1 the left and right cell of its own block, 2, 3 those of
///      the block to the left.
///   3. Bins from slots: bin b is slot b + 1; then bin 0 += slot 10 and bin 8 += slot 0.
///   4. part[j][k] = sum over the 8 rows, top down, of share[row][j] * (2.). j: 0, 1 the upper and
///      lower cell of its own block, 2, 3 those of the block above.
///   5. Cell (cx, cy) of the block with corner group (x, y):
///      (part[cy][cx] of (x, y) + part[cy][2 + cx] of (x + 1, y)) +
///      (part[2 + cy][cx] of (x, y + 1) + part[2 + cy][2 + cx] of (x + 1, y + 1))
///
/// cells, integral. A cell is the sum of the magnitudes (eighths) of its 64 pixels, bin by bin:
/// whole numbers under 2^24, in any order; then as a float, times 1/8.
///
/// All kinds. A block's 36 values are 9 bins of 4 *lanes*, the cells (0,0), (1,0), (0,1), (1,1).
///   6. A block's sum of squares: each lane over the bins, rising; then
///      (lane 0 + lane 1) + (lane 2 + lane 3).
///   7. L2-Hys, as OpenCV has it: times 1 / (root + 36 * 0.1), cut off at `clip`, times
///      1 / (root of the new sum of squares + 0.001).
///   8. A window: each lane over its block rows, then bins, then block columns, all rising:
///      lane += weight * value. Score: bias + ((lane 0 + lane 1) + (lane 2 + lane 3)).
namespace kerb::hog::dense {

inline constexpr int kCell = DenseModel::kCell, kBins = DenseModel::kBins;
inline constexpr int kLanes = 4, kSlots = 11;
inline constexpr float kFirstFloor = 3.6F, kSecondFloor = 0.001F;
inline constexpr float kPerEighth = 0.125F;  ///< cells, integral: back from eighths

/// What a pixel in column (or row) u of its group gives to the four cells it can reach: a Gaussian
/// of its place in the block times a linear ramp between the cells' centres.
struct Shares {
  float of[kCell][4];
};

/// A gradient's magnitude, split between two bins: `lower` to bin slot - 1, `upper` to bin slot,
/// where bin -1 means 8 and 9 means 0.
struct Vote {
  float lower, upper;
  std::int32_t slot;  ///< 0..9
};

/// The direction comes from the polynomial that OpenCV uses, here in bins (20 degrees) from the
/// start: 9 / pi times its coefficients. Its error is under 0.01 degrees.
KERB_BOTH Vote vote_of(float dx, float dy) {
  constexpr float kP1 = 2.8641812F, kP3 = -0.93337231F, kP5 = 0.44570001F, kP7 = -0.12698623F;
  constexpr float kTiny = 2.220446e-16F;  // keeps 0 / 0 away, and is lost in all else
  const float ax = fabsf(dx), ay = fabsf(dy);
  const float large = ax < ay ? ay : ax, small = ax < ay ? ax : ay;
  const float c = small / (large + kTiny), cc = c * c;
  const float octant = (((kP7 * cc + kP5) * cc + kP3) * cc + kP1) * c;
  const float quadrant = ax < ay ? 4.5F - octant : octant;
  const float angle = (dx < 0) != (dy < 0) ? 9.0F - quadrant : quadrant;
  const float place = angle + 0.5F;  // bins have their centres at halves
  const auto slot = static_cast<std::int32_t>(place);
  const float upper = place - static_cast<float>(slot);
  const float magnitude = sqrtf(dx * dx + dy * dy);
  return {magnitude * (1.0F - upper), magnitude * upper, slot};
}

/// Colour: the channel with the largest gradient. Of equal ones blue before green before red, as
/// OpenCV's vector code chooses.
struct Gradient {
  float dx, dy;
};
KERB_BOTH Gradient largest(Gradient red, Gradient green, Gradient blue) {
  const float r = red.dx * red.dx + red.dy * red.dy;
  const float g = green.dx * green.dx + green.dy * green.dy;
  const float b = blue.dx * blue.dx + blue.dy * blue.dy;
  const bool red_over_green = r > g;
  const Gradient other = red_over_green ? red : green;
  return (red_over_green ? r : g) > b ? other : blue;
}

/// (lane 0 + lane 1) + (lane 2 + lane 3)
KERB_BOTH float sum_of_lanes(float l0, float l1, float l2, float l3) {
  return (l0 + l1) + (l2 + l3);
}
KERB_BOTH float first_scale(float sum_of_squares) {
  return 1.0F / (sqrtf(sum_of_squares) + kFirstFloor);
}
KERB_BOTH float second_scale(float sum_of_squares) {
  return 1.0F / (sqrtf(sum_of_squares) + kSecondFloor);
}
KERB_BOTH float clipped(float value, float clip) { return value < clip ? value : clip; }

}  // namespace kerb::hog::dense
