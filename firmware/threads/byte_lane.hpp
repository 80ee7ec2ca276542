// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "firmware/threads/sized_blocks.hpp"

namespace kerb {

/// A queue of byte blocks from one thread to one other, in a ring that is allocated once. Neither
/// side waits for the other: without room, claim() fails. Each block is contiguous.
class ByteLane {
 public:
  /// Allocates here and never again. `size` is rounded up to a power of two; a block may take half
  /// of it at most.
  explicit ByteLane(std::size_t size) : blocks_{std::bit_ceil(size)} {}

  // For the pushing thread.

  /// Room for a block of up to `most` bytes; empty when there is none. Not visible before push().
  [[nodiscard]] std::span<std::byte> claim(std::size_t most) noexcept {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    const std::size_t need = SizedBlocks::taken(most), size = blocks_.size();
    std::size_t offset = offset_of(pushed);
    const std::size_t skipped = size - offset < need ? size - offset : 0;
    const std::uint64_t used = pushed - popped_.load(std::memory_order_acquire);
    if (need > size / 2 || used + skipped + need > size) return {};
    if (skipped > 0) {  // the rest of the ring is too short for it
      blocks_.put_size(offset, SizedBlocks::kSkip);
      offset = 0;
    }
    claimed_ = pushed + skipped;
    return blocks_.block(offset, most);
  }
  /// Makes a block of the first `size` bytes of the last claim.
  void push(std::size_t size) noexcept {
    blocks_.put_size(offset_of(claimed_), size);
    pushed_.store(claimed_ + SizedBlocks::taken(size), std::memory_order_release);
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
    std::size_t offset = offset_of(popped);
    std::uint64_t size = blocks_.size_at(offset);
    if (size == SizedBlocks::kSkip) {
      popped += blocks_.size() - offset;
      popped_.store(popped, std::memory_order_release);
      offset = 0;
      size = blocks_.size_at(0);
    }
    return blocks_.block(offset, size);
  }
  void drop_front() noexcept {
    const std::uint64_t popped = popped_.load(std::memory_order_relaxed);
    popped_.store(popped + SizedBlocks::taken(blocks_.size_at(offset_of(popped))),
                  std::memory_order_release);
  }

 private:
  /// Where a position of the queue stands in the ring: its size is a power of two.
  [[nodiscard]] std::size_t offset_of(std::uint64_t position) const noexcept {
    return position & (blocks_.size() - 1);
  }

  SizedBlocks blocks_;
  std::uint64_t claimed_ = 0;  // used by the pushing thread only
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace kerb
