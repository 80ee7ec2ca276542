// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/base/crc32.hpp"

/// Tampering with model files so that their size and checksum still hold. For tests and the fuzzer.
namespace kerb::hog::test {

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
