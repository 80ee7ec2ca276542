// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hal/fake/exposure_control.hpp"
#include "hal/frame_source.hpp"

namespace kerb {

/// A frame of a FakeFrameSource's script. Size and format are those of its info() unless given.
struct FakeFrame {
  std::optional<Nanos> captured{};   ///< falls due then; unset: now, or just after the frame before
  std::uint64_t dropped_before = 0;  ///< frames lost ahead of this one: a gap in the sequence
  std::optional<std::uint8_t>
      fill{};  ///< every byte of the picture; unset: the sequence number's low byte
  int width = 0, height = 0;
  std::optional<PixelFormat> format{};
};

/// A camera that follows a script of frames and failures. The script side (push, fail_next, loans)
/// may be used from any thread; the rest as FrameSource says. next() allocates nothing for frames
/// of the size of info(). Frames wait as long as necessary: the fake drops only what the script
/// says.
class FakeFrameSource final : public FrameSource {
 public:
  explicit FakeFrameSource(const Clock& clock, FrameSourceInfo info = default_info(),
                           int buffers = 4)
      : clock_{clock}, info_{info}, pool_{std::make_shared<Pool>(buffers)} {
    for (std::vector<std::uint8_t>& buffer : pool_->buffers)
      buffer.resize(bytes_of(info.format, info.width, info.height));
  }

  /// 640x480 grey8 at 30 Hz.
  static FrameSourceInfo default_info() {
    FrameSourceInfo info;
    info.name = "fake";
    info.width = 640;
    info.height = 480;
    info.rate_hz = 30;
    info.memory = "own";
    return info;
  }

  /// Appends a frame to the script. A capture time not after the frame before is moved there: times
  /// rise.
  void push(const FakeFrame& frame = {}) {
    const std::lock_guard lock{mutex_};
    append(frame);
  }
  /// Appends `count` frames, `period` apart; the first falls due now, or a period after the frame
  /// before.
  void push(int count, Nanos period) {
    const std::lock_guard lock{mutex_};
    for (int i = 0; i < count; ++i) {
      FakeFrame frame;
      if (last_pushed_) frame.captured = std::max(clock_.now(), *last_pushed_ + period);
      append(frame);
    }
  }
  /// The next call of next() fails with this, whatever the script says; several calls, several
  /// failures, in order. A damaged frame takes a sequence number and is counted, as with a camera.
  void fail_next(const Error& error) {
    const std::lock_guard lock{mutex_};
    faults_.push_back(error);
    changed_.notify_all();
  }
  /// After the last frame of the script comes Errc::end instead of a wait.
  void end_after_script() {
    const std::lock_guard lock{mutex_};
    ends_ = true;
    changed_.notify_all();
  }
  /// From now on it has a control of exposure and gain, which changes no picture. Before the first
  /// next().
  FakeExposureControl& offer_exposure(
      const ExposureRange& range = FakeExposureControl::default_range()) {
    exposure_ = std::make_unique<FakeExposureControl>(range);
    return *exposure_;
  }
  /// Frames not given back yet.
  [[nodiscard]] int loans() const { return pool_->loans(); }
  /// Frames of the script not taken yet.
  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard lock{mutex_};
    return script_.size();
  }

  Result<Frame> next(Nanos timeout) override {
    std::unique_lock lock{mutex_};
    const Nanos deadline = clock_.now() + timeout;
    for (;;) {
      if (!faults_.empty()) return take_fault();
      const std::optional<std::uint32_t> index = pool_->peek();
      if (!index) return Error{Errc::would_block, 0, "every buffer is on loan", info_.name.view()};
      const Nanos now = clock_.now();
      if (!script_.empty() && *script_.front().captured <= now) return take_frame(*index);
      if (script_.empty() && ends_) return Error{Errc::end, 0, "play", info_.name.view()};
      if (now >= deadline) return Error{Errc::timeout, 0, "wait for frame", info_.name.view()};
      const Nanos until =
          script_.empty() ? deadline : std::min(deadline, *script_.front().captured);
      // In real time a push wakes this thread; a fake clock does not wait, and is moved by
      // sleeping.
      const Nanos real = clock_.real(until - now);
      if (real > Nanos::zero()) {
        changed_.wait_for(lock, real);
      } else {
        lock.unlock();
        clock_.sleep_until(until);
        lock.lock();
      }
    }
  }
  [[nodiscard]] FrameSourceInfo info() const override { return info_; }
  [[nodiscard]] FrameCounters counters() const override {
    const std::lock_guard lock{mutex_};
    return counters_;
  }
  [[nodiscard]] ExposureControl* exposure_control() noexcept override { return exposure_.get(); }

 private:
  /// Shared with the frames, so that they may outlive the source.
  struct Pool final : FrameLender {
    explicit Pool(int count)
        : buffers(static_cast<std::size_t>(count)), lent(static_cast<std::size_t>(count), false) {}
    void give_back(std::uint32_t index) noexcept override {
      const std::lock_guard lock{mutex};
      lent[index] = false;
    }
    [[nodiscard]] std::optional<std::uint32_t> peek() const {
      const std::lock_guard lock{mutex};
      const auto found = std::find(lent.begin(), lent.end(), false);
      if (found == lent.end()) return std::nullopt;
      return static_cast<std::uint32_t>(found - lent.begin());
    }
    [[nodiscard]] int loans() const {
      const std::lock_guard lock{mutex};
      return static_cast<int>(std::count(lent.begin(), lent.end(), true));
    }
    mutable std::mutex mutex;
    std::vector<std::vector<std::uint8_t>> buffers;
    std::vector<bool> lent;
  };

  static std::size_t bytes_of(PixelFormat format, int width, int height) {
    const auto plane =
        static_cast<std::size_t>(min_row_bytes(format, width)) * static_cast<std::size_t>(height);
    return format == PixelFormat::nv12 ? plane + plane / 2 : plane;
  }

  void append(FakeFrame frame) {
    const Nanos wanted = frame.captured.value_or(clock_.now());
    frame.captured = last_pushed_ ? std::max(wanted, *last_pushed_ + Nanos{1}) : wanted;
    last_pushed_ = frame.captured;
    script_.push_back(frame);
    changed_.notify_all();
  }

  Result<Frame> take_fault() {
    const Error error = faults_.front();
    faults_.pop_front();
    if (error.code == Errc::damaged) {
      ++counters_.damaged;
      ++sequence_;
    }
    return error;
  }

  Result<Frame> take_frame(std::uint32_t index) {
    const FakeFrame shown = script_.front();
    script_.pop_front();
    sequence_ += shown.dropped_before;
    counters_.dropped += shown.dropped_before;
    ++counters_.delivered;

    Frame frame;
    frame.sequence = sequence_++;
    frame.captured = *shown.captured;
    RawImageView<Space::host>& image = frame.image;
    image.format = shown.format.value_or(info_.format);
    image.bayer = info_.bayer;
    image.mosaic = info_.mosaic;
    image.width = shown.width > 0 ? shown.width : info_.width;
    image.height = shown.height > 0 ? shown.height : info_.height;
    image.row_stride = min_row_bytes(image.format, image.width);
    std::vector<std::uint8_t>& buffer = pool_->buffers[index];  // not on loan yet
    const std::size_t bytes = bytes_of(image.format, image.width, image.height);
    if (buffer.size() < bytes) buffer.resize(bytes);
    std::memset(buffer.data(), shown.fill.value_or(static_cast<std::uint8_t>(frame.sequence)),
                bytes);
    image.data = buffer.data();
    if (image.format == PixelFormat::nv12) {
      image.chroma = buffer.data() + image.row_stride * image.height;
      image.chroma_stride = image.row_stride;
    }
    {
      const std::lock_guard lock{pool_->mutex};
      pool_->lent[index] = true;
    }
    frame.lease = FrameLease{pool_, index};
    return frame;
  }

  const Clock& clock_;
  FrameSourceInfo info_;
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<FakeExposureControl> exposure_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FakeFrame> script_;
  std::deque<Error> faults_;
  std::optional<Nanos> last_pushed_;
  bool ends_ = false;
  std::uint64_t sequence_ = 0;
  FrameCounters counters_;
};

}  // namespace kerb
