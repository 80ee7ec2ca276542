// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace kerb {

/// Memory for byte blocks that follow each other, each behind its size. Allocates once. Blocks
/// start at multiples of 8; positions are the owner's business.
class SizedBlocks {
 public:
  static constexpr std::size_t kHead = sizeof(std::uint64_t);  ///< bytes before each block
  /// Instead of a size: the rest of the memory is not used.
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};

  explicit SizedBlocks(std::size_t size)
      : size_{size}, bytes_{std::make_unique<std::byte[]>(size)} {}

  static constexpr std::size_t round_up(std::size_t size) noexcept { return (size + 7) / 8 * 8; }
  /// What a block of `size` bytes takes.
  static constexpr std::size_t taken(std::size_t size) noexcept { return kHead + round_up(size); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void put_size(std::size_t offset, std::uint64_t size) noexcept {
    std::memcpy(bytes_.get() + offset, &size, sizeof size);
  }
  [[nodiscard]] std::uint64_t size_at(std::size_t offset) const noexcept {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes_.get() + offset, sizeof size);
    return size;
  }
  /// The bytes behind the size at `offset`.
  [[nodiscard]] std::span<std::byte> block(std::size_t offset, std::size_t size) noexcept {
    return {bytes_.get() + offset + kHead, size};
  }
  [[nodiscard]] std::span<const std::byte> block(std::size_t offset,
                                                 std::size_t size) const noexcept {
    return {bytes_.get() + offset + kHead, size};
  }

 private:
  const std::size_t size_;
  const std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace kerb
