// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/types/self_test.hpp"
#include "firmware/warning/alert_outputs.hpp"

namespace kerb {

/// The self-test at the start, in which every part that protects the driver shows once that it
/// works. It watches what is done anyway, and nothing waits for it. A part that has passed is done
/// with: from then on its own cause of health tells. One that has failed is a cause of health until
/// it passes. One thread; allocates nothing.
class SelfTest {
 public:
  SelfTest(const Config& config, const ControlDevices& devices) noexcept;

  /// After each AlertOutputs::show(): the red lamp must have been lit and put out, the amber one
  /// lit, the sound told to be silent and, with self_test.tone_ms, to play.
  void see(const AlertOutputs& outputs) noexcept;
  /// Whether a file can be written.
  void see_storage() noexcept;
  /// `kicks`: how often it was fed.
  void see_watchdog(const std::optional<Error>& refusal, std::uint64_t kicks) noexcept;
  /// The worst of all cameras. Only where every camera's fails does nothing protect.
  void see_detectors(const std::vector<ControlledCamera>& cameras) noexcept;

  /// One round: what has failed as a cause of health, and the results as an event: a second after
  /// the start, and when one changes later.
  void judge(Nanos running, Nanos now, HealthMonitor& monitor, ChangeReporter& reporter);

  [[nodiscard]] const SelfTestReport& report() const noexcept { return report_; }

 private:
  /// What became of a level: nothing: it was not tried.
  struct Levels {
    std::optional<bool> on, off;
  };
  void see(AlertOutput output, TestPart part, const AlertOutputs& outputs) noexcept;
  void set(TestPart part, TestResult result) noexcept;

  bool enabled_, sounds_;
  const StorageTest* storage_;
  bool has_watchdog_;
  bool no_detector_works_ = false;
  std::array<Levels, kAlertOutputs> levels_{};
  SelfTestReport report_{};
  std::optional<SelfTestReport> told_;
  int events_left_ = 20;  ///< an output may come and go
};

}  // namespace kerb
