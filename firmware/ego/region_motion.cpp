// SPDX-License-Identifier: Apache-2.0
// What the car's motion leaves unexplained: of each point, and of a region.
#include <algorithm>
#include <limits>

#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/seen.hpp"

namespace kerb::ego {
namespace {

constexpr double kFootError = 0.03;   // of a region's height: how well its lower edge is the feet
constexpr std::size_t kFewest = 3;    // points that tell the motion of a region
constexpr double kStrayShare = 0.15;  // of a region's points may move in one that stands
constexpr double kSway = 0.2;         // of a walk: less is no step
constexpr double kMoversShare = 0.4;  // of a region's points: somebody before a background
constexpr double kSlow = 0.5;         // of a walk: who is slower does not cross
constexpr double kBoundSigmas = 2;    // so surely he must be: 98 %
constexpr double kBoundless = std::numeric_limits<double>::infinity();
// The part of a region where a person is not mixed with what is behind: the trunk.
constexpr double kInnerX = 0.22, kInnerTop = 0.08, kInnerBottom = 0.8;

double median(std::vector<double>& values, std::size_t n) noexcept {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(n));
  return *middle;
}

/// What is left of the variance of one in the median of n: they err together, the more the closer
/// they are, so that many are no better than a dozen.
double share_of(std::size_t n) noexcept {
  return std::clamp(1.57 * kTogether / static_cast<double>(n), 0.15, 1.0);
}

template <std::size_t N>
double dot(const std::array<double, N>& a, const std::array<double, N>& b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

double EgoEstimator::variance_across(const Point& p, const Seen& seen) const noexcept {
  const Vector row = seen.row_across(camera_.focal_px, motion_.travel);
  return square(noise_ * p.sigma) + kTogether * square(noise_) * dot(row, factor_.solve(row));
}

double EgoEstimator::variance_along(const Point& p, const Seen& seen) const noexcept {
  const Vector row = seen.row_along(camera_.focal_px);
  return square(noise_ * p.sigma) + kTogether * square(noise_) * dot(row, factor_.solve(row));
}

/// The road hides what is behind it: a thing that stands and is seen in this row, below the
/// horizon, is no farther than the road there, and so moves at least as the road does.
double EgoEstimator::least_outwards(double row) const noexcept {
  if (prior_.way_m <= 0) return 0;
  const double f = camera_.focal_px;
  const double margin = 2 * motion_.horizon_sigma_px + settings_.slope_rad * f;
  const double below = row - motion_.horizon_row - margin;
  if (below <= 0) return 0;
  const double road = f * camera_.height_m / below;
  if (motion_.travel == Travel::backward) return prior_.way_m / (road + prior_.way_m);
  return std::min(prior_.most_outwards, prior_.way_m / std::max(road - prior_.way_m, 1e-3));
}

void EgoEstimator::fill_residuals(const Prior& prior) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    const Point& p = points_[i];
    PointResidual& out = residuals_[i];
    out = {};
    out.x = static_cast<float>(p.x2 + camera_.center_x);
    out.y = static_cast<float>(p.y2 + camera_.center_y);
    if (p.sigma <= 0) continue;
    const Seen seen = see(p, guess_, motion_.travel, prior.most_outwards);
    double excess = seen.excess;
    const double least = seen.rho * least_outwards(p.y + camera_.center_y);
    if (motion_.travel == Travel::forward && seen.along < least) excess = seen.along - least;
    if (motion_.travel == Travel::backward && seen.along > -least) excess = seen.along + least;
    const Vec2 a = seen.along_unit;
    out.rx = static_cast<float>(excess * a.x - seen.across * a.y);
    out.ry = static_cast<float>(excess * a.y + seen.across * a.x);
    out.significance = static_cast<float>(std::sqrt(square(seen.across) / variance_across(p, seen) +
                                                    square(excess) / variance_along(p, seen)));
    if (seen.rho > 1) out.inverse_depth = static_cast<float>(seen.along / seen.rho);
  }
}

std::size_t EgoEstimator::choose_inside(const Region& box) noexcept {
  const double left = box.x + kInnerX * box.w - camera_.center_x;
  const double right = box.x + (1 - kInnerX) * box.w - camera_.center_x;
  const double top = box.y + kInnerTop * box.h - camera_.center_y;
  const double bottom = box.y + kInnerBottom * box.h - camera_.center_y;
  std::size_t n = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Point& p = points_[i];
    if (p.sigma > 0 && p.x2 >= left && p.x2 <= right && p.y2 >= top && p.y2 <= bottom)
      chosen_[n++] = static_cast<std::uint32_t>(i);
  }
  return n;
}

/// Whether this point surely moves by itself, as fast as somebody who walks slowly.
bool EgoEstimator::moves(const PointResidual& r, double walk) const noexcept {
  return double{r.significance} >= settings_.significance &&
         std::hypot(double{r.rx}, double{r.ry}) >= kSlow * walk;
}

bool EgoEstimator::moves_together(std::size_t n, double walk, RegionMotion& out) noexcept {
  std::size_t movers = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const PointResidual& r = residuals_[chosen_[k]];
    if (!moves(r, walk)) continue;
    scratch_[movers] = double{r.rx};
    scratch2_[movers++] = double{r.ry};
  }
  if (movers < kFewest || static_cast<double>(movers) < kMoversShare * static_cast<double>(n))
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
  if (length < kSlow * walk || spread > 0.7 * length) return false;
  out.rx = static_cast<float>(rx);
  out.ry = static_cast<float>(ry);
  out.sigma = static_cast<float>(std::max(
      1.2 * spread * std::sqrt(1.57 * kTogether / static_cast<double>(movers)), length / 100));
  out.significance = static_cast<float>(length) / out.sigma;
  out.verdict = RegionVerdict::moving;
  return true;
}

EgoEstimator::Outwards EgoEstimator::outwards_of(const Region& box, const Point& middle,
                                                 double seen) const noexcept {
  Outwards out;
  if (motion_.travel == Travel::none) return {0, 0, true};
  const double f = camera_.focal_px;
  const double sign = motion_.travel == Travel::forward ? 1 : -1;
  const double low = least_outwards(middle.y + camera_.center_y);
  out.value = sign * std::clamp(sign * seen, low, std::max(low, prior_.most_outwards));
  // The feet tell the distance, where they are clearly below the horizon.
  const double below = box.y + box.h - motion_.horizon_row;
  const double error = std::sqrt(square(motion_.horizon_sigma_px) + square(kFootError * box.h) +
                                 square(settings_.slope_rad * f));
  if (prior_.way_m <= 0 || below <= 2.5 * error) return out;
  const double road = f * camera_.height_m / below;
  const double left = road - sign * prior_.way_m;
  if (left <= 0.5) return out;
  out.value = sign * prior_.way_m / left;
  out.sigma = std::abs(out.value) * road / left * error / below;
  out.known = true;
  return out;
}

RegionMotion EgoEstimator::region(const Region& seen_box) {
  RegionMotion out;
  const Region box = straight_.straight(seen_box);
  if (motion_.state != EgoState::valid || !(box.w > 0) || !(box.h > 0)) return out;
  const std::size_t n = choose_inside(box);
  out.points = static_cast<int>(n);
  if (n < kFewest) return out;
  const double f = camera_.focal_px;
  const auto count = static_cast<double>(n);

  // How far outwards it has moved, as one thing at one distance.
  Point middle{};
  for (std::size_t k = 0; k < n; ++k) {
    const Point& p = points_[chosen_[k]];
    const Seen seen = see(p, guess_, motion_.travel, prior_.most_outwards);
    scratch_[k] = seen.along / std::max(seen.rho, 0.02 * f);
    middle.x += p.x / count;
    middle.y += p.y / count;
    middle.x2 += p.x2 / count;
    middle.y2 += p.y2 / count;
    middle.sigma += p.sigma / count;
  }
  const Outwards outwards = outwards_of(box, middle, median(scratch_, n));

  // What that leaves of each point: its middle, and its spread along and across.
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
  const Seen seen = see(middle, guess_, motion_.travel, prior_.most_outwards);
  const Vec2 a = seen.along_unit;
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
      spread_across * share + variance_across(middle, seen) - point_noise;
  const double along_variance = spread_along * share + variance_along(middle, seen) - point_noise +
                                square(std::max(seen.rho, 0.02 * f) * outwards.sigma);

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
  // Somebody in front of what stands: a good part of the points moves by itself, and together.
  if (moves_together(n, walk, out)) return out;
  // How fast he may be across the view: what is seen, and two standard deviations of that.
  const double walk_sigma = out.sensitivity > 0 ? walk / double{out.sensitivity} : kBoundless;
  const bool significant = double{out.significance} >= settings_.significance;
  if (significant && length >= kSlow * walk) {
    out.verdict = RegionVerdict::moving;
    return out;
  }
  // What surely moves is not said to stand, but for the swaying that a camera which stands sees of
  // whoever does; nor is a region of which a part moves.
  const bool sways = motion_.travel == Travel::none && length < kSway * walk;
  std::size_t movers = 0;
  for (std::size_t k = 0; k < n; ++k) movers += moves(residuals_[chosen_[k]], walk) ? 1U : 0U;
  const bool at_one = static_cast<double>(movers) <= kStrayShare * count;
  if ((!significant || sways) && at_one && length + kBoundSigmas * walk_sigma < kSlow * walk)
    out.verdict = RegionVerdict::standing;
  return out;
}

}  // namespace kerb::ego
