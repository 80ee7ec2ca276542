// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include "drivers/v4l2/device.hpp"

namespace kerb::v4l2 {

/// Whether what the camera listens to is there: a sensor's link, an HDMI cable. Reads the status of
/// the input, its video timings where it has such, and the kernel's news of changes. One thread at
/// a time.
class SignalWatch {
 public:
  /// Takes over the input's timings, where it has any, and asks to be told of changes. To be called
  /// before the format is set, for timings reset it. Fails: no_signal (nothing to take over), io,
  /// gone.
  static Result<SignalWatch> start(const Device& device);

  /// Frames a second of the input's own timings; 0 when it has none.
  [[nodiscard]] double rate_hz() const noexcept;
  /// Whether poll() should ask for POLLPRI too.
  [[nodiscard]] bool has_events() const noexcept { return has_events_; }
  /// Whether it is time to look() again while frames come: every 100 ms, at every frame after a
  /// loss.
  [[nodiscard]] bool is_due(Nanos now) const noexcept;
  /// Done while there is a signal. Compares the timings too when it had been lost, or when told to
  /// (`thorough`: a receiver may take milliseconds to measure them). Fails: no_signal (keep
  /// asking), gone (the timings are others now, or the device left: open again).
  Status look(const Device& device, Nanos now, bool thorough) noexcept;
  /// Takes the kernel's news, then looks thoroughly. Fails as look().
  Status take_events(const Device& device, Nanos now) noexcept;

 private:
  Status read_status(const Device& device) const noexcept;
  Status compare_timings(const Device& device) const noexcept;

  v4l2_dv_timings timings_{};
  int input_ = 0;
  bool has_input_ = false, has_timings_ = false, has_events_ = false;
  bool lost_ = false;
  Nanos next_look_{};
};

}  // namespace kerb::v4l2
