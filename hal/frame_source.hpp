// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"
#include "hal/exposure_control.hpp"

namespace kerb {

/// Takes lent buffers back. Called on the thread that destroys a Frame.
class FrameLender {
 public:
  virtual ~FrameLender() = default;
  virtual void give_back(std::uint32_t index) noexcept = 0;
};

/// A loan of one buffer: destroying it returns the buffer. Move-only; never allocates.
class FrameLease {
 public:
  FrameLease() = default;
  FrameLease(std::shared_ptr<FrameLender> lender, std::uint32_t index) noexcept
      : lender_{std::move(lender)}, index_{index} {}
  FrameLease(FrameLease&& other) noexcept = default;
  FrameLease& operator=(FrameLease&& other) noexcept {
    if (this != &other) {
      release();
      lender_ = std::move(other.lender_);
      index_ = other.index_;
    }
    return *this;
  }
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  ~FrameLease() { release(); }
  void release() noexcept {
    if (std::shared_ptr<FrameLender> lender = std::move(lender_)) lender->give_back(index_);
  }

 private:
  std::shared_ptr<FrameLender> lender_;
  std::uint32_t index_ = 0;
};

/// A filled camera buffer on loan. Its memory stays valid until the Frame is destroyed, even when
/// the source that lent it has been closed meanwhile.
struct Frame {
  RawImageView<Space::host> image;
  std::uint64_t sequence = 0;  ///< counts exposed frames; gaps are dropped frames
  Nanos captured{};            ///< time of exposure, on the Clock the source was opened with
  FrameLease lease;
};

struct FrameSourceInfo {
  Text<64> name;  ///< "/dev/video0", "pattern"
  PixelFormat format = PixelFormat::grey8;
  BayerOrder bayer = BayerOrder::rggb;
  int mosaic = 0;
  int width = 0, height = 0;
  double rate_hz = 0;       ///< nominal; 0 when unknown
  const char* memory = "";  ///< who owns the buffers: "userptr", "mmap", "own"
  int buffers = 0;          ///< of a camera, filled in turn; 0: it has none
};

/// Running totals since open().
struct FrameCounters {
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;  ///< gaps in the sequence
  std::uint64_t damaged = 0;  ///< marked as corrupt by the device, or undecodable
};

/// Frames from a camera, a recording or a generator. One thread calls it; Frames may be destroyed
/// on any thread.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// The oldest frame not yet taken; waits at most `timeout` (clock time; zero: does not wait).
  /// Sequence numbers and capture times rise strictly. Fails: timeout, damaged (skip this one),
  /// no_signal (call it again), gone (close and open again), end (recordings), would_block (every
  /// buffer is on loan).
  virtual Result<Frame> next(Nanos timeout) = 0;
  [[nodiscard]] virtual FrameSourceInfo info() const = 0;
  [[nodiscard]] virtual FrameCounters counters() const = 0;
  /// Sets exposure and gain; null where that is not possible. Lives as long as the source.
  [[nodiscard]] virtual ExposureControl* exposure_control() noexcept { return nullptr; }
};

}  // namespace kerb
