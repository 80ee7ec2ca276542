// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"

/// The arithmetic of Resizer, once for both backends. For gpu/image alone.
namespace kerb::resizing {

/// 256 times the value between a and b; twice makes 65536 times.
KERB_BOTH std::uint32_t mix(std::uint32_t a, std::uint32_t b, std::uint32_t weight) {
  return (256 - weight) * a + weight * b;
}
KERB_BOTH std::uint8_t rounded(std::uint32_t twice_mixed) {
  return static_cast<std::uint8_t>((twice_mixed + 32768u) >> 16);
}

/// Sum / parts, rounded; Resizer::make_area() says why it is exact.
KERB_BOTH std::uint8_t mean(std::uint64_t sum, double half, double reciprocal) {
  const double exact = static_cast<double>(sum) + half;
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(exact * reciprocal));
}

}  // namespace kerb::resizing
