// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "firmware/can/messages.hpp"
#include "firmware/control/report_limit.hpp"
#include "firmware/diagnostics/output_control.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// The workshop's tests of lamp, sound and warning message. Requested over the bus they last for at
/// most five seconds, and after ten in a row one is taken in five seconds: each leaves durable
/// events. Outputs that a tester holds, until it lets go or its session ends. Only with
/// service.enabled, and only while the vehicle stands. Pure logic; one thread.
class ServiceTest final : public diagnostics::OutputControl {
 public:
  explicit ServiceTest(bool enabled) noexcept : enabled_{enabled} {}

  /// Takes a request; false: refused.
  bool request(const can::ServiceMessage& message, std::optional<double> speed_mps,
               Nanos now) noexcept;
  bool hold(diagnostics::Output output, bool on, std::optional<double> speed_mps) noexcept override;
  void let_go(diagnostics::Output output) noexcept override;
  [[nodiscard]] std::optional<bool> held(diagnostics::Output output) const noexcept override {
    return held_[static_cast<std::size_t>(output)];
  }
  /// Ends the test when its time is up or the car moves; then a tester holds nothing, either.
  void update(std::optional<double> speed_mps, Nanos now) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  /// What the test shows, sounds and sends; none without a test.
  [[nodiscard]] WarningLevel lamp() const noexcept;
  [[nodiscard]] bool sound() const noexcept;
  [[nodiscard]] WarningLevel message() const noexcept;
  /// The level at which a tester holds the status lamp; nothing: it shows the state.
  [[nodiscard]] std::optional<bool> status_lamp() const noexcept {
    return held(diagnostics::Output::status_lamp);
  }

 private:
  static constexpr double kStandstill_mps = 0.5;
  static constexpr double kLongest_s = 5;

  bool enabled_;
  bool running_ = false;
  can::ServiceMessage what_{};
  ReportLimit starts_{10, std::chrono::seconds{5}};
  Nanos until_{};
  std::array<std::optional<bool>, diagnostics::kOutputCount> held_{};
};

}  // namespace kerb
