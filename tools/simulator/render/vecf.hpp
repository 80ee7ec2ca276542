// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tools/simulator/base/vec.hpp"

/// Single-precision vectors of the renderer, and four floats at a time. Sums are written out in one
/// order and built without contraction, so that a picture is the same everywhere.
#if defined(__CUDACC__)
#define KERB_BOTH __host__ __device__  // also where nvcc reads
#else
#define KERB_BOTH
#endif
namespace kerb::sim {

struct V3 {
  float x = 0, y = 0, z = 0;
};
constexpr V3 operator+(V3 a, V3 b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr V3 operator-(V3 a, V3 b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr V3 operator*(float s, V3 a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
constexpr V3 operator*(V3 a, V3 b) noexcept { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
constexpr float dot(V3 a, V3 b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr V3 cross(V3 a, V3 b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
KERB_BOTH inline float length(V3 a) noexcept { return std::sqrt(dot(a, a)); }
KERB_BOTH inline V3 unit(V3 a) noexcept {
  const float l = length(a);
  return l > 0 ? (1 / l) * a : V3{0, 0, 1};
}
constexpr V3 mix(V3 a, V3 b, float t) noexcept { return a + t * (b - a); }
constexpr float mix(float a, float b, float t) noexcept { return a + t * (b - a); }
constexpr float clamp01(float x) noexcept { return x < 0 ? 0 : x > 1 ? 1 : x; }
constexpr float smooth(float from, float to, float x) noexcept {
  const float t = clamp01((x - from) / (to - from));
  return t * t * (3 - 2 * t);
}
constexpr float f32(double x) noexcept { return static_cast<float>(x); }
constexpr float f32(int x) noexcept { return static_cast<float>(x); }
constexpr float f32(std::uint32_t x) noexcept { return static_cast<float>(x); }
constexpr float f32(std::size_t x) noexcept { return static_cast<float>(x); }
constexpr int i32(float x) noexcept {
#if defined(__CUDA_ARCH__)  // beyond an int's range: as x86 does it
  return x >= -2147483648.0F && x < 2147483648.0F ? static_cast<int>(x) : -2147483647 - 1;
#else
  return static_cast<int>(x);
#endif
}
constexpr int i32(double x) noexcept { return static_cast<int>(x); }
constexpr int i32(std::size_t x) noexcept { return static_cast<int>(x); }
constexpr std::size_t at(int x) noexcept { return static_cast<std::size_t>(x); }
KERB_BOTH inline int floor_int(float x) noexcept {
  const int i = i32(x);
  return i - (x < f32(i) ? 1 : 0);
}
constexpr V3 to_v3(Vec3 a) noexcept { return {f32(a.x), f32(a.y), f32(a.z)}; }

/// sRGB's curve, both ways.
inline float linear_of(float srgb) noexcept {
  return srgb <= 0.04045F ? srgb / 12.92F : std::pow((srgb + 0.055F) / 1.055F, 2.4F);
}
inline float srgb_of(float linear) noexcept {
  return linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1 / 2.4F) - 0.055F;
}

#if !defined(KERB_ONE_LANE)
/// Four lanes, in a register where the machine has such. Sources for one lane at a time have their
/// own (lane_structs.hpp).
using F4 = float __attribute__((vector_size(16)));
using I4 = std::int32_t __attribute__((vector_size(16)));
using U4 = std::uint32_t __attribute__((vector_size(16)));
using L2 = std::int64_t __attribute__((vector_size(16)));
/// Whether any bit is set.
inline bool any(I4 x) noexcept {
  const L2 halves = reinterpret_cast<L2>(x);
  return (halves[0] | halves[1]) != 0;
}
constexpr F4 all(float x) noexcept { return F4{x, x, x, x}; }
constexpr I4 all(std::int32_t x) noexcept { return I4{x, x, x, x}; }
constexpr U4 all(std::uint32_t x) noexcept { return U4{x, x, x, x}; }
inline F4 least(F4 a, F4 b) noexcept { return a < b ? a : b; }
inline F4 most(F4 a, F4 b) noexcept { return a > b ? a : b; }
inline F4 root(F4 x) noexcept {
  return F4{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}
inline I4 floor_int(F4 x) noexcept {
  const I4 i = __builtin_convertvector(x, I4);
  return i + (x < __builtin_convertvector(i, F4));  // true is -1
}
/// Conversions, and a choice by lane.
inline F4 floats_of(I4 x) noexcept { return __builtin_convertvector(x, F4); }
inline U4 words_of(F4 x) noexcept { return __builtin_convertvector(x, U4); }
inline F4 floats_of(U4 x) noexcept { return __builtin_convertvector(x, F4); }
inline F4 pick(I4 mask, F4 yes, F4 no) noexcept { return mask ? yes : no; }
#endif

}  // namespace kerb::sim
