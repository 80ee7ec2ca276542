// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The functions that decisions are made with, the same to the last bit on every machine: made of
/// additions, multiplications, divisions and square roots alone, in a stated order. (The standard
/// library's differ in the last bit from one processor to the next, and a warning that was recorded
/// in a car would not replay to the same decisions on a desk.) Whoever uses them links
/// kerb::exact_arithmetic, which keeps the compiler from fusing operations. As good as the standard
/// library's for our purposes: relative error below 1e-14 over the ranges the tests name.
namespace kerb::exact {

[[nodiscard]] double sin(double x) noexcept;  ///< |x| up to 1e6
[[nodiscard]] double cos(double x) noexcept;
[[nodiscard]] double tan(double x) noexcept;
[[nodiscard]] double atan(double x) noexcept;
[[nodiscard]] double atan2(double y, double x) noexcept;
[[nodiscard]] double exp(double x) noexcept;
[[nodiscard]] double log(double x) noexcept;
[[nodiscard]] double hypot(double x, double y) noexcept;
/// The share of a normal distribution below z: 0.5 * erfc(-z / sqrt(2)).
[[nodiscard]] double normal_below(double z) noexcept;

}  // namespace kerb::exact
