// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hal/base/result.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"

namespace kerb::replay {

/// The buffers of one source. Shared by it and its frames, so that either may go first. Buffers are
/// taken on one thread and given back on any; neither locks nor allocates.
class FramePool final : public FrameLender {
 public:
  static constexpr int kMaxBuffers = 32;
  /// Fails: invalid_argument (count), and as `memory` does.
  static Result<std::shared_ptr<FramePool>> create(FrameMemory& memory, int count,
                                                   std::size_t bytes_each);

  /// A free buffer, or nothing when all are on loan.
  [[nodiscard]] std::optional<std::uint32_t> take() noexcept;
  void give_back(std::uint32_t index) noexcept override;
  [[nodiscard]] int free_count() const noexcept;
  [[nodiscard]] std::uint8_t* data(std::uint32_t index) const noexcept {
    return blocks_[index].data();
  }

 private:
  explicit FramePool(std::vector<MemoryBlock> blocks) noexcept;

  std::vector<MemoryBlock> blocks_;
  std::atomic<std::uint32_t> free_;  // a bit for each buffer
};

}  // namespace kerb::replay
