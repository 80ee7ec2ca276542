// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace kerb::test {

/// Whether a kernel answers our ioctls. qemu-user answers those it does not know itself, with
/// ENOSYS, where a kernel says ENOTTY: what a device node that is none of ours does cannot be seen
/// there.
inline bool kernel_answers() {
  const int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  gpiochip_info info{};
  const bool answers = ::ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &info) < 0 && errno == ENOTTY;
  ::close(fd);
  return answers;
}

}  // namespace kerb::test
