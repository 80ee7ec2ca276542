// SPDX-License-Identifier: Apache-2.0
// Checks the reported speed and yaw rate against the pictures, and decides which of them is used.
#include <algorithm>
#include <limits>

#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/ego_tuning.hpp"
#include "firmware/ego/point_fit.hpp"

namespace kerb::ego {

EgoEstimator::Attempt EgoEstimator::attempt(const VehicleMotion& vehicle, double dt) noexcept {
  Attempt out;
  out.believed = vehicle;
  out.prior = prior_of(vehicle, dt);
  const double weight = std::max(1.0, static_cast<double>(used_) / kEgoTuning.points_per_object);
  out.prior.weight = weight;
  if (!vehicle.speed_mps) {
    out.travel = decide_travel(out.prior, out.guess);
  } else {
    if (std::abs(*vehicle.speed_mps) >= settings_.stands_below_mps)
      out.travel = *vehicle.speed_mps > 0 ? Travel::forward : Travel::backward;
    out.guess = search(out.prior, out.travel);
  }
  if (!std::isfinite(out.guess.cost) ||
      !refine(out.guess, out.prior, out.travel, 6, all_, &out.factor))
    return out;
  out.share = inlier_share(out.guess, out.prior, out.travel);
  out.found = out.share >= settings_.min_inlier_share;
  if (vehicle.yaw_rate_radps || !vehicle.speed_mps || out.travel == Travel::none || !out.found)
    return out;
  // Turning and moving sideways look alike in pictures, but a car does both together: the measured
  // yaw rate tells where the focus of expansion is in the bend.
  Attempt bent = out;
  for (int round = 0; round < 3; ++round) {
    bent.prior = prior_of({vehicle.speed_mps, -bent.guess.w[1] / dt}, dt);
    bent.prior.weight = weight;
    bent.prior.sigma[1] = out.prior.sigma[1];
    bent.prior.limit[1] = out.prior.limit[1];
    if (round == 0) bent.guess = search(bent.prior, bent.travel);
    if (!std::isfinite(bent.guess.cost) ||
        !refine(bent.guess, bent.prior, bent.travel, 6, all_, &bent.factor))
      return out;
  }
  bent.share = inlier_share(bent.guess, bent.prior, bent.travel);
  return bent.share >= kEgoTuning.bend_share * out.share ? bent : out;
}

bool EgoEstimator::is_pulled(const Attempt& reported) noexcept {
  return std::abs(reported.guess.w[1] - reported.prior.mean[1]) >
         kEgoTuning.pulled_limit_share * reported.prior.limit[1];
}

bool EgoEstimator::doubts_yaw(const Attempt& reported) const noexcept {
  return reported.believed.yaw_rate_radps &&
         (reported.share < kEgoTuning.yaw_doubted_share || is_pulled(reported));
}

bool EgoEstimator::doubts_speed(const Attempt& reported) const noexcept {
  return reported.believed.speed_mps.has_value() && reported.share < kEgoTuning.speed_doubted_share;
}

bool EgoEstimator::is_clearly_better(const Attempt& now, const Attempt& reported,
                                     double dt) const noexcept {
  if (!now.found) return false;
  const bool without_yaw = reported.believed.yaw_rate_radps && !now.believed.yaw_rate_radps;
  const bool without_speed = reported.believed.speed_mps && !now.believed.speed_mps;
  const double yaw_rate = -now.guess.w[1] / dt;
  if (without_yaw) {  // the new yaw rate must contradict the reported one, and be one a car can
                      // have
    if (std::abs(now.guess.w[1] - reported.prior.mean[1]) <= reported.prior.limit[1]) return false;
    if (now.believed.speed_mps) {
      const double speed = std::abs(*now.believed.speed_mps);
      const double most = std::min(speed / kEgoTuning.min_turn_radius_m,
                                   kEgoTuning.max_lateral_mps2 / std::max(speed, 1e-3));
      if (std::abs(yaw_rate) > most + kEgoTuning.yaw_rate_from_flow_radps) return false;
    }
  }
  if (without_speed && now.travel == reported.travel) return false;

  std::size_t won = 0, lost = 0, road = 0, still = 0;
  const double road_from = motion_.horizon_row + 2 * motion_.horizon_sigma_px +
                           kEgoTuning.road_below_horizon_rad * camera_.focal_px;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = used_points_[i];
    const bool before = explains(p, reported.guess, reported.prior, reported.travel);
    const bool after = explains(p, now.guess, now.prior, now.travel);
    if (after && !before) ++won;
    if (before && !after) ++lost;
    if (p.y + camera_.center_y < road_from) continue;
    ++road;
    if (before) ++still;
  }
  const double all = static_cast<double>(used_);
  const bool pulled = !without_speed && (yaw_was_wrong_ || is_pulled(reported));
  const double more = pulled          ? kEgoTuning.gain_if_pulled
                      : without_speed ? kEgoTuning.gain_without_speed
                                      : kEgoTuning.gain_without_yaw;
  const double each = pulled ? kEgoTuning.gains_per_loss_if_pulled : kEgoTuning.gains_per_loss;
  if (static_cast<double>(won) < more * all + each * static_cast<double>(lost)) return false;
  if (!without_speed || reported.travel != Travel::none) return true;
  return road >= kEgoTuning.min_road_points &&
         static_cast<double>(still) < kEgoTuning.road_still_share * static_cast<double>(road);
}

void EgoEstimator::recheck_vehicle(const VehicleMotion& vehicle, double dt,
                                   Attempt& best) noexcept {
  const bool reported_found = best.found, yaw = doubts_yaw(best);
  if (yaw)
    if (const Attempt now = attempt({vehicle.speed_mps, {}}, dt); is_clearly_better(now, best, dt))
      best = now;
  if (!doubts_speed(best)) {
    speed_doubted_ = 0;
    return;
  }
  Attempt now = attempt({{}, best.believed.yaw_rate_radps}, dt);
  bool better = is_clearly_better(now, best, dt);
  if (!better && yaw && !reported_found &&
      !best.found) {  // both wrong: only where nothing else fits
    now = attempt({}, dt);
    better = is_clearly_better(now, best, dt);
  }
  speed_doubted_ = better ? std::min(speed_doubted_ + 1, kEgoTuning.wrong_speed_frames) : 0;
  if (speed_doubted_ == kEgoTuning.wrong_speed_frames) best = now;
}

}  // namespace kerb::ego
