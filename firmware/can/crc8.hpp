// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/can_bus.hpp"

namespace kerb::can {

namespace detail {
constexpr std::array<std::uint8_t, 256> make_crc8_table() noexcept {
  std::array<std::uint8_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80u) != 0 ? (crc << 1) ^ 0x1Du : crc << 1;
    table[i] = static_cast<std::uint8_t>(crc);
  }
  return table;
}
inline constexpr auto kCrc8Table = make_crc8_table();
}  // namespace detail

/// CRC-8/SAE-J1850: polynomial 0x1D, start 0xFF, final XOR 0xFF, nothing reflected. "123456789"
/// gives 0x4B. `state` carries on from an earlier part: pass what crc8() returned for it.
[[nodiscard]] constexpr std::uint8_t crc8(std::span<const std::uint8_t> bytes,
                                          std::uint8_t state = 0) noexcept {
  unsigned crc = state ^ 0xFFu;
  for (const std::uint8_t byte : bytes) crc = detail::kCrc8Table[(crc ^ byte) & 0xFFu];
  return static_cast<std::uint8_t>(crc ^ 0xFFu);
}

/// The CRC of a message: over the data id's low byte, its high byte, then bytes 1..7 of the
/// payload; it stands in byte 0. The data id is part of the sum but not of the frame: a message
/// sent under another's id does not pass.
[[nodiscard]] constexpr std::uint8_t message_crc(
    std::uint16_t data_id, std::span<const std::uint8_t, 8> payload) noexcept {
  const std::uint8_t id[] = {static_cast<std::uint8_t>(data_id & 0xFFu),
                             static_cast<std::uint8_t>(data_id >> 8)};
  return crc8(payload.subspan<1>(), crc8(id));
}

}  // namespace kerb::can
