// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/pack_gradients.hpp"
#include "gpu/image/simd.hpp"

/// gradient_packer() for the lanes its source is compiled for. For pack_gradients_*.cpp alone.
namespace kerb::cpu {
namespace {

using namespace simd;

constexpr int kShorts = sizeof(S16xN) / sizeof(std::int16_t);

KERB_INLINE S16xN samples(const std::uint8_t* from) { return widen(load<U8xN>(from)); }

KERB_INLINE S16xN absolute(S16xN v) {
  const S16xN sign = v >> 15;
  return (v ^ sign) - sign;
}

/// gradient::bin_of() of each lane.
template <int kBins, bool kHalfShifted>
KERB_INLINE S16xN bins_of(S16xN dx, S16xN dy) {
  const S16xN ax = absolute(dx), ay = absolute(dy);
  S16xN index;  // minus the bounds passed: a comparison gives -1
  if constexpr (kBins == 9 && !kHalfShifted) {
    index = (ay * 11 >= ax * 4) + (ay * 56 >= ax * 47) + (ay * 56 >= ax * 97) + (ay * 3 >= ax * 17);
  } else if constexpr (kBins == 9) {
    index = (ay * 17 >= ax * 3) + (ay * 97 >= ax * 56) + (ay * 47 >= ax * 56) + (ay * 4 >= ax * 11);
  } else if constexpr (!kHalfShifted) {
    index = (ay * 97 >= ax * 56) + (ay * 56 >= ax * 97);
  } else {
    index = (ay * 56 >= ax * 15) + (ay >= ax) + (ay * 15 >= ax * 56);
  }
  index = -index;
  constexpr std::int16_t kLast = kBins - 1;
  S16xN rising = index;
  if constexpr (kHalfShifted) rising = choose(index == 0, S16xN{} + kLast, index - 1);
  const S16xN falling = (dx == 0) | (((dx ^ dy) < 0) & (dy != 0));
  return choose((ax | ay) == 0, S16xN{}, choose(falling, kLast - index, rising));
}

/// gradient::eighths() of each lane.
KERB_INLINE S32xN eighths(S32xN squared_norm) {
  const F32xN root = square_root(__builtin_convertvector(squared_norm * 64, F32xN));
  return __builtin_convertvector(root + 0.5F, S32xN);
}

template <int kBins, bool kHalfShifted>
KERB_INLINE S16xN packed_of(S16xN dx, S16xN dy, const S32xNN& norm) {
  const S16xN magnitude = join(eighths(norm.low), eighths(norm.high));
  return (magnitude << gradient::kBinBits) | bins_of<kBins, kHalfShifted>(dx, dy);
}

KERB_INLINE S32xN larger(S32xN a, S32xN b) { return choose(a > b, a, b); }

/// Of the plane with the largest gradient.
template <int kBins, bool kHalfShifted, int kPlanes>
void pack(const GradientRow& row, std::uint16_t* out) {
  for (int x = 0; x < row.count; x += kShorts) {
    S16xN dx{}, dy{};
    S32xNN best{};
    for (int p = 0; p < kPlanes; ++p) {
      const std::uint8_t* at = row.planes[p] + x;
      const S16xN ex = samples(at + 1) - samples(at - 1);
      const S16xN ey = samples(at + row.stride) - samples(at - row.stride);
      const S32xNN norm = squared_norm(ex, ey);
      if (p == 0) {
        dx = ex;
        dy = ey;
        best = norm;
        continue;
      }
      const S16xN better = join(norm.low > best.low, norm.high > best.high);
      dx = choose(better, ex, dx);
      dy = choose(better, ey, dy);
      best = {larger(norm.low, best.low), larger(norm.high, best.high)};
    }
    store(out + x, packed_of<kBins, kHalfShifted>(dx, dy, best));
  }
}

template <int kBins, bool kHalfShifted>
PackGradients packer(bool colour) {
  return colour ? pack<kBins, kHalfShifted, 3> : pack<kBins, kHalfShifted, 1>;
}
PackGradients packer(const GridSettings& s) {
  if (s.bins == 9) return s.half_shifted ? packer<9, true>(s.colour) : packer<9, false>(s.colour);
  return s.half_shifted ? packer<6, true>(s.colour) : packer<6, false>(s.colour);
}

}  // namespace
}  // namespace kerb::cpu
