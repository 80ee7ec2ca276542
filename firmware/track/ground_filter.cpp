// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/ground_filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/exact/exact_math.hpp"

namespace kerb::track {
namespace {

using Filter = GroundFilter;
using BoxRows = Eigen::Matrix<double, 3, Filter::kSize>;
using FlowRows = Eigen::Matrix<double, 2, Filter::kSize>;

double squared(double x) noexcept { return x * x; }

/// The image of one point, and its derivatives by the state.
struct Projected {
  bool in_front = false;
  Pixel pixel;
  double depth = 0;
  struct Row {
    double x = 0, y = 0, up = 0, pitch = 0;
  } column, row, deep;
};

Projected project_point(const CameraAxes& axes, double x, double y, double up) noexcept {
  Projected out;
  const Vec3 c = axes.seen(x, y, up);
  out.in_front = c.z > kNearestDepth;
  if (!out.in_front) return out;
  out.pixel = axes.pixel_of(c);
  out.depth = c.z;
  // A nod turns the camera about the level axis to the right: level y grows by z, z shrinks by y.
  const Vec3 d{x - axes.place.x, y - axes.place.y, up - axes.place.z};
  const Vec3 &lr = axes.level_right, &ld = axes.level_down;
  const double level_y = ld.x * d.x + ld.y * d.y + ld.z * d.z;
  const double sin_roll = axes.right.x * ld.x + axes.right.y * ld.y + axes.right.z * ld.z;
  const double cos_roll = axes.right.x * lr.x + axes.right.y * lr.y + axes.right.z * lr.z;
  const Vec3 nod{sin_roll * c.z, cos_roll * c.z, -level_y};
  const double scale = axes.focal_px / c.z;
  const auto change = [&](double dc, double dz, double at) { return scale * (dc - at * dz / c.z); };
  out.column = {change(axes.right.x, axes.forward.x, c.x),
                change(axes.right.y, axes.forward.y, c.x),
                change(axes.right.z, axes.forward.z, c.x), change(nod.x, nod.z, c.x)};
  out.row = {change(axes.down.x, axes.forward.x, c.y), change(axes.down.y, axes.forward.y, c.y),
             change(axes.down.z, axes.forward.z, c.y), change(nod.y, nod.z, c.y)};
  out.deep = {axes.forward.x, axes.forward.y, axes.forward.z, nod.z};
  return out;
}

/// The box that a state predicts, and its derivatives by the state.
bool box_of(const Camera& camera, const Filter::State& s, Filter::Measured& box, BoxRows& rows) {
  const CameraAxes axes = axes_of(camera, s[Filter::kPitch]);
  const double ground = s[Filter::kGround];
  const Projected foot = project_point(axes, s[Filter::kX], s[Filter::kY], ground);
  const Projected head =
      project_point(axes, s[Filter::kX], s[Filter::kY], ground + s[Filter::kHeight]);
  if (!foot.in_front || !head.in_front) return false;
  box << (foot.pixel.x + head.pixel.x) / 2, foot.pixel.y, head.pixel.y;
  rows.setZero();
  rows(0, Filter::kX) = (foot.column.x + head.column.x) / 2;
  rows(0, Filter::kY) = (foot.column.y + head.column.y) / 2;
  rows(0, Filter::kHeight) = head.column.up / 2;
  rows(0, Filter::kPitch) = (foot.column.pitch + head.column.pitch) / 2;
  rows(0, Filter::kGround) = (foot.column.up + head.column.up) / 2;
  rows(1, Filter::kX) = foot.row.x;
  rows(1, Filter::kY) = foot.row.y;
  rows(1, Filter::kPitch) = foot.row.pitch;
  rows(1, Filter::kGround) = foot.row.up;
  rows(2, Filter::kX) = head.row.x;
  rows(2, Filter::kY) = head.row.y;
  rows(2, Filter::kHeight) = head.row.up;
  rows(2, Filter::kPitch) = head.row.pitch;
  rows(2, Filter::kGround) = head.row.up;
  return true;
}

Filter::Measured measured(const SeenBox& box) { return {box.column, box.foot, box.head}; }

/// Whether a box is taller than expected, with its feet lower; `off`: measured less expected.
bool is_larger(const SeenBox& box, const Filter::Measured& off) {
  return box.foot_sigma < SeenBox::kUnknown && box.head_sigma < SeenBox::kUnknown && off[1] > 0 &&
         off[1] > off[2] && box.foot > box.head;
}

Filter::Spread jitter(const SeenBox& box) {
  Filter::Spread r = Filter::Spread::Zero();
  r(0, 0) = squared(box.column_sigma);
  r(1, 1) = squared(box.foot_sigma);
  r(2, 2) = squared(box.head_sigma);
  return r;
}

/// Cholesky factor of a symmetric, positive definite matrix; false: it is not.
bool factor(const Filter::Spread& a, Filter::Spread& l) {
  l.setZero();
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i) {
      double sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j) {
        if (!(sum > 0)) return false;
        l(j, j) = std::sqrt(sum);
      } else {
        l(i, j) = sum / l(j, j);
      }
    }
  return true;
}

Filter::Spread inverse_of(const Filter::Spread& l) {
  Filter::Spread out;
  for (int c = 0; c < 3; ++c) {
    Filter::Measured v = Filter::Measured::Zero();
    v[c] = 1;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < i; ++k) v[i] -= l(i, k) * v[k];
      v[i] /= l(i, i);
    }
    for (int i = 2; i >= 0; --i) {
      for (int k = i + 1; k < 3; ++k) v[i] -= l(k, i) * v[k];
      v[i] /= l(i, i);
    }
    out.col(c) = v;
  }
  return out;
}

/// The car's turn and displacement between two frames, in its previous axes.
struct Step {
  double c = 1, s = 0;  // of the turn to the left
  double x = 0, y = 0;  // of the rear axle
};

Step step_of(const Travelled& way) noexcept {
  Step step;
  const double turn = way.yaw_rate * way.seconds, length = way.speed_mps * way.seconds;
  step.c = exact::cos(turn);
  step.s = exact::sin(turn);
  if (std::abs(turn) < 1e-6) {
    step.x = length;
    step.y = length * turn / 2;
  } else {
    step.x = length * step.s / turn;
    step.y = length * (1 - step.c) / turn;
  }
  return step;
}

}  // namespace

Distance distance_of(const GroundFilter::Expected& expected, const SeenBox& box) {
  Filter::Spread l;
  const Filter::Spread spread = expected.spread + jitter(box);
  if (!factor(spread, l)) return {1e12, 0};
  Filter::Measured v = measured(box) - expected.box;
  Distance out;
  double product = 1;
  const double sigma[3] = {box.column_sigma, box.foot_sigma, box.head_sigma};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < i; ++k) v[i] -= l(i, k) * v[k];
    v[i] /= l(i, i);
    out.squared += squared(v[i]);
    if (sigma[i] < SeenBox::kUnknown) product *= squared(l(i, i) / sigma[i]);
  }
  out.log_spread = exact::log(product);
  return out;
}

bool GroundFilter::begin(const Camera& camera, const FilterSettings& settings,
                         const HeightPrior& height, const SeenBox& box, double pitch,
                         double pitch_sigma, bool speed_known) {
  const double size = box.foot - box.head;
  if (!(size > 1)) return false;
  const CameraAxes axes = axes_of(camera, pitch);
  // First guess by size alone, along the ray through the middle of the box.
  const double depth = std::clamp(camera.focal_px * height.mean_m / size, 0.5, 300.0);
  const double across = (box.column - camera.center_x) / camera.focal_px;
  const double down = ((box.foot + box.head) / 2 - camera.center_y) / camera.focal_px;
  const auto place = [&](double at, double r, double d, double f) {
    return at + depth * (across * r + down * d + f);
  };
  state_.setZero();
  state_[kX] = place(axes.place.x, axes.right.x, axes.down.x, axes.forward.x);
  state_[kY] = place(axes.place.y, axes.right.y, axes.down.y, axes.forward.y);
  state_[kHeight] = height.mean_m;
  state_[kPitch] = pitch;
  state_[kGround] = settings.kerb_m;
  speed_known_ = speed_known;
  const double speed = settings.speed_sigma_mps;
  covariance_.setZero();
  covariance_(kX, kX) = covariance_(kY, kY) = squared(settings.outliers.start_sigma_m);
  covariance_(kVx, kVx) = squared(speed) + (speed_known ? 0 : squared(settings.speed_unknown_mps));
  covariance_(kVy, kVy) = squared(speed);
  covariance_(kHeight, kHeight) = squared(height.sigma_m);
  covariance_(kPitch, kPitch) = squared(pitch_sigma);
  covariance_(kGround, kGround) = squared(settings.kerb_sigma_m);

  // Two unknowns, three rows: the residual says whether a person can be there at all.
  return update(camera, settings.outliers, box, settings.outliers.first_rounds,
                std::numeric_limits<double>::infinity()) &&
         is_finite();
}

void GroundFilter::widen_speed(const FilterSettings& settings, bool speed_known) {
  if (speed_known == speed_known_) return;
  speed_known_ = speed_known;
  if (!speed_known) {
    covariance_(kVx, kVx) += squared(settings.speed_unknown_mps);
    return;
  }
  // The velocity so far was the car's: nothing is known of the person's yet.
  state_[kVx] = 0;
  covariance_.row(kVx).setZero();
  covariance_.col(kVx).setZero();
  covariance_(kVx, kVx) = squared(settings.speed_sigma_mps);
}

void GroundFilter::stop() {
  for (const int v : {kVx, kVy}) {
    state_[v] = 0;
    covariance_.row(v).setZero();
    covariance_.col(v).setZero();
  }
}

void GroundFilter::start(const FilterSettings& settings) {
  stop();
  covariance_(kVx, kVx) = covariance_(kVy, kVy) = squared(settings.speed_sigma_mps);
}

void GroundFilter::mix(const GroundFilter& other, double share) {
  const State mean = (1 - share) * state_ + share * other.state_;
  const State here = state_ - mean, there = other.state_ - mean;
  covariance_ = (1 - share) * (covariance_ + here * here.transpose()) +
                share * (other.covariance_ + there * there.transpose());
  state_ = mean;
}

void GroundFilter::predict(const Camera& camera, const FilterSettings& settings,
                           const Travelled& way) {
  widen_speed(settings, way.speed_known);
  const double dt = way.seconds;
  if (!(dt > 0)) return;
  move(camera, settings, way);
  const auto wander = [&](int at, int speed, double q) {
    covariance_(at, at) += q * dt * dt * dt / 3;
    covariance_(at, speed) += q * dt * dt / 2;
    covariance_(speed, at) += q * dt * dt / 2;
    covariance_(speed, speed) += q * dt;
  };
  wander(kX, kVx, settings.wander + (way.speed_known ? 0 : settings.wander_unknown));
  wander(kY, kVy, settings.wander);
  symmetrise();
}

void GroundFilter::predict_standing(const Camera& camera, const FilterSettings& settings,
                                    const Travelled& way) {
  speed_known_ = true;
  if (!(way.seconds > 0)) return;
  move(camera, settings, way);
  covariance_(kX, kX) += settings.sway * way.seconds;
  covariance_(kY, kY) += settings.sway * way.seconds;
  symmetrise();
}

void GroundFilter::move(const Camera& camera, const FilterSettings& settings,
                        const Travelled& way) {
  const double dt = way.seconds;
  const Step step = step_of(way);
  // Add the person's displacement, subtract the car's, turn into the car's new axes.
  const double x = state_[kX] + state_[kVx] * dt - step.x;
  const double y = state_[kY] + state_[kVy] * dt - step.y;
  const double keeps = exact::exp(-dt / settings.speed_time_s);
  const double vx = keeps * state_[kVx], vy = keeps * state_[kVy];
  state_[kX] = step.c * x + step.s * y;
  state_[kY] = step.c * y - step.s * x;
  state_[kVx] = step.c * vx + step.s * vy;
  state_[kVy] = step.c * vy - step.s * vx;

  Covariance f = Covariance::Identity();
  f(kX, kX) = f(kY, kY) = step.c;
  f(kX, kY) = step.s;
  f(kY, kX) = -step.s;
  f(kVx, kVx) = f(kVy, kVy) = keeps * step.c;
  f(kVx, kVy) = keeps * step.s;
  f(kVy, kVx) = keeps * -step.s;
  f(kX, kVx) = f(kY, kVy) = step.c * dt;
  f(kX, kVy) = step.s * dt;
  f(kY, kVx) = -step.s * dt;
  // The pitch decays towards the mounting's, and new nods add variance.
  const double stays = exact::exp(-dt / settings.pitch_time_s);
  f(kPitch, kPitch) = stays;
  state_[kPitch] *= stays;
  // So does the ground, towards that of most people.
  const double keeps_ground = exact::exp(-dt / settings.kerb_time_s);
  f(kGround, kGround) = keeps_ground;
  state_[kGround] = settings.kerb_m + keeps_ground * (state_[kGround] - settings.kerb_m);
  covariance_ = f * covariance_ * f.transpose();
  covariance_(kPitch, kPitch) += squared(camera.pitch_sigma_rad) * (1 - stays * stays);
  covariance_(kGround, kGround) += squared(settings.kerb_sigma_m) * (1 - squared(keeps_ground));

  covariance_(kX, kX) += squared(settings.speed_share * way.speed_mps * dt);
  // An error of the yaw rate turns everything around the car.
  const double turn = squared(way.yaw_rate_sigma * dt);
  covariance_(kX, kX) += turn * squared(state_[kY]);
  covariance_(kY, kY) += turn * squared(state_[kX]);
  covariance_(kX, kY) -= turn * state_[kX] * state_[kY];
  covariance_(kY, kX) -= turn * state_[kX] * state_[kY];
}

void GroundFilter::see_pitch(double pitch, double sigma) {
  const double known = covariance_(kPitch, kPitch);
  const double variance = squared(sigma);
  if (!(known > variance) || !(variance > 0)) return;
  // Measurement noise such that the variance afterwards is that of `sigma`.
  const double gain = 1 - variance / known;
  const State column = covariance_.col(kPitch);
  const double off = pitch - state_[kPitch];
  state_ += column * (gain / known * off);
  covariance_ -= column * column.transpose() * (gain / known);
  symmetrise();
}

GroundFilter::Expected GroundFilter::expect(const Camera& camera) const {
  Expected out;
  BoxRows h;
  out.in_front = box_of(camera, state_, out.box, h);
  if (out.in_front) out.spread = h * covariance_ * h.transpose();
  return out;
}

void GroundFilter::see_box(const Camera& camera, const FilterSettings& settings,
                           const SeenBox& box) {
  // One round, linearised at the expected state. A second round at what this box says would let its
  // noise choose its own weight: people then drift nearer by a tenth in two seconds.
  update(camera, settings.outliers, box, 1, settings.outliers.box_outlier2);
}

/// Hidden legs shorten the box, so the person was placed too far away, never too near. So where
/// two boxes in a row are larger than expected, the place was wrong, by as much as the size says.
/// Taken as speed instead, it would lead past the person.
void GroundFilter::widen_place(const Camera& camera, const SeenBox& box, const Measured& expected) {
  const double nearer = 1 - (expected[1] - expected[2]) / (box.foot - box.head);
  const double dx = nearer * (state_[kX] - camera.ahead_m);
  const double dy = nearer * (state_[kY] - camera.left_m);
  covariance_(kX, kX) += dx * dx;
  covariance_(kX, kY) += dx * dy;
  covariance_(kY, kX) += dx * dy;
  covariance_(kY, kY) += dy * dy;
}

bool GroundFilter::update(const Camera& camera, const OutlierSettings& settings, const SeenBox& box,
                          int rounds, double far_off) {
  const State before = state_;
  const Covariance spread_before = covariance_;
  log_fit_ = settings.no_fit;
  Spread noise = jitter(box);
  Eigen::Matrix<double, kSize, 3> gain = Eigen::Matrix<double, kSize, 3>::Zero();
  BoxRows h;
  for (int round = 0; round < rounds; ++round) {
    Measured at;
    Spread l;
    if (!box_of(camera, state_, at, h)) {
      state_ = before;  // behind the camera: undo
      covariance_ = spread_before;
      log_fit_ = settings.no_fit;
      return false;
    }
    const Measured off = measured(box) - at - h * (before - state_);
    Spread projected = h * covariance_ * h.transpose();
    if (!factor(projected + noise, l)) break;
    Spread inverse = inverse_of(l);
    strain_ = off.dot(inverse * off);
    if (round == 0) {
      const double offset = off[0] / std::sqrt(projected(0, 0) + noise(0, 0));
      drift_ += settings.drift_gain *
                (std::clamp(offset, -settings.drift_limit, settings.drift_limit) - drift_);
      const bool larger = strain_ > far_off && is_larger(box, off);
      if (larger && larger_) {
        widen_place(camera, box, at);
        rounds = settings.first_rounds;  // far from where it was linearised
        projected = h * covariance_ * h.transpose();
        if (!factor(projected + noise, l)) break;
        inverse = inverse_of(l);
        strain_ = off.dot(inverse * off);
      }
      larger_ = larger;
      if (strain_ > far_off) {
        noise *= strain_ / far_off;
        if (!factor(projected + noise, l)) break;
        inverse = inverse_of(l);
      }
    }
    gain = covariance_ * h.transpose() * inverse;
    state_ = before + gain * off;
    log_fit_ = -0.5 * off.dot(inverse * off) - exact::log(l(0, 0) * l(1, 1) * l(2, 2));
  }
  // Joseph form: stays symmetric and positive despite rounding.
  const Covariance rest = Covariance::Identity() - gain * h;
  covariance_ = rest * covariance_ * rest.transpose() + gain * noise * gain.transpose();
  symmetrise();
  return true;
}

void GroundFilter::see_flow(const Camera& camera, const FilterSettings& settings,
                            const Travelled& way, double dx, double dx_sigma, double growth,
                            double growth_sigma) {
  log_fit_ = 0;
  if (!(way.seconds > 0)) return;
  const Step step = step_of(way);
  const double dt = way.seconds;
  // The person's place in the previous frame, from the present state.
  const double bx = state_[kX] - state_[kVx] * dt, by = state_[kY] - state_[kVy] * dt;
  const double old_x = step.c * bx - step.s * by + step.x;
  const double old_y = step.s * bx + step.c * by + step.y;
  const CameraAxes axes = axes_of(camera, state_[kPitch]);
  const double middle = state_[kGround] + state_[kHeight] / 2;
  const Projected now = project_point(axes, state_[kX], state_[kY], middle);
  const Projected old = project_point(axes, old_x, old_y, middle);
  if (!now.in_front || !old.in_front) return;

  const auto turned_x = [&](const Projected::Row& r) { return step.c * r.x + step.s * r.y; };
  const auto turned_y = [&](const Projected::Row& r) { return step.c * r.y - step.s * r.x; };
  FlowRows h = FlowRows::Zero();
  h(0, kX) = now.column.x - turned_x(old.column);
  h(0, kY) = now.column.y - turned_y(old.column);
  h(0, kVx) = dt * turned_x(old.column);
  h(0, kVy) = dt * turned_y(old.column);
  const double ratio = old.depth / now.depth;
  h(1, kX) = (turned_x(old.deep) - ratio * now.deep.x) / now.depth;
  h(1, kY) = (turned_y(old.deep) - ratio * now.deep.y) / now.depth;
  h(1, kVx) = -dt * turned_x(old.deep) / now.depth;
  h(1, kVy) = -dt * turned_y(old.deep) / now.depth;
  const double expected[2] = {now.pixel.x - old.pixel.x, ratio - 1};
  const double seen[2] = {dx, growth};
  const double yaw_px = camera.focal_px * way.yaw_rate_sigma * dt;
  const double noise[2] = {
      squared(settings.flow_doubt) * squared(std::max(dx_sigma, settings.flow_least_px)) +
          squared(settings.flow_share * dx) + squared(yaw_px),
      squared(settings.flow_doubt) * squared(std::max(growth_sigma, settings.growth_least)) +
          squared(settings.flow_share * growth)};
  const bool drives =
      way.speed_known && std::abs(way.speed_mps) > settings.outliers.drift_speed_mps;
  const double distrust =
      1 + (drives ? settings.outliers.drift_penalty *
                        std::max(0.0, squared(drift_) - squared(settings.outliers.drift_tolerance))
                  : 0);
  const State before = state_;
  for (int i = 0; i < 2; ++i) {  // one after the other: their errors are independent
    const Eigen::Matrix<double, 1, kSize> row = h.row(i);
    const State projected = covariance_ * row.transpose();
    double variance = row.dot(projected) + distrust * noise[i];
    const double off = seen[i] - expected[i] - row.dot(state_ - before);
    const double far = squared(off) / variance;
    if (far > settings.outliers.flow_reject2) {  // another person's flow, or the background's
      log_fit_ -= 0.5 * (settings.outliers.flow_outlier2 + exact::log(variance));
      continue;
    }
    if (far > settings.outliers.flow_outlier2)
      variance += noise[i] * (far / settings.outliers.flow_outlier2 - 1);
    log_fit_ -= 0.5 * (squared(off) / variance + exact::log(variance));
    const State gain = projected / variance;
    state_ += gain * off;
    covariance_ -= gain * projected.transpose();
    symmetrise();
  }
}

void GroundFilter::symmetrise() {
  // Rounding must not make it asymmetric, nor let a variance reach zero.
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < i; ++j) {
      const double mean = (covariance_(i, j) + covariance_(j, i)) / 2;
      covariance_(i, j) = covariance_(j, i) = mean;
    }
    covariance_(i, i) = std::max(covariance_(i, i), 1e-12);
  }
}

bool GroundFilter::is_finite() const {
  for (int i = 0; i < kSize; ++i) {
    if (!std::isfinite(state_[i])) return false;
    for (int j = 0; j < kSize; ++j)
      if (!std::isfinite(covariance_(i, j))) return false;
  }
  return true;
}

}  // namespace kerb::track
