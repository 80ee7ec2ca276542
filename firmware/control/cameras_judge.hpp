// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "firmware/control/bus_input.hpp"
#include "firmware/control/camera_judge.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/lost_vision.hpp"
#include "firmware/health/health_monitor.hpp"

namespace kerb {

/// Judges the health of all cameras, and whether their threads are alive. One thread.
class CamerasJudge {
 public:
  /// `cameras` must outlive this.
  CamerasJudge(const HealthSettings& settings, const std::vector<ControlledCamera>& cameras,
               Nanos start);

  /// One round.
  void judge(Nanos now, HealthMonitor& monitor, BusInput& bus, ChangeReporter& reporter);

  [[nodiscard]] const CameraRates& rates(std::size_t camera) const noexcept {
    return states_[camera].judge.rates();
  }
  /// The lowest frame rate and the most dropped frames of all cameras: one that is dead must not
  /// hide behind another. Without cameras: none.
  [[nodiscard]] std::optional<CameraRates> worst_rates() const noexcept;
  /// When every pipeline thread was last seen alive.
  [[nodiscard]] Nanos alive_at() const noexcept { return alive_at_; }
  /// The GPU has failed for good, as far as this process can know.
  [[nodiscard]] bool vision_lost() const noexcept { return vision_.lost(); }
  /// Every camera is a recording that has been played to its end.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  struct State {
    CameraJudge judge;
    std::uint64_t capture_beats = 0, process_beats = 0;
    std::uint64_t processed = 0, finished = 0;  ///< at the last round
    bool delivered = false;                  ///< at least one frame has gone through its pipeline
    Nanos motion_at{};                       ///< of the last motion report that was read
    std::optional<Nanos> motion_valid_at{};  ///< when one last said how the car moves
  };
  [[nodiscard]] std::vector<State>::const_iterator first_that_tells(Nanos now) const noexcept;

  const std::vector<ControlledCamera>& cameras_;
  std::vector<State> states_;
  LostVision vision_;
  Nanos alive_at_;
  bool ended_ = false;
};

}  // namespace kerb
