// SPDX-License-Identifier: Apache-2.0
// The search for the motion that most points agree with.
#include <algorithm>
#include <limits>

#include "firmware/ego/columns.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/ego_tuning.hpp"
#include "firmware/ego/point_fit.hpp"

namespace kerb::ego {
namespace {

constexpr std::size_t kFinalists = 5;  // hypotheses that are refined

/// A pseudo-random sequence (xorshift) that is the same every time.
class Draw {
 public:
  std::uint32_t below(std::size_t n) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return static_cast<std::uint32_t>((std::uint64_t{state_} * n) >> 32);
  }

 private:
  std::uint32_t state_ = 0x9E3779B9u;
};

/// The i-th number of the Halton sequence, which fills 0..1 evenly.
double halton(int i, int base) noexcept {
  double out = 0, part = 1;
  for (; i > 0; i /= base) {
    part /= base;
    out += part * (i % base);
  }
  return out;
}

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace

MotionModel EgoEstimator::model_of(const Guess& g, double max_outward_share) const noexcept {
  return {g.r, g.foe, camera_.focal_px, max_outward_share};
}

EgoEstimator::PointFit EgoEstimator::fit(const Point& p, const Guess& g, Travel travel,
                                         double max_outward_share) const noexcept {
  const MotionModel model = model_of(g, max_outward_share);
  const FitValues values = for_travel(
      travel, [&]<Travel kTravel>() { return fit_point<kTravel>(model, p.x, p.y, p.x2, p.y2); });
  PointFit out;
  out.turned = {values.turned_x, values.turned_y};
  out.u = {values.u_x, values.u_y};
  out.along_unit = {values.unit_x, values.unit_y};
  out.rho = values.rho;
  out.along = values.along;
  out.across = values.across;
  out.excess = values.excess;
  return out;
}

namespace {

double misfit_of(double across, double excess, double sigma, Travel travel) noexcept {
  return travel == Travel::none ? misfit<Travel::none>(across, excess, sigma)
                                : misfit<Travel::forward>(across, excess, sigma);
}

}  // namespace

void EgoEstimator::fill_columns() noexcept {
  stride_ = std::max<std::size_t>(1, used_ / kEgoTuning.ranking_points);
  all_.count = ranking_.count = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = used_points_[i];
    all_.add(p.x, p.y, p.x2, p.y2, p.sigma);
    if (i % stride_ == 0) ranking_.add(p.x, p.y, p.x2, p.y2, p.sigma);
  }
  all_.fill_up();
  ranking_.fill_up();
}

double EgoEstimator::cost_of(const Guess& g, const Prior& prior, Travel travel,
                             double limit) const noexcept {
  double cost = 0;
  const Vector theta = {g.w[0], g.w[1], g.w[2], g.foe.x, g.foe.y};
  for (std::size_t i = 0; i < kUnknowns; ++i)
    cost += prior.weight * square((theta[i] - prior.mean[i]) / prior.sigma[i]) /
            static_cast<double>(stride_);
  const MotionModel model = model_of(g, prior.max_outward_share);
  return for_travel(travel, [&]<Travel kTravel>() {
    Misfits misfits;
    for (std::size_t first = 0; first < ranking_.count; first += Columns::kBlock) {
      fit_block<kTravel>(model, ranking_, first, misfits);
      const std::size_t here = std::min(Columns::kBlock, ranking_.count - first);
      for (std::size_t i = 0; i < here; ++i) {
        cost += std::min(misfits.of[i], kEgoTuning.inlier_chi2);
        if (cost > limit) return std::numeric_limits<double>::infinity();  // cannot win any more
      }
    }
    return cost;
  });
}

void EgoEstimator::accumulate(const Point& p, const Guess& g, const Prior& prior, Travel travel,
                              double scale, Normal<kUnknowns>& normal) const noexcept {
  const PointFit point = fit(p, g, travel, prior.max_outward_share);
  const double chi2 = misfit_of(point.across, point.excess, p.sigma, travel);
  double weight = 1 / (square(p.sigma) * square(1 + chi2 / square(scale)));
  if (travel != Travel::none) {  // near the focus a direction is meaningless
    const double near = square(0.02 * camera_.focal_px);
    weight *= square(point.rho) / (square(point.rho) + near);
  }
  if (weight <= 0) return;
  normal.add(point.row_across(camera_.focal_px, travel), -point.across, weight);
  const bool beyond = travel == Travel::none || std::abs(point.excess) > 2 * p.sigma;
  if (beyond) normal.add(point.row_along(camera_.focal_px), -point.excess, weight);
}

void EgoEstimator::accumulate(const Columns& points, const Guess& g, const Prior& prior,
                              Travel travel, double scale,
                              Normal<kUnknowns>& normal) const noexcept {
  const MotionModel model = model_of(g, prior.max_outward_share);
  Rows rows;
  for (std::size_t first = 0; first < points.count; first += Columns::kBlock) {
    for_travel(travel,
               [&]<Travel kTravel>() { fit_block<kTravel>(model, points, first, scale, rows); });
    const std::size_t here = std::min(Columns::kBlock, points.count - first);
    for (std::size_t i = 0; i < here; ++i) {
      if (rows.weight[i] <= 0) continue;
      normal.add({rows.of_across[0][i], rows.of_across[1][i], rows.of_across[2][i],
                  rows.of_across[3][i], rows.of_across[4][i]},
                 -rows.across[i], rows.weight[i]);
      const bool beyond =
          travel == Travel::none || std::abs(rows.excess[i]) > 2 * points.sigma[first + i];
      if (beyond)
        normal.add({rows.of_along[0][i], rows.of_along[1][i], rows.of_along[2][i], 0, 0},
                   -rows.excess[i], rows.weight[i]);
    }
  }
}

bool EgoEstimator::step(Guess& g, const Prior& prior, Normal<kUnknowns>& normal) const noexcept {
  const Vector theta = {g.w[0], g.w[1], g.w[2], g.foe.x, g.foe.y};
  for (std::size_t i = 0; i < kUnknowns; ++i)
    normal.add_prior(i, prior.mean[i] - theta[i], prior.weight / square(prior.sigma[i]));
  if (!normal.factor()) return false;
  const Vector delta = normal.solve(normal.b);
  for (const double d : delta)
    if (!std::isfinite(d)) return false;
  g.w = vector_of(product(rotation_of({delta[0], delta[1], delta[2]}), g.r));
  for (std::size_t i = 0; i < 3; ++i) g.w[i] = std::clamp(g.w[i], prior.low(i), prior.high(i));
  g.r = rotation_of(g.w);
  g.foe.x = std::clamp(g.foe.x + delta[3], prior.low(3), prior.high(3));
  g.foe.y = std::clamp(g.foe.y + delta[4], prior.low(4), prior.high(4));
  return true;
}

bool EgoEstimator::refine(Guess& g, const Prior& prior, Travel travel, int rounds,
                          const Columns& points, Normal<kUnknowns>* last) const noexcept {
  for (int round = 0; round < rounds; ++round) {
    // From tolerant to strict, so that a hypothesis that is slightly off keeps its points.
    const double left = rounds > 1 ? 1 - static_cast<double>(round) / (rounds - 1) : 0;
    const double scale = 2 + 4 * left * (last == nullptr ? 1 : 0.25);
    Normal<kUnknowns> normal;
    accumulate(points, g, prior, travel, scale, normal);
    if (!step(g, prior, normal)) return false;
    if (last != nullptr) *last = normal;
  }
  return true;
}

EgoEstimator::Guess EgoEstimator::search(const Prior& prior, Travel travel) noexcept {
  std::array<Guess, kFinalists> best;
  for (Guess& g : best) g.cost = std::numeric_limits<double>::infinity();
  const auto enter = [&](Guess g) {
    g.cost = cost_of(g, prior, travel, best.back().cost);
    for (Guess& place : best)
      if (g.cost < place.cost) std::swap(g, place);
  };
  Guess expected;
  expected.w = {prior.mean[0], prior.mean[1], prior.mean[2]};
  expected.r = rotation_of(expected.w);
  expected.foe = {prior.mean[3], prior.mean[4]};
  enter(expected);

  Draw draw;
  const int sample = travel == Travel::none ? 2 : 3;  // points that determine a rotation
  for (int h = 0; h < settings_.hypotheses; ++h) {
    Guess g = expected;
    Prior here = prior;
    if (travel != Travel::none && h % 2 == 1) {  // another focus within two standard deviations
      for (std::size_t i = 3; i < 5; ++i) {
        const double share = 2 * halton(h / 2 + 1, i == 3 ? 2 : 3) - 1;
        here.mean[i] += 2 * share * prior.sigma[i];
      }
      g.foe = {here.mean[3], here.mean[4]};
    }
    here.sigma[3] = here.sigma[4] = 1e-3;  // keeps the focus fixed
    std::array<std::uint32_t, 3> chosen{};
    for (int k = 0; k < sample; ++k) chosen[at(k)] = draw.below(used_);
    bool good = true;
    for (int round = 0; round < 2 && good; ++round) {
      Normal<kUnknowns> normal;
      for (int k = 0; k < sample; ++k)
        accumulate(used_points_[chosen[at(k)]], g, here, travel, 1e6, normal);
      good = step(g, here, normal);
    }
    if (good) enter(g);
  }
  Guess winner = best[0];
  winner.cost = std::numeric_limits<double>::infinity();
  for (Guess& g : best) {
    if (!std::isfinite(g.cost)) continue;
    if (!refine(g, prior, travel, 5, ranking_, nullptr)) continue;
    g.cost = cost_of(g, prior, travel, winner.cost);
    if (g.cost < winner.cost) winner = g;
  }
  return winner;
}

bool EgoEstimator::explains(const Point& p, const Guess& g, const Prior& prior,
                            Travel travel) const noexcept {
  const PointFit point = fit(p, g, travel, prior.max_outward_share);
  return misfit_of(point.across, point.excess, p.sigma, travel) <= kEgoTuning.inlier_chi2;
}

double EgoEstimator::inlier_share(const Guess& g, const Prior& prior,
                                  Travel travel) const noexcept {
  const MotionModel model = model_of(g, prior.max_outward_share);
  std::size_t inliers = 0;
  for_travel(travel, [&]<Travel kTravel>() {
    Misfits misfits;
    for (std::size_t first = 0; first < all_.count; first += Columns::kBlock) {
      fit_block<kTravel>(model, all_, first, misfits);
      const std::size_t here = std::min(Columns::kBlock, all_.count - first);
      for (std::size_t i = 0; i < here; ++i)
        inliers += misfits.of[i] <= kEgoTuning.inlier_chi2 ? 1 : 0;
    }
  });
  return used_ == 0 ? 0 : static_cast<double>(inliers) / static_cast<double>(used_);
}

Travel EgoEstimator::decide_travel(const Prior& prior, Guess& best) noexcept {
  // Travelling explains whatever turning alone explains, and by chance some moving objects. So it
  // must explain clearly more; the margin grows with the share that stands still, and is larger
  // after a standstill.
  best = search(prior, Travel::none);
  const double still = inlier_share(best, prior, Travel::none);
  const double most = still + (travelled_ ? std::max(0.05, 0.35 * (still - 0.5))
                                          : std::max(0.12, 0.5 * (still - 0.5)));
  if (most >= 1) return Travel::none;
  const Guess ahead = search(prior, Travel::forward);
  const double forward = inlier_share(ahead, prior, Travel::forward);
  if (forward > most) best = ahead;
  if (forward > std::max(most, kEgoTuning.certainly_forward_share)) return Travel::forward;
  const Guess back = search(prior, Travel::backward);  // rare, so tried last
  const double backward = inlier_share(back, prior, Travel::backward);
  if (backward <= std::max(most, forward + 0.05))
    return forward > most ? Travel::forward : Travel::none;
  best = back;
  return Travel::backward;
}

double EgoEstimator::measure_noise(const Guess& g, const Prior& prior, Travel travel) noexcept {
  std::size_t n = 0;
  double sigma_sum = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = used_points_[i];
    const PointFit point = fit(p, g, travel, prior.max_outward_share);
    if (misfit_of(point.across, point.excess, p.sigma, travel) > kEgoTuning.inlier_chi2) continue;
    scratch_[n++] = std::abs(point.across) / p.sigma;
    sigma_sum += p.sigma;
  }
  if (n == 0) return 0;
  const auto middle = scratch_.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(scratch_.begin(), middle, scratch_.begin() + static_cast<std::ptrdiff_t>(n));
  noise_ = std::clamp(1.4826 * *middle, 0.3, 3.0);
  return noise_ * sigma_sum / static_cast<double>(n);
}

}  // namespace kerb::ego
