// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "hal/frame_source.hpp"
#include "tools/simulator/run/sim_clock.hpp"

namespace kerb::sim {

/// A camera whose frames the stepper hands out one by one. show() and settle() return only when all
/// threads of the firmware have finished their work on it, so a run is the same every time, on
/// every machine. With HandOver::newest while vision hangs, otherwise also with HandOver::every.
class LockstepCamera : public std::enable_shared_from_this<LockstepCamera>, public FrameLender {
 public:
  LockstepCamera(FrameSourceInfo info, const SimClock& clock);

  [[nodiscard]] const FrameSourceInfo& info() const noexcept { return info_; }
  /// The camera that the firmware opens; one at a time.
  [[nodiscard]] std::unique_ptr<FrameSource> open();

  /// Delivers a frame that was taken at `captured`. The bytes are copied. Returns when the pipeline
  /// has processed it.
  void show(const std::vector<std::uint8_t>& bytes, Nanos captured);
  /// Waits until the firmware has noticed that the clock has moved.
  void settle();
  /// The thread that works on a frame goes on when the clock stands at `until`, not before: it is
  /// not waited for meanwhile.
  void hold(Nanos until);
  /// Ends the recording: no more frames, and every waiting thread returns.
  void end();

  void give_back(std::uint32_t index) noexcept override;

 private:
  class Source;
  // One for the frame being worked on, one that waits for it, one being filled.
  static constexpr std::size_t kBuffers = 3;
  struct Buffer {
    std::vector<std::uint8_t> bytes;
    bool lent = false;
  };
  Result<Frame> next(Nanos timeout);
  [[nodiscard]] FrameCounters counters() const;
  [[nodiscard]] bool worked_off() const;

  const FrameSourceInfo info_;
  const SimClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Buffer, kBuffers> buffers_;
  std::optional<std::size_t> filled_;  // not yet taken
  bool ended_ = false;
  Nanos held_until_{};
  std::optional<Nanos> waits_until_;  // somebody is in next()
  Nanos captured_{};
  std::uint64_t sequence_ = 0;
  FrameCounters counters_;
};

}  // namespace kerb::sim
