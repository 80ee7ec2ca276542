// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "hal/frame_source.hpp"
#include "tools/simulator/run/sim_clock.hpp"

namespace kerb::sim {

/// A camera whose frames the stepper hands out one by one. Both sides keep step: show() and
/// settle() return only when all that the firmware does about it, on however many threads, is done.
/// So a run is the same every time, however fast the machine is. With HandOver::every only.
class LockstepCamera : public std::enable_shared_from_this<LockstepCamera>, public FrameLender {
 public:
  LockstepCamera(FrameSourceInfo info, const SimClock& clock);

  /// What the firmware opens. There is one at a time.
  [[nodiscard]] std::unique_ptr<FrameSource> open();

  /// A frame as the firmware gets it: taken at `captured`, known now. The bytes are copied. Waits
  /// until it has gone through the pipeline.
  void show(const std::vector<std::uint8_t>& bytes, Nanos captured);
  /// Waits until the firmware has noticed that the clock has moved.
  void settle();
  /// The camera has nothing more to give, and nobody waits for it any more.
  void end();

  void give_back(std::uint32_t index) noexcept override;

 private:
  class Source;
  Result<Frame> next(Nanos timeout);
  [[nodiscard]] FrameCounters counters() const;

  const FrameSourceInfo info_;
  const SimClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t> buffer_;
  bool filled_ = false, lent_ = false, ended_ = false;
  std::optional<Nanos> waits_until_;  // somebody is in next()
  Nanos captured_{};
  std::uint64_t sequence_ = 0;
  FrameCounters counters_;
};

}  // namespace kerb::sim
