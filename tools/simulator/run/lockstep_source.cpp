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
  buffer_.resize(static_cast<std::size_t>(min_row_bytes(info.format, info.width)) *
                 static_cast<std::size_t>(info.height));
}

std::unique_ptr<FrameSource> LockstepCamera::open() {
  return std::make_unique<Source>(shared_from_this());
}

void LockstepCamera::show(const std::vector<std::uint8_t>& bytes, Nanos captured) {
  settle();  // nobody reads the buffer now
  std::unique_lock lock{mutex_};
  if (ended_) return;
  std::copy_n(bytes.begin(), std::min(bytes.size(), buffer_.size()), buffer_.begin());
  captured_ = captured;
  filled_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_ || (!filled_ && !lent_ && waits_until_); });
}

void LockstepCamera::settle() {
  std::unique_lock lock{mutex_};
  changed_.notify_all();
  changed_.wait(lock, [&] {
    return ended_ || (waits_until_ && *waits_until_ > clock_.now() && !lent_ && !filled_);
  });
}

void LockstepCamera::end() {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  changed_.notify_all();
}

void LockstepCamera::give_back(std::uint32_t /*index*/) noexcept {
  const std::lock_guard lock{mutex_};
  lent_ = false;
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
    filled_ = false;
    lent_ = true;
    ++counters_.delivered;
    Frame frame;
    frame.sequence = sequence_++;
    frame.captured = captured_;
    frame.image.data = buffer_.data();
    frame.image.width = info_.width;
    frame.image.height = info_.height;
    frame.image.row_stride = min_row_bytes(info_.format, info_.width);
    frame.image.format = info_.format;
    frame.image.bayer = info_.bayer;
    frame.image.mosaic = info_.mosaic;
    frame.lease = FrameLease{shared_from_this(), 0};
    return frame;
  }
  if (ended_) return Error{Errc::end, 0, "play scenario", info_.name.view()};
  return Error{Errc::timeout, 0, "wait for frame", info_.name.view()};
}

}  // namespace kerb::sim
