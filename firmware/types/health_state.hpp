// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// STARTING until the first frame is processed; DEGRADED still protects, less well; FAILED does
/// not.
enum class HealthState : std::uint8_t { starting = 0, active = 1, degraded = 2, failed = 3 };

/// The reason for the state. The numbers are those of the CAN message: append, never renumber.
enum class Cause : std::uint8_t {
  none = 0,
  camera_silent = 1,         ///< ms since the last frame
  camera_no_signal = 2,      ///< ms without a signal
  camera_gone = 3,           ///< ms since the device left
  camera_damaged = 4,        ///< % of frames corrupt
  camera_frozen = 5,         ///< ms of identical pictures
  camera_blinded = 6,        ///< mean grey value
  camera_dark = 7,           ///< mean grey value
  frames_dropped = 8,        ///< % of frames dropped
  board_hot = 9,             ///< degrees Celsius
  thermal_unreadable = 10,   ///< s without a reading
  bus_lost = 11,             ///< ms without the bus
  signals_missing = 12,      ///< ms since the vehicle's speed was last received
  signals_implausible = 13,  ///< the value refused
  over_budget = 14,          ///< ms a frame takes
  output_refused = 15,       ///< errno of the lamp or the loudspeaker
  event_log_refused = 16,    ///< errno of the event log
  vision_failed = 17,        ///< error code of the image operators or the detector
  flow_missing = 18,         ///< error code of the flow: people are detected, their motion is not
  records_refused = 19,      ///< errno of the records of warnings: warnings are still given
  camera_dirty = 20,         ///< % of the picture that lost its detail
  camera_misaligned = 21,    ///< degrees between the camera's direction and its calibration
  signals_late = 22,         ///< ms by which the vehicle's signals are late
  bands_missing = 23,        ///< error code of the search by bands: people are told apart without
  sending_refused = 24,      ///< % of the messages on the bus that were refused
  bus_restart_refused = 25,  ///< errno: after bus-off the controller cannot be put back on the bus
  watchdog_refused = 26,     ///< errno of the watchdog: a hang would not end in a restart
  gpu_missing = 27,          ///< error code of the GPU: the CPU does its work, more slowly
  vision_stalled = 28,       ///< ms since the processing finished a picture while others wait
  self_test_failed = 29      ///< the part (TestPart) that failed the self-test at the start
};
inline constexpr int kCauseCount = 30;

[[nodiscard]] const char* name_of(HealthState state) noexcept;
[[nodiscard]] const char* name_of(Cause cause) noexcept;
/// The unit of a cause's number: "ms", "%", "degC" ...
[[nodiscard]] const char* unit_of(Cause cause) noexcept;

/// The state, and the worst of its causes with its number.
struct HealthReport {
  HealthState state = HealthState::starting;
  Cause cause = Cause::none;
  double number = 0;
  int camera = -1;  ///< which one, for a camera's cause; else -1
};

}  // namespace kerb
