// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include "drivers/v4l2/device.hpp"

namespace kerb::v4l2 {

/// Checks whether the camera's input has a signal: a sensor's link, an HDMI cable. Reads the status
/// of the input, its video timings where it has any, and the kernel's source-change events. One
/// thread at a time.
class SignalMonitor {
 public:
  /// Takes over the input's timings, where it has any, and subscribes to changes. Call it before
  /// the format is set, because timings reset it. Fails: no_signal (no timings), io, gone.
  static Result<SignalMonitor> start(const Device& device);

  /// Frame rate of the input's own timings; 0 when it has none.
  [[nodiscard]] double rate_hz() const noexcept;
  /// Whether poll() should ask for POLLPRI too.
  [[nodiscard]] bool has_events() const noexcept { return has_events_; }
  /// Whether check() is due while frames come: every 100 ms, and at every frame after a loss.
  [[nodiscard]] bool is_due(Nanos now) const noexcept;
  /// Done while there is a signal. Also compares the timings after a loss, or where `thorough` (a
  /// receiver may take milliseconds to measure them). Fails: no_signal (call it again), gone (the
  /// timings changed, or the device was removed: open again).
  Status check(const Device& device, Nanos now, bool thorough) noexcept;
  /// Takes the kernel's events, then checks thoroughly. Fails as check().
  Status take_events(const Device& device, Nanos now) noexcept;

 private:
  Status read_status(const Device& device) const noexcept;
  Status compare_timings(const Device& device) const noexcept;

  v4l2_dv_timings timings_{};
  int input_ = 0;
  bool has_input_ = false, has_timings_ = false, has_events_ = false;
  bool lost_ = false;
  Nanos next_check_{};
};

}  // namespace kerb::v4l2
