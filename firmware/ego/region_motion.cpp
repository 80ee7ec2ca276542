// SPDX-License-Identifier: Apache-2.0
// The motion that the car's own motion does not explain: of each point, and of a region.
#include <algorithm>
#include <limits>

#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/ego_tuning.hpp"
#include "firmware/ego/point_fit.hpp"

namespace kerb::ego {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double median(std::vector<double>& values, std::size_t n) noexcept {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(n));
  return *middle;
}

/// The variance of the median of n points, as a share of that of one. Points that are close err
/// together, so that many are no better than a dozen.
double share_of(std::size_t n) noexcept {
  return std::clamp(1.57 * kEgoTuning.correlation / static_cast<double>(n), 0.15, 1.0);
}

template <std::size_t N>
double dot(const std::array<double, N>& a, const std::array<double, N>& b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

double EgoEstimator::variance_across(const Point& p, const PointFit& fitted) const noexcept {
  const Vector row = fitted.row_across(camera_.focal_px, motion_.travel);
  return square(noise_ * p.sigma) +
         kEgoTuning.correlation * square(noise_) * dot(row, factor_.solve(row));
}

double EgoEstimator::variance_along(const Point& p, const PointFit& fitted) const noexcept {
  const Vector row = fitted.row_along(camera_.focal_px);
  return square(noise_ * p.sigma) +
         kEgoTuning.correlation * square(noise_) * dot(row, factor_.solve(row));
}

/// The road hides what is behind it: a standing object in this row, below the horizon, is no
/// farther than the road there, and so moves outwards at least as far as the road does.
double EgoEstimator::min_outward_share(double row) const noexcept {
  if (prior_.travelled_m <= 0) return 0;
  const double f = camera_.focal_px;
  const double margin = 2 * motion_.horizon_sigma_px + settings_.slope_rad * f;
  const double below = row - motion_.horizon_row - margin;
  if (below <= 0) return 0;
  const double road = f * camera_.height_m / below;
  if (motion_.travel == Travel::backward) return prior_.travelled_m / (road + prior_.travelled_m);
  return std::min(prior_.max_outward_share,
                  prior_.travelled_m / std::max(road - prior_.travelled_m, 1e-3));
}

void EgoEstimator::fill_residuals(const Prior& prior) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    const Point& p = points_[i];
    PointResidual& out = residuals_[i];
    out = {};
    out.x = static_cast<float>(p.x2 + camera_.center_x);
    out.y = static_cast<float>(p.y2 + camera_.center_y);
    if (p.sigma <= 0) continue;
    const PointFit fitted = fit(p, guess_, motion_.travel, prior.max_outward_share);
    double excess = fitted.excess;
    const double least = fitted.rho * min_outward_share(p.y + camera_.center_y);
    if (motion_.travel == Travel::forward && fitted.along < least) excess = fitted.along - least;
    if (motion_.travel == Travel::backward && fitted.along > -least) excess = fitted.along + least;
    const Vec2 a = fitted.along_unit;
    out.rx = static_cast<float>(excess * a.x - fitted.across * a.y);
    out.ry = static_cast<float>(excess * a.y + fitted.across * a.x);
    out.significance =
        static_cast<float>(std::sqrt(square(fitted.across) / variance_across(p, fitted) +
                                     square(excess) / variance_along(p, fitted)));
    if (fitted.rho > 1) out.inverse_depth = static_cast<float>(fitted.along / fitted.rho);
  }
}

std::size_t EgoEstimator::choose_inside(const Region& box) noexcept {
  const double left = box.x + kEgoTuning.inner_side * box.w - camera_.center_x;
  const double right = box.x + (1 - kEgoTuning.inner_side) * box.w - camera_.center_x;
  const double top = box.y + kEgoTuning.inner_top * box.h - camera_.center_y;
  const double bottom = box.y + kEgoTuning.inner_bottom * box.h - camera_.center_y;
  std::size_t n = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Point& p = points_[i];
    if (p.sigma > 0 && p.x2 >= left && p.x2 <= right && p.y2 >= top && p.y2 <= bottom)
      chosen_[n++] = static_cast<std::uint32_t>(i);
  }
  return n;
}

/// Whether this point surely moves by itself, at least as fast as a slow walk.
bool EgoEstimator::moves(const PointResidual& r, double walk) const noexcept {
  return double{r.significance} >= settings_.significance &&
         std::hypot(double{r.rx}, double{r.ry}) >= kEgoTuning.slow_share * walk;
}

bool EgoEstimator::moves_together(std::size_t n, double walk, RegionMotion& out) noexcept {
  std::size_t movers = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const PointResidual& r = residuals_[chosen_[k]];
    if (!moves(r, walk)) continue;
    scratch_[movers] = double{r.rx};
    scratch2_[movers++] = double{r.ry};
  }
  if (movers < kEgoTuning.min_region_points ||
      static_cast<double>(movers) < kEgoTuning.movers_share * static_cast<double>(n))
    return false;
  const double rx = median(scratch_, movers), ry = median(scratch2_, movers);
  movers = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const PointResidual& r = residuals_[chosen_[k]];
    if (!moves(r, walk)) continue;
    scratch_[movers++] = std::hypot(double{r.rx} - rx, double{r.ry} - ry);
  }
  const double length = std::hypot(rx, ry);
  const double spread = median(scratch_, movers);
  if (length < kEgoTuning.slow_share * walk || spread > 0.7 * length) return false;
  out.rx = static_cast<float>(rx);
  out.ry = static_cast<float>(ry);
  out.sigma = static_cast<float>(std::max(
      1.2 * spread * std::sqrt(1.57 * kEgoTuning.correlation / static_cast<double>(movers)),
      length / 100));
  out.significance = static_cast<float>(length) / out.sigma;
  out.verdict = RegionVerdict::moving;
  return true;
}

EgoEstimator::Outwards EgoEstimator::outwards_of(const Region& box, const Point& middle,
                                                 double measured) const noexcept {
  Outwards out;
  if (motion_.travel == Travel::none) return {0, 0, true};
  const double f = camera_.focal_px;
  const double sign = motion_.travel == Travel::forward ? 1 : -1;
  const double low = min_outward_share(middle.y + camera_.center_y);
  out.value = sign * std::clamp(sign * measured, low, std::max(low, prior_.max_outward_share));
  // The feet give the distance where they are clearly below the horizon.
  const double below = box.y + box.h - motion_.horizon_row;
  const double error =
      std::sqrt(square(motion_.horizon_sigma_px) + square(kEgoTuning.foot_error_share * box.h) +
                square(settings_.slope_rad * f));
  if (prior_.travelled_m <= 0 || below <= 2.5 * error) return out;
  const double road = f * camera_.height_m / below;
  const double left = road - sign * prior_.travelled_m;
  if (left <= 0.5) return out;
  out.value = sign * prior_.travelled_m / left;
  out.sigma = std::abs(out.value) * road / left * error / below;
  out.known = true;
  return out;
}

RegionMotion EgoEstimator::region(const Region& seen_box) {
  RegionMotion out;
  const Region box = rectifier_.straight(seen_box);
  if (motion_.state != EgoState::valid || !(box.w > 0) || !(box.h > 0)) return out;
  const std::size_t n = choose_inside(box);
  out.points = static_cast<int>(n);
  if (n < kEgoTuning.min_region_points) return out;
  const double f = camera_.focal_px;
  const auto count = static_cast<double>(n);

  // How far outwards it has moved, taken as one object at one distance.
  Point middle{};
  for (std::size_t k = 0; k < n; ++k) {
    const Point& p = points_[chosen_[k]];
    const PointFit fitted = fit(p, guess_, motion_.travel, prior_.max_outward_share);
    scratch_[k] = fitted.along / std::max(fitted.rho, 0.02 * f);
    middle.x += p.x / count;
    middle.y += p.y / count;
    middle.x2 += p.x2 / count;
    middle.y2 += p.y2 / count;
    middle.sigma += p.sigma / count;
  }
  const Outwards outwards = outwards_of(box, middle, median(scratch_, n));

  // The remaining motion of each point: its median, and its spread along and across.
  const auto left_over = [&](std::size_t k) {
    const Point& p = points_[chosen_[k]];
    const Vec2 t = turned_back(guess_.r, f, {p.x2, p.y2});
    if (motion_.travel == Travel::none) return Vec2{t.x - p.x, t.y - p.y};
    return Vec2{t.x - p.x - outwards.value * (p.x - guess_.foe.x),
                t.y - p.y - outwards.value * (p.y - guess_.foe.y)};
  };
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 r = left_over(k);
    scratch_[k] = r.x;
    scratch2_[k] = r.y;
  }
  const double rx = median(scratch_, n), ry = median(scratch2_, n);
  const PointFit fitted = fit(middle, guess_, motion_.travel, prior_.max_outward_share);
  const Vec2 a = fitted.along_unit;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 r = left_over(k);
    scratch_[k] = std::abs((r.y - ry) * a.x - (r.x - rx) * a.y);
    scratch2_[k] = std::abs((r.x - rx) * a.x + (r.y - ry) * a.y);
  }
  const double point_noise = square(noise_ * middle.sigma);
  const double spread_across = std::max(square(1.4826 * median(scratch_, n)), point_noise);
  const double spread_along = std::max(square(1.4826 * median(scratch2_, n)), point_noise);
  const double share = share_of(n);
  const double across_variance =
      spread_across * share + variance_across(middle, fitted) - point_noise;
  const double along_variance = spread_along * share + variance_along(middle, fitted) -
                                point_noise +
                                square(std::max(fitted.rho, 0.02 * f) * outwards.sigma);

  const double across = ry * a.x - rx * a.y, along = rx * a.x + ry * a.y;
  const double chi2 = square(across) / across_variance + square(along) / along_variance;
  const double length = std::hypot(rx, ry);
  const double walk = settings_.walking_mps * dt_ * box.h / settings_.person_height_m;
  out.rx = static_cast<float>(rx);
  out.ry = static_cast<float>(ry);
  out.significance = static_cast<float>(std::sqrt(chi2));
  out.sigma = static_cast<float>(chi2 > 1e-12 && length > 1e-9
                                     ? length / std::sqrt(chi2)
                                     : std::sqrt(std::max(across_variance, along_variance)));
  out.sensitivity =
      static_cast<float>(std::sqrt(square(walk * a.y) / across_variance +
                                   (outwards.known ? square(walk * a.x) / along_variance : 0)));
  // A person in front of a standing background: a large part of the points moves together.
  if (moves_together(n, walk, out)) return out;
  // Upper bound of the speed across the view: the measured one and two standard deviations.
  const double walk_sigma = out.sensitivity > 0 ? walk / double{out.sensitivity} : kUnbounded;
  const bool significant = double{out.significance} >= settings_.significance;
  if (significant && length >= kEgoTuning.slow_share * walk) {
    out.verdict = RegionVerdict::moving;
    return out;
  }
  // A region that surely moves, or of which a part moves, is not reported as standing. Exception:
  // a standing camera sees standing people sway.
  const bool sways = motion_.travel == Travel::none && length < kEgoTuning.sway_share * walk;
  std::size_t movers = 0;
  for (std::size_t k = 0; k < n; ++k) movers += moves(residuals_[chosen_[k]], walk) ? 1U : 0U;
  const bool uniform = static_cast<double>(movers) <= kEgoTuning.stray_share * count;
  if ((!significant || sways) && uniform &&
      length + kEgoTuning.bound_sigmas * walk_sigma < kEgoTuning.slow_share * walk)
    out.verdict = RegionVerdict::standing;
  return out;
}

}  // namespace kerb::ego
