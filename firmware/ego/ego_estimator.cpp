// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/ego_estimator.hpp"

#include <algorithm>
#include <limits>

#include "firmware/ego/ego_tuning.hpp"
#include "firmware/ego/point_fit.hpp"

namespace kerb::ego {

EgoEstimator::EgoEstimator(const Camera& camera, const EgoSettings& settings)
    : camera_{camera},
      rectifier_{camera},
      settings_{settings},
      points_(MotionField::kCapacity),
      used_points_(MotionField::kCapacity),
      all_{MotionField::kCapacity},
      ranking_{MotionField::kCapacity},
      residuals_(MotionField::kCapacity),
      scratch_(MotionField::kCapacity),
      scratch2_(MotionField::kCapacity),
      chosen_(MotionField::kCapacity) {
  reset();
}

void EgoEstimator::reset() noexcept {
  motion_ = {};
  motion_.state = EgoState::no_previous;
  count_ = used_ = 0;
  travelled_ = yaw_was_wrong_ = false;
  speed_doubted_ = 0;
  foe_offset_ = {};
  const double aim_sigma = camera_.focal_px * settings_.aim_tolerance_rad / 2;
  foe_variance_ = {square(aim_sigma), square(aim_sigma)};
  horizon_ = aim(camera_).y;
  horizon_variance_ =
      square(std::min(aim_sigma, kEgoTuning.horizon_max_sigma_rad * camera_.focal_px));
  motion_.horizon_row = horizon_;
  motion_.horizon_sigma_px = std::sqrt(horizon_variance_);
  motion_.pitch_rad = camera_.pitch_rad;
}

void EgoEstimator::pass(Nanos time) noexcept {
  update_horizon(nullptr, Travel::none, std::chrono::duration<double>{time}.count());
}

void EgoEstimator::take_points(const MotionField& field, std::span<const Region> suspects) {
  count_ = used_ = 0;
  for (int i = 0; i < field.count && i < MotionField::kCapacity; ++i) {
    const FlowVector& v = field.items[i];
    Point& p = points_[count_];
    const double x = double{v.x} + double{v.dx}, y = double{v.y} + double{v.dy};
    if (rectifier_.does_nothing()) {
      p.x = double{v.x} - camera_.center_x;
      p.y = double{v.y} - camera_.center_y;
      p.x2 = p.x + double{v.dx};
      p.y2 = p.y + double{v.dy};
    } else {
      const Vec2 before = rectifier_.from_axis({double{v.x}, double{v.y}});
      const Vec2 now = rectifier_.from_axis({x, y});
      p.x = before.x;
      p.y = before.y;
      p.x2 = now.x;
      p.y2 = now.y;
    }
    const double length2 = square(double{v.dx}) + square(double{v.dy});
    const double quality = std::clamp(double{v.quality}, 0.01, 1.0);
    p.sigma =
        std::sqrt(square(settings_.noise_px) / quality + square(settings_.noise_share) * length2);
    if (!std::isfinite(p.sigma) || !std::isfinite(p.x2) || !std::isfinite(p.y2)) p.sigma = 0;
    const bool suspect = std::ranges::any_of(suspects, [&](const Region& box) {
      return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
    });
    if (p.sigma > 0 && !suspect) used_points_[used_++] = p;
    ++count_;
  }
  fill_columns();
}

EgoEstimator::Prior EgoEstimator::prior_of(const VehicleMotion& vehicle, double dt) const noexcept {
  Prior prior;
  const double f = camera_.focal_px;
  prior.sigma[0] = std::max(kEgoTuning.pitch_rate_radps * dt, kEgoTuning.min_turn_rad);
  prior.sigma[1] = std::max(kEgoTuning.yaw_rate_unknown_radps * dt, kEgoTuning.min_turn_rad);
  prior.sigma[2] = std::max(kEgoTuning.roll_rate_radps * dt, kEgoTuning.min_turn_rad);
  if (vehicle.yaw_rate_radps) {
    const double turn = *vehicle.yaw_rate_radps * dt;
    prior.mean[1] = -turn;  // to the left is against the camera's y
    prior.sigma[1] = std::max(
        kEgoTuning.yaw_rate_error_radps * dt + kEgoTuning.yaw_rate_error_share * std::abs(turn),
        kEgoTuning.min_turn_rad);
  }
  const Vec2 straight = aim(camera_);
  prior.foe_center = {straight.x - camera_.center_x, straight.y - camera_.center_y};
  if (vehicle.speed_mps && vehicle.yaw_rate_radps &&
      std::abs(*vehicle.speed_mps) > settings_.stands_below_mps) {
    // In a bend the camera, ahead of the rear axle, also moves sideways; and half of the turn is
    // done before half of the distance between two frames.
    const double bend = *vehicle.yaw_rate_radps * (camera_.ahead_m / *vehicle.speed_mps + dt / 2);
    prior.bend_shift = f * std::tan(std::clamp(bend, -0.6, 0.6));
    prior.foe_center.x -= prior.bend_shift;
  }
  prior.mean[3] = prior.foe_center.x + foe_offset_.x;
  prior.mean[4] = prior.foe_center.y + foe_offset_.y;
  prior.sigma[3] = std::sqrt(foe_variance_.x + square(kEgoTuning.foe_sway_rad * f) +
                             square(kEgoTuning.bend_error_share * prior.bend_shift));
  prior.sigma[4] = std::sqrt(foe_variance_.y + square(kEgoTuning.foe_nod_rad * f));
  if (!vehicle.yaw_rate_radps)
    prior.sigma[3] = std::hypot(prior.sigma[3], kEgoTuning.bend_unknown_rad * f);
  for (std::size_t i = 0; i < kUnknowns; ++i)
    prior.limit[i] = kEgoTuning.limit_sigmas * prior.sigma[i];
  prior.max_outward_share = kEgoTuning.max_outward_share_without_speed;
  if (vehicle.speed_mps) {
    prior.travelled_m = std::abs(*vehicle.speed_mps) * dt;
    prior.max_outward_share =
        *vehicle.speed_mps < 0
            ? prior.travelled_m / (settings_.nearest_m + prior.travelled_m)
            : std::min(1.0,
                       prior.travelled_m / std::max(settings_.nearest_m - prior.travelled_m, 1e-3));
  }
  return prior;
}

const EgoMotion& EgoEstimator::update(const MotionField& field, Nanos interval,
                                      const VehicleMotion& vehicle,
                                      std::span<const Region> suspects) {
  const double dt = std::chrono::duration<double>{interval}.count();
  dt_ = dt;
  motion_ = {};
  motion_.interval = interval;
  motion_.speed_mps = vehicle.speed_mps;
  take_points(field, suspects);
  motion_.points = static_cast<int>(used_);
  const auto give_up = [&](EgoState why) -> const EgoMotion& {
    motion_.state = why;
    update_horizon(nullptr, Travel::none, std::max(dt, 0.0));
    return motion_;
  };
  if (!field.has_previous || !(dt > 0)) return give_up(EgoState::no_previous);
  if (motion_.points < settings_.min_points) return give_up(EgoState::too_few_points);

  motion_.horizon_row = horizon_;  // as known before this frame
  motion_.horizon_sigma_px = std::sqrt(horizon_variance_);
  Attempt best = attempt(vehicle, dt);
  recheck_vehicle(vehicle, dt, best);
  yaw_was_wrong_ = vehicle.yaw_rate_radps && !best.believed.yaw_rate_radps;
  prior_ = best.prior;
  guess_ = best.guess;
  factor_ = best.factor;
  motion_.inlier_share = best.share;
  if (!best.found) return give_up(EgoState::no_consensus);
  const Travel travel = best.travel;
  motion_.travel_from_flow = !best.believed.speed_mps;
  motion_.speed_mps = best.believed.speed_mps;
  motion_.speed_distrusted = vehicle.speed_mps && !best.believed.speed_mps;
  motion_.yaw_distrusted = yaw_was_wrong_;
  motion_.noise_px = measure_noise(guess_, prior_, travel);
  motion_.state = EgoState::valid;
  motion_.travel = travel;
  travelled_ = travel != Travel::none;
  motion_.pitch_rate_radps = guess_.w[0] / dt;
  motion_.yaw_rate_radps = -guess_.w[1] / dt;
  motion_.roll_rate_radps = guess_.w[2] / dt;
  motion_.foe_x = guess_.foe.x + camera_.center_x;
  motion_.foe_y = guess_.foe.y + camera_.center_y;

  const double inflate = kEgoTuning.correlation * square(noise_);
  Vec2 measured;  // variance of the focus
  measured.x = inflate * factor_.solve({0, 0, 0, 1, 0})[3];
  measured.y = inflate * factor_.solve({0, 0, 0, 0, 1})[4];
  if (travelled_) {
    motion_.foe_sigma_px = std::sqrt(std::max(measured.x, measured.y));
    motion_.foe_measured =
        std::sqrt(measured.x) < prior_.sigma[3] / 2 && std::sqrt(measured.y) < prior_.sigma[4] / 2;
    const auto learn = [&](double seen, double seen_variance, double& offset, double& variance) {
      const double f = camera_.focal_px;
      variance = std::min(variance + square(kEgoTuning.foe_drift_rad * f),
                          square(f * settings_.aim_tolerance_rad / 2));
      const double gain =
          variance / (variance + seen_variance + square(kEgoTuning.foe_frame_error_rad * f));
      offset += gain * (seen - offset);
      variance *= 1 - gain;
    };
    const double in_bend = square(prior_.bend_shift);  // there the tyres decide, not the mounting
    learn(guess_.foe.x - prior_.foe_center.x, measured.x + in_bend, foe_offset_.x, foe_variance_.x);
    learn(guess_.foe.y - prior_.foe_center.y, measured.y, foe_offset_.y, foe_variance_.y);
  } else {
    motion_.foe_sigma_px = std::sqrt(std::max(foe_variance_.x, foe_variance_.y));
  }
  update_horizon(&guess_, travel, dt);
  fill_residuals(prior_);
  return motion_;
}

void EgoEstimator::update_horizon(const Guess* g, Travel travel, double dt) noexcept {
  const double f = camera_.focal_px;
  const double most = square(kEgoTuning.horizon_max_sigma_rad * f);
  horizon_variance_ += square(kEgoTuning.horizon_drift_rad * f) * dt;
  if (g != nullptr) {
    horizon_ += f * g->w[0];  // nose up: the horizon sinks in the picture
    horizon_variance_ +=
        square(f) * kEgoTuning.correlation * square(noise_) * factor_.solve({1, 0, 0, 0, 0})[0];
  } else {
    horizon_variance_ += square(kEgoTuning.pitch_rate_radps * dt * f);
  }
  horizon_ += (aim(camera_).y - horizon_) * std::min(1.0, dt / kEgoTuning.horizon_return_s);
  horizon_variance_ = std::min(horizon_variance_, most);
  if (g != nullptr && travel != Travel::none) {
    // A car moves along the road: apart from heave, the focus of expansion lies on the horizon.
    const double variance =
        kEgoTuning.correlation * square(noise_) * factor_.solve({0, 0, 0, 0, 1})[4] +
        square(kEgoTuning.heave_rad * f);
    const double gain = horizon_variance_ / (horizon_variance_ + variance);
    horizon_ += gain * (g->foe.y + camera_.center_y - horizon_);
    horizon_variance_ *= 1 - gain;
  }
  motion_.horizon_row = horizon_;
  motion_.horizon_sigma_px = std::sqrt(horizon_variance_);
  motion_.pitch_rad = std::atan((horizon_ - camera_.center_y) / f);
}

}  // namespace kerb::ego
