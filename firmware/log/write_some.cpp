// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/write_some.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>

#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// A pipe that poll() calls writable has room for this much, and takes it in one piece.
constexpr std::size_t kPiece = PIPE_BUF;

ssize_t write_now(int fd, std::string_view piece) noexcept {
  if (fault_point("log.write")) return -1;
  // The journal's standard error is a socket: that can be told not to wait.
  const ssize_t sent = ::send(fd, piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(fd, piece.data(), piece.size());
}

}  // namespace

ssize_t write_some(int fd, std::string_view text, Nanos wait) noexcept {
  pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
  const auto whole = std::chrono::floor<std::chrono::seconds>(std::max(wait, Nanos::zero()));
  const timespec limit{static_cast<time_t>(whole.count()),
                       static_cast<long>((std::max(wait, Nanos::zero()) - whole).count())};
  const int ready = ::ppoll(&room, 1, &limit, nullptr);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
  if (ready < 0) return -errno;
  const ssize_t written = write_now(fd, text.substr(0, kPiece));  // POLLERR: this says why
  if (written >= 0) return written;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
}

int write_within(int fd, std::string_view text, Nanos limit) noexcept {
  const auto deadline = SteadyClock::now() + limit;
  while (!text.empty()) {
    const Nanos left = deadline - SteadyClock::now();
    const ssize_t written = write_some(fd, text, std::max(left, Nanos::zero()));
    if (written < 0) return static_cast<int>(-written);
    text.remove_prefix(static_cast<std::size_t>(written));
    if (!text.empty() && SteadyClock::now() >= deadline) return ETIMEDOUT;
  }
  return 0;
}

}  // namespace kerb
