// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hal/base/result.hpp"

/// Files of a few hundred bytes that survive a power cut: always replaced as a whole.
namespace kerb::diagnostics {

/// All bytes of a file, at most `most` + 1 of them: more is not such a file. `what` is what failed,
/// for the error. Fails: not_found, io.
Result<std::vector<std::byte>> read_small_file(const std::string& path, std::size_t most,
                                               const char* what);
/// Replaces a file: writes PATH.new, syncs it, renames it, syncs the folder. Makes the folders.
/// Fails: io, with its errno; the file is then as before.
Status replace_small_file(const std::string& path, std::span<const std::byte> bytes,
                          const char* what);

/// Appends numbers, little-endian whatever the machine.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_{out} {}
  template <typename T>
  void put(T value) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i)
      out_.push_back(static_cast<std::byte>(std::uint64_t{bits} >> (8 * i) & 0xFFU));
  }

 private:
  std::vector<std::byte>& out_;
};

/// Takes them back. The caller knows that there are enough bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_{bytes} {}
  template <typename T>
  void take(T& value) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
    value = static_cast<T>(bits);
    bytes_ = bytes_.subspan(sizeof(T));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kerb::diagnostics
