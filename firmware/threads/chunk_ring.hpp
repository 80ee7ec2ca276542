// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace kerb::records {

/// The last chunks, as many as fit into a ring of bytes that is allocated once: a new chunk
/// replaces the oldest ones. One thread.
class ChunkRing {
 public:
  explicit ChunkRing(std::size_t size)
      : size_{(size + 7) / 8 * 8}, bytes_{std::make_unique<std::byte[]>(size_)} {}

  /// A chunk that is longer than the ring is ignored.
  void push(std::span<const std::byte> chunk) noexcept {
    const std::size_t need = kHead + (chunk.size() + 7) / 8 * 8;
    if (need > size_) return;
    if (size_ - end_ % size_ < need) {  // no contiguous room before the ring's end
      const std::size_t offset = end_ % size_;
      make_room(size_ - offset);
      put_size(offset, kSkip);
      end_ += size_ - offset;
    }
    make_room(need);
    const std::size_t offset = end_ % size_;
    put_size(offset, chunk.size());
    std::memcpy(bytes_.get() + offset + kHead, chunk.data(), chunk.size());
    end_ += need;
  }

  /// Calls `action(position, chunk)` from the oldest to the newest; positions rise.
  template <typename Action>
  void for_each(const Action& action) const {
    for (std::uint64_t at = begin_; at != end_;) {
      const std::size_t offset = at % size_;
      const std::uint64_t size = size_at(offset);
      if (size == kSkip) {
        at += size_ - offset;
        continue;
      }
      action(at, std::span<const std::byte>{bytes_.get() + offset + kHead, size});
      at += kHead + (size + 7) / 8 * 8;
    }
  }

 private:
  static constexpr std::size_t kHead = sizeof(std::uint64_t);
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};

  void make_room(std::size_t need) noexcept {
    while (end_ - begin_ + need > size_) {
      const std::size_t offset = begin_ % size_;
      const std::uint64_t size = size_at(offset);
      begin_ += size == kSkip ? size_ - offset : kHead + (size + 7) / 8 * 8;
    }
  }
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
  std::uint64_t begin_ = 0, end_ = 0;
};

}  // namespace kerb::records
