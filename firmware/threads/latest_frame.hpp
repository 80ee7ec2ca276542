// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "hal/frame_source.hpp"

namespace kerb {

/// The hand-over between capture and processing: a slot for one frame, in which the newest replaces
/// an older one. Neither side waits for the other's work: the lock is held for a move of a few
/// words, never while a buffer is returned to the camera.
class LatestFrame {
 public:
  /// Puts a frame in. True when an older frame was dropped for it (or, once closed, this one); not
  /// one that was offered.
  bool put(Frame frame) {
    std::optional<Frame> older{std::move(frame)};
    bool drops = true;
    {
      const std::lock_guard lock{mutex_};
      if (!closed_) {
        std::swap(slot_, older);
        drops = older.has_value() && !offered_;
        offered_ = false;
      }
    }
    ready_.notify_one();
    return drops;  // the older one is returned to its camera here, outside the lock
  }
  /// Puts in what must not replace a frame: only where there is none.
  void offer(Frame frame) {
    {
      const std::lock_guard lock{mutex_};
      if (closed_ || slot_) return;
      slot_ = std::move(frame);
      offered_ = true;
    }
    ready_.notify_one();
  }
  /// The newest frame, or nothing after `real_time` or once closed.
  std::optional<Frame> take(Nanos real_time) {
    std::unique_lock lock{mutex_};
    ready_.wait_for(lock, real_time, [this] { return slot_.has_value() || closed_; });
    std::optional<Frame> taken = std::move(slot_);
    slot_.reset();
    busy_ = taken.has_value();
    lock.unlock();
    emptied_.notify_one();
    return taken;
  }
  /// Whoever took a frame has finished with it.
  void done() {
    {
      const std::lock_guard lock{mutex_};
      busy_ = false;
    }
    emptied_.notify_one();
  }
  /// Waits until the last frame was taken: for recordings, of which no frame may be lost. False
  /// after `real_time`.
  bool wait_until_taken(Nanos real_time) {
    std::unique_lock lock{mutex_};
    return emptied_.wait_for(lock, real_time, [this] { return !slot_.has_value() || closed_; });
  }
  /// Likewise, and until it is done().
  bool wait_until_done(Nanos real_time) {
    std::unique_lock lock{mutex_};
    return emptied_.wait_for(lock, real_time,
                             [this] { return (!slot_.has_value() && !busy_) || closed_; });
  }
  /// Wakes all waiting threads, and drops a frame that was not taken.
  void close() {
    std::optional<Frame> last;
    {
      const std::lock_guard lock{mutex_};
      closed_ = true;
      std::swap(slot_, last);
    }
    ready_.notify_all();
    emptied_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_, emptied_;
  std::optional<Frame> slot_;
  bool offered_ = false;  // what is in the slot, if anything
  bool closed_ = false;
  bool busy_ = false;  // what was taken is not done
};

}  // namespace kerb
