// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

/// Tampering with model files so that their size and checksum still hold. For tests and the fuzzer.
namespace kerb::hog::test {

/// CRC-32 bit by bit, as its standard has it: not the product's code.
inline std::uint32_t crc32(const std::byte* data, std::size_t size) {
  std::uint32_t crc = ~0U;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= std::to_integer<std::uint32_t>(data[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

inline void put_u32(std::vector<std::byte>& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}
inline std::uint32_t get_u32(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}

/// Writes size and checksum anew, if there is room for them.
inline void reseal(std::vector<std::byte>& bytes) {
  if (bytes.size() < 20) return;
  put_u32(bytes, 12, static_cast<std::uint32_t>(bytes.size()));
  put_u32(bytes, bytes.size() - 4, crc32(bytes.data(), bytes.size() - 4));
}

}  // namespace kerb::hog::test
