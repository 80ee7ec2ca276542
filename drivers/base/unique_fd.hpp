// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <utility>

namespace kerb {

/// Owns a file descriptor: closes it when destroyed. Move-only; -1 is "none".
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_{fd < 0 ? -1 : fd} {}
  UniqueFd(UniqueFd&& other) noexcept : fd_{other.release()} {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives the descriptor away without closing it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes what is owned and takes `fd`. Linux frees the number even when close() fails, so there
  /// is no retry.
  void reset(int fd = -1) noexcept {
    const int old = std::exchange(fd_, fd < 0 ? -1 : fd);
    if (old >= 0) ::close(old);
  }

 private:
  int fd_ = -1;
};

}  // namespace kerb
