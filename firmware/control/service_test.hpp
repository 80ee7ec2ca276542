// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/can/messages.hpp"
#include "firmware/control/report_limit.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// The workshop's tests of lamp, sound and warning message, requested over the bus. Only with
/// service.enabled, only while the vehicle stands, for at most five seconds, and after ten in a row
/// one in five seconds: each leaves durable events. Pure logic; one thread.
class ServiceTest {
 public:
  explicit ServiceTest(bool enabled) noexcept : enabled_{enabled} {}

  /// Takes a request; false: refused.
  bool request(const can::ServiceMessage& message, std::optional<double> speed_mps,
               Nanos now) noexcept;
  /// Ends the test when its time is up or the car moves.
  void update(std::optional<double> speed_mps, Nanos now) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  /// What the test shows, sounds and sends; none without a test.
  [[nodiscard]] WarningLevel lamp() const noexcept;
  [[nodiscard]] bool sound() const noexcept;
  [[nodiscard]] WarningLevel message() const noexcept;

 private:
  static constexpr double kStandstill_mps = 0.5;
  static constexpr double kLongest_s = 5;

  bool enabled_;
  bool running_ = false;
  can::ServiceMessage what_{};
  ReportLimit starts_{10, std::chrono::seconds{5}};
  Nanos until_{};
};

}  // namespace kerb
