// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace kerb::board {

/// Real time, as the emulated kernel counts it; the firmware on the board has a slower clock.
using RealClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline double seconds_since(RealClock::time_point start) {
  return Seconds(RealClock::now() - start).count();
}

/// The board itself is not as the check needs it. Ends the group of checks that meets it.
struct BoardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail_with_errno(const std::string& what) {
  throw BoardError(what + ": " + std::strerror(errno));
}

/// An open file, closed when destroyed.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail_with_errno("open " + path);
  }
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~File() { close(); }
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// ioctl that is retried when a signal interrupts it; -1 and errno on failure.
template <typename T>
int try_ioctl(const File& file, unsigned long request, T* argument) {
  int result = 0;
  do {
    result = ::ioctl(file.get(), request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

template <typename T>
void must_ioctl(const File& file, unsigned long request, T* argument, const std::string& what) {
  if (try_ioctl(file, request, argument) < 0) fail_with_errno(what);
}

}  // namespace kerb::board
