// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Vectors of 16 bytes, which NEON and SSE2 both have, as GCC and Clang extend the language. Every
/// lane is rounded as a scalar would be. For the CPU operators of gpu/ alone.
namespace kerb::simd {

/// For what must not become a call: vectors would travel through memory.
#define KERB_INLINE __attribute__((always_inline)) inline

using U8x8 = std::uint8_t __attribute__((vector_size(8)));
using S16x4 = std::int16_t __attribute__((vector_size(8)));
using S16x8 = std::int16_t __attribute__((vector_size(16)));
using U16x4 = std::uint16_t __attribute__((vector_size(8)));
using U16x8 = std::uint16_t __attribute__((vector_size(16)));
using S32x4 = std::int32_t __attribute__((vector_size(16)));
using U32x4 = std::uint32_t __attribute__((vector_size(16)));
using F32x4 = float __attribute__((vector_size(16)));

template <typename V, typename T>
[[nodiscard]] inline V load(const T* from) noexcept {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
inline void store(T* to, V v) noexcept {
  std::memcpy(to, &v, sizeof v);
}

/// The same bits, read as another kind of vector.
template <typename To, typename From>
[[nodiscard]] inline To bits(From v) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &v, sizeof to);
  return to;
}

[[nodiscard]] inline F32x4 square_root(F32x4 v) noexcept {
#if defined(__aarch64__)
  return bits<F32x4>(vsqrtq_f32(bits<float32x4_t>(v)));
#elif defined(__SSE2__)
  return bits<F32x4>(_mm_sqrt_ps(bits<__m128>(v)));
#else
  for (int i = 0; i < 4; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

// Wider lanes. Written out for each machine: GCC 12 takes these apart lane by lane otherwise.

[[nodiscard]] inline S16x8 widen(U8x8 v) noexcept {
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
[[nodiscard]] inline S32x8 widen(S16x8 v) noexcept {
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
[[nodiscard]] inline U32x8 widen(U16x8 v) noexcept {
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

[[nodiscard]] inline F32x4 to_float(U32x4 v) noexcept {  ///< of numbers under 2^31
  return __builtin_convertvector(bits<S32x4>(v), F32x4);
}

/// ((a0 + a1) + (a2 + a3))
[[nodiscard]] inline float sum(F32x4 v) noexcept { return (v[0] + v[1]) + (v[2] + v[3]); }

}  // namespace kerb::simd
