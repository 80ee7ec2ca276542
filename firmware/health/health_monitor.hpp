// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/health_state.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

enum class PartState : std::uint8_t { fine, degraded, failed };

/// Derives the health of the product from that of its parts: the worst of them; but where one of
/// several cameras fails, the others still protect, and it is DEGRADED. Parts are reported
/// as often as they are checked. A part gets worse at once (its reporter has already waited for its
/// limit), and better only after it has been better for `recover` without a break: the hysteresis.
/// Pure logic; one thread.
class HealthMonitor {
 public:
  static constexpr int kMaxCameras = 4;

  /// `start_deadline`: until then the state is STARTING while a camera has not delivered.
  /// `recover`: how long a part must be better.
  HealthMonitor(Nanos start_deadline, Nanos recover, int cameras = 1) noexcept
      : start_deadline_{start_deadline}, recover_{recover}, cameras_{cameras} {}

  /// The state of a part now. `camera` is 0..3 for causes of a camera, else 0.
  void report(Cause cause, PartState severity, double number, Nanos now, int camera = 0) noexcept;
  /// Every camera has delivered: STARTING may end.
  void frames_flow() noexcept { flowing_ = true; }

  /// The state now, with its most severe cause; among equals, the one that has lasted longest, then
  /// the first in the order of the enumeration.
  [[nodiscard]] HealthReport evaluate(Nanos now) const noexcept;
  /// A part of this camera has failed.
  [[nodiscard]] bool failed(int camera) const noexcept;
  /// The state of one part, with hysteresis.
  [[nodiscard]] PartState severity(Cause cause, int camera = 0) const noexcept {
    return part(cause, camera).held;
  }
  /// As last reported, without hysteresis: whether the fault is there now.
  [[nodiscard]] PartState present(Cause cause, int camera = 0) const noexcept {
    return part(cause, camera).reported;
  }
  /// The number of one part, as last reported while it was not fine.
  [[nodiscard]] double number(Cause cause, int camera = 0) const noexcept {
    return part(cause, camera).number;
  }

 private:
  /// What has failed is of some cameras, and not of all.
  [[nodiscard]] bool one_camera_protects() const noexcept;
  struct Part {
    PartState held = PartState::fine;  ///< what counts
    PartState reported = PartState::fine;
    double number = 0;     ///< latest while not fine
    Nanos since{};         ///< when `held` left fine
    Nanos better_since{};  ///< when what is reported got better than `held`
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
  int cameras_;
  bool flowing_ = false;
  std::array<Part, kParts> parts_{};
};

/// Whether a cause belongs to one camera rather than to the whole.
[[nodiscard]] bool is_of_camera(Cause cause) noexcept;

}  // namespace kerb
