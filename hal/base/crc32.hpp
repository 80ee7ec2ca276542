// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kerb {

namespace crc32_detail {
constexpr std::array<std::uint32_t, 256> make_table() noexcept {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1U) != 0 ? (value >> 1) ^ 0xEDB88320U : value >> 1;
    table[i] = value;
  }
  return table;
}
inline constexpr std::array<std::uint32_t, 256> kTable = make_table();
}  // namespace crc32_detail

/// The CRC-32 of zip and Ethernet; that of "123456789" is 0xCBF43926. To go on with more bytes,
/// pass what it returned for those before as `before`.
[[nodiscard]] inline std::uint32_t crc32(const std::byte* data, std::size_t size,
                                         std::uint32_t before = 0) noexcept {
  std::uint32_t crc = ~before;
  for (std::size_t i = 0; i < size; ++i)
    crc =
        (crc >> 8) ^ crc32_detail::kTable[(crc ^ std::to_integer<std::uint32_t>(data[i])) & 0xFFU];
  return ~crc;
}

}  // namespace kerb
