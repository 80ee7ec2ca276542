// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/flow/block_matching_math.hpp"
#include "gpu/image/simd.hpp"

/// Vector code of block matching on the CPU. Whole numbers: the same on every machine.
namespace kerb::flow::bm {

using simd::F32x4;
using simd::S16x8;
using simd::S32x4;
using simd::U16x8;
using simd::U32x4;
using simd::U8x8;

static_assert(kBlock == 8, "a row of a block is a vector");

KERB_INLINE U8x8 row_at(const std::uint8_t* p) noexcept { return simd::load<U8x8>(p); }
KERB_INLINE S16x8 wide_at(const std::uint8_t* p) noexcept { return simd::widen(row_at(p)); }

KERB_INLINE int sum_of(S32x4 v) noexcept {
#if defined(__aarch64__)
  return vaddvq_s32(simd::bits<int32x4_t>(v));
#else
  return v[0] + v[1] + v[2] + v[3];
#endif
}
KERB_INLINE int sum_of(S16x8 v) noexcept {
#if defined(__aarch64__)
  return vaddlvq_s16(simd::bits<int16x8_t>(v));
#else
  const simd::S32x8 wide = simd::widen(v);
  return sum_of(wide.low + wide.high);
#endif
}

/// Sums of a * b, in some order.
KERB_INLINE S32x4 add_products(S32x4 sum, S16x8 a, S16x8 b) noexcept {
#if defined(__aarch64__)
  const int16x8_t m = simd::bits<int16x8_t>(a), n = simd::bits<int16x8_t>(b);
  return simd::bits<S32x4>(vmlal_high_s16(
      vmlal_s16(simd::bits<int32x4_t>(sum), vget_low_s16(m), vget_low_s16(n)), m, n));
#elif defined(__SSE2__)
  return sum + simd::bits<S32x4>(_mm_madd_epi16(simd::bits<__m128i>(a), simd::bits<__m128i>(b)));
#else
  const simd::S32x8 m = simd::widen(a), n = simd::widen(b);
  return sum + m.low * n.low + m.high * n.high;
#endif
}

/// A block's rows.
struct Rows {
  U8x8 at[kBlock];
};
KERB_INLINE Rows rows_at(const std::uint8_t* p, std::ptrdiff_t stride) noexcept {
  Rows rows;
  for (int y = 0; y < kBlock; ++y) rows.at[y] = row_at(p + y * stride);
  return rows;
}

KERB_INLINE int products(const Rows& a, const std::uint8_t* b, std::ptrdiff_t stride) noexcept {
#if defined(__aarch64__)
  uint32x4_t sum = vdupq_n_u32(0), more = vdupq_n_u32(0);
  for (int y = 0; y < kBlock; y += 2) {
    sum = vpadalq_u16(sum, vmull_u8(simd::bits<uint8x8_t>(a.at[y]), vld1_u8(b + y * stride)));
    more = vpadalq_u16(more,
                       vmull_u8(simd::bits<uint8x8_t>(a.at[y + 1]), vld1_u8(b + (y + 1) * stride)));
  }
  return static_cast<int>(vaddvq_u32(vaddq_u32(sum, more)));
#else
  S32x4 sum{};
  for (int y = 0; y < kBlock; ++y)
    sum = add_products(sum, simd::widen(a.at[y]), wide_at(b + y * stride));
  return sum_of(sum);
#endif
}

/// products() of the nine places around `b`, row by row: each row of theirs is read once for three
/// of them.
KERB_INLINE void products_around(const Rows& a, const std::uint8_t* b, std::ptrdiff_t stride,
                                 int (&out)[9]) noexcept {
  for (int dx = 0; dx < 3; ++dx) {
#if defined(__aarch64__)
    uint32x4_t sums[3] = {vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0)};
#else
    S32x4 sums[3] = {};
#endif
#pragma GCC unroll 10
    for (int row = 0; row < kBlock + 2; ++row) {
      const std::uint8_t* const at = b + (row - 1) * stride + dx - 1;
#pragma GCC unroll 3
      for (int dy = 0; dy < 3; ++dy) {
        if (row < dy || row - dy >= kBlock) continue;
#if defined(__aarch64__)
        const uint8x8_t mine = simd::bits<uint8x8_t>(a.at[row - dy]);
        sums[dy] = vpadalq_u16(sums[dy], vmull_u8(mine, vld1_u8(at)));
#else
        sums[dy] = add_products(sums[dy], simd::widen(a.at[row - dy]), wide_at(at));
#endif
      }
    }
    for (int dy = 0; dy < 3; ++dy)
#if defined(__aarch64__)
      out[3 * dy + dx] = static_cast<int>(vaddvq_u32(sums[dy]));
#else
      out[3 * dy + dx] = sum_of(sums[dy]);
#endif
  }
}

KERB_INLINE int squared_differences(const Rows& a, const std::uint8_t* b,
                                    std::ptrdiff_t stride) noexcept {
#if defined(__aarch64__)
  uint32x4_t sum = vdupq_n_u32(0);
  for (int y = 0; y < kBlock; ++y) {
    const uint8x8_t d = vabd_u8(simd::bits<uint8x8_t>(a.at[y]), vld1_u8(b + y * stride));
    sum = vpadalq_u16(sum, vmull_u8(d, d));
  }
  return static_cast<int>(vaddvq_u32(sum));
#else
  S32x4 sum{};
  for (int y = 0; y < kBlock; ++y) {
    const S16x8 d = simd::widen(a.at[y]) - wide_at(b + y * stride);
    sum = add_products(sum, d, d);
  }
  return sum_of(sum);
#endif
}

KERB_INLINE int absolute_differences(const Rows& a, const std::uint8_t* b,
                                     std::ptrdiff_t stride) noexcept {
#if defined(__aarch64__)
  uint16x8_t sum = vdupq_n_u16(0);
  for (int y = 0; y < kBlock; ++y)
    sum = vabal_u8(sum, simd::bits<uint8x8_t>(a.at[y]), vld1_u8(b + y * stride));
  return static_cast<int>(vaddlvq_u16(sum));
#else
  S16x8 sum{};
  for (int y = 0; y < kBlock; ++y) {
    const S16x8 d = simd::widen(a.at[y]) - wide_at(b + y * stride);
    sum += d < 0 ? -d : d;
  }
  return sum_of(sum);
#endif
}

/// A row interpolated across, in 1 / kParts.
KERB_INLINE U16x8 across(const std::uint8_t* at, int part) {
  const auto left = simd::bits<U16x8>(wide_at(at)), right = simd::bits<U16x8>(wide_at(at + 1));
  return left * static_cast<std::uint16_t>(kParts - part) +
         right * static_cast<std::uint16_t>(part);
}
/// Two such rows, down.
KERB_INLINE U16x8 down(U16x8 upper, U16x8 lower, int part) {
  return (upper * static_cast<std::uint16_t>(kParts - part) +
          lower * static_cast<std::uint16_t>(part) + static_cast<std::uint16_t>(kParts / 2)) >>
         4;
}
static_assert(kParts == 16);

KERB_INLINE F32x4 smaller(F32x4 a, F32x4 b) noexcept {
#if defined(__aarch64__)
  return simd::bits<F32x4>(vminq_f32(simd::bits<float32x4_t>(a), simd::bits<float32x4_t>(b)));
#elif defined(__SSE2__)
  return simd::bits<F32x4>(_mm_min_ps(simd::bits<__m128>(a), simd::bits<__m128>(b)));
#else
  return a < b ? a : b;
#endif
}
KERB_INLINE F32x4 larger(F32x4 a, F32x4 b) noexcept {
#if defined(__aarch64__)
  return simd::bits<F32x4>(vmaxq_f32(simd::bits<float32x4_t>(a), simd::bits<float32x4_t>(b)));
#elif defined(__SSE2__)
  return simd::bits<F32x4>(_mm_max_ps(simd::bits<__m128>(a), simd::bits<__m128>(b)));
#else
  return a > b ? a : b;
#endif
}

}  // namespace kerb::flow::bm
