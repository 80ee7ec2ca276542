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

[[nodiscard]] inline F32x4 to_float(U32x4 v) noexcept {  ///< of numbers under 2^31
  return __builtin_convertvector(bits<S32x4>(v), F32x4);
}

/// ((a0 + a1) + (a2 + a3))
[[nodiscard]] inline float sum(F32x4 v) noexcept { return (v[0] + v[1]) + (v[2] + v[3]); }

}  // namespace kerb::simd
