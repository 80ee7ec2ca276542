// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "hal/base/clock.hpp"

namespace kerb {

/// The system calls that a camera needs, so that a test can replace the kernel. Each returns the
/// call's result, or -errno; none touches the global errno. Safe for any thread.
class KernelIo {
 public:
  virtual ~KernelIo() = default;
  /// A file descriptor. The node is opened for reading and writing, non-blocking, closed on exec.
  virtual int open(const char* path) noexcept = 0;
  virtual int close(int fd) noexcept = 0;
  virtual int ioctl(int fd, unsigned long request, void* argument) noexcept = 0;
  /// The events of `events` (POLLIN...) that are there, or POLLERR, POLLHUP; 0 when there are none
  /// within `timeout` of real time.
  virtual int poll(int fd, short events, Nanos timeout) noexcept = 0;
  /// 0, and memory shared with the device, readable and writable, in `address`.
  virtual int map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept = 0;
  virtual int unmap(void* address, std::size_t size) noexcept = 0;
};

/// The kernel itself.
class LinuxIo final : public KernelIo {
 public:
  int open(const char* path) noexcept override;
  int close(int fd) noexcept override;
  int ioctl(int fd, unsigned long request, void* argument) noexcept override;
  int poll(int fd, short events, Nanos timeout) noexcept override;
  int map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept override;
  int unmap(void* address, std::size_t size) noexcept override;
};

}  // namespace kerb
