// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "hal/base/clock.hpp"

namespace kerb {

/// Real time, whatever the product's clock does.
using SteadyClock = std::chrono::steady_clock;

/// An event (eventfd) that wakes another thread; waits in real time. ring() never blocks or locks.
class Bell {
 public:
  Bell() : fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}
  ~Bell() {
    if (fd_ >= 0) ::close(fd_);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  [[nodiscard]] bool works() const { return fd_ >= 0; }
  void ring() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(fd_, &one, sizeof one);  // full: it is set already
  }
  /// True when it rang before `deadline`; resets it.
  bool wait_until(SteadyClock::time_point deadline) noexcept {
    for (;;) {
      const Nanos left =
          std::clamp<Nanos>(deadline - SteadyClock::now(), Nanos::zero(), std::chrono::hours{1});
      pollfd poll_fd{fd_, POLLIN, 0};
      const auto whole = std::chrono::floor<std::chrono::seconds>(left);
      const timespec time{static_cast<time_t>(whole.count()),
                          static_cast<long>((left - whole).count())};
      if (::ppoll(&poll_fd, 1, &time, nullptr) > 0) {
        std::uint64_t rings = 0;
        [[maybe_unused]] const ssize_t n = ::read(fd_, &rings, sizeof rings);
        return true;
      }
      if (SteadyClock::now() >= deadline) return false;
    }
  }

 private:
  int fd_;
};

}  // namespace kerb
