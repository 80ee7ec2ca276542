// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

#include "gpu/memory/context.hpp"
#include "gpu/memory/runtime.hpp"
#include "hal/frame_memory.hpp"

namespace kerb {

/// Camera buffers that kernels can read: pinned on CUDA (ordinary pages, pinned after allocation
/// where the driver can, so that V4L2 accepts them as USERPTR), pageable on the CPU backend.
/// Safe for any thread; must outlive its blocks, and the context must outlive it.
class GpuFrameMemory final : public FrameMemory {
 public:
  explicit GpuFrameMemory(const Context& context);
  /// All blocks must have been freed: terminates otherwise, because a camera could still write to
  /// them.
  ~GpuFrameMemory() override;

  Result<MemoryBlock> allocate(std::size_t bytes) override;
  [[nodiscard]] const char* kind() const noexcept override { return name_of(plan_.placement); }

  /// The address at which kernels read `bytes` bytes at `host` without a copy. nullptr when that
  /// range is not within one of these blocks, or when the policy is to copy: upload it then.
  /// Allocates nothing; the lock is held for a few comparisons, also by allocate().
  [[nodiscard]] const std::uint8_t* device_pointer(const void* host,
                                                   std::size_t bytes) const noexcept;

 private:
  void free(void* data, std::size_t size) noexcept override;

  MemoryPlan plan_;
  mutable std::mutex mutex_;
  std::vector<runtime::Block> blocks_;  // under mutex_
};

}  // namespace kerb
