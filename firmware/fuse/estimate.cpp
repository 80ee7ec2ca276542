// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/exact/exact_math.hpp"

namespace kerb::fuse {
namespace {

/// Fixed settings of the fusion of two estimates; tests/unit/firmware/fuse shows what a change
/// does. Those of the prediction are the tracker's (FilterSettings).
struct EstimateTuning {
  double wander = 0.5;          ///< growth of the velocity's variance, m^2/s^3
  double wander_unknown = 4.5;  ///< likewise along the road, where the car's speed is not known
  double speed_time_s = 2;      ///< a velocity decays with this time constant
  double sway = 0.01;           ///< growth of the place's variance while they stand, m^2/s
  double speed_share = 0.01;    ///< error of the car's speed
  double yaw_rate_sigma_radps = 0.005, yaw_rate_unknown_radps = 0.1;

  // Between two cameras, beside what each says: errors of their mounting and of the middle of a
  // body in either picture.
  double apart_m = 0.25;            ///< at any distance
  double apart_range = 0.06;        ///< along the line of sight, a share of the distance
  double apart_bearing_rad = 0.01;  ///< across it
  double apart_mps = 0.3;
  // Of two different people.
  double density_per_m2 = 0.01;  ///< people on a road
  double speed_sigma_mps = 1;    ///< of each, along each axis
  double gate = 30;              ///< squared standard deviations: farther apart is not one person

  double least_variance = 1e-4;  ///< nothing is known better, m^2 and m^2/s^2
  int weight_steps = 14;         ///< of the search for the weight of an intersection
  /// Squared distance that chance exceeds once in twenty times, by the number of dimensions.
  double chance_2 = 5.99, chance_4 = 9.49;

  double prior_log_odds = -1;  ///< of a person, before any detection: the tracker's
  double independent = 0.5;    ///< share of a second camera's evidence that is its own
  double most_log_odds = 6;    ///< upper limit of certainty and of walking
  double confirm_log_odds = 2.2;
  double min_share = 0.005;  ///< a hypothesis less likely is not used: as in the contact judge
};
constexpr EstimateTuning kEstimateTuning{};

double squared(double x) noexcept { return x * x; }

/// Lower triangular factor of a symmetric matrix. False: it is not positive definite.
template <std::size_t N>
bool factor(const std::array<double, N * N>& of, std::array<double, N * N>& l) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = of[N * i + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[N * i + k] * l[N * j + k];
      if (i != j) {
        l[N * i + j] = sum / l[N * j + j];
      } else {
        if (!(sum > 1e-12) || !(sum < 1e12)) return false;
        l[N * i + i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

template <std::size_t N>
double log_determinant(const std::array<double, N * N>& l) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += exact::log(l[N * i + i]);
  return 2 * sum;
}

/// Squared length of L^-1 v.
template <std::size_t N>
double distance(const std::array<double, N * N>& l, std::array<double, N> v) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t k = 0; k < i; ++k) v[i] -= l[N * i + k] * v[k];
    v[i] /= l[N * i + i];
    sum += v[i] * v[i];
  }
  return sum;
}

/// Inverse of the matrix with this factor.
template <std::size_t N>
std::array<double, N * N> inverse(const std::array<double, N * N>& l) noexcept {
  std::array<double, N * N> out{};
  for (std::size_t c = 0; c < N; ++c) {
    std::array<double, N> v{};
    v[c] = 1;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t k = 0; k < i; ++k) v[i] -= l[N * i + k] * v[k];
      v[i] /= l[N * i + i];
    }
    for (std::size_t i = N; i-- > 0;) {
      for (std::size_t k = i + 1; k < N; ++k) v[i] -= l[N * k + i] * v[k];
      v[i] /= l[N * i + i];
    }
    for (std::size_t i = 0; i < N; ++i) out[N * i + c] = v[i];
  }
  return out;
}

template <std::size_t N>
bool proper(const Normal<N>& of) noexcept {
  double sum = 0;
  for (const double x : of.mean) sum += std::abs(x);
  if (!(sum < 1e6)) return false;
  std::array<double, N * N> l{};
  return factor<N>(of.covariance, l);
}

template <std::size_t N>
double intersection(const Normal<N>& a, const Normal<N>& b, Normal<N>& out) noexcept {
  std::array<double, N * N> l{};
  if (!factor<N>(a.covariance, l)) {
    out = b;
    return 0;
  }
  const auto info_a = inverse<N>(l);
  if (!factor<N>(b.covariance, l)) {
    out = a;
    return 1;
  }
  const auto info_b = inverse<N>(l);
  const auto mixed = [&](double w) noexcept {
    std::array<double, N * N> m{};
    for (std::size_t i = 0; i < N * N; ++i) m[i] = w * info_a[i] + (1 - w) * info_b[i];
    return m;
  };
  // The information's determinant is log-concave in the weight: golden section search.
  const auto information = [&](double w) noexcept {
    if (!factor<N>(mixed(w), l)) return -1.0;
    double root = 1;
    for (std::size_t i = 0; i < N; ++i) root *= l[N * i + i];
    return root;
  };
  constexpr double kGolden = 0.6180339887498949;
  double from = 0, to = 1, low = 1 - kGolden, high = kGolden;
  double at_low = information(low), at_high = information(high);
  for (int i = 0; i < kEstimateTuning.weight_steps; ++i) {
    if (at_low < at_high) {
      from = low;
      low = high;
      at_low = at_high;
      high = from + kGolden * (to - from);
      at_high = information(high);
    } else {
      to = high;
      high = low;
      at_high = at_low;
      low = to - kGolden * (to - from);
      at_low = information(low);
    }
  }
  double w = (from + to) / 2, best = information(w);
  const double at_0 = information(0), at_1 = information(1);
  if (at_0 > best) {
    w = 0;
    best = at_0;
  }
  if (at_1 > best) {
    w = 1;
    best = at_1;
  }
  // Of weights that are as good, the one that hears both.
  if (information(0.5) > best * (1 - 1e-6)) w = 0.5;
  if (w == 0 || w == 1 || !factor<N>(mixed(w), l)) {
    out = w >= 0.5 ? a : b;
    return w >= 0.5 ? 1 : 0;
  }
  out.covariance = inverse<N>(l);
  std::array<double, N> sum{}, apart{};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t k = 0; k < N; ++k)
      sum[i] += w * info_a[N * i + k] * a.mean[k] + (1 - w) * info_b[N * i + k] * b.mean[k];
    apart[i] = a.mean[i] - b.mean[i];
  }
  for (std::size_t i = 0; i < N; ++i) {
    out.mean[i] = 0;
    for (std::size_t k = 0; k < N; ++k) out.mean[i] += out.covariance[N * i + k] * sum[k];
  }
  std::array<double, N * N> both{};
  for (std::size_t i = 0; i < N * N; ++i) both[i] = a.covariance[i] + b.covariance[i];
  if (factor<N>(both, l)) {
    const double far = distance<N>(l, apart);
    const double chance = N == 4 ? kEstimateTuning.chance_4 : kEstimateTuning.chance_2;
    if (far > chance)
      for (std::size_t i = 0; i < N; ++i)
        for (std::size_t k = 0; k < N; ++k)
          out.covariance[N * i + k] += (1 - chance / far) * w * (1 - w) * apart[i] * apart[k];
  }
  return w;
}

/// The car's displacement and turn.
struct Step {
  double x = 0, y = 0, c = 1, s = 0;
};
Step step_of(const Way& way) noexcept {
  Step step;
  const double turn = way.yaw_rate_radps * way.seconds, length = way.speed_mps * way.seconds;
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

/// Errors of the car's motion move and turn everything around it.
template <std::size_t N>
void add_way(Normal<N>& person, const Way& way) noexcept {
  const double dt = way.seconds, x = person.mean[0], y = person.mean[1];
  const double turn = squared(dt * (way.yaw_rate_known ? kEstimateTuning.yaw_rate_sigma_radps
                                                       : kEstimateTuning.yaw_rate_unknown_radps));
  auto& p = person.covariance;
  p[0] += squared(kEstimateTuning.speed_share * way.speed_mps * dt) + turn * y * y;
  p[1] -= turn * x * y;
  p[N] -= turn * x * y;
  p[N + 1] += turn * x * x;
}

template <std::size_t N>
void widen_least(Normal<N>& of) noexcept {
  for (std::size_t i = 0; i < N; ++i) of.covariance[N * i + i] += kEstimateTuning.least_variance;
}

double log_odds(double probability) noexcept {
  const double p = std::clamp(probability, 1e-4, 1 - 1e-4);
  return exact::log(p / (1 - p));
}
double probability_of(double odds) noexcept { return 1 / (1 + exact::exp(-odds)); }

Place place_of(const Moving& m) noexcept {
  return {{m.mean[0], m.mean[1]},
          {m.covariance[0], m.covariance[1], m.covariance[4], m.covariance[5]}};
}

/// Both hypotheses of one camera at the moment of fusion.
struct Hypotheses {
  Moving walking;
  Place standing;
  double walks = 1;
  bool can_walk = false, can_stand = false;
};

Hypotheses hypotheses_of(const Opinion& opinion) noexcept {
  const track::Person& p = *opinion.person;
  Hypotheses out;
  out.walks = std::isfinite(p.walks) ? std::clamp(p.walks, 0.0, 1.0) : 1;
  // As in the contact judge: where one hypothesis is certain, the values of both are its own.
  if (out.walks > 1 - kEstimateTuning.min_share)
    out.walking = moving_of(p);
  else
    out.walking = {{p.walking.x_m, p.walking.y_m, p.walking.vx_mps, p.walking.vy_mps},
                   p.walking.covariance};
  if (out.walks < kEstimateTuning.min_share)
    out.standing = place_of(moving_of(p));
  else
    out.standing = {{p.standing.x_m, p.standing.y_m}, p.standing.covariance};
  widen_least(out.walking);
  widen_least(out.standing);
  out.can_walk = out.walks > kEstimateTuning.min_share && proper(out.walking);
  out.can_stand = out.walks < 1 - kEstimateTuning.min_share && proper(out.standing);
  if (out.can_walk) advance(out.walking, opinion.since);
  if (out.can_stand) advance(out.standing, opinion.since);
  return out;
}

/// How well a camera knows whether they walk: by how well it knows the velocity of one who does.
double weight_of(const Hypotheses& h) noexcept {
  return h.can_walk ? 1 / (h.walking.covariance[10] + h.walking.covariance[15]) : 0;
}

}  // namespace

bool is_proper(const Moving& of) noexcept { return proper(of); }
bool is_proper(const Place& of) noexcept { return proper(of); }

void advance(Moving& person, const Way& way) noexcept {
  const double dt = way.seconds;
  if (!(dt > 0)) return;
  const Step step = step_of(way);
  const double keeps = exact::exp(-dt / kEstimateTuning.speed_time_s);
  auto& m = person.mean;
  const double x = m[0] + m[2] * dt - step.x, y = m[1] + m[3] * dt - step.y;
  const double vx = keeps * m[2], vy = keeps * m[3];
  m = {step.c * x + step.s * y, step.c * y - step.s * x, step.c * vx + step.s * vy,
       step.c * vy - step.s * vx};
  const std::array<double, 16> f{step.c,  step.s, step.c * dt,     step.s * dt,
                                 -step.s, step.c, -step.s * dt,    step.c * dt,
                                 0,       0,      keeps * step.c,  keeps * step.s,
                                 0,       0,      -keeps * step.s, keeps * step.c};
  std::array<double, 16> fp{}, out{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k)
        fp[4 * i + j] += f[4 * i + k] * person.covariance[4 * k + j];
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) out[4 * i + j] += fp[4 * i + k] * f[4 * j + k];
  person.covariance = out;
  add_way(person, way);
  const auto wander = [&](std::size_t at, std::size_t speed, double q) noexcept {
    person.covariance[4 * at + at] += q * dt * dt * dt / 3;
    person.covariance[4 * at + speed] += q * dt * dt / 2;
    person.covariance[4 * speed + at] += q * dt * dt / 2;
    person.covariance[4 * speed + speed] += q * dt;
  };
  wander(0, 2, way.speed_known ? kEstimateTuning.wander : kEstimateTuning.wander_unknown);
  wander(1, 3, kEstimateTuning.wander);
}

void advance(Place& person, const Way& way) noexcept {
  const double dt = way.seconds;
  if (!(dt > 0)) return;
  const Step step = step_of(way);
  const double x = person.mean[0] - step.x, y = person.mean[1] - step.y;
  person.mean = {step.c * x + step.s * y, step.c * y - step.s * x};
  const auto p = person.covariance;
  const double c = step.c, s = step.s;
  person.covariance[0] = c * c * p[0] + c * s * (p[1] + p[2]) + s * s * p[3];
  person.covariance[1] = person.covariance[2] = c * s * (p[3] - p[0]) + c * c * p[1] - s * s * p[2];
  person.covariance[3] = s * s * p[0] - c * s * (p[1] + p[2]) + c * c * p[3];
  add_way(person, way);
  person.covariance[0] += kEstimateTuning.sway * dt;
  person.covariance[3] += kEstimateTuning.sway * dt;
}

double intersect(const Moving& a, const Moving& b, Moving& out) noexcept {
  return intersection(a, b, out);
}
double intersect(const Place& a, const Place& b, Place& out) noexcept {
  return intersection(a, b, out);
}

std::optional<double> one_person(const Moving& a, const Moving& b) noexcept {
  std::array<double, 4> apart{};
  for (std::size_t i = 0; i < 4; ++i) apart[i] = a.mean[i] - b.mean[i];
  // Quickly, for the many who are nowhere near.
  const double widest = a.covariance[0] + a.covariance[5] + b.covariance[0] + b.covariance[5];
  const double range2 = squared(a.mean[0]) + squared(a.mean[1]);
  const double allowed =
      kEstimateTuning.gate *
      (widest + 2 * squared(kEstimateTuning.apart_m) +
       (squared(kEstimateTuning.apart_range) + squared(kEstimateTuning.apart_bearing_rad)) *
           range2);
  if (!(squared(apart[0]) + squared(apart[1]) <= allowed)) return std::nullopt;

  std::array<double, 16> s{};
  for (std::size_t i = 0; i < 16; ++i) s[i] = a.covariance[i] + b.covariance[i];
  const double range = std::sqrt(range2);
  const double ux = range > 0.1 ? a.mean[0] / range : 1, uy = range > 0.1 ? a.mean[1] / range : 0;
  const double along =
      squared(kEstimateTuning.apart_range * range) + squared(kEstimateTuning.apart_m);
  const double across =
      squared(kEstimateTuning.apart_bearing_rad * range) + squared(kEstimateTuning.apart_m);
  s[0] += along * ux * ux + across * uy * uy;
  s[1] += (along - across) * ux * uy;
  s[4] += (along - across) * ux * uy;
  s[5] += along * uy * uy + across * ux * ux;
  s[10] += squared(kEstimateTuning.apart_mps);
  s[15] += squared(kEstimateTuning.apart_mps);
  std::array<double, 16> l{};
  if (!factor<4>(s, l)) return std::nullopt;
  const double far = distance<4>(l, apart);
  if (!(far <= kEstimateTuning.gate)) return std::nullopt;

  const double two = 2 * squared(kEstimateTuning.speed_sigma_mps);
  const std::array<double, 4> v{s[10] + two, s[11], s[14], s[15] + two};
  std::array<double, 4> lv{};
  if (!factor<2>(v, lv)) return std::nullopt;
  const double faster = distance<2>(lv, {apart[2], apart[3]});
  constexpr double kLogTwoPi = 1.8378770664093453;
  return (log_determinant<2>(lv) + faster - log_determinant<4>(l) - far) / 2 - kLogTwoPi -
         exact::log(kEstimateTuning.density_per_m2);
}

Moving moving_of(const track::Person& p) noexcept {
  return {{p.x_m, p.y_m, p.vx_mps, p.vy_mps}, p.covariance};
}

bool fuse(const Opinion* opinions, std::size_t count, track::Person& out) noexcept {
  Hypotheses all;
  double weights = 0, walks = 0, walks_sum = 0;
  double best = -1e9, others = 0;
  bool confirmed = false, seen = false;
  Nanos first = Nanos::max(), last = Nanos::min();
  double height = 0, height_sigma = 1e9;
  for (std::size_t i = 0; i < count; ++i) {
    const track::Person& person = *opinions[i].person;
    const Hypotheses h = hypotheses_of(opinions[i]);
    if (!h.can_walk && !h.can_stand) continue;
    if (h.can_walk) {
      if (all.can_walk)
        intersect(Moving{all.walking}, h.walking, all.walking);
      else
        all.walking = h.walking;
      all.can_walk = true;
    }
    if (h.can_stand) {
      if (all.can_stand)
        intersect(Place{all.standing}, h.standing, all.standing);
      else
        all.standing = h.standing;
      all.can_stand = true;
    }
    const double weight = std::max(weight_of(h), 1e-3), odds = log_odds(h.walks);
    walks += weight * odds;
    walks_sum += odds;
    weights += weight;
    const double exists = log_odds(std::isfinite(person.certainty) ? person.certainty : 0);
    const double more = std::max(std::min(exists, best) - kEstimateTuning.prior_log_odds, 0.0);
    others += more;
    best = std::max(best, exists);
    confirmed = confirmed || person.confirmed;
    seen = seen || person.seen;
    first = std::min(first, person.first_seen);
    last = std::max(last, person.last_seen);
    if (person.height_sigma_m > 0 && person.height_sigma_m < height_sigma &&
        std::isfinite(person.height_m)) {
      height = person.height_m;
      height_sigma = person.height_sigma_m;
    }
  }
  if (!all.can_walk && !all.can_stand) return false;

  const double mean = walks / weights;
  const double odds = mean + kEstimateTuning.independent * (walks_sum - mean);
  double share = probability_of(
      std::clamp(odds, -kEstimateTuning.most_log_odds, kEstimateTuning.most_log_odds));
  if (!all.can_walk) share = 0;
  if (!all.can_stand) share = 1;
  const double exists =
      std::min(best + kEstimateTuning.independent * others, kEstimateTuning.most_log_odds);

  out.first_seen = first;
  out.last_seen = last;
  out.walks = share;
  if (!all.can_stand) all.standing = place_of(all.walking);
  if (!all.can_walk) {
    all.walking.mean = {all.standing.mean[0], all.standing.mean[1], 0, 0};
    all.walking.covariance = {};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        all.walking.covariance[4 * i + k] = all.standing.covariance[2 * i + k];
  }
  out.walking.x_m = all.walking.mean[0];
  out.walking.y_m = all.walking.mean[1];
  out.walking.vx_mps = all.walking.mean[2];
  out.walking.vy_mps = all.walking.mean[3];
  out.walking.covariance = all.walking.covariance;
  out.standing.x_m = all.standing.mean[0];
  out.standing.y_m = all.standing.mean[1];
  out.standing.covariance = all.standing.covariance;
  // The mean of both, and its covariance with their distance.
  const std::array<double, 4> stands{all.standing.mean[0], all.standing.mean[1], 0, 0};
  std::array<double, 4> middle{};
  for (std::size_t i = 0; i < 4; ++i)
    middle[i] = share * all.walking.mean[i] + (1 - share) * stands[i];
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double standing = i < 2 && k < 2 ? all.standing.covariance[2 * i + k] : 0;
      out.covariance[4 * i + k] = share * all.walking.covariance[4 * i + k] +
                                  (1 - share) * standing +
                                  share * (1 - share) * (all.walking.mean[i] - stands[i]) *
                                      (all.walking.mean[k] - stands[k]);
    }
  }
  out.x_m = middle[0];
  out.y_m = middle[1];
  out.vx_mps = middle[2];
  out.vy_mps = middle[3];
  if (height_sigma < 1e9) {
    out.height_m = height;
    out.height_sigma_m = height_sigma;
  }
  out.certainty = probability_of(exists);
  out.confirmed = confirmed || exists > kEstimateTuning.confirm_log_odds;
  out.seen = seen;
  return true;
}

}  // namespace kerb::fuse
