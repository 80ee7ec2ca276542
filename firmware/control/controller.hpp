// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/control/alert_publisher.hpp"
#include "firmware/control/bus_input.hpp"
#include "firmware/control/cameras_judge.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/part_judges.hpp"
#include "firmware/control/self_test.hpp"
#include "firmware/control/service_test.hpp"
#include "firmware/control/summary_reporter.hpp"
#include "firmware/control/warner.hpp"
#include "firmware/control/watchdog_feeder.hpp"
#include "firmware/diagnostics/diagnostics.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/pipeline/stage_times.hpp"
#include "firmware/warning/alert_levels.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// The slow half of the product: a hundred rounds a second. A round reads the bus, judges the
/// health of every part, decides about warnings, and shows and sends the result. The frame loop
/// never waits for it. One thread.
class Controller {
 public:
  static constexpr Nanos kTick = std::chrono::milliseconds{10};

  /// `config`, the devices and the pipelines must outlive this.
  Controller(const Config& config, const ControlDevices& devices,
             std::vector<ControlledCamera> cameras, const Clock& clock, Log& log);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// The messages that were sent before: their counters run on. Before the first tick().
  void take_over(const StartMessages& messages) noexcept {
    publisher_.take_over(messages);
    test_ = messages.test;
    test_.see_detectors(cameras_);
  }
  /// One round.
  void tick(Nanos now);
  /// At the end, before what may take a while: warning lamp and sound off, status lamp on. No
  /// tick() after it.
  void silence(Nanos now) { publisher_.finish(now); }
  /// The end: warning lamp and sound off, status lamp on, watchdog disarmed. After it, no tick().
  void finish(Nanos now);
  /// The same for a process that ends because it cannot go on: the watchdog stays armed, in case
  /// nothing else starts it again.
  void give_up(Nanos now);

  [[nodiscard]] const HealthReport& health() const noexcept { return health_; }
  [[nodiscard]] const ControlTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] const CameraRates& rates(std::size_t camera) const noexcept {
    return cameras_judge_.rates(camera);
  }
  [[nodiscard]] can::VehicleState vehicle(Nanos now) const noexcept { return bus_.vehicle(now); }
  [[nodiscard]] std::optional<double> board_celsius() const noexcept {
    return board_judge_.celsius();
  }
  /// From a frame's exposure to its people's messages on the bus; of cameras on our clock.
  [[nodiscard]] StageReport reaction_times() const noexcept { return reaction_times_.report(); }
  /// How long showing and sending takes, each round.
  [[nodiscard]] StageReport publish_times() const noexcept { return publish_times_.report(); }
  [[nodiscard]] const WarningDecision& decision() const noexcept { return warner_.decision(); }
  [[nodiscard]] Readiness readiness() const noexcept { return warner_.readiness(); }
  /// What came of the self-test so far.
  [[nodiscard]] const SelfTestReport& self_test() const noexcept { return test_.report(); }
  /// A workshop's tester asks that the program ends, to be started again.
  [[nodiscard]] bool reset_requested() const noexcept {
    return diagnostics_ && diagnostics_->reset_requested();
  }
  /// The GPU has failed for good as far as this process can know, and no collision warning is
  /// being given: time to end, and to be started again.
  [[nodiscard]] bool vision_lost() const noexcept {
    return cameras_judge_.vision_lost() && warner_.decision().level != WarningLevel::collision;
  }
  /// Every camera is a recording that has been played to its end.
  [[nodiscard]] bool ended() const noexcept { return cameras_judge_.ended(); }

 private:
  Controller(const Config& config, const ControlDevices& devices,
             std::vector<ControlledCamera> cameras, const Clock& clock, Log& log, Nanos start);
  void judge(Nanos now);
  void read_people() noexcept;
  void decide(Nanos now);
  void serve_tester(Nanos now);
  void count(Nanos now) noexcept;
  void publish(Nanos now);
  void measure_reactions() noexcept;

  const std::vector<ControlledCamera> cameras_;
  const Clock& clock_;
  const Nanos start_;
  const bool detects_;      ///< every camera has a detector, and the people it finds are tracked
  const bool one_detects_;  ///< one has at least
  records::WarningRecorder* const recorder_;
  diagnostics::LifeBook* const life_;
  ControlTotals totals_;
  ChangeReporter reporter_;  ///< what changed, as events and log lines
  BusInput bus_;
  HealthMonitor monitor_;
  HealthReport health_{};
  CamerasJudge cameras_judge_;
  BusJudge bus_judge_;
  BoardJudge board_judge_;
  OutputJudge output_judge_;
  SelfTest test_;
  bool shown_ = false;  ///< there was a round that drove the outputs
  ServiceTest service_;
  std::optional<diagnostics::Diagnostics> diagnostics_;
  Warner warner_;
  AlertLevels levels_;
  AlertPublisher publisher_;
  WatchdogFeeder watchdog_;
  SummaryReporter summary_;
  StageTimes publish_times_, reaction_times_;
  /// The newest report of each camera; null before its first.
  std::array<const risk::PeopleReport*, WarningLogic::kMostCameras> reports_{};
  std::array<Nanos, WarningLogic::kMostCameras> published_{};  ///< frame times of those sent last
};

}  // namespace kerb
