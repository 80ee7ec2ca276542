// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/frame_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>

namespace kerb {

GpuFrameMemory::GpuFrameMemory(const Context& context) : plan_{context.policy().camera_input} {}

GpuFrameMemory::~GpuFrameMemory() {
  if (!blocks_.empty()) std::terminate();
}

Result<MemoryBlock> GpuFrameMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return Error{Errc::invalid_argument, 0, "allocate frame memory", "0 bytes"};
  Result<runtime::Block> block = runtime::take(plan_, bytes);  // slow: pins pages; outside the lock
  if (!block) return block.error();
  const std::lock_guard lock{mutex_};
  blocks_.push_back(*block);
  return MemoryBlock{*this, block->host, block->bytes};
}

void GpuFrameMemory::free(void* data, std::size_t) noexcept {
  runtime::Block block;
  {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const runtime::Block& b) { return b.host == data; });
    if (found == blocks_.end()) std::terminate();  // not one of ours: memory is being mixed up
    block = *found;
    blocks_.erase(found);
  }
  runtime::give_back(block);
}

const std::uint8_t* GpuFrameMemory::device_pointer(const void* host,
                                                   std::size_t bytes) const noexcept {
  if (plan_.transfer) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(host);
  const std::lock_guard lock{mutex_};
  for (const runtime::Block& b : blocks_) {
    const auto start = reinterpret_cast<std::uintptr_t>(b.host);
    if (b.device == nullptr || address < start || address - start > b.bytes ||
        bytes > b.bytes - (address - start))
      continue;
    return static_cast<const std::uint8_t*>(b.device) + (address - start);
  }
  return nullptr;
}

}  // namespace kerb
