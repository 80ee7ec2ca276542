// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/lockstep_source.hpp"

#include <algorithm>
#include <utility>

namespace kerb::sim {

class LockstepCamera::Source final : public FrameSource {
 public:
  explicit Source(std::shared_ptr<LockstepCamera> camera) : camera_{std::move(camera)} {}
  Result<Frame> next(Nanos timeout) override { return camera_->next(timeout); }
  [[nodiscard]] FrameSourceInfo info() const override { return camera_->info_; }
  [[nodiscard]] FrameCounters counters() const override { return camera_->counters(); }

 private:
  std::shared_ptr<LockstepCamera> camera_;
};

LockstepCamera::LockstepCamera(FrameSourceInfo info, const SimClock& clock)
    : info_{info}, clock_{clock} {
  for (Buffer& buffer : buffers_)
    buffer.bytes.resize(static_cast<std::size_t>(min_row_bytes(info.format, info.width)) *
                        static_cast<std::size_t>(info.height));
}

std::unique_ptr<FrameSource> LockstepCamera::open() {
  return std::make_unique<Source>(shared_from_this());
}

void LockstepCamera::show(const std::vector<std::uint8_t>& bytes, Nanos captured) {
  settle();
  std::unique_lock lock{mutex_};
  if (ended_) return;
  const auto free = std::ranges::find(buffers_, false, &Buffer::lent);
  if (free == buffers_.end()) return;  // nobody takes any: it is lost
  std::copy_n(bytes.begin(), std::min(bytes.size(), free->bytes.size()), free->bytes.begin());
  captured_ = captured;
  filled_ = static_cast<std::size_t>(free - buffers_.begin());
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_ || (worked_off() && waits_until_); });
}

/// Nobody works on a frame, or who does stands still until a later time.
bool LockstepCamera::worked_off() const {
  if (filled_) return false;
  return clock_.now() < held_until_ || std::ranges::none_of(buffers_, &Buffer::lent);
}

void LockstepCamera::settle() {
  std::unique_lock lock{mutex_};
  changed_.notify_all();
  changed_.wait(lock, [&] {
    return ended_ || (worked_off() && waits_until_ && *waits_until_ > clock_.now());
  });
}

void LockstepCamera::hold(Nanos until) {
  const std::lock_guard lock{mutex_};
  held_until_ = until;
  changed_.notify_all();
}

void LockstepCamera::end() {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  changed_.notify_all();
}

void LockstepCamera::give_back(std::uint32_t index) noexcept {
  const std::lock_guard lock{mutex_};
  buffers_[index].lent = false;
  changed_.notify_all();
}

FrameCounters LockstepCamera::counters() const {
  const std::lock_guard lock{mutex_};
  return counters_;
}

Result<Frame> LockstepCamera::next(Nanos timeout) {
  std::unique_lock lock{mutex_};
  waits_until_ = clock_.now() + timeout;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_ || filled_ || clock_.now() >= *waits_until_; });
  waits_until_.reset();
  if (filled_) {
    const std::size_t index = *filled_;
    filled_.reset();
    buffers_[index].lent = true;
    ++counters_.delivered;
    Frame frame;
    frame.sequence = sequence_++;
    frame.captured = captured_;
    frame.image.data = buffers_[index].bytes.data();
    frame.image.width = info_.width;
    frame.image.height = info_.height;
    frame.image.row_stride = min_row_bytes(info_.format, info_.width);
    frame.image.format = info_.format;
    frame.image.bayer = info_.bayer;
    frame.image.mosaic = info_.mosaic;
    frame.lease = FrameLease{shared_from_this(), static_cast<std::uint32_t>(index)};
    return frame;
  }
  if (ended_) return Error{Errc::end, 0, "play scenario", info_.name.view()};
  return Error{Errc::timeout, 0, "wait for frame", info_.name.view()};
}

}  // namespace kerb::sim
