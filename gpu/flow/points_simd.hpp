// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/flow/points_math.hpp"
#include "gpu/image/simd.hpp"

/// Vector code of the point tracker on the CPU. Whole numbers: the same on every machine.
namespace kerb::flow::points {

using simd::S16x8;
using simd::S32x4;

/// (a * b + 32) >> 6, for 0 <= b < 64 and results that fit.
KERB_INLINE S16x8 scaled(S16x8 a, S16x8 b) noexcept {
#if defined(__aarch64__)
  // Rounds (2 a 512 b) / 2^16, which is the same.
  return simd::bits<S16x8>(
      vqrdmulhq_s16(simd::bits<int16x8_t>(a), vshlq_n_s16(simd::bits<int16x8_t>(b), 9)));
#elif defined(__SSE2__)
  const __m128i m = simd::bits<__m128i>(a), n = simd::bits<__m128i>(b);
  const __m128i low = _mm_mullo_epi16(m, n), high = _mm_mulhi_epi16(m, n);
  const __m128i half = _mm_set1_epi32(32);
  const __m128i first = _mm_srai_epi32(_mm_add_epi32(_mm_unpacklo_epi16(low, high), half), 6);
  const __m128i last = _mm_srai_epi32(_mm_add_epi32(_mm_unpackhi_epi16(low, high), half), 6);
  return simd::bits<S16x8>(_mm_packs_epi32(first, last));
#else
  S16x8 out{};
  for (int i = 0; i < 8; ++i) out[i] = static_cast<std::int16_t>((a[i] * b[i] + 32) >> 6);
  return out;
#endif
}
KERB_INLINE S16x8 all_lanes(int v) noexcept {
  const auto s = static_cast<std::int16_t>(v);
  return S16x8{s, s, s, s, s, s, s, s};
}
/// between() of eight pairs, t in all lanes.
KERB_INLINE S16x8 between(S16x8 a, S16x8 b, S16x8 t) noexcept { return a + scaled(b - a, t); }

/// Adds products, lane by lane in some order: sums of lanes are the same in any.
KERB_INLINE void add_products(S32x4& sum, S16x8 a, S16x8 b) noexcept {
#if defined(__aarch64__)
  const int16x8_t m = simd::bits<int16x8_t>(a), n = simd::bits<int16x8_t>(b);
  sum = simd::bits<S32x4>(vmlal_high_s16(
      vmlal_s16(simd::bits<int32x4_t>(sum), vget_low_s16(m), vget_low_s16(n)), m, n));
#elif defined(__SSE2__)
  sum += simd::bits<S32x4>(_mm_madd_epi16(simd::bits<__m128i>(a), simd::bits<__m128i>(b)));
#else
  for (int i = 0; i < 8; ++i) sum[i / 2] += a[i] * b[i];
#endif
}
KERB_INLINE void add_lanes(S32x4& sum, S16x8 a) noexcept {
#if defined(__aarch64__)
  sum = simd::bits<S32x4>(vpadalq_s16(simd::bits<int32x4_t>(sum), simd::bits<int16x8_t>(a)));
#else
  add_products(sum, a, all_lanes(1));
#endif
}
KERB_INLINE std::int64_t sum_of(S32x4 v) noexcept {
#if defined(__aarch64__)
  return vaddlvq_s32(simd::bits<int32x4_t>(v));
#else
  return std::int64_t{v[0]} + v[1] + v[2] + v[3];
#endif
}

}  // namespace kerb::flow::points
