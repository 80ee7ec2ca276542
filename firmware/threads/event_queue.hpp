// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kerb {

/// A bounded queue from many threads to one; the last quarter is reserved for items that must not
/// be lost. Lock-free: a pusher never waits for the popper, nor for a pusher that was stopped
/// half-way (the ring only looks full, or empty, behind it). After D. Vyukov's bounded queue: a
/// slot's `turn` says who may access it: at `position` the pusher, at `position + 1` the popper.
template <typename Item>
class EventQueue {
 public:
  /// Allocates here, and never again. `size` is rounded up to a power of two.
  explicit EventQueue(std::size_t size)
      : mask_{std::bit_ceil(size) - 1}, slots_{std::make_unique<Slot[]>(mask_ + 1)} {
    for (std::size_t i = 0; i <= mask_; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  /// False when there is no room: none at all for a durable item, three quarters used for others.
  /// Any thread.
  bool push(const Item& item, bool durable) noexcept {
    const std::uint64_t room = durable ? mask_ + 1 : (mask_ + 1) / 4 * 3;
    std::uint64_t position = pushed_.load(std::memory_order_relaxed);
    for (;;) {
      // `position` may be older than `popped_`: a negative difference does not mean full.
      const std::uint64_t used = position - popped_.load(std::memory_order_relaxed);
      if (used >= room && static_cast<std::int64_t>(used) > 0) return false;
      Slot& slot = slots_[position & mask_];
      const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);
      const auto ahead = static_cast<std::int64_t>(turn - position);
      if (ahead < 0) return false;
      if (ahead == 0 &&
          pushed_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        slot.item = item;
        slot.turn.store(position + 1, std::memory_order_release);
        return true;
      }
      if (ahead > 0) position = pushed_.load(std::memory_order_relaxed);
    }
  }

  /// The oldest item, until drop_front(); null when there is none. The popping thread only.
  [[nodiscard]] const Item* front() const noexcept {
    const std::uint64_t position = popped_.load(std::memory_order_relaxed);
    const Slot& slot = slots_[position & mask_];
    return slot.turn.load(std::memory_order_acquire) == position + 1 ? &slot.item : nullptr;
  }
  /// Needs a front(). The popping thread only.
  void drop_front() noexcept {
    const std::uint64_t position = popped_.load(std::memory_order_relaxed);
    slots_[position & mask_].turn.store(position + mask_ + 1, std::memory_order_release);
    popped_.store(position + 1, std::memory_order_release);
  }

  /// Total of items pushed (or being pushed), and popped. Any thread.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    return pushed_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t popped() const noexcept {
    return popped_.load(std::memory_order_acquire);
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> turn{0};
    Item item;
  };
  const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace kerb
