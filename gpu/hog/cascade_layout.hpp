// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/image/grid_histogram.hpp"

/// A cascade in the form that its engines use: places in nodes of the grid instead of pixels,
/// weights in the order of the arithmetic. For gpu/hog alone.
///
/// The value of a linear learner, on every backend, operation by operation. From the nodes of the
/// integral histogram come the 4 x 9 whole sums of the block. They are taken as nine vectors of
/// four lanes, k = 0..8:
///   k = 0..3   bins 0..3 of cell k          k = 4..7   bins 4..7 of cell k - 4
///   k = 8      bin 8 of cells 0..3
/// converted to float (rounded to nearest), and then, with k rising and lane by lane,
///   square[lane] += value * value           dot[lane] += weight * value
/// each product and each sum rounded by itself. With sum(a) = (a0 + a1) + (a2 + a3):
///   v = sum(dot) / (sqrt(sum(square)) + 1) - offset
///   vote = (v >= 0 ? pass : fail) + round(clamp(v * slope, -2^22, 2^22))     (half to even)
/// A tree node's test: is the sum over the rectangle, as float, less than the threshold? With a
/// divisor: sum / (divisor's sum + 1/128), both as float.
namespace kerb::hog {

inline constexpr float kSlopeLimit = 4194304;
inline constexpr float kDivisorFloor = 1.0F / 128;

struct GridLinear {
  std::int16_t x[3], y[3];  // nodes in the window
  float offset, slope;
  std::int32_t pass, fail;
  float weights[36];  // [k][lane]
};

struct GridQuestion {
  std::int16_t x0, y0, x1, y1;  // nodes in the window
  std::int16_t dx0, dy0, dx1, dy1;
  std::int16_t channel, divisor, left, right;
  float threshold;
};

struct CascadeLayout {
  GridSettings grid;
  std::vector<GridLinear> linear;
  std::vector<GridQuestion> questions;
};

/// Fails: invalid_argument (validate(); not a cascade).
Result<CascadeLayout> lay_out(const Model& model, int stride);

}  // namespace kerb::hog
