// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace kerb::ego {

inline constexpr double kDegree = 0.017453292519943295;  ///< radians

/// Fixed settings of EgoEstimator: how a car's body, its bus signals and its mounting usually
/// behave, and what counts as agreement between points. They are not meant to be set from outside;
/// EgoSettings has what a configuration sets. Rates are per second, so that they hold at any frame
/// rate. The tests of tests/unit/firmware/ego and `kerblab ego` show what a change does.
struct EgoTuning {
  // --- What is expected of a rotation between two frames: standard deviations. Larger values let
  // the points decide more; smaller ones resist scenes full of moving objects.
  double pitch_rate_radps = 0.3;
  double roll_rate_radps = 0.25;
  double yaw_rate_unknown_radps = 0.8;  ///< where the car does not report its yaw rate
  double yaw_rate_error_radps = 0.006;  ///< error of the reported yaw rate,
  double yaw_rate_error_share = 0.01;   ///< and the part that grows with it
  double min_turn_rad = 3e-4;           ///< no signal is more exact than this in one interval
  double limit_sigmas = 3;              ///< hypotheses further from the expectation are not tried

  // --- How far a standing point may move outwards, as a share of its distance from the focus of
  // expansion, where the speed is not known: no car passes standing objects faster.
  double max_outward_share_without_speed = 0.35;

  // --- Focus of expansion. Its place when driving straight belongs to the mounting and is learned
  // slowly: one frame can be wrong because of people who walk through it. Around that place it
  // moves with the body and the road. All in radians of the camera's view.
  double foe_frame_error_rad = 1.5 * kDegree;  ///< of one frame; larger: learned more slowly
  double foe_drift_rad = 0.05 * kDegree;       ///< change of the mounting between two frames
  double foe_sway_rad = 0.3 * kDegree;         ///< sideways, around the mounting's place
  double foe_nod_rad = 0.8 * kDegree;          ///< up and down, around it
  double bend_unknown_rad = 2 * kDegree;       ///< sideways, where no yaw rate tells of a bend
  double bend_error_share = 0.1;               ///< of the shift in a bend: tyres slip

  // --- Horizon.
  double horizon_max_sigma_rad = 1.5 * kDegree;  ///< largest standard deviation; also the first one
  double horizon_drift_rad = 0.5 * kDegree;      ///< per square root of a second
  double heave_rad = 0.3 * kDegree;              ///< of the direction of travel against the road
  double horizon_return_s = 8;  ///< time constant back to where the mounting puts it

  // --- Agreement of points.
  double correlation = 2;                 ///< variance factor: neighbouring vectors share pixels
  double inlier_chi2 = 9;                 ///< three standard deviations, squared
  std::size_t ranking_points = 256;       ///< points that rank a hypothesis; all of them refine it
  double certainly_forward_share = 0.85;  ///< of the points: driving backwards is not tried then
  double points_per_object = 40;  ///< points on one object err together: the prior is weighed
                                  ///< against objects, not against points

  // --- When the reported speed or yaw rate is doubted: a smaller share of the points is explained,
  // or the yaw rate found is further from the reported one than this share of its limit.
  double yaw_doubted_share = 0.75;
  double speed_doubted_share = 0.6;
  double pulled_limit_share = 0.6;

  // --- When an explanation without the doubted signal replaces the one with it. It must explain
  // what the other one did, and more: a lorry that fills the view explains itself and nothing else.
  double gain_without_yaw = 0.08;   ///< share of the points it must explain in addition
  double gain_without_speed = 0.2;  ///< likewise
  double gains_per_loss = 3;        ///< points gained for each point that is given up
  // Less is enough where the points pull the yaw rate to its limit, or the reported one was wrong
  // in the previous frame.
  double gain_if_pulled = 0.02;
  double gains_per_loss_if_pulled = 2;
  // What a car can do.
  double min_turn_radius_m = 4;            ///< of a car
  double max_lateral_mps2 = 9;             ///< of a car: its grip
  double yaw_rate_from_flow_radps = 0.05;  ///< error of a yaw rate that is measured in pictures
  double bend_share = 0.75;  ///< the motion of a car in a bend may explain this share of what free
                             ///< sliding explains, and is still preferred
  double road_below_horizon_rad = 4 * kDegree;  ///< the road begins this far below the horizon
  double road_still_share = 0.25;  ///< the road ahead of a moving car does not stand still: at
                                   ///< most this share of its points may
  std::size_t min_road_points = 12;
  int wrong_speed_frames = 3;  ///< in a row: a wrong speed lasts longer than a person in the way

  // --- Motion of a region (a person's box).
  double foot_error_share = 0.03;  ///< of the box's height: error of its lower edge as the feet
  std::size_t min_region_points = 3;
  double stray_share = 0.15;  ///< of a standing region's points that may move
  double sway_share = 0.2;    ///< of a walk: slower motion is swaying, not a step
  double movers_share = 0.4;  ///< of a region's points that must move together: a person in front
                              ///< of a background
  double slow_share = 0.5;    ///< of a walk: whoever is slower does not cross
  double bound_sigmas = 2;    ///< certainty of that bound: 98 %
  // The part of a box where a person is not mixed with the background: the trunk. Shares of its
  // width (from each side) and height (from the top).
  double inner_side = 0.22, inner_top = 0.08, inner_bottom = 0.8;
};
inline constexpr EgoTuning kEgoTuning{};

}  // namespace kerb::ego
