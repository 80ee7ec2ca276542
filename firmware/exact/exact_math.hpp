// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Functions for decisions that give the same bits on every machine: they use only additions,
/// multiplications, divisions and square roots, in a fixed order. (The standard library's functions
/// differ in the last bit between processors, so that a warning recorded in a car would not replay
/// to the same decisions on a desk.) Targets that use them link kerb::exact_arithmetic, which keeps
/// the compiler from fusing operations. Relative error below 1e-14 over the ranges in the tests.
namespace kerb::exact {

[[nodiscard]] double sin(double x) noexcept;  ///< |x| up to 1e6
[[nodiscard]] double cos(double x) noexcept;
[[nodiscard]] double tan(double x) noexcept;
[[nodiscard]] double atan(double x) noexcept;
[[nodiscard]] double atan2(double y, double x) noexcept;
[[nodiscard]] double exp(double x) noexcept;
[[nodiscard]] double log(double x) noexcept;

}  // namespace kerb::exact
