// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"

namespace kerb {

/// Once a minute, and at the end: what each camera did since the last time, as events. One thread;
/// allocates nothing after the start.
class SummaryReporter {
 public:
  /// `cameras` must outlive this.
  SummaryReporter(const std::vector<ControlledCamera>& cameras, Nanos start)
      : cameras_{cameras}, last_(cameras.size()), next_{start + kPeriod}, last_at_{start} {}

  /// One round: reports when a minute is over.
  void tick(Nanos now, ChangeReporter& reporter) {
    if (now >= next_) report(now, reporter);
  }
  void report(Nanos now, ChangeReporter& reporter);

 private:
  static constexpr Nanos kPeriod = std::chrono::seconds{60};

  /// The counters of one camera at the last summary.
  struct Camera {
    FrameCounters frames{};
    StageReport total{};
    std::uint64_t processed = 0;
    std::array<std::uint64_t, kStageCount> over_budget{};
    ego::MotionTotals motion{};
  };

  void report_frames(Nanos now, const ControlledCamera& camera, Camera& last,
                     ChangeReporter& reporter);
  void report_motion(Nanos now, const ControlledCamera& camera, Camera& last,
                     ChangeReporter& reporter) const;

  const std::vector<ControlledCamera>& cameras_;
  std::vector<Camera> last_;
  Nanos next_, last_at_;
};

}  // namespace kerb
