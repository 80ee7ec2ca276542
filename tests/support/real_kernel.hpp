// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace kerb::test {

/// Whether a real kernel answers ioctls. qemu-user answers unknown ones itself, with ENOSYS instead
/// of ENOTTY, so tests with device nodes of another kind cannot run there.
inline bool kernel_answers() {
  const int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  gpiochip_info info{};
  const bool answers = ::ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &info) < 0 && errno == ENOTTY;
  ::close(fd);
  return answers;
}

}  // namespace kerb::test
