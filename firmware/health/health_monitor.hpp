// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/health_state.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

enum class PartState : std::uint8_t { fine, degraded, failed };

/// Judges the whole from its parts. Each part is told to it as often as it is looked at; the state
/// is the worst of them. A part gets worse at once (whoever reports it has already waited as long
/// as its limit says), and better only after it has been better for `recover`, without a break:
/// that is the hysteresis. Pure logic; one thread.
class HealthMonitor {
 public:
  static constexpr int kMaxCameras = 4;

  /// `start`: until this instant a silent camera is only STARTING. `recover`: how long good must
  /// last.
  HealthMonitor(Nanos start_deadline, Nanos recover) noexcept
      : start_deadline_{start_deadline}, recover_{recover} {}

  /// What a part looks like now. `camera` is 0..3 for causes of a camera, else 0.
  void report(Cause cause, PartState severity, double number, Nanos now, int camera = 0) noexcept;
  /// Every camera has delivered: STARTING may end.
  void frames_flow() noexcept { flowing_ = true; }

  /// The state now. The cause is the gravest; among equals, the one that has lasted longest, then
  /// the first in the order of the enumeration.
  [[nodiscard]] HealthReport evaluate(Nanos now) const noexcept;
  /// One part as it counts, hysteresis included.
  [[nodiscard]] PartState severity(Cause cause, int camera = 0) const noexcept {
    return part(cause, camera).held;
  }

 private:
  struct Part {
    PartState held = PartState::fine;  ///< what counts
    double number = 0;                 ///< latest while not fine
    Nanos since{};                     ///< when `held` left fine
    Nanos better_since{};              ///< when what is reported got better than `held`
    PartState candidate = PartState::fine;
    bool getting_better = false;
  };
  static constexpr int kParts = kCauseCount * kMaxCameras;
  static int index(Cause cause, int camera) noexcept {
    return static_cast<int>(cause) * kMaxCameras + camera;
  }
  [[nodiscard]] const Part& part(Cause cause, int camera) const noexcept {
    return parts_[static_cast<std::size_t>(index(cause, camera))];
  }

  Nanos start_deadline_, recover_;
  bool flowing_ = false;
  std::array<Part, kParts> parts_{};
};

/// Whether a cause belongs to one camera rather than to the whole.
[[nodiscard]] bool is_of_camera(Cause cause) noexcept;

}  // namespace kerb
