// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace kerb::records {

/// A queue of byte blocks from one thread to one other, in a ring that is allocated once. Neither
/// side waits for the other: without room, claim() fails. Each block is contiguous.
class ByteLane {
 public:
  /// Allocates here and never again. `size` is rounded up to a power of two; a block may take half
  /// of it at most.
  explicit ByteLane(std::size_t size)
      : size_{std::bit_ceil(size)}, bytes_{std::make_unique<std::byte[]>(size_)} {}

  // For the pushing thread.

  /// Room for a block of up to `most` bytes; empty when there is none. Not visible before push().
  [[nodiscard]] std::span<std::byte> claim(std::size_t most) noexcept {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    const std::size_t need = kHead + round_up(most);
    std::size_t offset = pushed & (size_ - 1);
    const std::size_t skipped = size_ - offset < need ? size_ - offset : 0;
    const std::uint64_t used = pushed - popped_.load(std::memory_order_acquire);
    if (need > size_ / 2 || used + skipped + need > size_) return {};
    if (skipped > 0) {  // the rest of the ring is too short for it
      put_size(offset, kSkip);
      offset = 0;
    }
    claimed_ = pushed + skipped;
    return {bytes_.get() + offset + kHead, most};
  }
  /// Makes a block of the first `size` bytes of the last claim.
  void push(std::size_t size) noexcept {
    put_size(claimed_ & (size_ - 1), size);
    pushed_.store(claimed_ + kHead + round_up(size), std::memory_order_release);
  }

  // For the popping thread.

  /// The present end of the queue, as an argument for front().
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    return pushed_.load(std::memory_order_acquire);
  }
  /// The oldest block pushed before `until`, to read and change until drop_front(); empty when
  /// there is none.
  [[nodiscard]] std::span<std::byte> front(std::uint64_t until) noexcept {
    std::uint64_t popped = popped_.load(std::memory_order_relaxed);
    if (popped == until) return {};
    std::size_t offset = popped & (size_ - 1);
    std::uint64_t size = size_at(offset);
    if (size == kSkip) {
      popped += size_ - offset;
      popped_.store(popped, std::memory_order_release);
      offset = 0;
      size = size_at(0);
    }
    return {bytes_.get() + offset + kHead, size};
  }
  void drop_front() noexcept {
    const std::uint64_t popped = popped_.load(std::memory_order_relaxed);
    popped_.store(popped + kHead + round_up(size_at(popped & (size_ - 1))),
                  std::memory_order_release);
  }

 private:
  static constexpr std::size_t kHead = sizeof(std::uint64_t);
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};
  static constexpr std::size_t round_up(std::size_t size) noexcept { return (size + 7) / 8 * 8; }
  void put_size(std::size_t offset, std::uint64_t size) noexcept {
    std::memcpy(bytes_.get() + offset, &size, sizeof size);
  }
  [[nodiscard]] std::uint64_t size_at(std::size_t offset) const noexcept {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes_.get() + offset, sizeof size);
    return size;
  }

  const std::size_t size_;
  const std::unique_ptr<std::byte[]> bytes_;
  std::uint64_t claimed_ = 0;  // used by the pushing thread only
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace kerb::records
