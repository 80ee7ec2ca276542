// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// The vehicle's body signals. The numbers are those on the bus: append, never renumber.
enum class TurnSignal : std::uint8_t {
  off = 0,
  left = 1,
  right = 2,
  hazard = 3,
  not_available = 7
};
enum class Gear : std::uint8_t {
  park = 0,
  reverse = 1,
  neutral = 2,
  drive = 3,
  not_available = 15
};

/// Whether the bus defines this number; decoding keeps undefined ones.
[[nodiscard]] constexpr bool is_defined(TurnSignal signal) noexcept {
  return static_cast<unsigned>(signal) <= 3 || signal == TurnSignal::not_available;
}
[[nodiscard]] constexpr bool is_defined(Gear gear) noexcept {
  return static_cast<unsigned>(gear) <= 3 || gear == Gear::not_available;
}

}  // namespace kerb
