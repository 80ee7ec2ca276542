// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>

#include "tools/simulator/render/vecf.hpp"
#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

/// As many floats at a time as the source is compiled for: eight with AVX2, four elsewhere. Every lane is
/// rounded as a scalar, by the same operations in the same order: pictures are the same to the bit.
/// For sources that are compiled for several machines: all of it is inlined or in an anonymous namespace, for
/// the linker must not find two versions of a function.
#define KERB_LANE [[gnu::always_inline]] inline
namespace kerb::sim {
namespace {

using kerb::sim::clamp01;  // beside those for lanes
using kerb::sim::mix;
using kerb::sim::smooth;

#if defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using FN = float __attribute__((vector_size(4 * kLanes)));
using IN = std::int32_t __attribute__((vector_size(4 * kLanes)));
using UN = std::uint32_t __attribute__((vector_size(4 * kLanes)));

KERB_LANE FN each(float x) { return x - FN{}; }
KERB_LANE IN each(std::int32_t x) { return x - IN{}; }
KERB_LANE UN each(std::uint32_t x) { return x - UN{}; }
KERB_LANE FN as_float(IN x) { return __builtin_convertvector(x, FN); }
KERB_LANE IN as_int(FN x) { return __builtin_convertvector(x, IN); }
/// As std::min, std::max, std::abs, clamp01, smooth and floor_int of one.
KERB_LANE FN lesser(FN a, FN b) { return b < a ? b : a; }
KERB_LANE FN greater(FN a, FN b) { return a < b ? b : a; }
KERB_LANE FN size_of(FN x) { return reinterpret_cast<FN>(reinterpret_cast<IN>(x) & 0x7FFFFFFF); }
KERB_LANE FN clamp01(FN x) {
  const FN zero = each(0.0F), one = each(1.0F);
  return x < zero ? zero : x > one ? one : x;
}
KERB_LANE FN smooth(float from, float to, FN x) {
  const FN t = clamp01((x - from) / (to - from));
  return t * t * (3.0F - 2.0F * t);
}
KERB_LANE IN floor_of(FN x) {
  const IN i = as_int(x);
  return i + (x < as_float(i));  // true is -1
}
KERB_LANE IN clamp(IN x, int low, int high) {
  const IN l = each(low), h = each(high);
  return x < l ? l : x > h ? h : x;
}
KERB_LANE FN root_of(FN x) {
#if defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__x86_64__)
  return _mm_sqrt_ps(x);
#elif defined(__aarch64__)
  return reinterpret_cast<FN>(vsqrtq_f32(reinterpret_cast<float32x4_t>(x)));
#else
  for (int k = 0; k < kLanes; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}
/// A bit for each lane that is negative: of a comparison's result, true.
KERB_LANE unsigned bits_of(IN mask) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#elif defined(__x86_64__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#elif defined(__aarch64__)
  const uint32x4_t signs = vshrq_n_u32(reinterpret_cast<uint32x4_t>(mask), 31);
  return vaddvq_u32(vshlq_u32(signs, int32x4_t{0, 1, 2, 3}));
#else
  unsigned out = 0;
  for (int k = 0; k < kLanes; ++k) out |= (static_cast<std::uint32_t>(mask[k]) >> 31) << k;
  return out;
#endif
}

struct V3N {
  FN x, y, z;
};
KERB_LANE V3N operator+(const V3N& a, const V3N& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
KERB_LANE V3N operator-(const V3N& a, const V3N& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
KERB_LANE V3N operator*(FN s, const V3N& a) { return {s * a.x, s * a.y, s * a.z}; }
KERB_LANE V3N operator*(FN s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
KERB_LANE V3N operator*(const V3N& a, const V3N& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
KERB_LANE V3N each(V3 a) { return {each(a.x), each(a.y), each(a.z)}; }
KERB_LANE FN dot(const V3N& a, const V3N& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
KERB_LANE FN dot(const V3N& a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
KERB_LANE FN mix(FN a, FN b, FN t) { return a + t * (b - a); }
KERB_LANE V3N choose(IN mask, const V3N& yes, const V3N& no) {
  return {mask ? yes.x : no.x, mask ? yes.y : no.y, mask ? yes.z : no.z};
}

/// exp() of the machine's own library, of the lanes that are asked for.
KERB_LANE FN exp_of(FN x, unsigned lanes) {
  FN out = each(0.0F);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int k = std::countr_zero(lanes);
    out[k] = std::exp(x[k]);
  }
  return out;
}

}  // namespace
}  // namespace kerb::sim
