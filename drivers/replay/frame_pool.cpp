// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/frame_pool.hpp"

#include <bit>
#include <string>

#include "drivers/replay/picture.hpp"

namespace kerb::replay {

Result<std::shared_ptr<FramePool>> FramePool::create(FrameMemory& memory, int count,
                                                     std::size_t bytes_each) {
  if (count < 1 || count > kMaxBuffers)
    return failure(Errc::invalid_argument, "buffers (1..32)", std::to_string(count));
  std::vector<MemoryBlock> blocks;
  blocks.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Result<MemoryBlock> block = memory.allocate(bytes_each);
    if (!block) return block.error();
    blocks.push_back(*std::move(block));
  }
  return std::shared_ptr<FramePool>{new FramePool{std::move(blocks)}};
}

FramePool::FramePool(std::vector<MemoryBlock> blocks) noexcept
    : blocks_{std::move(blocks)}, free_{~std::uint32_t{0} >> (kMaxBuffers - blocks_.size())} {}

std::optional<std::uint32_t> FramePool::take() noexcept {
  // Acquire: what the borrower read of the buffer happened before we write to it again.
  const std::uint32_t free = free_.load(std::memory_order_acquire);
  if (free == 0) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(std::countr_zero(free));
  free_.fetch_and(~(1U << index), std::memory_order_acquire);  // only this thread takes
  return index;
}

void FramePool::give_back(std::uint32_t index) noexcept {
  free_.fetch_or(1U << index, std::memory_order_release);
}

int FramePool::free_count() const noexcept {
  return std::popcount(free_.load(std::memory_order_relaxed));
}

}  // namespace kerb::replay
