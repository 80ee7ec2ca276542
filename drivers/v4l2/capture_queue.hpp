// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "drivers/v4l2/device.hpp"
#include "hal/camera_settings.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"

namespace kerb::v4l2 {

/// A filled buffer, out of the kernel's queue.
struct FilledBuffer {
  KernelBuffer info;
  const std::uint8_t* memory = nullptr;
  std::size_t size = 0;  ///< of the memory
};

/// The buffers of a streaming device, and the owner of each: the kernel or a borrower. Shared by
/// the camera and every lease, so that memory on loan outlives the camera. Allocates nothing after
/// start().
class CaptureQueue final : public FrameLender {
 public:
  /// Buffers of `size` bytes each, all queued, streaming. userptr: the kernel writes into `memory`.
  /// mmap: into its own. automatic: userptr, or mmap where the driver refuses that. The kernel may
  /// grant more buffers than requested. Fails: unsupported (the driver does not support this mode),
  /// io, gone, and as `memory`.
  static Result<std::shared_ptr<CaptureQueue>> start(Device device, BufferMode mode, int count,
                                                     std::size_t size, FrameMemory& memory);
  ~CaptureQueue() override;

  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] const char* memory_name() const noexcept;  ///< "userptr" or "mmap"
  [[nodiscard]] int count() const noexcept { return static_cast<int>(buffers_.size()); }

  /// Whether a frame can still come. Fails: would_block (every buffer is on loan), gone (one could
  /// not be queued again).
  [[nodiscard]] Status check() const noexcept;
  /// Takes the oldest filled buffer: give_back() it. Fails: would_block (none is filled yet), gone.
  Result<FilledBuffer> take() noexcept;
  /// Queues a taken buffer again; after close() only notes its return. Any thread.
  void give_back(std::uint32_t index) noexcept override;
  /// Stops the stream and closes the device, so that it can be reopened even while buffers are on
  /// loan (with mmap, on kernels before 4.20, only once they are back). Their memory stays valid.
  /// Not while take() runs.
  void close() noexcept;

 private:
  struct Buffer {
    MemoryBlock block;             // userptr
    std::uint8_t* data = nullptr;  // the block's, or mapped
    std::size_t size = 0;
    bool lent = false;
  };
  explicit CaptureQueue(Device device) noexcept : device_{std::move(device)} {}
  Status prepare_userptr(int count, std::size_t size, FrameMemory& memory);
  Status prepare_mmap(int count, std::size_t size);
  Status request(std::uint32_t memory, int count);
  void discard() noexcept;
  void unmap(Buffer& buffer) noexcept;
  int enqueue(std::uint32_t index) noexcept;

  Device device_;
  std::uint32_t memory_ = V4L2_MEMORY_MMAP;
  std::vector<Buffer> buffers_;
  // Guards what follows, `lent` and the open device; never held while waiting.
  mutable std::mutex mutex_;
  std::size_t queued_ = 0;
  int fault_ = 0;  // -errno of a give_back() that failed
};

}  // namespace kerb::v4l2
