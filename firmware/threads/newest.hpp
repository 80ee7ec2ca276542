// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>

namespace kerb {

/// Passes the newest value from one thread to one other through three slots (triple buffer): the
/// writer fills one, the reader reads one, the third is exchanged. Neither waits or allocates.
template <typename T>
class Newest {
 public:
  /// For the writer: a slot with undefined content, not visible before publish().
  [[nodiscard]] T& draft() noexcept { return slots_[draft_]; }
  void publish() noexcept {
    draft_ = waiting_.exchange(draft_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }

  /// For the reader: the last published value, or T{} before the first. Valid until the next call.
  [[nodiscard]] const T& latest() noexcept {
    if ((waiting_.load(std::memory_order_relaxed) & kFresh) != 0)
      shown_ = waiting_.exchange(shown_, std::memory_order_acq_rel) & kIndex;
    return slots_[shown_];
  }

 private:
  static constexpr unsigned kIndex = 3, kFresh = 4;
  std::array<T, 3> slots_{};
  unsigned draft_ = 0, shown_ = 1;    // slots of the writer and of the reader
  std::atomic<unsigned> waiting_{2};  // with kFresh: not read yet
};

}  // namespace kerb
