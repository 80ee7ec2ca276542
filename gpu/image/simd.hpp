// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Vectors by the extensions of GCC and Clang: of 16 bytes, which NEON and SSE2 both have, and at
/// the end of this file as wide as the source is compiled for. Every lane is rounded as a scalar.
/// For the CPU operators of gpu/ alone.
namespace kerb::simd {

/// For functions that must be inlined: in a call, vectors would pass through memory.
#define KERB_INLINE __attribute__((always_inline)) inline

/// For a function whose loops take most of the time: on x86 also compiled for AVX2, and chosen when
/// the program is loaded. The same operations, so the same bits. Not with the sanitizers, which are
/// not initialised yet at that time.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KERB_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define KERB_WIDER
#endif

using U8x8 = std::uint8_t __attribute__((vector_size(8)));
using U8x16 = std::uint8_t __attribute__((vector_size(16)));
using S16x8 = std::int16_t __attribute__((vector_size(16)));
using U16x8 = std::uint16_t __attribute__((vector_size(16)));
using S32x4 = std::int32_t __attribute__((vector_size(16)));
using U32x4 = std::uint32_t __attribute__((vector_size(16)));
using F32x4 = float __attribute__((vector_size(16)));

template <typename V, typename T>
[[nodiscard]] KERB_INLINE V load(const T* from) noexcept {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
KERB_INLINE void store(T* to, V v) noexcept {
  std::memcpy(to, &v, sizeof v);
}

/// The same bits, read as another kind of vector.
template <typename To, typename From>
[[nodiscard]] KERB_INLINE To bits(From v) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &v, sizeof to);
  return to;
}

[[nodiscard]] KERB_INLINE F32x4 square_root(F32x4 v) noexcept {
#if defined(__aarch64__)
  return bits<F32x4>(vsqrtq_f32(bits<float32x4_t>(v)));
#elif defined(__SSE2__)
  return bits<F32x4>(_mm_sqrt_ps(bits<__m128>(v)));
#else
  for (int i = 0; i < 4; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

// Wider lanes. Written out for each machine: otherwise GCC 12 splits these lane by lane.

[[nodiscard]] KERB_INLINE S16x8 widen(U8x8 v) noexcept {
#if defined(__aarch64__)
  return bits<S16x8>(vmovl_u8(bits<uint8x8_t>(v)));
#elif defined(__SSE2__)
  const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&v));
  return bits<S16x8>(_mm_unpacklo_epi8(low, _mm_setzero_si128()));
#else
  return __builtin_convertvector(v, S16x8);
#endif
}

struct S32x8 {
  S32x4 low, high;
};
[[nodiscard]] KERB_INLINE S32x8 widen(S16x8 v) noexcept {
#if defined(__aarch64__)
  const int16x8_t n = bits<int16x8_t>(v);
  return {bits<S32x4>(vmovl_s16(vget_low_s16(n))), bits<S32x4>(vmovl_high_s16(n))};
#elif defined(__SSE2__)
  const __m128i n = bits<__m128i>(v);
  return {bits<S32x4>(_mm_srai_epi32(_mm_unpacklo_epi16(n, n), 16)),
          bits<S32x4>(_mm_srai_epi32(_mm_unpackhi_epi16(n, n), 16))};
#else
  return {__builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3), S32x4),
          __builtin_convertvector(__builtin_shufflevector(v, v, 4, 5, 6, 7), S32x4)};
#endif
}

struct U32x8 {
  U32x4 low, high;
};
[[nodiscard]] KERB_INLINE U32x8 widen(U16x8 v) noexcept {
#if defined(__aarch64__)
  const uint16x8_t n = bits<uint16x8_t>(v);
  return {bits<U32x4>(vmovl_u16(vget_low_u16(n))), bits<U32x4>(vmovl_high_u16(n))};
#elif defined(__SSE2__)
  const __m128i n = bits<__m128i>(v), zero = _mm_setzero_si128();
  return {bits<U32x4>(_mm_unpacklo_epi16(n, zero)), bits<U32x4>(_mm_unpackhi_epi16(n, zero))};
#else
  return {__builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3), U32x4),
          __builtin_convertvector(__builtin_shufflevector(v, v, 4, 5, 6, 7), U32x4)};
#endif
}

/// Lane by lane: yes where the mask is all ones, no where it is 0.
template <typename V>
[[nodiscard]] KERB_INLINE V choose(V mask, V yes, V no) noexcept {
  return (mask & yes) | (~mask & no);
}

/// x^2 + y^2 of lanes under 2^15.
[[nodiscard]] KERB_INLINE S32x8 squared_norm(S16x8 x, S16x8 y) noexcept {
#if defined(__aarch64__)
  const int16x8_t a = bits<int16x8_t>(x), b = bits<int16x8_t>(y);
  const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(a));
  const int32x4_t high = vmull_high_s16(a, a);
  return {bits<S32x4>(vmlal_s16(low, vget_low_s16(b), vget_low_s16(b))),
          bits<S32x4>(vmlal_high_s16(high, b, b))};
#elif defined(__SSE2__)
  const __m128i a = bits<__m128i>(x), b = bits<__m128i>(y);
  const __m128i low = _mm_unpacklo_epi16(a, b), high = _mm_unpackhi_epi16(a, b);
  return {bits<S32x4>(_mm_madd_epi16(low, low)), bits<S32x4>(_mm_madd_epi16(high, high))};
#else
  const S32x8 a = widen(x), b = widen(y);
  return {a.low * a.low + b.low * b.low, a.high * a.high + b.high * b.high};
#endif
}

/// The low halves of a's lanes, then of b's; lanes within 16 bits, signed.
[[nodiscard]] KERB_INLINE S16x8 join(S32x4 a, S32x4 b) noexcept {
#if defined(__SSE2__)
  return bits<S16x8>(_mm_packs_epi32(bits<__m128i>(a), bits<__m128i>(b)));
#else
  const S16x8 low = bits<S16x8>(a), high = bits<S16x8>(b);  // little-endian
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
#endif
}

/// a0 + a1, a2 + a3, ... b6 + b7, of lanes under 2^15.
[[nodiscard]] KERB_INLINE U16x8 pair_sums(U16x8 a, U16x8 b) noexcept {
#if defined(__aarch64__)
  return bits<U16x8>(vpaddq_u16(bits<uint16x8_t>(a), bits<uint16x8_t>(b)));
#elif defined(__SSE2__)
  // Packing knows only signed numbers: down by 2^15 before, up after.
  const __m128i ones = _mm_set1_epi16(1), half = _mm_set1_epi32(32768);
  const __m128i low = _mm_sub_epi32(_mm_madd_epi16(bits<__m128i>(a), ones), half);
  const __m128i high = _mm_sub_epi32(_mm_madd_epi16(bits<__m128i>(b), ones), half);
  return bits<U16x8>(_mm_xor_si128(_mm_packs_epi32(low, high), _mm_set1_epi16(-32768)));
#else
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

/// (a * (256 - weight) + b * weight + 2^15) >> 16
[[nodiscard]] KERB_INLINE U16x8 blend(U16x8 a, U16x8 b, unsigned weight) noexcept {
#if defined(__aarch64__)
  const uint16x8_t left = bits<uint16x8_t>(a), right = bits<uint16x8_t>(b);
  const auto wl = static_cast<std::uint16_t>(256 - weight), wr = static_cast<std::uint16_t>(weight);
  const uint32x4_t low = vmlal_n_u16(vmull_n_u16(vget_low_u16(left), wl), vget_low_u16(right), wr);
  const uint32x4_t high = vmlal_high_n_u16(vmull_high_n_u16(left, wl), right, wr);
  return bits<U16x8>(vrshrn_high_n_u32(vrshrn_n_u32(low, 16), high, 16));
#elif defined(__SSE2__)
  // Signed numbers again: (a - 2^15) * (256 - weight) + (b - 2^15) * weight is short of 2^23.
  const __m128i down = _mm_set1_epi16(-32768), up = _mm_set1_epi32((1 << 23) + (1 << 15));
  const __m128i weights = _mm_set1_epi32(static_cast<int>((256 - weight) | weight << 16));
  const __m128i left = _mm_xor_si128(bits<__m128i>(a), down);
  const __m128i right = _mm_xor_si128(bits<__m128i>(b), down);
  const __m128i low = _mm_madd_epi16(_mm_unpacklo_epi16(left, right), weights);
  const __m128i high = _mm_madd_epi16(_mm_unpackhi_epi16(left, right), weights);
  return bits<U16x8>(_mm_packs_epi32(_mm_srli_epi32(_mm_add_epi32(low, up), 16),
                                     _mm_srli_epi32(_mm_add_epi32(high, up), 16)));
#else
  U16x8 out;
  for (int i = 0; i < 8; ++i)
    out[i] = static_cast<std::uint16_t>((a[i] * (256 - weight) + b[i] * weight + 32768U) >> 16);
  return out;
#endif
}

/// The low bytes of a's lanes, then of b's, all under 2^8.
[[nodiscard]] KERB_INLINE U8x16 join(U16x8 a, U16x8 b) noexcept {
#if defined(__SSE2__)
  return bits<U8x16>(_mm_packus_epi16(bits<__m128i>(a), bits<__m128i>(b)));
#else
  return __builtin_shufflevector(bits<U8x16>(a), bits<U8x16>(b), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                 20, 22, 24, 26, 28, 30);  // little-endian
#endif
}

/// Rows and columns of eight by eight change places.
KERB_INLINE void transpose(U16x8 (&m)[8]) noexcept {
  U16x8 a[8], b[8];
  for (int i = 0; i < 4; ++i) {  // pairs of rows interleaved: columns 0..3, then 4..7
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int h = 0; h < 2; ++h)  // four rows: columns 0 1, 2 3 or 4 5, 6 7
    for (int i = 0; i < 2; ++i) {
      const U16x8 upper = a[4 * h + i], lower = a[4 * h + 2 + i];
      b[4 * h + 2 * i] = __builtin_shufflevector(upper, lower, 0, 1, 8, 9, 2, 3, 10, 11);
      b[4 * h + 2 * i + 1] = __builtin_shufflevector(upper, lower, 4, 5, 12, 13, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    m[2 * i] = __builtin_shufflevector(b[i], b[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
    m[2 * i + 1] = __builtin_shufflevector(b[i], b[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

[[nodiscard]] KERB_INLINE F32x4 to_float(U32x4 v) noexcept {  ///< of numbers under 2^31
  return __builtin_convertvector(bits<S32x4>(v), F32x4);
}

/// a0, a2, b0, b2
[[nodiscard]] KERB_INLINE U32x4 even_lanes(U32x4 a, U32x4 b) noexcept {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}

// As wide as the source is compiled for: 32 bytes in those compiled for AVX2 as well, 16 elsewhere.
// The functions of such a source are in an anonymous namespace, and everything above is always
// inlined: the linker must not find two versions of a function.

#if defined(__AVX2__)
using U8xN = U8x16;
using S16xN = std::int16_t __attribute__((vector_size(32)));
using S32xN = std::int32_t __attribute__((vector_size(32)));
using U32xN = std::uint32_t __attribute__((vector_size(32)));
using F32xN = float __attribute__((vector_size(32)));

[[nodiscard]] KERB_INLINE S16xN widen(U8xN v) noexcept {
  return bits<S16xN>(_mm256_cvtepu8_epi16(bits<__m128i>(v)));
}
[[nodiscard]] KERB_INLINE F32xN square_root(F32xN v) noexcept {
  return bits<F32xN>(_mm256_sqrt_ps(bits<__m256>(v)));
}
[[nodiscard]] KERB_INLINE F32xN to_float(U32xN v) noexcept {
  return __builtin_convertvector(bits<S32xN>(v), F32xN);
}
[[nodiscard]] KERB_INLINE U32xN even_lanes(U32xN a, U32xN b) noexcept {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
}
/// `low` has the lower half of either half's lanes; join() puts them back in order.
struct S32xNN {
  S32xN low, high;
};
[[nodiscard]] KERB_INLINE S32xNN squared_norm(S16xN x, S16xN y) noexcept {
  const __m256i a = bits<__m256i>(x), b = bits<__m256i>(y);
  const __m256i low = _mm256_unpacklo_epi16(a, b), high = _mm256_unpackhi_epi16(a, b);
  return {bits<S32xN>(_mm256_madd_epi16(low, low)), bits<S32xN>(_mm256_madd_epi16(high, high))};
}
[[nodiscard]] KERB_INLINE S16xN join(S32xN a, S32xN b) noexcept {
  return bits<S16xN>(_mm256_packs_epi32(bits<__m256i>(a), bits<__m256i>(b)));
}
#else
using U8xN = U8x8;
using S16xN = S16x8;
using S32xN = S32x4;
using U32xN = U32x4;
using F32xN = F32x4;
using S32xNN = S32x8;
#endif

}  // namespace kerb::simd
