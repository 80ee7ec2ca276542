// SPDX-License-Identifier: Apache-2.0
// What the car tells, and when the pictures are believed instead.
#include <algorithm>
#include <limits>

#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/seen.hpp"

namespace kerb::ego {
namespace {

// Points come in things: so many of them err or deceive together as one. What is known beforehand
// is weighed against things, not points.
constexpr double kIndependent = 40;

// With less than this explained, or the yaw rate at its limit, what the car tells is doubted.
constexpr double kYawDoubted = 0.75, kSpeedDoubted = 0.6, kAtLimit = 0.6;
// The better explanation explains what the worse one did too, and more: another thing that fills
// the view, a lorry say, explains itself and nothing else.
constexpr double kMoreForYaw = 0.08, kMoreForSpeed = 0.2;  // share of the points
constexpr double kNewForLost = 3;                          // points won for each that is given up
// Less is enough where the points pull the yaw rate to its limit, or it was wrong one frame before.
constexpr double kMoreIfPulled = 0.02, kNewForLostIfPulled = 2;
// What a car can do: a turning circle, a grip, and how well the pictures tell a yaw rate.
constexpr double kLeastRadius = 4, kMostAcross = 9, kYawSeen = 0.05;  // m, m/s^2, rad/s
// The motion of a car in a bend may explain so much less than one that slides as it likes.
constexpr double kBentShare = 0.75;
// The road before a car that drives cannot stand still.
constexpr double kRoadBelow = 4 * 0.017453292519943295;  // from so far below the horizon, rad
constexpr double kRoadStill = 0.25;                      // share of the points there
constexpr std::size_t kRoadPoints = 12;
constexpr int kSpeedFrames = 3;  // a speed is wrong for longer than somebody stands in the way

}  // namespace

EgoEstimator::Attempt EgoEstimator::attempt(const VehicleMotion& vehicle, double dt) noexcept {
  Attempt out;
  out.believed = vehicle;
  out.prior = prior_of(vehicle, dt);
  const double weight = std::max(1.0, static_cast<double>(used_) / kIndependent);
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
  // Turning and moving sideways look alike, but a car does one with the other: the bend that is
  // seen says where the focus is.
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
  return bent.share >= kBentShare * out.share ? bent : out;
}

bool EgoEstimator::is_pulled(const Attempt& told) noexcept {
  return std::abs(told.guess.w[1] - told.prior.mean[1]) > kAtLimit * told.prior.limit[1];
}

bool EgoEstimator::doubts_yaw(const Attempt& told) const noexcept {
  return told.believed.yaw_rate_radps && (told.share < kYawDoubted || is_pulled(told));
}

bool EgoEstimator::doubts_speed(const Attempt& told) const noexcept {
  return told.believed.speed_mps.has_value() && told.share < kSpeedDoubted;
}

bool EgoEstimator::is_clearly_better(const Attempt& now, const Attempt& told,
                                     double dt) const noexcept {
  if (!now.found) return false;
  const bool without_yaw = told.believed.yaw_rate_radps && !now.believed.yaw_rate_radps;
  const bool without_speed = told.believed.speed_mps && !now.believed.speed_mps;
  const double yaw_rate = -now.guess.w[1] / dt;
  if (without_yaw) {  // that must be what was wrong, and something a car does
    if (std::abs(now.guess.w[1] - told.prior.mean[1]) <= told.prior.limit[1]) return false;
    if (now.believed.speed_mps) {
      const double speed = std::abs(*now.believed.speed_mps);
      const double most = std::min(speed / kLeastRadius, kMostAcross / std::max(speed, 1e-3));
      if (std::abs(yaw_rate) > most + kYawSeen) return false;
    }
  }
  if (without_speed && now.travel == told.travel) return false;

  std::size_t won = 0, lost = 0, road = 0, still = 0;
  const double road_from =
      motion_.horizon_row + 2 * motion_.horizon_sigma_px + kRoadBelow * camera_.focal_px;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = asked_[i];
    const bool before = explains(p, told.guess, told.prior, told.travel);
    const bool after = explains(p, now.guess, now.prior, now.travel);
    if (after && !before) ++won;
    if (before && !after) ++lost;
    if (p.y + camera_.center_y < road_from) continue;
    ++road;
    if (before) ++still;
  }
  const double all = static_cast<double>(used_);
  const bool pulled = !without_speed && (yaw_was_wrong_ || is_pulled(told));
  const double more = pulled ? kMoreIfPulled : without_speed ? kMoreForSpeed : kMoreForYaw;
  const double each = pulled ? kNewForLostIfPulled : kNewForLost;
  if (static_cast<double>(won) < more * all + each * static_cast<double>(lost)) return false;
  if (!without_speed || told.travel != Travel::none) return true;
  return road >= kRoadPoints && static_cast<double>(still) < kRoadStill * static_cast<double>(road);
}

void EgoEstimator::look_again(const VehicleMotion& vehicle, double dt, Attempt& best) noexcept {
  const bool told_found = best.found, yaw = doubts_yaw(best);
  if (yaw)
    if (const Attempt now = attempt({vehicle.speed_mps, {}}, dt); is_clearly_better(now, best, dt))
      best = now;
  if (!doubts_speed(best)) {
    speed_doubted_ = 0;
    return;
  }
  Attempt now = attempt({{}, best.believed.yaw_rate_radps}, dt);
  bool better = is_clearly_better(now, best, dt);
  if (!better && yaw && !told_found && !best.found) {  // both wrong: where nothing else makes sense
    now = attempt({}, dt);
    better = is_clearly_better(now, best, dt);
  }
  speed_doubted_ = better ? std::min(speed_doubted_ + 1, kSpeedFrames) : 0;
  if (speed_doubted_ == kSpeedFrames) best = now;
}

}  // namespace kerb::ego
