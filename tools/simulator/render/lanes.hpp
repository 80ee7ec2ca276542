// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>

#include "tools/simulator/render/vecf.hpp"
#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

/// As many floats at a time as the source is compiled for: eight with AVX2, four elsewhere. Every
/// lane is rounded as a scalar, by the same operations in the same order: pictures are the same to
/// the bit. For sources that are compiled for several machines: all of it is inlined or in an
/// anonymous namespace, for the linker must not find two versions of a function.
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

/// exp() of numbers that are not positive, by the algorithm of glibc's expf(): 2^(k/32) from a
/// table, times a polynomial of the rest, in double precision. Without fused operations. Gives the
/// float that glibc 2.36 gives on x86 with FMA for each of them but one, whose exponential is
/// 10^-28.
alignas(64) constexpr std::uint64_t kPowersOfTwo[32] = {
    // 2^(i/32), less i in the exponent's place
    0x3ff0000000000000ULL, 0x3fefd9b0d3158574ULL, 0x3fefb5586cf9890fULL, 0x3fef9301d0125b51ULL,
    0x3fef72b83c7d517bULL, 0x3fef54873168b9aaULL, 0x3fef387a6e756238ULL, 0x3fef1e9df51fdee1ULL,
    0x3fef06fe0a31b715ULL, 0x3feef1a7373aa9cbULL, 0x3feedea64c123422ULL, 0x3feece086061892dULL,
    0x3feebfdad5362a27ULL, 0x3feeb42b569d4f82ULL, 0x3feeab07dd485429ULL, 0x3feea47eb03a5585ULL,
    0x3feea09e667f3bcdULL, 0x3fee9f75e8ec5f74ULL, 0x3feea11473eb0187ULL, 0x3feea589994cce13ULL,
    0x3feeace5422aa0dbULL, 0x3feeb737b0cdc5e5ULL, 0x3feec49182a3f090ULL, 0x3feed503b23e255dULL,
    0x3feee89f995ad3adULL, 0x3feeff76f2fb5e47ULL, 0x3fef199bdd85529cULL, 0x3fef3720dcef9069ULL,
    0x3fef5818dcfba487ULL, 0x3fef7c97337b9b5fULL, 0x3fefa4afa2a490daULL, 0x3fefd0765b6e4540ULL,
};
using D4 = double __attribute__((vector_size(32)));
using U64x4 = std::uint64_t __attribute__((vector_size(32)));
KERB_LANE F4 exp_of_four(F4 x) {
  constexpr double kPerOctave = 32, kShift = 0x1.8p52;
  const D4 xd = __builtin_convertvector(x, D4);
  D4 z = (0x1.71547652b82fep+0 * kPerOctave) * xd;
  D4 kd = z + kShift;
  const U64x4 ki = reinterpret_cast<U64x4>(kd);
  kd -= kShift;
  const D4 r = z - kd;
  const U64x4 t = U64x4{kPowersOfTwo[ki[0] % 32], kPowersOfTwo[ki[1] % 32],
                        kPowersOfTwo[ki[2] % 32], kPowersOfTwo[ki[3] % 32]} +
                  (ki << 47U);
  z = (0x1.c6af84b912394p-5 / kPerOctave / kPerOctave / kPerOctave) * r +
      0x1.ebfce50fac4f3p-3 / kPerOctave / kPerOctave;
  const D4 r2 = r * r;
  D4 y = (0x1.62e42ff0c52d6p-1 / kPerOctave) * r + 1.0;
  y = z * r2 + y;
  y = y * reinterpret_cast<D4>(t);
  const F4 out = __builtin_convertvector(y, F4);
  return x < all(-0x1.9fe368p6F) ? all(0.0F) : out;
}
KERB_LANE FN exp_of(FN x) {
  F4 part[kLanes / 4];
  static_assert(sizeof part == sizeof x);
  __builtin_memcpy(part, &x, sizeof x);
  for (F4& p : part) p = exp_of_four(p);
  __builtin_memcpy(&x, part, sizeof x);
  return x;
}

}  // namespace
}  // namespace kerb::sim
