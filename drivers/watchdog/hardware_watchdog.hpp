// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "hal/watchdog.hpp"

namespace kerb {

struct HardwareWatchdogOptions {
  std::string device = "/dev/watchdog";
  Nanos timeout =
      std::chrono::seconds{10};  ///< requested, in whole seconds; the driver may change it
};

/// The board's watchdog: restarts the machine when it is not kicked. Armed by open(); closing
/// without disarm() (a crash) leaves it armed. One thread at a time.
class HardwareWatchdog final : public Watchdog {
 public:
  /// Fails: invalid_argument (time-out under a second), not_found, unsupported (not a watchdog), io
  /// (in use, by systemd for instance). A failed open() leaves nothing armed.
  static Result<std::unique_ptr<HardwareWatchdog>> open(const HardwareWatchdogOptions& options);

  Status kick() override;
  /// Fails with unsupported when this watchdog cannot be stopped ("nowayout"); it then stays armed
  /// and can still be kicked.
  Status disarm() override;
  /// The time-out that the driver set.
  [[nodiscard]] Nanos timeout() const noexcept override { return timeout_; }

  /// False when this driver stops the watchdog whenever the device is closed: it then does not
  /// protect against a crash, and the caller should log that.
  [[nodiscard]] bool guards_after_crash() const noexcept { return magic_close_; }
  /// Whether this watchdog caused the last restart, where the driver knows.
  [[nodiscard]] bool caused_last_restart() const noexcept { return caused_restart_; }
  [[nodiscard]] const char* identity() const noexcept { return identity_.c_str(); }

 private:
  HardwareWatchdog(UniqueFd device, const std::string& path)
      : device_{std::move(device)}, path_{std::string_view{path}} {}
  Status set_up(Nanos wanted);

  UniqueFd device_;
  Text<112> path_;
  Text<32> identity_;  // "Software Watchdog"
  Nanos timeout_{};
  bool magic_close_ = false;
  bool caused_restart_ = false;
};

}  // namespace kerb
