// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/health/health_monitor.hpp"
#include "firmware/types/health_state.hpp"
#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/warning_level.hpp"
#include "firmware/warning/limited_view.hpp"

namespace kerb {

/// Whether this cause stops the warnings of its camera (or, for causes of the whole system, of all
/// cameras). Other causes can make a warning later or less certain, but it is still given.
[[nodiscard]] bool stops_warnings(Cause cause) noexcept;

/// All present causes, not only the worst: one bit per cause, by its number.
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

/// What readiness depends on. A cause counts as long as it is there: that the state gets better
/// only some time later is for the driver to trust it, and no reason to keep a warning back.
struct ReadinessFacts {
  bool starting = true;
  bool failed = false;  ///< by a cause of the whole system
  CauseSet causes;      ///< of the whole system
  int cameras = 1;
  std::array<CauseSet, HealthMonitor::kMaxCameras> camera_causes{};
  std::array<bool, HealthMonitor::kMaxCameras> camera_failed{};  ///< by whatever cause
  bool detector_present = false;  ///< of one camera at least; one without has vision_failed
  bool switched_off = false;
  std::optional<double> speed_mps;
  std::optional<Gear> gear;
  Nanos now{};                     ///< does not go back
  std::optional<ViewReport> view;  ///< of the camera that sees farthest ahead
};
/// Copies the monitor's causes; the other facts stay as they are.
void take_health(const HealthMonitor& monitor, const HealthReport& report, int cameras,
                 ReadinessFacts& facts) noexcept;

/// Decides whether warnings can be given, each control round. Where several reasons hold it gives
/// the first of: switched_off, starting, no_detector, not_active, no_speed, reversing, too_fast;
/// else limited_view, with which warnings are given, where LimitedViewJudge says so.
/// With several cameras it is not_active only when none of them can see. One thread; pure logic
/// apart from hysteresis: too fast above 82 km/h until 80 (the limit is 80; a car at the limit
/// still gets warnings); reversing by the gear or, where that is unknown, below -1 km/h until it
/// stands.
class ReadinessJudge {
 public:
  explicit ReadinessJudge(const LimitedViewSettings& settings = {}) noexcept : view_{settings} {}
  Readiness step(const ReadinessFacts& facts) noexcept;
  /// Whether this camera's people may cause warnings.
  [[nodiscard]] static bool sees(const ReadinessFacts& facts, int camera) noexcept;

 private:
  bool too_fast_ = false, backwards_ = false;
  LimitedViewJudge view_;
};

}  // namespace kerb
