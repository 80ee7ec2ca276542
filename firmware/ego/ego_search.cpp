// SPDX-License-Identifier: Apache-2.0
// The search for the motion that most points agree with.
#include <algorithm>
#include <limits>

#include "firmware/ego/columns.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/seen.hpp"

namespace kerb::ego {
namespace {

constexpr double kInlier = 9;         // three standard deviations, squared
constexpr std::size_t kScored = 256;  // points that rank a guess; all of them refine it
constexpr std::size_t kFinalists = 5;
constexpr double kCertainlyForward = 0.85;  // share of the points

/// Numbers that look drawn and are the same every time.
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

/// The i-th of numbers that fill 0..1 evenly.
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

View EgoEstimator::view_of(const Guess& g, double most) const noexcept {
  return {g.r, g.foe, camera_.focal_px, most};
}

EgoEstimator::Seen EgoEstimator::see(const Point& p, const Guess& g, Travel travel,
                                     double most) const noexcept {
  const View view = view_of(g, most);
  const Look look = for_travel(
      travel, [&]<Travel kTravel>() { return look_at<kTravel>(view, p.x, p.y, p.x2, p.y2); });
  Seen seen;
  seen.turned = {look.turned_x, look.turned_y};
  seen.u = {look.u_x, look.u_y};
  seen.along_unit = {look.unit_x, look.unit_y};
  seen.rho = look.rho;
  seen.along = look.along;
  seen.across = look.across;
  seen.excess = look.excess;
  return seen;
}

namespace {

double misfit_of(double across, double excess, double sigma, Travel travel) noexcept {
  return travel == Travel::none ? misfit<Travel::none>(across, excess, sigma)
                                : misfit<Travel::forward>(across, excess, sigma);
}

}  // namespace

void EgoEstimator::fill_columns() noexcept {
  stride_ = std::max<std::size_t>(1, used_ / kScored);
  all_.count = some_.count = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = asked_[i];
    all_.add(p.x, p.y, p.x2, p.y2, p.sigma);
    if (i % stride_ == 0) some_.add(p.x, p.y, p.x2, p.y2, p.sigma);
  }
  all_.fill_up();
  some_.fill_up();
}

double EgoEstimator::cost_of(const Guess& g, const Prior& prior, Travel travel,
                             double limit) const noexcept {
  double cost = 0;
  const Vector theta = {g.w[0], g.w[1], g.w[2], g.foe.x, g.foe.y};
  for (std::size_t i = 0; i < kUnknowns; ++i)
    cost += prior.weight * square((theta[i] - prior.mean[i]) / prior.sigma[i]) /
            static_cast<double>(stride_);
  const View view = view_of(g, prior.most_outwards);
  return for_travel(travel, [&]<Travel kTravel>() {
    Misfits misfits;
    for (std::size_t first = 0; first < some_.count; first += Columns::kBlock) {
      look_at<kTravel>(view, some_, first, misfits);
      const std::size_t here = std::min(Columns::kBlock, some_.count - first);
      for (std::size_t i = 0; i < here; ++i) {
        cost += std::min(misfits.of[i], kInlier);
        if (cost > limit) return std::numeric_limits<double>::infinity();  // no use looking further
      }
    }
    return cost;
  });
}

void EgoEstimator::accumulate(const Point& p, const Guess& g, const Prior& prior, Travel travel,
                              double scale, Normal<kUnknowns>& normal) const noexcept {
  const Seen seen = see(p, g, travel, prior.most_outwards);
  const double chi2 = misfit_of(seen.across, seen.excess, p.sigma, travel);
  double weight = 1 / (square(p.sigma) * square(1 + chi2 / square(scale)));
  if (travel != Travel::none) {  // near the focus a direction says nothing
    const double near = square(0.02 * camera_.focal_px);
    weight *= square(seen.rho) / (square(seen.rho) + near);
  }
  if (weight <= 0) return;
  normal.add(seen.row_across(camera_.focal_px, travel), -seen.across, weight);
  const bool beyond = travel == Travel::none || std::abs(seen.excess) > 2 * p.sigma;
  if (beyond) normal.add(seen.row_along(camera_.focal_px), -seen.excess, weight);
}

void EgoEstimator::accumulate(const Columns& points, const Guess& g, const Prior& prior,
                              Travel travel, double scale,
                              Normal<kUnknowns>& normal) const noexcept {
  const View view = view_of(g, prior.most_outwards);
  Rows rows;
  for (std::size_t first = 0; first < points.count; first += Columns::kBlock) {
    for_travel(travel,
               [&]<Travel kTravel>() { look_at<kTravel>(view, points, first, scale, rows); });
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
    // From forgiving to strict, so that a guess that is a little off keeps its points.
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
  const int sample = travel == Travel::none ? 2 : 3;  // as many as tell a rotation, the focus given
  for (int h = 0; h < settings_.hypotheses; ++h) {
    Guess g = expected;
    Prior here = prior;
    if (travel != Travel::none && h % 2 == 1) {  // somewhere else within two standard deviations
      for (std::size_t i = 3; i < 5; ++i) {
        const double share = 2 * halton(h / 2 + 1, i == 3 ? 2 : 3) - 1;
        here.mean[i] += 2 * share * prior.sigma[i];
      }
      g.foe = {here.mean[3], here.mean[4]};
    }
    here.sigma[3] = here.sigma[4] = 1e-3;  // the focus stays
    std::array<std::uint32_t, 3> chosen{};
    for (int k = 0; k < sample; ++k) chosen[at(k)] = draw.below(used_);
    bool good = true;
    for (int round = 0; round < 2 && good; ++round) {
      Normal<kUnknowns> normal;
      for (int k = 0; k < sample; ++k)
        accumulate(asked_[chosen[at(k)]], g, here, travel, 1e6, normal);
      good = step(g, here, normal);
    }
    if (good) enter(g);
  }
  Guess winner = best[0];
  winner.cost = std::numeric_limits<double>::infinity();
  for (Guess& g : best) {
    if (!std::isfinite(g.cost)) continue;
    if (!refine(g, prior, travel, 5, some_, nullptr)) continue;
    g.cost = cost_of(g, prior, travel, winner.cost);
    if (g.cost < winner.cost) winner = g;
  }
  return winner;
}

bool EgoEstimator::explains(const Point& p, const Guess& g, const Prior& prior,
                            Travel travel) const noexcept {
  const Seen seen = see(p, g, travel, prior.most_outwards);
  return misfit_of(seen.across, seen.excess, p.sigma, travel) <= kInlier;
}

double EgoEstimator::inlier_share(const Guess& g, const Prior& prior,
                                  Travel travel) const noexcept {
  const View view = view_of(g, prior.most_outwards);
  std::size_t inliers = 0;
  for_travel(travel, [&]<Travel kTravel>() {
    Misfits misfits;
    for (std::size_t first = 0; first < all_.count; first += Columns::kBlock) {
      look_at<kTravel>(view, all_, first, misfits);
      const std::size_t here = std::min(Columns::kBlock, all_.count - first);
      for (std::size_t i = 0; i < here; ++i) inliers += misfits.of[i] <= kInlier ? 1 : 0;
    }
  });
  return used_ == 0 ? 0 : static_cast<double>(inliers) / static_cast<double>(used_);
}

Travel EgoEstimator::decide_travel(const Prior& prior, Guess& best) noexcept {
  // Travelling explains whatever turning alone explains, and some of those who move, by chance: it
  // must explain clearly more, the more clearly the more stands still, and more so after standing.
  best = search(prior, Travel::none);
  const double still = inlier_share(best, prior, Travel::none);
  const double most = still + (travelled_ ? std::max(0.05, 0.35 * (still - 0.5))
                                          : std::max(0.12, 0.5 * (still - 0.5)));
  if (most >= 1) return Travel::none;
  const Guess ahead = search(prior, Travel::forward);
  const double forward = inlier_share(ahead, prior, Travel::forward);
  if (forward > most) best = ahead;
  if (forward > std::max(most, kCertainlyForward)) return Travel::forward;
  const Guess back = search(prior, Travel::backward);  // rare, and so looked for last
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
    const Point& p = asked_[i];
    const Seen seen = see(p, g, travel, prior.most_outwards);
    if (misfit_of(seen.across, seen.excess, p.sigma, travel) > kInlier) continue;
    scratch_[n++] = std::abs(seen.across) / p.sigma;
    sigma_sum += p.sigma;
  }
  if (n == 0) return 0;
  const auto middle = scratch_.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(scratch_.begin(), middle, scratch_.begin() + static_cast<std::ptrdiff_t>(n));
  noise_ = std::clamp(1.4826 * *middle, 0.3, 3.0);
  return noise_ * sigma_sum / static_cast<double>(n);
}

}  // namespace kerb::ego
