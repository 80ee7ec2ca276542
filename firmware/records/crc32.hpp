// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kerb::records {

namespace crc_detail {
inline constexpr auto kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
    table[i] = value;
  }
  return table;
}();
}  // namespace crc_detail

/// The CRC-32 of zip and Ethernet. Give the last result to go on with more bytes.
[[nodiscard]] inline std::uint32_t crc32(std::span<const std::byte> bytes,
                                         std::uint32_t before = 0) noexcept {
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes)
    crc = crc >> 8 ^ crc_detail::kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  return ~crc;
}

}  // namespace kerb::records
