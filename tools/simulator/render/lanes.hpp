// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "tools/simulator/render/vecf.hpp"
#if defined(KERB_ONE_LANE)
#include "tools/simulator/render/lane_structs.hpp"
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

/// As many floats at a time as the source is compiled for: eight with AVX2, four elsewhere, one
/// with KERB_ONE_LANE (the source then is for a thread of a GPU, or does on the CPU what such a
/// thread does). Every lane is rounded as a scalar, by the same operations in the same order:
/// pictures are the same to the bit. For sources that are compiled for several machines: all of it
/// is inlined or in an anonymous namespace, for the linker must not find two versions of a
/// function.
#if defined(__CUDACC__)
#define KERB_LANE __host__ __device__ __forceinline__
#define KERB_INNER __host__ __device__  // what may stay a function of its own
#else
#define KERB_LANE [[gnu::always_inline]] inline
#define KERB_INNER
#endif
namespace kerb::sim {
namespace {

using kerb::sim::clamp01;  // beside those for lanes
using kerb::sim::mix;
using kerb::sim::smooth;

#if defined(KERB_ONE_LANE)
constexpr int kLanes = 1;
using FN = Lanes<float, 1>;
using IN = Lanes<std::int32_t, 1>;
using UN = Lanes<std::uint32_t, 1>;
KERB_LANE FN each(float x) { return FN::of(x); }
KERB_LANE IN each(std::int32_t x) { return IN::of(x); }
KERB_LANE UN each(std::uint32_t x) { return UN::of(x); }
KERB_LANE FN as_float(IN x) { return converted<float>(x); }
KERB_LANE IN as_int(FN x) { return truncated(x); }
KERB_LANE IN int_bits(FN x) { return same_bits<std::int32_t>(x); }
KERB_LANE IN int_bits(UN x) { return same_bits<std::int32_t>(x); }
KERB_LANE UN word_bits(FN x) { return same_bits<std::uint32_t>(x); }
KERB_LANE UN word_bits(IN x) { return same_bits<std::uint32_t>(x); }
KERB_LANE FN float_bits(IN x) { return same_bits<float>(x); }
KERB_LANE FN select(IN mask, FN yes, FN no) { return pick(mask, yes, no); }
KERB_LANE IN select(IN mask, IN yes, IN no) { return pick(mask, yes, no); }
KERB_LANE FN root_of(FN x) { return {std::sqrt(x[0])}; }
KERB_LANE unsigned bits_of(IN mask) { return static_cast<std::uint32_t>(mask[0]) >> 31; }
#else
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
/// The same bits as another type.
KERB_LANE IN int_bits(FN x) { return reinterpret_cast<IN>(x); }
KERB_LANE IN int_bits(UN x) { return reinterpret_cast<IN>(x); }
KERB_LANE UN word_bits(FN x) { return reinterpret_cast<UN>(x); }
KERB_LANE UN word_bits(IN x) { return reinterpret_cast<UN>(x); }
KERB_LANE FN float_bits(IN x) { return reinterpret_cast<FN>(x); }
/// By lane.
KERB_LANE FN select(IN mask, FN yes, FN no) { return mask ? yes : no; }
KERB_LANE IN select(IN mask, IN yes, IN no) { return mask ? yes : no; }
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

#endif
/// As std::min, std::max, std::abs, clamp01, smooth and floor_int of one.
KERB_LANE FN lesser(FN a, FN b) { return select(b < a, b, a); }
KERB_LANE FN greater(FN a, FN b) { return select(a < b, b, a); }
KERB_LANE FN size_of(FN x) { return float_bits(int_bits(x) & 0x7FFFFFFF); }
KERB_LANE FN clamp01(FN x) {
  const FN zero = each(0.0F), one = each(1.0F);
  return select(x < zero, zero, select(x > one, one, x));
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
  return select(x < l, l, select(x > h, h, x));
}

/// The place of the lowest bit that is set.
KERB_LANE int first_lane_of(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
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
  return {select(mask, yes.x, no.x), select(mask, yes.y, no.y), select(mask, yes.z, no.z)};
}

/// 2^(k/32), less k in the exponent's place.
KERB_LANE std::uint64_t power_of_two(std::uint64_t k) {
  alignas(64) static constexpr std::uint64_t kPowers[32] = {
      0x3ff0000000000000ULL, 0x3fefd9b0d3158574ULL, 0x3fefb5586cf9890fULL, 0x3fef9301d0125b51ULL,
      0x3fef72b83c7d517bULL, 0x3fef54873168b9aaULL, 0x3fef387a6e756238ULL, 0x3fef1e9df51fdee1ULL,
      0x3fef06fe0a31b715ULL, 0x3feef1a7373aa9cbULL, 0x3feedea64c123422ULL, 0x3feece086061892dULL,
      0x3feebfdad5362a27ULL, 0x3feeb42b569d4f82ULL, 0x3feeab07dd485429ULL, 0x3feea47eb03a5585ULL,
      0x3feea09e667f3bcdULL, 0x3fee9f75e8ec5f74ULL, 0x3feea11473eb0187ULL, 0x3feea589994cce13ULL,
      0x3feeace5422aa0dbULL, 0x3feeb737b0cdc5e5ULL, 0x3feec49182a3f090ULL, 0x3feed503b23e255dULL,
      0x3feee89f995ad3adULL, 0x3feeff76f2fb5e47ULL, 0x3fef199bdd85529cULL, 0x3fef3720dcef9069ULL,
      0x3fef5818dcfba487ULL, 0x3fef7c97337b9b5fULL, 0x3fefa4afa2a490daULL, 0x3fefd0765b6e4540ULL,
  };
  return kPowers[k % 32];
}
/// exp() of numbers that are not positive, by the algorithm of glibc's expf(): 2^(k/32) from a
/// table, times a polynomial of the rest, in double precision. Without fused operations. Gives the
/// float that glibc 2.36 gives on x86 with FMA for each of them but one, whose exponential is
/// 10^-28.
KERB_LANE float exp_of_one(float x) {
  constexpr double kPerOctave = 32, kShift = 0x1.8p52;
  const double z = (0x1.71547652b82fep+0 * kPerOctave) * static_cast<double>(x), kd = z + kShift;
  std::uint64_t ki = 0;
  std::memcpy(&ki, &kd, sizeof ki);
  const double r = z - (kd - kShift);
  const std::uint64_t t = power_of_two(ki) + (ki << 47U);
  double scale = 0;
  std::memcpy(&scale, &t, sizeof scale);
  const double p = (0x1.c6af84b912394p-5 / kPerOctave / kPerOctave / kPerOctave) * r +
                   0x1.ebfce50fac4f3p-3 / kPerOctave / kPerOctave;
  const double y = p * (r * r) + ((0x1.62e42ff0c52d6p-1 / kPerOctave) * r + 1.0);
  return x < -0x1.9fe368p6F ? 0.0F : static_cast<float>(y * scale);
}
/// Four, and as many as there are.
#if defined(KERB_ONE_LANE)
KERB_LANE FN exp_of(FN x) { return {exp_of_one(x[0])}; }
#else
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
  const U64x4 t =
      U64x4{power_of_two(ki[0]), power_of_two(ki[1]), power_of_two(ki[2]), power_of_two(ki[3])} +
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
#endif

}  // namespace
}  // namespace kerb::sim
