// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"

/// The arithmetic of to_luv(), once for both backends: additions, multiplications and divisions of
/// floats in the order written here, none of them fused. For gpu/image alone.
namespace kerb::luv {

/// The light of each sRGB value, 0..1.
struct LinearTable {
  float light[256];
};

/// The fifth root of x in 0..1, by Newton's steps from above: they fall until they stand still.
constexpr double fifth_root(double x) {
  if (x <= 0) return 0;
  double root = 1;
  for (int i = 0; i < 60; ++i) {
    const double fourth = root * root * root * root;
    root = (4 * root + x / fourth) / 5;
  }
  return root;
}
constexpr float light_of(int srgb) {
  const double value = srgb / 255.0;
  if (value <= 0.04045) return static_cast<float>(value / 12.92);
  const double base = (value + 0.055) / 1.055;
  const double root = fifth_root(base);  // to the power of 2.4 = 2 + 2/5
  return static_cast<float>(base * base * root * root);
}
constexpr LinearTable make_linear_table() {
  LinearTable table{};
  for (int i = 0; i < 256; ++i) table.light[i] = light_of(i);
  return table;
}

/// The cube root of 0.008 < x < 1.01: a quadratic guess, within 15 %, and two of Halley's steps,
/// which leave the float's own rounding.
KERB_BOTH float cube_root(float x) {
  float root = 0.215f + 2.08f * x - 1.4f * x * x;
  float cube = root * root * root;
  root = root * (cube + 2.0f * x) / (2.0f * cube + x);
  cube = root * root * root;
  return root * (cube + 2.0f * x) / (2.0f * cube + x);
}

KERB_BOTH std::uint8_t to_byte(float v) {
  constexpr float kHalf = 0.5f;
  const float clamped = v < 0.0f ? 0.0f : (v > 255.0f ? 255.0f : v);
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(kHalf + clamped));
}

struct Luv {
  std::uint8_t l, u, v;
};

/// From the light of R, G and B.
KERB_BOTH Luv from_light(float r, float g, float b) {
  const float x = 0.412453f * r + 0.357580f * g + 0.180423f * b;
  const float y = 0.212671f * r + 0.715160f * g + 0.072169f * b;
  const float z = 0.019334f * r + 0.119193f * g + 0.950227f * b;
  // CIE's bound, (6/29)^3; the guess of the root must be given something on this side of it.
  constexpr float kDark = 0.008856452f;
  const float root = cube_root(y < kDark ? kDark : y);
  const float l = y > kDark ? 116.0f * root - 16.0f : 903.2963f * y;
  // Of white, X = 0.950456, Y = 1, Z = 1.088754. Black has no colour: then l is 0.
  constexpr float kWhiteU = 0.197839402f, kWhiteV = 0.468342201f;
  const float sum = x + 15.0f * y + 3.0f * z;
  const float scale = 1.0f / (sum < 1e-6f ? 1e-6f : sum);
  const float u = 13.0f * l * (4.0f * x * scale - kWhiteU);
  const float v = 13.0f * l * (9.0f * y * scale - kWhiteV);
  return {to_byte(l * 2.55f), to_byte((u + 134.0f) * (255.0f / 354.0f)),
          to_byte((v + 140.0f) * (255.0f / 262.0f))};
}

}  // namespace kerb::luv
