// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/report/intervals.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % of the standard normal distribution are below
constexpr double kTail = 0.025;

/// P(X <= count) for X of this mean.
double poisson_at_most(int count, double mean) {
  if (mean <= 0) return 1;
  double sum = 0;
  for (int k = count; k >= 0; --k) {
    const double term = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    sum += term;
    if (k < mean && term < 1e-18 * sum) break;  // the rest is smaller still
  }
  return std::min(sum, 1.0);
}

/// The mean at which P(X <= count) has fallen to `p`.
double mean_at(int count, double p) {
  double low = 0, high = count + 10 + 10 * std::sqrt(count + 1.0);
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (poisson_at_most(count, middle) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval wilson_interval(int passed, int runs) noexcept {
  if (runs <= 0) return {0, 1};
  const double n = runs, p = passed / n, z2 = kZ * kZ;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {passed == 0 ? 0 : middle - half, passed == runs ? 1 : middle + half};
}

Interval poisson_interval(int count) noexcept {
  return {count <= 0 ? 0 : mean_at(count - 1, 1 - kTail), mean_at(std::max(count, 0), kTail)};
}

}  // namespace kerb::sim
