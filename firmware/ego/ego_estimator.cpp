// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/ego_estimator.hpp"

#include <algorithm>
#include <limits>

#include "firmware/ego/seen.hpp"

namespace kerb::ego {
namespace {

constexpr double kDegree = 0.017453292519943295;

// What a car's body and its bus do, by rates, so that they hold at any frame rate.
constexpr double kPitchRate = 0.3, kRollRate = 0.25;       // rad/s, standard deviations
constexpr double kYawRateUnknown = 0.8;                    // rad/s, where the car does not tell it
constexpr double kYawRateError = 0.006, kYawShare = 0.01;  // of what it tells: rad/s, share
constexpr double kLeastTurn = 3e-4;                        // rad: a bus signal is not that exact
constexpr double kLimitSigmas = 3;  // a guess farther off than this is not looked at

constexpr double kInlier = 9;         // three standard deviations, squared
constexpr std::size_t kScored = 256;  // points that rank a guess; all of them refine it
constexpr std::size_t kFinalists = 5;
constexpr double kCertainlyForward = 0.85;  // share of the points
constexpr double kMostWithoutSpeed = 0.35;  // of Z: nobody drives faster past what stands
// Where the focus of expansion is when driving straight is the mounting's: learned slowly, as one
// frame may be deceived by who walks through it. Around that it moves with body and road.
constexpr double kFoeDeceived = 1.5 * kDegree, kFoeDrift = 0.05 * kDegree;
constexpr double kFoeSway = 0.3 * kDegree, kFoeNod = 0.8 * kDegree;
constexpr double kBendUnknown = 2 * kDegree;     // where nobody tells whether it is one
constexpr double kBendShare = 0.1;               // of its shift in a bend: tyres slip
constexpr double kHorizonDrift = 0.5 * kDegree;  // in the square root of a second
constexpr double kHeave = 0.3 * kDegree;         // of the direction of travel against the road
constexpr double kHorizonReturn = 8;             // seconds, towards where the mounting puts it
// Points come in things: so many of them err or deceive together as one. What is known beforehand
// is weighed against things, not points.
constexpr double kIndependent = 40;
// Motion vectors of neighbours share pixels, so they err together: they count for half.
constexpr double kTogether = 2;

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

double square(double x) noexcept { return x * x; }
std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace

const char* name_of(EgoState state) noexcept {
  constexpr const char* kNames[] = {"valid", "off", "no_previous", "too_few_points",
                                    "no_consensus"};
  return kNames[static_cast<int>(state)];
}

const char* name_of(Travel travel) noexcept {
  constexpr const char* kNames[] = {"none", "forward", "backward"};
  return kNames[static_cast<int>(travel)];
}

const char* name_of(RegionVerdict verdict) noexcept {
  constexpr const char* kNames[] = {"unknown", "standing", "moving"};
  return kNames[static_cast<int>(verdict)];
}

EgoEstimator::EgoEstimator(const Camera& camera, const EgoSettings& settings)
    : camera_{camera},
      settings_{settings},
      points_(MotionField::kCapacity),
      asked_(MotionField::kCapacity),
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
  travelled_ = false;
  foe_offset_ = {};
  const double aim_sigma = camera_.focal_px * settings_.aim_tolerance_rad / 2;
  foe_variance_ = {square(aim_sigma), square(aim_sigma)};
  horizon_ = aim(camera_).y;
  horizon_variance_ = square(std::min(aim_sigma, 1.5 * kDegree * camera_.focal_px));
  motion_.horizon_row = horizon_;
  motion_.horizon_sigma_px = std::sqrt(horizon_variance_);
  motion_.pitch_rad = camera_.pitch_rad;
}

void EgoEstimator::take_points(const MotionField& field, std::span<const Region> suspects) {
  count_ = used_ = 0;
  for (int i = 0; i < field.count && i < MotionField::kCapacity; ++i) {
    const FlowVector& v = field.items[i];
    Point& p = points_[count_];
    p.x = double{v.x} - camera_.center_x;
    p.y = double{v.y} - camera_.center_y;
    p.x2 = p.x + double{v.dx};
    p.y2 = p.y + double{v.dy};
    const double length2 = square(double{v.dx}) + square(double{v.dy});
    const double quality = std::clamp(double{v.quality}, 0.01, 1.0);
    p.sigma =
        std::sqrt(square(settings_.noise_px) / quality + square(settings_.noise_share) * length2);
    if (!std::isfinite(p.sigma) || !std::isfinite(p.x2) || !std::isfinite(p.y2)) p.sigma = 0;
    const double x = p.x2 + camera_.center_x, y = p.y2 + camera_.center_y;
    const bool suspect = std::ranges::any_of(suspects, [&](const Region& box) {
      return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
    });
    if (p.sigma > 0 && !suspect) asked_[used_++] = p;
    ++count_;
  }
}

EgoEstimator::Prior EgoEstimator::prior_of(const VehicleMotion& vehicle, double dt) const noexcept {
  Prior prior;
  const double f = camera_.focal_px;
  prior.sigma[0] = std::max(kPitchRate * dt, kLeastTurn);
  prior.sigma[1] = std::max(kYawRateUnknown * dt, kLeastTurn);
  prior.sigma[2] = std::max(kRollRate * dt, kLeastTurn);
  if (vehicle.yaw_rate_radps) {
    const double turn = *vehicle.yaw_rate_radps * dt;
    prior.mean[1] = -turn;  // to the left is against the camera's y
    prior.sigma[1] = std::max(kYawRateError * dt + kYawShare * std::abs(turn), kLeastTurn);
  }
  const Vec2 straight = aim(camera_);
  prior.foe_center = {straight.x - camera_.center_x, straight.y - camera_.center_y};
  if (vehicle.speed_mps && vehicle.yaw_rate_radps &&
      std::abs(*vehicle.speed_mps) > settings_.stands_below_mps) {
    // In a bend the camera, ahead of the rear axle, moves sideways too; and half of the turn goes
    // by before the way between two frames is half done.
    const double bend = *vehicle.yaw_rate_radps * (camera_.ahead_m / *vehicle.speed_mps + dt / 2);
    prior.bend_shift = f * std::tan(std::clamp(bend, -0.6, 0.6));
    prior.foe_center.x -= prior.bend_shift;
  }
  prior.mean[3] = prior.foe_center.x + foe_offset_.x;
  prior.mean[4] = prior.foe_center.y + foe_offset_.y;
  prior.sigma[3] =
      std::sqrt(foe_variance_.x + square(kFoeSway * f) + square(kBendShare * prior.bend_shift));
  prior.sigma[4] = std::sqrt(foe_variance_.y + square(kFoeNod * f));
  if (!vehicle.yaw_rate_radps) prior.sigma[3] = std::hypot(prior.sigma[3], kBendUnknown * f);
  for (std::size_t i = 0; i < kUnknowns; ++i) prior.limit[i] = kLimitSigmas * prior.sigma[i];
  prior.most_outwards = kMostWithoutSpeed;
  if (vehicle.speed_mps) {
    prior.way_m = std::abs(*vehicle.speed_mps) * dt;
    prior.most_outwards =
        *vehicle.speed_mps < 0
            ? prior.way_m / (settings_.nearest_m + prior.way_m)
            : std::min(1.0, prior.way_m / std::max(settings_.nearest_m - prior.way_m, 1e-3));
  }
  return prior;
}

EgoEstimator::Seen EgoEstimator::see(const Point& p, const Guess& g, Travel travel,
                                     double most) const noexcept {
  Seen seen;
  seen.turned = turned_back(g.r, camera_.focal_px, {p.x2, p.y2});
  seen.u = {seen.turned.x - p.x, seen.turned.y - p.y};
  seen.along_unit = {1, 0};
  if (travel != Travel::none) {
    const Vec2 from = {p.x - g.foe.x, p.y - g.foe.y};
    seen.rho = std::sqrt(from.x * from.x + from.y * from.y);
    if (seen.rho > 1e-9) seen.along_unit = {from.x / seen.rho, from.y / seen.rho};
  }
  seen.along = seen.u.x * seen.along_unit.x + seen.u.y * seen.along_unit.y;
  seen.across = seen.u.y * seen.along_unit.x - seen.u.x * seen.along_unit.y;
  const double reach = seen.rho * most;
  const double low = travel == Travel::backward ? -reach : 0;
  const double high = travel == Travel::forward ? reach : 0;
  seen.excess = seen.along - std::clamp(seen.along, low, high);
  return seen;
}

namespace {

/// In variances. Beyond its limits by noise alone half of all far points are a little: that is
/// free, or it would pull on the rotation.
double misfit(double across, double excess, double sigma, Travel travel) noexcept {
  const double slack = travel == Travel::none ? 0 : 2 * sigma;
  const double beyond = std::max(std::abs(excess) - slack, 0.0);
  return (across * across + beyond * beyond) / (sigma * sigma);
}

}  // namespace

double EgoEstimator::cost_of(const Guess& g, const Prior& prior, Travel travel, std::size_t stride,
                             double limit) const noexcept {
  double cost = 0;
  const Vector theta = {g.w[0], g.w[1], g.w[2], g.foe.x, g.foe.y};
  for (std::size_t i = 0; i < kUnknowns; ++i)
    cost += prior.weight * square((theta[i] - prior.mean[i]) / prior.sigma[i]) /
            static_cast<double>(stride);
  for (std::size_t i = 0; i < used_; i += stride) {
    const Point& p = asked_[i];
    const Seen seen = see(p, g, travel, prior.most_outwards);
    cost += std::min(misfit(seen.across, seen.excess, p.sigma, travel), kInlier);
    if (cost > limit) return std::numeric_limits<double>::infinity();  // no use looking further
  }
  return cost;
}

void EgoEstimator::accumulate(const Point& p, const Guess& g, const Prior& prior, Travel travel,
                              double scale, Normal<kUnknowns>& normal) const noexcept {
  const Seen seen = see(p, g, travel, prior.most_outwards);
  const double chi2 = misfit(seen.across, seen.excess, p.sigma, travel);
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
                          std::size_t stride, Normal<kUnknowns>* last) const noexcept {
  for (int round = 0; round < rounds; ++round) {
    // From forgiving to strict, so that a guess that is a little off keeps its points.
    const double left = rounds > 1 ? 1 - static_cast<double>(round) / (rounds - 1) : 0;
    const double scale = 2 + 4 * left * (last == nullptr ? 1 : 0.25);
    Normal<kUnknowns> normal;
    for (std::size_t i = 0; i < used_; i += stride)
      accumulate(asked_[i], g, prior, travel, scale, normal);
    if (!step(g, prior, normal)) return false;
    if (last != nullptr) *last = normal;
  }
  return true;
}

EgoEstimator::Guess EgoEstimator::search(const Prior& prior, Travel travel) noexcept {
  const std::size_t stride = std::max<std::size_t>(1, used_ / kScored);
  std::array<Guess, kFinalists> best;
  for (Guess& g : best) g.cost = std::numeric_limits<double>::infinity();
  const auto enter = [&](Guess g) {
    g.cost = cost_of(g, prior, travel, stride, best.back().cost);
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
    if (!refine(g, prior, travel, 5, stride, nullptr)) continue;
    g.cost = cost_of(g, prior, travel, stride, winner.cost);
    if (g.cost < winner.cost) winner = g;
  }
  return winner;
}

double EgoEstimator::inlier_share(const Guess& g, const Prior& prior,
                                  Travel travel) const noexcept {
  std::size_t inliers = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Point& p = asked_[i];
    const Seen seen = see(p, g, travel, prior.most_outwards);
    if (misfit(seen.across, seen.excess, p.sigma, travel) <= kInlier) ++inliers;
  }
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
    if (misfit(seen.across, seen.excess, p.sigma, travel) > kInlier) continue;
    scratch_[n++] = std::abs(seen.across) / p.sigma;
    sigma_sum += p.sigma;
  }
  if (n == 0) return 0;
  const auto middle = scratch_.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(scratch_.begin(), middle, scratch_.begin() + static_cast<std::ptrdiff_t>(n));
  noise_ = std::clamp(1.4826 * *middle, 0.3, 3.0);
  return noise_ * sigma_sum / static_cast<double>(n);
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
    follow_horizon(nullptr, Travel::none, std::max(dt, 0.0));
    return motion_;
  };
  if (!field.has_previous || !(dt > 0)) return give_up(EgoState::no_previous);
  if (motion_.points < settings_.min_points) return give_up(EgoState::too_few_points);

  prior_ = prior_of(vehicle, dt);
  prior_.weight = std::max(1.0, static_cast<double>(used_) / kIndependent);
  Travel travel = Travel::none;
  if (!vehicle.speed_mps) {
    motion_.travel_from_flow = true;
    travel = decide_travel(prior_, guess_);
  } else {
    if (std::abs(*vehicle.speed_mps) >= settings_.stands_below_mps)
      travel = *vehicle.speed_mps > 0 ? Travel::forward : Travel::backward;
    guess_ = search(prior_, travel);
  }
  if (!std::isfinite(guess_.cost) || !refine(guess_, prior_, travel, 6, 1, &factor_))
    return give_up(EgoState::no_consensus);
  motion_.inlier_share = inlier_share(guess_, prior_, travel);
  motion_.noise_px = measure_noise(guess_, prior_, travel);
  if (motion_.inlier_share < settings_.min_inlier_share) return give_up(EgoState::no_consensus);

  motion_.state = EgoState::valid;
  motion_.travel = travel;
  travelled_ = travel != Travel::none;
  motion_.pitch_rate_radps = guess_.w[0] / dt;
  motion_.yaw_rate_radps = -guess_.w[1] / dt;
  motion_.roll_rate_radps = guess_.w[2] / dt;
  motion_.foe_x = guess_.foe.x + camera_.center_x;
  motion_.foe_y = guess_.foe.y + camera_.center_y;

  const double inflate = kTogether * square(noise_);
  Vec2 measured;  // variance of the focus
  measured.x = inflate * factor_.solve({0, 0, 0, 1, 0})[3];
  measured.y = inflate * factor_.solve({0, 0, 0, 0, 1})[4];
  if (travelled_) {
    motion_.foe_sigma_px = std::sqrt(std::max(measured.x, measured.y));
    motion_.foe_measured =
        std::sqrt(measured.x) < prior_.sigma[3] / 2 && std::sqrt(measured.y) < prior_.sigma[4] / 2;
    const auto learn = [&](double seen, double seen_variance, double& offset, double& variance) {
      const double f = camera_.focal_px;
      variance =
          std::min(variance + square(kFoeDrift * f), square(f * settings_.aim_tolerance_rad / 2));
      const double gain = variance / (variance + seen_variance + square(kFoeDeceived * f));
      offset += gain * (seen - offset);
      variance *= 1 - gain;
    };
    const double in_bend = square(prior_.bend_shift);  // there its tyres decide, not the mounting
    learn(guess_.foe.x - prior_.foe_center.x, measured.x + in_bend, foe_offset_.x, foe_variance_.x);
    learn(guess_.foe.y - prior_.foe_center.y, measured.y, foe_offset_.y, foe_variance_.y);
  } else {
    motion_.foe_sigma_px = std::sqrt(std::max(foe_variance_.x, foe_variance_.y));
  }
  follow_horizon(&guess_, travel, dt);
  fill_residuals(prior_);
  return motion_;
}

void EgoEstimator::follow_horizon(const Guess* g, Travel travel, double dt) noexcept {
  const double f = camera_.focal_px;
  const double most = square(1.5 * kDegree * f);
  horizon_variance_ += square(kHorizonDrift * f) * dt;
  if (g != nullptr) {
    horizon_ += f * g->w[0];  // nose up: it sinks in the picture
    horizon_variance_ += square(f) * kTogether * square(noise_) * factor_.solve({1, 0, 0, 0, 0})[0];
  } else {
    horizon_variance_ += square(kPitchRate * dt * f);
  }
  horizon_ += (aim(camera_).y - horizon_) * std::min(1.0, dt / kHorizonReturn);
  horizon_variance_ = std::min(horizon_variance_, most);
  if (g != nullptr && travel != Travel::none) {
    // A car moves along the road: the focus of expansion lies on the horizon, heaving aside.
    const double variance =
        kTogether * square(noise_) * factor_.solve({0, 0, 0, 0, 1})[4] + square(kHeave * f);
    const double gain = horizon_variance_ / (horizon_variance_ + variance);
    horizon_ += gain * (g->foe.y + camera_.center_y - horizon_);
    horizon_variance_ *= 1 - gain;
  }
  motion_.horizon_row = horizon_;
  motion_.horizon_sigma_px = std::sqrt(horizon_variance_);
  motion_.pitch_rad = std::atan((horizon_ - camera_.center_y) / f);
}

}  // namespace kerb::ego
