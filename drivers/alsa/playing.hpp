// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace kerb {

/// Whether a sound device plays. One that has stopped playing still takes samples until its buffer
/// is full, each time anew after it was prepared: only what goes beyond two buffers shows that it
/// plays. One thread; error() any.
class Playing {
 public:
  explicit Playing(std::uint64_t buffer_frames) noexcept : buffer_{buffer_frames} {}

  void takes(std::uint64_t frames) noexcept {
    waits_ = 0;
    taken_ += frames;
    if (taken_ <= 2 * buffer_) return;
    error_ = 0;
    recoveries_ = 0;
  }
  /// Waiting for room was in vain. True: it plays nothing, and is to be prepared anew.
  [[nodiscard]] bool had_no_room() noexcept {
    if (++waits_ < kWaits) return false;
    waits_ = 0;
    fail(EIO);
    return true;
  }
  /// It refuses. True: recover at once; false: it has been recovered often enough, rest first.
  [[nodiscard]] bool may_recover() noexcept {
    begin();
    return ++recoveries_ <= kRecoveries;
  }
  void fail(int err) noexcept {
    begin();
    error_ = err;
  }
  /// errno; 0: it plays.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  static constexpr int kWaits = 10, kRecoveries = 10;  ///< in a row
  void begin() noexcept { taken_ = 0; }

  std::uint64_t buffer_;
  std::uint64_t taken_ = 0;  ///< since it was last prepared
  int waits_ = 0, recoveries_ = 0;
  std::atomic<int> error_ = 0;
};

}  // namespace kerb
