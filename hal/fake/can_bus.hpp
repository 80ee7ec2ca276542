// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hal/can_bus.hpp"

namespace kerb {

class FakeCanBus;

/// The wire: what one node sends, every other one receives. Must outlive its nodes. Nodes may be
/// used on different threads.
class FakeCanWire {
 public:
  FakeCanWire() = default;
  FakeCanWire(const FakeCanWire&) = delete;
  FakeCanWire& operator=(const FakeCanWire&) = delete;

 private:
  friend class FakeCanBus;
  std::mutex mutex_;  // guards the nodes' state too
  std::condition_variable changed_;
  std::vector<FakeCanBus*> nodes_;
};

/// A node on a wire that can simulate faults. The faults may be called from any thread; the rest as
/// CanBus says. Allocates nothing after construction.
class FakeCanBus final : public CanBus {
 public:
  struct Options {
    bool fd = true;                  ///< takes and sends FD frames
    std::vector<CanFilter> filters;  ///< none: everything is received
  };
  static constexpr std::size_t kQueue = 256;  ///< frames waiting to be read; more are overruns

  FakeCanBus(FakeCanWire& wire, const Clock& clock) : FakeCanBus{wire, clock, Options{}} {}
  FakeCanBus(FakeCanWire& wire, const Clock& clock, Options options)
      : wire_{wire}, clock_{clock}, options_{std::move(options)} {
    const std::lock_guard lock{wire_.mutex_};
    wire_.nodes_.push_back(this);
  }
  FakeCanBus(const FakeCanBus&) = delete;
  FakeCanBus& operator=(const FakeCanBus&) = delete;
  ~FakeCanBus() override {
    const std::lock_guard lock{wire_.mutex_};
    wire_.nodes_.erase(std::find(wire_.nodes_.begin(), wire_.nodes_.end(), this));
  }

  Status send(const CanFrame& frame) override {
    if (!is_valid(frame)) return Error{Errc::invalid_argument, 0, "send on the fake CAN"};
    if (frame.fd && !options_.fd)
      return Error{Errc::unsupported, 0, "send an FD frame on the fake classic CAN"};
    const std::lock_guard lock{wire_.mutex_};
    if (!on_bus()) {
      ++counters_.refused;
      return Error{Errc::gone, 0, "send on the fake CAN", name_of(state_)};
    }
    if (queue_full_ || !finds_room()) {
      ++counters_.refused;
      return Error{Errc::would_block, 0, "send on the fake CAN: queue full"};
    }
    ++counters_.sent;
    for (FakeCanBus* node : wire_.nodes_)
      if (node != this) node->take(frame);
    wire_.changed_.notify_all();
    return Done{};
  }

  Result<CanFrame> receive(Nanos timeout) override {
    std::unique_lock lock{wire_.mutex_};
    const Nanos deadline = clock_.now() + timeout;
    const bool was_down = state_ == CanState::down;
    const auto over = [&] { return count_ > 0 || (state_ == CanState::down) != was_down; };
    recover();
    if (!over() && timeout > Nanos::zero()) {
      wire_.changed_.wait_for(lock, clock_.real(timeout), over);
      if (!over()) {
        lock.unlock();
        clock_.sleep_until(deadline);  // moves a fake clock, which advances only by sleeping
        lock.lock();
      }
      recover();
    }
    if (state_ == CanState::down) return Error{Errc::gone, 0, "receive from the fake CAN: down"};
    if (count_ == 0) return Error{Errc::timeout, 0, "receive from the fake CAN"};
    const CanFrame frame = queue_[first_];
    first_ = (first_ + 1) % kQueue;
    --count_;
    ++counters_.received;
    return frame;
  }

  [[nodiscard]] CanState state() const noexcept override {
    const std::lock_guard lock{wire_.mutex_};
    return state_;
  }
  [[nodiscard]] CanCounters counters() const noexcept override {
    const std::lock_guard lock{wire_.mutex_};
    return counters_;
  }

  [[nodiscard]] std::optional<Error> restart_refusal() const noexcept override {
    const std::lock_guard lock{wire_.mutex_};
    return state_ == CanState::bus_off ? restart_refusal_ : std::nullopt;
  }

  // Faults, and their end.
  /// The controller leaves the bus; receive() brings it back once that time has passed, restart()
  /// at any time.
  void bus_off(std::optional<Nanos> recovers_after = std::nullopt) {
    const std::lock_guard lock{wire_.mutex_};
    if (state_ != CanState::bus_off) ++counters_.bus_offs;
    ++counters_.error_frames;
    state_ = CanState::bus_off;
    recovers_at_.reset();
    if (recovers_after) recovers_at_ = clock_.now() + *recovers_after;
  }
  void restart() { change(CanState::active); }
  /// As long as there is one, the controller that is off the bus stays off.
  void refuse_restart(const std::optional<Error>& why) {
    const std::lock_guard lock{wire_.mutex_};
    restart_refusal_ = why;
  }
  void down() { change(CanState::down); }
  void up() { change(CanState::active); }
  /// The controller reports an error, and that it is now active, warning or passive.
  void error(CanState now) {
    change(now);
    const std::lock_guard lock{wire_.mutex_};
    ++counters_.error_frames;
  }
  /// While true, send() answers would_block.
  void queue_full(bool full) {
    const std::lock_guard lock{wire_.mutex_};
    queue_full_ = full;
  }
  /// The transmit queue holds this many frames, and the wire takes one every `frame_time`.
  void queue_holds(std::size_t frames, Nanos frame_time) {
    const std::lock_guard lock{wire_.mutex_};
    queue_room_ = frames;
    frame_time_ = frame_time;
  }

 private:
  [[nodiscard]] bool on_bus() const noexcept {
    return state_ != CanState::bus_off && state_ != CanState::down;
  }
  void change(CanState state) {
    const std::lock_guard lock{wire_.mutex_};
    if (state == CanState::down) count_ = 0;
    state_ = state;
    recovers_at_.reset();
    wire_.changed_.notify_all();
  }
  /// Whether the transmit queue has room, and if so takes it. The frame is on the wire at once all
  /// the same.
  bool finds_room() {
    if (queue_room_ == 0) return true;
    wire_free_at_ = std::max(wire_free_at_, clock_.now());
    if (wire_free_at_ + frame_time_ > clock_.now() + frame_time_ * static_cast<int>(queue_room_))
      return false;
    wire_free_at_ += frame_time_;
    return true;
  }
  void recover() {
    if (restart_refusal_) return;
    if (state_ != CanState::bus_off || !recovers_at_ || clock_.now() < *recovers_at_) return;
    state_ = CanState::active;
    recovers_at_.reset();
  }
  void take(const CanFrame& frame) {
    if (!on_bus() || (frame.fd && !options_.fd)) return;
    const auto lets_in = [&](const CanFilter& filter) { return passes(filter, frame); };
    if (!options_.filters.empty() &&
        std::none_of(options_.filters.begin(), options_.filters.end(), lets_in))
      return;
    if (count_ == kQueue) {
      ++counters_.overruns;
      return;
    }
    CanFrame& place = queue_[(first_ + count_++) % kQueue];
    place = frame;
    place.received = clock_.now();
  }

  FakeCanWire& wire_;
  const Clock& clock_;
  const Options options_;
  CanState state_ = CanState::active;
  CanCounters counters_;
  std::optional<Nanos> recovers_at_;
  std::optional<Error> restart_refusal_;
  bool queue_full_ = false;
  std::size_t queue_room_ = 0;  // frames; 0: endless
  Nanos frame_time_{}, wire_free_at_{};
  std::array<CanFrame, kQueue> queue_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace kerb
