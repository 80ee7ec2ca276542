// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hal/base/result.hpp"

namespace kerb {

class FrameMemory;

/// Owned bytes that a camera can write and the vision code can read. Move-only.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(FrameMemory& owner, void* data, std::size_t size) noexcept
      : owner_{&owner}, data_{data}, size_{size} {}
  MemoryBlock(MemoryBlock&& other) noexcept { swap(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    MemoryBlock taken{std::move(other)};
    swap(taken);
    return *this;
  }
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock();

  [[nodiscard]] std::uint8_t* data() const noexcept { return static_cast<std::uint8_t*>(data_); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void swap(MemoryBlock& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  FrameMemory* owner_ = nullptr;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Allocates camera buffers. The GPU side implements it, so that the camera writes a frame where
/// kernels can read it. Must outlive its blocks. Safe for any thread.
class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  /// At least `bytes`, aligned to a page, rounded up to whole pages, zeroed. Fails: device or io
  /// when out of memory, invalid_argument for zero bytes.
  virtual Result<MemoryBlock> allocate(std::size_t bytes) = 0;
  /// "pageable", "pinned", "managed": for the log.
  [[nodiscard]] virtual const char* kind() const noexcept = 0;

 protected:
  friend class MemoryBlock;
  virtual void free(void* data, std::size_t size) noexcept = 0;
};

inline MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) owner_->free(data_, size_);
}

}  // namespace kerb
