// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/types/vehicle_body.hpp"
#include "hal/base/clock.hpp"

namespace kerb::ego {

/// The car's reported motion; nothing where it is not reported, or refused.
struct VehicleMotion {
  std::optional<double> speed_mps;       ///< backwards is negative
  std::optional<double> yaw_rate_radps;  ///< to the left is positive
  std::optional<double> steering_rad{};  ///< angle of the front wheels; to the left is positive
  std::optional<TurnSignal> turn_signal{};
  /// Of a speed that is held although it is no longer reported; else 0.
  double speed_sigma_mps = 0;
};

/// Whether the camera's motion is known; if not, why.
enum class EgoState : std::uint8_t {
  valid,
  off,             ///< motion estimation is off
  no_previous,     ///< the first frame, or the first after a gap
  too_few_points,  ///< no detail in the picture: dark, fog, a wall
  no_consensus,    ///< no one motion explains enough of the points
  too_slow         ///< this machine is too slow to measure flow
};
[[nodiscard]] const char* name_of(EgoState state) noexcept;

/// How the camera moved, apart from turning.
enum class Travel : std::uint8_t { none, forward, backward };
[[nodiscard]] const char* name_of(Travel travel) noexcept;

/// The camera's motion between two frames. Pixels are those of the rectified picture: without
/// distortion and roll (Rectifier). Except for `state`, `interval`, `points`, the speed and the
/// horizon, fields have a meaning only when valid.
struct EgoMotion {
  EgoState state = EgoState::off;
  Travel travel = Travel::none;
  bool travel_from_flow = false;  ///< no speed was reported, or it was refused
  bool yaw_distrusted = false;    ///< the pictures contradict the reported yaw rate
  bool speed_distrusted = false;  ///< and its speed
  Nanos interval{};               ///< between the two frames
  double pitch_rate_radps = 0;    ///< nose up is positive
  double yaw_rate_radps = 0;      ///< to the left is positive
  double roll_rate_radps = 0;     ///< right side down is positive
  double foe_x = 0, foe_y = 0;    ///< focus of expansion, pixels; only when the car travels
  double foe_sigma_px = 0;        ///< in its less certain direction
  bool foe_measured = false;      ///< by these frames; false: mostly as expected
  double horizon_row = 0;  ///< at the picture's centre column; kept where nothing is measured
  double horizon_sigma_px = 0;
  double pitch_rad = 0;             ///< of the camera above the road, from the horizon
  std::optional<double> speed_mps;  ///< used for distances
  int points = 0;                   ///< vectors used
  double inlier_share = 0;          ///< of them, explained by the car's motion
  double noise_px = 0;              ///< standard deviation of those, across their epipolar lines
};

/// The part of one point's motion that the car's motion does not explain.
struct PointResidual {
  float x = 0, y = 0;       ///< where it is now, pixels
  float rx = 0, ry = 0;     ///< the part that no allowed distance explains, pixels
  float significance = 0;   ///< its length in standard deviations
  float inverse_depth = 0;  ///< share of its distance from the focus of expansion it has moved
                            ///< outwards; 1 / Z in units of the distance travelled
};

enum class RegionVerdict : std::uint8_t {
  unknown,   ///< too few points, too much noise, or a motion that geometry cannot distinguish
  standing,  ///< surely slower than half a walk across the view
  moving
};
[[nodiscard]] const char* name_of(RegionVerdict verdict) noexcept;

/// The own motion of one region.
struct RegionMotion {
  RegionVerdict verdict = RegionVerdict::unknown;
  int points = 0;
  float rx = 0, ry = 0;    ///< pixels between the two frames
  float sigma = 0;         ///< of its length, pixels
  float significance = 0;  ///< its length in standard deviations
  float sensitivity = 0;   ///< the significance of a slow walk across the view, by a person as tall
                           ///< as the region
};

}  // namespace kerb::ego
