// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>

namespace kerb {

/// The newest value, from one thread to one other, through three slots: the writer fills one, the
/// reader looks at one, the third changes hands. Neither ever waits for the other or allocates.
template <typename T>
class Newest {
 public:
  /// The writer's: what it held before is of no meaning. Nobody sees it until publish().
  [[nodiscard]] T& draft() noexcept { return slots_[draft_]; }
  void publish() noexcept {
    draft_ = waiting_.exchange(draft_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }

  /// The reader's: what was published last, or T{} before the first. Stays until the next look().
  [[nodiscard]] const T& look() noexcept {
    if ((waiting_.load(std::memory_order_relaxed) & kFresh) != 0)
      shown_ = waiting_.exchange(shown_, std::memory_order_acq_rel) & kIndex;
    return slots_[shown_];
  }

 private:
  static constexpr unsigned kIndex = 3, kFresh = 4;
  std::array<T, 3> slots_{};
  unsigned draft_ = 0, shown_ = 1;    // the writer's, the reader's
  std::atomic<unsigned> waiting_{2};  // with kFresh: not looked at yet
};

}  // namespace kerb
