// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>

/// Exponential and logarithm that give the same bits on every machine, which libm's do not: only
/// IEEE 754 additions, multiplications and divisions, in the order written here. Compile what uses
/// them with -ffp-contract=off, as gpu/hog is: a fused multiply-add rounds differently.
namespace kerb::hog {

/// e^x for -80 <= x <= 80, within 1.5e-7 of it (2 units in the last place). Without branches, so
/// that loops over it become vector code.
inline float exact_exp(float x) noexcept {
  // Adding 3 * 2^22 leaves the nearest whole number in the low bits of the float.
  const float shifted = x * 1.44269504F + 12582912.0F;
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;  // ln 2 in two parts
  float p = 1.9875691500e-4F;                                    // Cephes' expf, |r| <= ln(2) / 2
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127U) << 23;  // 2^n: what stands above the low 9 bits is shifted out
  float power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

/// e^x for -700 <= x <= 700, within 4e-16 of it.
inline double exact_exp(double x) noexcept {
  const double shifted = x * 1.4426950408889634 + 6755399441055744.0;  // 3 * 2^51
  const double n = shifted - 6755399441055744.0;
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double p = 1.0;  // Taylor's series to r^13, from the back
  for (int i = 13; i >= 1; --i) p = p * r / static_cast<double>(i) + 1.0;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023U) << 52;
  double power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

/// The natural logarithm of a normal number > 0, within 4e-16 (and 4e-16 of it).
inline double exact_log(double x) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  // x = m * 2^n with m in [sqrt(1/2), sqrt(2)).
  const std::uint64_t root_half = 0x3fe6a09e667f3bcdU;
  const auto n = static_cast<std::int64_t>(bits - root_half) >> 52;
  bits -= static_cast<std::uint64_t>(n) << 52;
  double m = 0;
  std::memcpy(&m, &bits, sizeof m);
  // log m = 2 artanh((m - 1) / (m + 1)); |f| < 0.1716
  const double f = (m - 1.0) / (m + 1.0), f2 = f * f;
  double p = 0;
  for (int i = 25; i >= 1; i -= 2) p = p * f2 + 1.0 / static_cast<double>(i);
  const auto whole = static_cast<double>(n);
  return whole * 0.693147180369123816490 + (2.0 * f * p + whole * 1.90821492927058770002e-10);
}

}  // namespace kerb::hog
