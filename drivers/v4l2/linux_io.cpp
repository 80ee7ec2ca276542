// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "drivers/v4l2/kernel_io.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

int result_of(int returned) noexcept { return returned < 0 ? -errno : returned; }

}  // namespace

int LinuxIo::open(const char* path) noexcept {
  if (fault_point("v4l2.open")) return -errno;
  return result_of(::open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

int LinuxIo::close(int fd) noexcept { return result_of(::close(fd)); }

int LinuxIo::ioctl(int fd, unsigned long request, void* argument) noexcept {
  const bool fails = fault_point(request == VIDIOC_DQBUF  ? "v4l2.dequeue"
                                 : request == VIDIOC_QBUF ? "v4l2.queue"
                                                          : "v4l2.ioctl");
  if (fails) return -errno;
  return result_of(::ioctl(fd, request, argument));
}

int LinuxIo::poll(int fd, short events, Nanos timeout) noexcept {
  if (fault_point("v4l2.poll")) return -errno;
  using std::chrono::seconds;
  const seconds whole = std::chrono::duration_cast<seconds>(timeout);
  timespec limit{};
  limit.tv_sec = whole.count();
  limit.tv_nsec = static_cast<long>((timeout - whole).count());
  pollfd entry{fd, events, 0};
  const int ready = ::ppoll(&entry, 1, &limit, nullptr);
  return ready > 0 ? entry.revents : result_of(ready);
}

int LinuxIo::map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept {
  void* mapped =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return -errno;
  address = mapped;
  return 0;
}

int LinuxIo::unmap(void* address, std::size_t size) noexcept {
  return result_of(::munmap(address, size));
}

}  // namespace kerb
