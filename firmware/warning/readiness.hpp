// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/health/health_monitor.hpp"
#include "firmware/types/health_state.hpp"
#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/warning_level.hpp"

namespace kerb {

/// Whether nobody can be warned of by a camera (or, for causes of the whole, by any) while this is
/// the matter. The others make a warning later or less sure, and it is given all the same.
[[nodiscard]] bool stops_warnings(Cause cause) noexcept;

/// All that is the matter, not the worst alone: bits by the number of the cause.
class CauseSet {
 public:
  void add(Cause cause) noexcept { bits_ |= std::uint32_t{1} << static_cast<unsigned>(cause); }
  [[nodiscard]] bool has(Cause cause) const noexcept {
    return (bits_ >> static_cast<unsigned>(cause) & 1U) != 0;
  }
  /// One of them stops warnings.
  [[nodiscard]] bool stops_warnings() const noexcept;

 private:
  std::uint32_t bits_ = 0;
};
static_assert(kCauseCount <= 32);

/// What readiness depends on.
struct ReadinessFacts {
  HealthState state = HealthState::starting;
  CauseSet causes;  ///< of the whole
  int cameras = 1;
  std::array<CauseSet, HealthMonitor::kMaxCameras> camera_causes{};
  bool detector_present = false;
  bool switched_off = false;
  std::optional<double> speed_mps;
  std::optional<Gear> gear;
};
/// What a monitor knows, the hysteresis included; the rest is left as it is.
void take_health(const HealthMonitor& monitor, const HealthReport& report, int cameras,
                 ReadinessFacts& facts) noexcept;

/// Says whether warnings can be given, each control round. Where several reasons hold it names the
/// first of: switched_off, starting, no_detector, not_active, no_speed, reversing, too_fast. With
/// more than one camera it is not_active when none of them can see. One thread; pure logic but for
/// hysteresis: too fast from 82 km/h on until 80 (the limit is 80; a car that drives at it is
/// warned), reversing by the gear, or where that is not known from -1 km/h on until the car stands.
class ReadinessJudge {
 public:
  Readiness step(const ReadinessFacts& facts) noexcept;
  /// Whether a camera's people may be warned of.
  [[nodiscard]] static bool sees(const ReadinessFacts& facts, int camera) noexcept;

 private:
  bool too_fast_ = false, backwards_ = false;
};

}  // namespace kerb
