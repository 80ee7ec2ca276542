// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"

namespace kerb::v4l2 {

/// Room for decoded pictures, lent one by one. Like CaptureQueue, it lives as long as its last
/// loan.
class DecodedPictures final : public FrameLender {
 public:
  /// `count` (1..32) blocks of `bytes` each. Fails as `memory`.
  static Result<std::shared_ptr<DecodedPictures>> create(FrameMemory& memory, int count,
                                                         std::size_t bytes);
  [[nodiscard]] bool has_free() const noexcept { return free_.load() != 0; }
  /// A free one, to be given back. There must be one (has_free()), and one thread borrows at a
  /// time.
  [[nodiscard]] std::uint32_t borrow() noexcept;
  [[nodiscard]] std::uint8_t* data(std::uint32_t index) const noexcept {
    return blocks_[index].data();
  }
  void give_back(std::uint32_t index) noexcept override;  ///< Any thread.

 private:
  std::vector<MemoryBlock> blocks_;
  std::atomic<std::uint32_t> free_{0};  // a bit each
};

}  // namespace kerb::v4l2
