// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "hal/dimmer.hpp"

namespace kerb {

struct LinuxPwmOptions {
  std::string chip = "/sys/class/pwm/pwmchip0";
  int channel = 0;             ///< on that chip
  double frequency_hz = 1000;  ///< of the pulses: over 100, or lamps are seen to flicker
  bool active_low = false;     ///< the low level is the bright one, with the polarity "normal"
};

/// A channel of a PWM chip, by the kernel's files (Documentation/driver-api/pwm.rst). The channel
/// is exported if it is not yet, and stays so; its polarity becomes "normal". A killed process
/// leaves the brightness as it is. Each set() is one write. One thread at a time.
class LinuxPwm final : public Dimmer {
 public:
  /// Fails: not_found (no such chip), invalid_argument (the chip has no such channel), io (the
  /// channel is another driver's, the chip does not have this frequency, or not permitted).
  static Result<std::unique_ptr<LinuxPwm>> open(const LinuxPwmOptions& options);
  ~LinuxPwm() override;
  LinuxPwm(const LinuxPwm&) = delete;
  LinuxPwm& operator=(const LinuxPwm&) = delete;

  Status set(double share) override;

 private:
  LinuxPwm(UniqueFd duty, std::int64_t period_ns, bool active_low, Text<112> name)
      : duty_{std::move(duty)}, period_ns_{period_ns}, active_low_{active_low}, name_{name} {}
  UniqueFd duty_;  // its file duty_cycle
  std::int64_t period_ns_;
  bool active_low_;
  Text<112> name_;  // "/sys/class/pwm/pwmchip0/pwm1"
};

}  // namespace kerb
