// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "firmware/threads/sized_blocks.hpp"

namespace kerb {

/// The last chunks, as many as fit into a ring of bytes that is allocated once: a new chunk
/// replaces the oldest ones. One thread.
class ChunkRing {
 public:
  explicit ChunkRing(std::size_t size) : blocks_{SizedBlocks::round_up(size)} {}

  /// A chunk that is longer than the ring is ignored.
  void push(std::span<const std::byte> chunk) noexcept {
    const std::size_t need = SizedBlocks::taken(chunk.size());
    if (need > blocks_.size()) return;
    if (const std::size_t rest = blocks_.size() - offset_of(end_); rest < need) {
      make_room(rest);
      blocks_.put_size(offset_of(end_), SizedBlocks::kSkip);
      end_ += rest;
    }
    make_room(need);
    const std::size_t offset = offset_of(end_);
    blocks_.put_size(offset, chunk.size());
    std::memcpy(blocks_.block(offset, chunk.size()).data(), chunk.data(), chunk.size());
    end_ += need;
  }

  /// Calls `action(position, chunk)` from the oldest to the newest; positions rise.
  template <typename Action>
  void for_each(const Action& action) const {
    for (std::uint64_t at = begin_; at != end_; at = behind(at)) {
      const std::uint64_t size = blocks_.size_at(offset_of(at));
      if (size == SizedBlocks::kSkip) continue;
      action(at, std::span<const std::byte>{blocks_.block(offset_of(at), size)});
    }
  }

 private:
  [[nodiscard]] std::size_t offset_of(std::uint64_t position) const noexcept {
    return position % blocks_.size();
  }
  /// The position behind the chunk, or the unused rest of the ring, at `position`.
  [[nodiscard]] std::uint64_t behind(std::uint64_t position) const noexcept {
    const std::size_t offset = offset_of(position);
    const std::uint64_t size = blocks_.size_at(offset);
    return position +
           (size == SizedBlocks::kSkip ? blocks_.size() - offset : SizedBlocks::taken(size));
  }
  void make_room(std::size_t need) noexcept {
    while (end_ - begin_ + need > blocks_.size()) begin_ = behind(begin_);
  }

  SizedBlocks blocks_;
  std::uint64_t begin_ = 0, end_ = 0;
};

}  // namespace kerb
