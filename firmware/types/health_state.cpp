// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/health_state.hpp"

namespace kerb {
namespace {

struct Row {
  const char* name;
  const char* unit;
};
constexpr Row kCauses[] = {
    {"none", ""},
    {"camera_silent", "ms"},
    {"camera_no_signal", "ms"},
    {"camera_gone", "ms"},
    {"camera_damaged", "%"},
    {"camera_frozen", "ms"},
    {"camera_blinded", "grey"},
    {"camera_dark", "grey"},
    {"frames_dropped", "%"},
    {"board_hot", "degC"},
    {"thermal_unreadable", "s"},
    {"bus_lost", "ms"},
    {"signals_missing", "ms"},
    {"signals_implausible", ""},
    {"over_budget", "ms"},
    {"output_refused", "errno"},
    {"event_log_refused", "errno"},
    {"vision_failed", "errc"},
    {"flow_missing", "errc"},
    {"records_refused", "errno"},
    {"camera_dirty", "%"},
    {"camera_misaligned", "deg"},
    {"signals_late", "ms"},
    {"bands_missing", "errc"},
    {"sending_refused", "%"},
    {"bus_restart_refused", "errno"},
    {"watchdog_refused", "errno"},
    {"gpu_missing", "errc"},
    {"vision_stalled", "ms"},
    {"self_test_failed", "part"},
};
static_assert(sizeof kCauses / sizeof kCauses[0] == kCauseCount);

/// A number off the bus may be one that only a newer version knows.
const Row& row(Cause cause) noexcept {
  static constexpr Row kUnknown{"unknown", ""};
  const int index = static_cast<int>(cause);
  return index < kCauseCount ? kCauses[index] : kUnknown;
}

}  // namespace

const char* name_of(HealthState state) noexcept {
  constexpr const char* kNames[] = {"STARTING", "ACTIVE", "DEGRADED", "FAILED"};
  return kNames[static_cast<int>(state)];
}
const char* name_of(Cause cause) noexcept { return row(cause).name; }
const char* unit_of(Cause cause) noexcept { return row(cause).unit; }

}  // namespace kerb
