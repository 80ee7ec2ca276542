// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "drivers/v4l2/kernel_io.hpp"
#include "hal/base/result.hpp"

namespace kerb::v4l2 {

/// A picture format in kernel terms, the same for the single- and the multi-planar interface.
struct KernelFormat {
  std::uint32_t fourcc = 0;
  std::uint32_t width = 0, height = 0;
  std::uint32_t field = V4L2_FIELD_NONE;
  std::uint32_t planes = 1;          ///< separate memory areas
  std::uint32_t bytes_per_line = 0;  ///< of the first plane
  std::uint32_t size_image = 0;      ///< bytes of a buffer
};

/// One buffer in kernel terms, the same for both interfaces (of one plane only).
struct KernelBuffer {
  std::uint32_t index = 0;
  std::uint32_t memory = V4L2_MEMORY_MMAP;
  std::uint32_t flags = 0;
  std::uint32_t sequence = 0;
  Nanos timestamp{};             ///< on the clock that `flags` names
  std::uint32_t begin = 0;       ///< where the picture begins in the buffer
  std::uint32_t end = 0;         ///< where it ends
  std::uint32_t length = 0;      ///< bytes of the buffer
  std::uint32_t map_offset = 0;  ///< mmap
  std::uint8_t* data = nullptr;  ///< userptr
};

/// An open capture node: ioctls that are repeated after signals, and errors that name the device.
/// Closed when destroyed. Move-only. One thread at a time.
class Device {
 public:
  /// Fails: not_found (no such node), unsupported (not a streaming capture node), io (in use, no
  /// permission).
  static Result<Device> open(const std::string& path, KernelIo& kernel);
  Device(Device&& other) noexcept;
  Device& operator=(Device&&) = delete;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { close(); }
  void close() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

  [[nodiscard]] const char* path() const noexcept { return path_.c_str(); }
  [[nodiscard]] KernelIo& kernel() const noexcept { return *kernel_; }
  /// V4L2_BUF_TYPE_VIDEO_CAPTURE, or the multi-planar one where there is no other.
  [[nodiscard]] std::uint32_t buffer_type() const noexcept { return buffer_type_; }

  /// An ioctl, repeated when a signal interrupts it: 0 or more, or -errno.
  int call(unsigned long request, void* argument) const noexcept;
  /// VIDIOC_G_FMT, VIDIOC_TRY_FMT or VIDIOC_S_FMT: 0 or -errno.
  int format(unsigned long request, KernelFormat& format) const noexcept;
  /// VIDIOC_QUERYBUF, VIDIOC_QBUF or VIDIOC_DQBUF: 0 or -errno.
  int buffer(unsigned long request, KernelBuffer& buffer) const noexcept;
  /// Buffers granted, 0 or more, or -errno. Asking for 0 frees them all.
  int request_buffers(std::uint32_t memory, std::uint32_t count) const noexcept;
  int stream(bool on) const noexcept;  ///< 0 or -errno
  int poll(short events, Nanos timeout) const noexcept;
  int map(std::size_t size, std::size_t offset, void*& address) const noexcept;

  /// The Error of a call that gave `negative_errno`: gone when the device was removed, no_signal,
  /// or `otherwise`.
  [[nodiscard]] Error error(int negative_errno, const char* where,
                            Errc otherwise = Errc::io) const noexcept;
  /// An Error with the device and a formatted remark.
  [[nodiscard]] [[gnu::format(printf, 4, 5)]] Error error_text(Errc code, const char* where,
                                                               const char* format,
                                                               ...) const noexcept;

 private:
  Device(int fd, const std::string& path, KernelIo& kernel)
      : fd_{fd}, path_{path}, kernel_{&kernel} {}
  Status read_capabilities();

  int fd_ = -1;
  std::string path_;
  KernelIo* kernel_ = nullptr;
  std::uint32_t buffer_type_ = V4L2_BUF_TYPE_VIDEO_CAPTURE;
};

}  // namespace kerb::v4l2
