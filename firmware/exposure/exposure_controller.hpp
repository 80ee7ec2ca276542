// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/exposure/road_meter.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/pixel_format.hpp"
#include "hal/exposure_control.hpp"

namespace kerb {

/// A stop is a factor of two of light.
struct ExposureControllerSettings {
  Nanos longest = std::chrono::milliseconds{10};  ///< the limit by motion blur
  double most_gain = 16;                          ///< the limit by noise
  double target = 50;                             ///< grey value of the road, 0..255
  double response = 1;        ///< grey value ~ light^response: 1 for raw samples, less where the
                              ///< camera encodes them for a display
  Nanos light_period{};       ///< of flickering lamps; zero: none
  int latency_frames = 4;     ///< frames until a setting shows, at most; more: slower
  double start_stops = 0.25;  ///< a larger error starts a correction,
  double finish_stops = 0.1;  ///< which goes on until the error is smaller than this
  double largest_stops = 3;   ///< of one correction; more: faster, larger overshoot
  double least_trust = 0.25;  ///< of a correction after overshoots, as a share of the error
};

/// From the configuration, for pictures of this format and rate (0: unknown). The time between two
/// frames limits the exposure time. Raw formats count as linear, all others as
/// encoded with a gamma of 2; `target` is then 50 and 90 where it is unset, so that people with
/// four or more times the road's brightness are not clipped.
[[nodiscard]] ExposureControllerSettings controller_settings(const ExposureSettings& settings,
                                                             PixelFormat format, double rate_hz);

/// Whether the grey values of a format are proportional to light.
[[nodiscard]] bool is_linear(PixelFormat format) noexcept;

/// Turns readings of a RoadMeter into exposure time and gain: time first, up to its limit, then
/// gain. Where lamps flicker, times of a whole period or more are whole periods.
///
/// A camera shows a new setting only after some frames, and when is not known. So one correction is
/// made at a time: it is asked for, reported as applied(), and the next frames are ignored until
/// every camera must show it. Then two frames in succession must agree on the direction, and the
/// smaller of the two errors is corrected, at most `largest_stops`. An overshoot halves the share
/// of the error that is corrected (the camera's response may be steeper than stated); it recovers
/// when there is none. So it settles without a limit cycle for any response up to four times as
/// steep as stated.
///
/// Times are arguments, and only their order matters. Plain data; allocates nothing. One thread.
class ExposureController {
 public:
  ExposureController() = default;
  /// Waits for the first applied(): what the pictures show until then is not known.
  ExposureController(const ExposureControllerSettings& settings, const ExposureRange& range);

  /// The camera was told at `at` to use `set`.
  void applied(const Exposure& set, Nanos at) noexcept;
  /// A frame's reading, in the order of the frames. Gives a setting to be applied, at most one
  /// until the next applied().
  [[nodiscard]] std::optional<Exposure> update(const MeterReading& reading, std::uint64_t sequence,
                                               Nanos captured) noexcept;

  /// Whether the last frame of update() must have shown current().
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  [[nodiscard]] const Exposure& current() const noexcept { return current_; }
  /// Stops by which the road is too dark (positive) or too bright, in the last settled frame.
  [[nodiscard]] double error_stops() const noexcept { return error_; }
  /// The camera's setting for this much light on the sensor, in seconds at gain 1.
  [[nodiscard]] Exposure split(double light_s) const noexcept;

 private:
  [[nodiscard]] double light_of(const Exposure& exposure) const noexcept;
  [[nodiscard]] double error_of(const MeterReading& reading) const noexcept;

  ExposureControllerSettings settings_;
  ExposureRange range_;
  Exposure current_;
  Nanos applied_at_{};
  bool known_ = false;    // applied() was called
  bool waiting_ = false;  // for applied()
  bool settled_ = false;
  std::optional<std::uint64_t> first_after_;  // sequence of the first frame after applied()
  double error_ = 0;
  std::optional<double> last_error_;  // of the settled frame before
  bool correcting_ = false;
  double trust_ = 1;
  double corrected_ = 0;  // error that the last correction was for; 0: none
};

}  // namespace kerb
