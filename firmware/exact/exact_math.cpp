// SPDX-License-Identifier: Apache-2.0
#include "firmware/exact/exact_math.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kerb::exact {
namespace {

// Constants in two or three parts: the first parts have enough trailing zero bits that a product
// with a small integer is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kHalfPiHigh = 0x1.921fb54400000p+0;
constexpr double kHalfPiMiddle = 0x1.0b4611a600000p-34;
constexpr double kHalfPiLow = 0x1.3198a2e037073p-69;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;

/// c[0] + x (c[1] + x (...)).
template <std::size_t N>
double polynomial(double x, const std::array<double, N>& c) noexcept {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// Taylor series in the square of the argument.
constexpr std::array<double, 8> kSine = {-1.0 / 6,
                                         1.0 / 120,
                                         -1.0 / 5040,
                                         1.0 / 362880,
                                         -1.0 / 39916800,
                                         1.0 / 6227020800.0,
                                         -1.0 / 1307674368000.0,
                                         1.0 / 355687428096000.0};
constexpr std::array<double, 8> kCosine = {1.0 / 24,
                                           -1.0 / 720,
                                           1.0 / 40320,
                                           -1.0 / 3628800,
                                           1.0 / 479001600.0,
                                           -1.0 / 87178291200.0,
                                           1.0 / 20922789888000.0,
                                           -1.0 / 6402373705728000.0};

/// x as quadrant * pi / 2 + rest, rest within pi / 4.
struct Reduced {
  int quadrant;
  double rest;
};
Reduced reduce(double x) noexcept {
  if (!(std::abs(x) < 1e9)) return {0, std::numeric_limits<double>::quiet_NaN()};
  const double count = std::floor(x / kHalfPi + 0.5);
  const double rest = ((x - count * kHalfPiHigh) - count * kHalfPiMiddle) - count * kHalfPiLow;
  const double turn = count - 4 * std::floor(count / 4);
  return {static_cast<int>(turn), rest};
}
double sine_of(double r) noexcept {
  const double z = r * r;
  return r + r * z * polynomial(z, kSine);
}
double cosine_of(double r) noexcept {
  const double z = r * r;
  return 1 - (0.5 * z - z * z * polynomial(z, kCosine));
}

/// atan for |x| up to tan(pi / 16).
double small_atan(double x) noexcept {
  const double z = x * x;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2) sum = z * ((n % 4 == 1 ? 1.0 : -1.0) / n + sum);
  return x + x * sum;
}

}  // namespace

double sin(double x) noexcept {
  const Reduced r = reduce(x);
  switch (r.quadrant) {
    case 0:
      return sine_of(r.rest);
    case 1:
      return cosine_of(r.rest);
    case 2:
      return -sine_of(r.rest);
    default:
      return -cosine_of(r.rest);
  }
}

double cos(double x) noexcept {
  const Reduced r = reduce(x);
  switch (r.quadrant) {
    case 0:
      return cosine_of(r.rest);
    case 1:
      return -sine_of(r.rest);
    case 2:
      return -cosine_of(r.rest);
    default:
      return sine_of(r.rest);
  }
}

double tan(double x) noexcept { return sin(x) / cos(x); }

double atan(double x) noexcept {
  constexpr double kTanEighth = 0x1.a827999fcef32p-2;     // tan(pi / 8)
  constexpr double kTanSixteenth = 0x1.975f5e0553158p-3;  // tan(pi / 16)
  const double a = std::abs(x);
  double result = 0;
  if (a > 1) {
    result = kHalfPi - (atan(1 / a) - kHalfPiRest);
  } else if (a > kTanSixteenth) {  // reduce by pi / 8, and once more where that is not enough
    const double t = (a - kTanEighth) / (1 + a * kTanEighth);
    const double rest = t > kTanSixteenth
                            ? kHalfPi / 4 + small_atan((t - kTanEighth) / (1 + t * kTanEighth))
                            : small_atan(t);
    result = kHalfPi / 4 + rest;
  } else {
    result = small_atan(a);
  }
  return x < 0 ? -result : result;
}

double atan2(double y, double x) noexcept {
  if (x > 0) return atan(y / x);
  if (x < 0) return y < 0 ? atan(y / x) - 2 * kHalfPi : atan(y / x) + 2 * kHalfPi;
  if (y == 0) return 0;
  return y > 0 ? kHalfPi : -kHalfPi;
}

double exp(double x) noexcept {
  if (std::isnan(x)) return x;
  if (x > 709) return std::numeric_limits<double>::infinity();
  if (x < -745) return 0;
  const double count = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - count * kLn2High) - count * kLn2Low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + r / n * sum;
  return std::ldexp(sum, static_cast<int>(count));
}

double log(double x) noexcept {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == std::numeric_limits<double>::infinity()) return x;
  int power = 0;
  double m = std::frexp(x, &power);  // 0.5 up to 1
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --power;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int n = 25; n >= 3; n -= 2) sum = z * (1.0 / n + sum);
  return power * kLn2High + (2 * (s + s * sum) + power * kLn2Low);
}

}  // namespace kerb::exact
