// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/image/both.hpp"
#include "gpu/night/temporal_filter.hpp"

/// The arithmetic of TemporalFilter, once for both backends. For gpu/night alone.
namespace kerb::night::temporal {

using Shift = TemporalFilter::Shift;
using Bin = TemporalFilter::Bin;
using Plan = TemporalFilter::Plan;

inline constexpr int kBlock = 16, kBin = 32;  // pixels a side
inline constexpr int kFine = 64;              // of the past: parts of a grey value
inline constexpr int kMost = 255 * kFine;
inline constexpr int kReach = 2;       // the mean difference is over 2 * kReach + 1 pixels a side
inline constexpr int kMostShifts = 8;  // tried for a block
inline constexpr float kLeastVariance = 0.25F;  // rounding alone has a twelfth

// --- exposure

inline constexpr int kRatios = 1024;            // 256ths: up to 4
inline constexpr int kOne = 256;                // no change
inline constexpr int kLeastChange = 4;          // smaller ones are left to the weights
inline constexpr int kLeastRatio = 64;          // greater changes are a cut
inline constexpr std::uint32_t kLeastMean = 8;  // grey values; darker blocks say nothing

/// Whether a block says how the exposure changed.
KERB_BOTH bool says_ratio(std::uint32_t before, int pixels) {
  return before >= kLeastMean * static_cast<std::uint32_t>(pixels);
}
/// Its bin of the histogram of ratios.
KERB_BOTH int ratio(std::uint32_t before, std::uint32_t now) {
  const std::uint32_t exact = (kOne * now + before / 2) / before;
  return static_cast<int>(exact < kRatios - 1 ? exact : kRatios - 1);
}
/// What the past is multiplied by, in 256ths, of the median of `count` ratios.
KERB_BOTH int exposure_gain(int median, std::uint32_t count, int blocks) {
  if (4 * count < static_cast<std::uint32_t>(blocks)) return kOne;
  if (median < kLeastRatio || median >= kRatios - 1) return kOne;
  const int change = median - kOne;
  return change < kLeastChange && change > -kLeastChange ? kOne : median;
}
KERB_BOTH std::uint16_t with_gain(std::uint16_t past, int gain) {
  const std::uint32_t out = (past * static_cast<std::uint32_t>(gain) + kOne / 2) / kOne;
  return static_cast<std::uint16_t>(out < kMost ? out : kMost);
}
KERB_BOTH std::uint8_t with_gain(std::uint8_t past, int gain) {
  const std::uint32_t out = (past * static_cast<std::uint32_t>(gain) + kOne / 2) / kOne;
  return static_cast<std::uint8_t>(out < 255 ? out : 255);
}

// --- shifts

KERB_BOTH int block_count(const Plan& plan) { return plan.columns * plan.rows; }

struct Rect {
  int x0, y0, x1, y1;
};
KERB_BOTH Rect block_at(const Plan& plan, int column, int row) {
  const int x0 = column * kBlock, y0 = row * kBlock;
  return {x0, y0, x0 + kBlock < plan.width ? x0 + kBlock : plan.width,
          y0 + kBlock < plan.height ? y0 + kBlock : plan.height};
}
KERB_BOTH int pixels_of(const Rect& r) { return (r.x1 - r.x0) * (r.y1 - r.y0); }

/// Below or equal, in whole pixels; and the nearest.
KERB_BOTH int whole(int sixteenths) { return sixteenths >> 4; }
KERB_BOTH int nearest(int sixteenths) { return (sixteenths + 8) >> 4; }
KERB_BOTH int part(int sixteenths) { return sixteenths & 15; }

/// Whether the past has all pixels that the shifted block is made of. Of no motion that is itself.
KERB_BOTH bool is_inside(const Plan& plan, const Rect& r, Shift s) {
  if (s.x == 0 && s.y == 0) return true;
  return r.x0 + whole(s.x) >= 1 && r.x1 + whole(s.x) + 2 <= plan.width && r.y0 + whole(s.y) >= 1 &&
         r.y1 + whole(s.y) + 2 <= plan.height;
}

/// The shifts that are tried for a block, in order: the first of the best is taken.
KERB_BOTH int shifts_for(const Plan& plan, const Bin* bins, int column, int row, Shift previous,
                         Shift* out) {
  int count = 0;
  out[count++] = Shift{};
  out[count++] = previous;
  const int x = column * kBlock / kBin, y = row * kBlock / kBin;
  const Bin& own = bins[y * plan.bin_columns + x];
  for (int i = 0; i < own.count; ++i) out[count++] = own.shifts[i];
  const int xs[4] = {x - 1, x + 1, x, x}, ys[4] = {y, y, y - 1, y + 1};
  for (int i = 0; i < 4; ++i) {
    if (xs[i] < 0 || ys[i] < 0 || xs[i] >= plan.bin_columns || ys[i] >= plan.bin_rows) continue;
    const Bin& bin = bins[ys[i] * plan.bin_columns + xs[i]];
    if (bin.count > 0) out[count++] = bin.shifts[0];
  }
  return count;
}

/// The noise's variance at a grey value.
KERB_BOTH float variance(const Plan& plan, float level) {
  const float linear = plan.noise_floor + plan.noise_slope * level;
  return linear > kLeastVariance ? linear : kLeastVariance;
}

/// Whether a block that differs by `sum` over its pixels (of which the new ones sum up to `signal`)
/// fits the past: by 4 deviations on average at most.
KERB_BOTH bool fits(const Plan& plan, std::uint32_t sum, std::uint32_t signal, int pixels) {
  const float mean = static_cast<float>(sum) / static_cast<float>(pixels);
  const float level = static_cast<float>(signal) / static_cast<float>(pixels);
  return mean * mean <= 16.0F * variance(plan, level);
}

// --- the past at a place

/// Catmull-Rom's weights of four pixels around a place n 16ths behind the second, in 128ths.
struct Taps {
  int of[4];
};
KERB_BOTH Taps taps(int n) {
  const int n2 = n * n, n3 = n2 * n;
  Taps t{};
  t.of[0] = (-256 * n + 32 * n2 - n3 + 32) >> 6;
  t.of[2] = (256 * n + 64 * n2 - 3 * n3 + 32) >> 6;
  t.of[3] = (-16 * n2 + n3 + 32) >> 6;
  t.of[1] = 128 - t.of[0] - t.of[2] - t.of[3];
  return t;
}
KERB_BOTH int mixed(int a, int b, int c, int d, const Taps& t) {
  return (a * t.of[0] + b * t.of[1] + c * t.of[2] + d * t.of[3] + 64) >> 7;
}
KERB_BOTH int limited(int fine) { return fine < 0 ? 0 : fine > kMost ? kMost : fine; }

// --- weights

/// Of the sum over planes of absolute differences in 64ths.
KERB_BOTH std::uint16_t stored_difference(int sum) {
  return static_cast<std::uint16_t>((sum + 4) >> 3);
}
/// The weight of the past in 256ths. `differences` is the sum of 5 x 5 stored ones, `signal` that
/// of the past over the planes.
KERB_BOTH int weight(const Plan& plan, int differences, int signal) {
  const float mean = static_cast<float>(differences) * plan.difference_unit;
  const float level = static_cast<float>(signal) * plan.signal_unit;
  const float in_variances = mean * mean / variance(plan, level);
  const float faded = (plan.differs - in_variances) * plan.fade;
  const float positive = faded < 0.0F ? 0.0F : faded;
  const float most = positive > plan.full ? plan.full : positive;
  // Never negative, and the same bits on a GPU.
  return static_cast<int>(most + 0.5F);  // NOLINT(bugprone-incorrect-roundings)
}
KERB_BOTH int blended(int past, int now, int past_weight) {
  return past + (((now - past) * (256 - past_weight) + 128) >> 8);
}
KERB_BOTH std::uint8_t rounded(int fine) {
  return static_cast<std::uint8_t>((fine + kFine / 2) / kFine);
}

}  // namespace kerb::night::temporal
