// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/self_test.hpp"

#include <algorithm>

namespace kerb {
namespace {

constexpr Nanos kToldAfter = std::chrono::seconds{1};

}  // namespace

SelfTest::SelfTest(const Config& config, const ControlDevices& devices) noexcept
    : enabled_{config.self_test.enabled},
      sounds_{config.self_test.tone > Nanos::zero() && !devices.resumes},
      storage_{devices.storage},
      has_watchdog_{devices.watchdog != nullptr} {}

void SelfTest::set(TestPart part, TestResult result) noexcept {
  if (enabled_ && report_[part] != TestResult::passed) report_[part] = result;
}

void SelfTest::see(const AlertOutputs& outputs) noexcept {
  see(AlertOutput::warning_lamp, TestPart::warning_lamp, outputs);
  see(AlertOutput::status_lamp, TestPart::status_lamp, outputs);
  see(AlertOutput::sound, TestPart::sound, outputs);
}

void SelfTest::see(AlertOutput output, TestPart part, const AlertOutputs& outputs) noexcept {
  const std::optional<AlertOutputs::Attempt>& last = outputs.last(output);
  if (!last) return;
  Levels& levels = levels_[static_cast<std::size_t>(output)];
  if (!last->refusal && !last->settled) return;  // a guard that drives it has not answered yet
  (last->on ? levels.on : levels.off) = !last->refusal.has_value();
  const bool needs_on = output != AlertOutput::sound || sounds_;
  const bool needs_off = output != AlertOutput::status_lamp;
  const bool failed = levels.on == false || levels.off == false;
  const bool passed = (!needs_on || levels.on == true) && (!needs_off || levels.off == true);
  set(part, failed ? TestResult::failed : passed ? TestResult::passed : TestResult::not_run);
}

void SelfTest::see_storage() noexcept {
  if (storage_ != nullptr) set(TestPart::storage, storage_->result());
}

void SelfTest::see_watchdog(const std::optional<Error>& refusal, std::uint64_t kicks) noexcept {
  if (!has_watchdog_) return;
  set(TestPart::watchdog, refusal     ? TestResult::failed
                          : kicks > 0 ? TestResult::passed
                                      : TestResult::not_run);
}

void SelfTest::see_detectors(const std::vector<ControlledCamera>& cameras) noexcept {
  TestResult worst = TestResult::not_run;
  for (const ControlledCamera& camera : cameras)
    worst = std::max(worst, camera.detector_test);  // in the order of their numbers
  set(TestPart::detector, worst);
  no_detector_works_ = !cameras.empty() && std::ranges::all_of(cameras, [](const auto& camera) {
    return camera.detector_test == TestResult::failed;
  });
}

void SelfTest::judge(Nanos running, Nanos now, HealthMonitor& monitor, ChangeReporter& reporter) {
  if (!enabled_) return;
  const auto failed = std::ranges::find_if(
      kAllTestParts, [&](TestPart part) { return report_[part] == TestResult::failed; });
  // A detector that misses somebody it must find does not protect; those of other cameras may.
  const bool none_works =
      no_detector_works_ && failed != kAllTestParts.end() && *failed == TestPart::detector;
  const PartState state = failed == kAllTestParts.end() ? PartState::fine
                          : none_works                  ? PartState::failed
                                                        : PartState::degraded;
  monitor.report(Cause::self_test_failed, state,
                 state == PartState::fine ? 0 : static_cast<double>(*failed), now);
  if (running < kToldAfter || told_ == report_ || events_left_ == 0) return;
  told_ = report_;
  --events_left_;
  reporter.self_test(now, report_);
}

}  // namespace kerb
