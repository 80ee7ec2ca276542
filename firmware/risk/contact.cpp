// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "firmware/risk/along_road.hpp"

namespace kerb::risk {
namespace {

/// Fixed settings of ContactJudge; ContactSettings has those that are set from outside. Finer steps
/// cost time in proportion.
struct ContactTuning {
  double min_hit_speed_mps = 0.3;  ///< a slower car hits nobody
  double fine_step_s = 0.002;      ///< resolution of the likeliest paths' contact
  double coarse_step_s = 0.03;     ///< of a member's
  double max_sigmas = 2.6;         ///< no member is further off: bounds the quick exit
  double min_share = 0.005;        ///< behaviours less likely than this are not computed
  double stays_s = 1;  ///< who hardly moves is told by the way in this time, or until the contact
};
constexpr ContactTuning kContactTuning{};
constexpr int kHalf = ContactJudge::kMembers / 2;

/// The upper half of the middles of 64 equally likely slices of a normal distribution, scaled to a
/// standard deviation of 1 together.
constexpr std::array<double, kHalf> kSlices{
    0.019779970046254355, 0.05937029107837616, 0.09905208261638625, 0.13888742649587446,
    0.17894008952269266,  0.2192762647290273,  0.2599653843145825,  0.30108103151043436,
    0.3427019845156102,   0.38491343396546496, 0.42780842697903965, 0.4714896070170945,
    0.5160713415465928,   0.5616823618771327,  0.608469086206083,   0.6565998653136463,
    0.7062704925124436,   0.7577114753296081,  0.811197810020719,   0.8670623913084118,
    0.9257148380177151,   0.9876686281965606,  1.0535814281442637,  1.124317236966745,
    1.201046397691991,    1.285415357509796,   1.379854829899419,   1.488190363520953,
    1.6170058321314094,   1.7792728985967816,  2.007286127160291,   2.441715097809587};

/// Member `i` in each of two directions: a lattice that spreads evenly over both. Multiplier and
/// shift were found by a search for the smallest error of the share of a normal distribution
/// between any two parallel lines: 0.016 (root mean square).
double slice(int k) noexcept {
  return k >= kHalf ? kSlices[static_cast<std::size_t>(k - kHalf)]
                    : -kSlices[static_cast<std::size_t>(kHalf - 1 - k)];
}
double first_of(int i) noexcept { return slice(i); }
double second_of(int i) noexcept { return slice((i * 45 + 14) % ContactJudge::kMembers); }

double length(double x, double y) noexcept { return std::sqrt(x * x + y * y); }

bool is_number(const track::Person& p) noexcept {
  double sum = p.x_m + p.y_m + p.vx_mps + p.vy_mps;
  for (const double c : p.covariance) sum += c;
  return std::isfinite(sum);
}

}  // namespace

/// A person's path: x + vx * walked(t) + ux * gained(t), and y likewise.
struct ContactJudge::Walk {
  double x = 0, y = 0, vx = 0, vy = 0;
  double ux = 0, uy = 0;                  ///< the direction in which they speed up
  double stops_in = 0;                    ///< seconds, evenly; 0: does not
  double speed_up = 0, speed_up_for = 0;  ///< m/s^2, seconds

  [[nodiscard]] double walked(double t) const noexcept {
    if (stops_in <= 0) return t;
    return t < stops_in ? t - t * t / (2 * stops_in) : stops_in / 2;
  }
  [[nodiscard]] double gained(double t) const noexcept {
    const double until = std::min(t, speed_up_for);
    return speed_up * until * (until / 2 + (t - until));
  }
  [[nodiscard]] double moved(double t) const noexcept {
    const double step = walked(t), gain = gained(t);
    return length(vx * step + ux * gain, vy * step + uy * gain);
  }
  [[nodiscard]] double fastest() const noexcept { return length(vx, vy) + speed_up * speed_up_for; }
};

/// A path of the car: its distance from the likeliest one, in standard deviations.
struct ContactJudge::Doubt {
  double along = 0, across = 0;
};

struct ContactJudge::Outside {
  double along, across;
};

/// Futures of one kind, by their probabilities.
struct ContactJudge::Futures {
  double all = 0;                       ///< of this kind
  double touch = 0;                     ///< of those in which they touch
  double time_s = 0, time_squared = 0;  ///< to the contact: sums, weighed by probability

  /// They touch after `in_s`, a future of a probability that `all` has already.
  void touches(double weight, double in_s) noexcept {
    touch += weight;
    time_s += weight * in_s;
    time_squared += weight * in_s * in_s;
  }
};
/// All futures of a person.
struct ContactJudge::Outlook {
  Futures keeps_side;  ///< they stand, hardly move, or walk along the road
  Futures any_way;
  Contact likeliest;  ///< on their likeliest paths
};

/// Coarse result of one walk.
struct ContactJudge::Approach {
  double at = 0;  ///< time of contact or, without one, of the closest approach; to a path step
  double closest = std::numeric_limits<double>::infinity();
  bool possible = false;  ///< a contact, within the standard deviations
};

ContactJudge::ContactJudge(const CarShape& car, const ContactSettings& settings) noexcept
    : car_{car}, settings_{settings} {
  settings_.horizon_s = std::clamp(settings.horizon_s, CarPath::kStep_s, CarPath::kHorizon_s);
  const double front = std::abs(car.axle_to_bumper_m);
  const double rear = std::abs(car.length_m - car.axle_to_bumper_m);
  reach_ = length(std::max(front, rear), car.width_m / 2);
}

/// How far outside the car's outline the person's middle is after t seconds, along and across it.
ContactJudge::Outside ContactJudge::outside(const Walk& walk, const Doubt& doubt, const CarWay& way,
                                            double t) const noexcept {
  const int i = std::min(static_cast<int>(t / CarPath::kStep_s), CarPath::kKnots - 2);
  const CarPath::Knot& a = way.knots[static_cast<std::size_t>(i)];
  const CarPath::Knot& b = way.knots[static_cast<std::size_t>(i) + 1];
  const double share = t / CarPath::kStep_s - i;
  const auto between = [share](double from, double to) { return from + share * (to - from); };
  const double walked = walk.walked(t), gained = walk.gained(t);
  const double dx = walk.x + walk.vx * walked + walk.ux * gained - between(a.x, b.x);
  const double dy = walk.y + walk.vy * walked + walk.uy * gained - between(a.y, b.y);
  const double c = between(a.cos, b.cos), s = between(a.sin, b.sin);
  const double x = dx * c + dy * s - doubt.along * between(a.sigma_along, b.sigma_along);
  const double y = dy * c - dx * s - doubt.across * between(a.sigma_across, b.sigma_across);
  const double front = car_.axle_to_bumper_m, rear = front - car_.length_m;
  return {std::max({rear - x, x - front, 0.0}), std::max(std::abs(y) - car_.width_m / 2, 0.0)};
}

/// Distance between car and person after t seconds; negative: they touch.
double ContactJudge::gap(const Walk& walk, const Doubt& doubt, const CarWay& way,
                         double t) const noexcept {
  const Outside out = outside(walk, doubt, way, t);
  return length(out.along, out.across) - settings_.person_radius_m;
}

/// Time of the first contact. Each step is as long as no contact is possible, at least `finest`.
std::optional<double> ContactJudge::touch(const Walk& walk, const Doubt& doubt, const CarWay& way,
                                          double finest) const noexcept {
  const CarPath::Knot& end = way.knots.back();  // the deviations grow fastest at the end
  const double doubt_grows =
      2 / CarPath::kHorizon_s *
      (std::abs(doubt.along) * end.sigma_along + std::abs(doubt.across) * end.sigma_across);
  const double fastest = way.fastest(reach_) + walk.fastest() + doubt_grows + 0.01;
  double before = 0;
  for (double t = 0; t <= settings_.horizon_s;) {
    const double apart = gap(walk, doubt, way, t);
    if (apart > 0) {
      before = t;
      t += std::max(apart / fastest, finest);
      continue;
    }
    if (std::abs(way.speed.speed_after(t)) < kContactTuning.min_hit_speed_mps) {
      t += finest;
      continue;
    }
    double after = t;
    while (after - before > finest / 16) {
      const double middle = (before + after) / 2;
      (gap(walk, doubt, way, middle) <= 0 ? after : before) = middle;
    }
    return after;
  }
  return std::nullopt;
}

ContactJudge::Approach ContactJudge::scan(const track::Person& person, const Walk& walk,
                                          const CarWay& way) const noexcept {
  constexpr int kEvery = 2;  // knots
  const auto& p = person.covariance;
  const double slack = settings_.person_radius_m +
                       (way.fastest(reach_) + walk.fastest()) * CarPath::kStep_s * kEvery / 2;
  const int last = static_cast<int>(settings_.horizon_s / CarPath::kStep_s);
  Approach approach;
  for (int i = 0; i <= last; i += kEvery) {
    const double t = i * CarPath::kStep_s;
    const Outside out = outside(walk, {}, way, t);
    const double apart = length(out.along, out.across) - settings_.person_radius_m;
    if (apart < approach.closest && approach.closest > 0) {
      approach.closest = apart;
      approach.at = t;
    }
    if (approach.possible) continue;
    // Covariance of the person's place at that time.
    const double w = walk.walked(t);
    const double xx = p[0] + w * (p[2] + p[8] + w * p[10]);
    const double xy = p[1] + w * (p[3] + p[9] + w * p[11]);
    const double yy = p[5] + w * (p[7] + p[13] + w * p[15]);
    const CarPath::Knot& knot = way.knots[static_cast<std::size_t>(i)];
    const double cc = knot.cos * knot.cos, cs = knot.cos * knot.sin, ss = knot.sin * knot.sin;
    const double along = cc * xx + 2 * cs * xy + ss * yy + knot.sigma_along * knot.sigma_along;
    const double across = ss * xx - 2 * cs * xy + cc * yy + knot.sigma_across * knot.sigma_across;
    const auto reaches = [slack](double far, double variance) {
      return far <= slack || (far - slack) * (far - slack) <=
                                 kContactTuning.max_sigmas * kContactTuning.max_sigmas * variance;
    };
    approach.possible = reaches(out.along, along) && reaches(out.across, across);
  }
  return approach;
}

void ContactJudge::find_closest(const Walk& walk, const CarWay& way, const Approach& approach,
                                Contact& out) const noexcept {
  out.time_s = touch(walk, {}, way, kContactTuning.fine_step_s);
  if (out.time_s) {
    out.closest_m = 0;
    out.closest_in_s = *out.time_s;
    return;
  }
  double from = std::max(approach.at - 2 * CarPath::kStep_s, 0.0);
  double to = std::min(approach.at + 2 * CarPath::kStep_s, settings_.horizon_s);
  while (to - from > kContactTuning.fine_step_s) {  // ternary search for the smallest gap
    const double a = from + (to - from) / 3, b = to - (to - from) / 3;
    if (gap(walk, {}, way, a) <= gap(walk, {}, way, b)) {
      to = b;
    } else {
      from = a;
    }
  }
  out.closest_in_s = (from + to) / 2;
  out.closest_m = std::max(gap(walk, {}, way, out.closest_in_s), 0.0);
}

/// Adds the members of one walk that touch. `at`: time of the closest approach, a step of the path.
/// The members spread over the person's place relative to the car at that time. Each such place
/// determines the most likely present place, velocity and path of the car.
void ContactJudge::count(const track::Person& person, const Walk& walk, const CarWay& way,
                         double at, double share, Kind kind, Outlook& out) const noexcept {
  const auto& p = person.covariance;
  const CarPath::Knot& knot =
      way.knots[static_cast<std::size_t>(std::lround(at / CarPath::kStep_s))];
  const double w = walk.walked(at);
  // Covariance of each of x, y, vx, vy with the person's place at that time; below, the place's own
  // covariance, with the car's.
  std::array<double, 4> with_x{}, with_y{};
  for (std::size_t k = 0; k < 4; ++k) {
    with_x[k] = p[4 * k] + w * p[4 * k + 2];
    with_y[k] = p[4 * k + 1] + w * p[4 * k + 3];
  }
  constexpr double kLeast = 1e-6;
  const double along = knot.sigma_along * knot.sigma_along;
  const double across = knot.sigma_across * knot.sigma_across;
  const double c = knot.cos, s = knot.sin;
  const double xx = std::max(with_x[0] + w * with_x[2], 0.0) + along * c * c + across * s * s;
  const double xy = with_y[0] + w * with_y[2] + (along - across) * c * s;
  const double yy = std::max(with_y[1] + w * with_y[3], 0.0) + along * s * s + across * c * c;
  // Its Cholesky factor.
  const double l_xx = std::sqrt(xx + kLeast), l_yx = xy / l_xx;
  const double l_yy = std::sqrt(std::max(yy + kLeast - l_yx * l_yx, kLeast));
  const double weight = share / kMembers;
  for (int i = 0; i < kMembers; ++i) {
    // The place's deviation is L z; the others follow from L^-T z.
    const double u_y = second_of(i) / l_yy;
    const double u_x = (first_of(i) - l_yx * u_y) / l_xx;
    Walk member = walk;
    member.x += with_x[0] * u_x + with_y[0] * u_y;
    member.y += with_x[1] * u_x + with_y[1] * u_y;
    member.vx += with_x[2] * u_x + with_y[2] * u_y;
    member.vy += with_x[3] * u_x + with_y[3] * u_y;
    const Doubt doubt{-knot.sigma_along * (c * u_x + s * u_y),
                      -knot.sigma_across * (c * u_y - s * u_x)};
    const std::optional<double> t = touch(member, doubt, way, kContactTuning.coarse_step_s);
    if (!t) continue;
    if (kind == Kind::keeps_side) {
      out.keeps_side.touches(weight, *t);
    } else if (member.moved(std::max(*t, kContactTuning.stays_s)) < settings_.pace.stays_m) {
      out.any_way.all -= weight;
      out.keeps_side.all += weight;
      out.keeps_side.touches(weight, *t);
    } else {
      out.any_way.touches(weight, *t);
    }
  }
}

/// Adds the futures of a person who walks, with this probability: where they please, or along the
/// road.
void ContactJudge::add_walking(const track::Person& person, const CarWay& way, double share,
                               bool likeliest, Outlook& out) const noexcept {
  const AlongRoad along = along_road(settings_.pace, person, way);
  const double along_share = share * along.probability;
  out.keeps_side.all += along_share;
  out.any_way.all += share - along_share;
  if (along.probability > kContactTuning.min_share) {
    const track::Person& other = along.person;
    const Walk walk{other.x_m, other.y_m, other.vx_mps, other.vy_mps};
    const Approach approach = scan(other, walk, way);
    if (likeliest && along.probability >= 0.5) find_closest(walk, way, approach, out.likeliest);
    if (approach.possible) count(other, walk, way, approach.at, along_share, Kind::keeps_side, out);
  }
  if (1 - along.probability > kContactTuning.min_share)
    add_free_walk(person, way, share - along_share, likeliest && along.probability < 0.5, out);
}

void ContactJudge::add_free_walk(const track::Person& person, const CarWay& way, double share,
                                 bool likeliest, Outlook& out) const noexcept {
  const double speed = length(person.vx_mps, person.vy_mps);
  const double across = std::abs(person.vy_mps);
  // Along the view a velocity is known poorly: only what is beyond its standard deviation counts.
  const double along =
      std::sqrt(std::max(person.vx_mps * person.vx_mps - person.covariance[10], 0.0));
  const double surely = length(along, across);
  const PaceShares shares =
      pace_shares(settings_.pace, across, std::sqrt(std::max(person.covariance[15], 0.0)), surely,
                  paces_.change_mps2(person.id));
  Walk walk{person.x_m, person.y_m, person.vx_mps, person.vy_mps};
  const Approach approach = scan(person, walk, way);
  if (likeliest) find_closest(walk, way, approach, out.likeliest);
  if (approach.possible)
    count(person, walk, way, approach.at, share * shares.keeps, Kind::any_way, out);

  if (shares.stops > kContactTuning.min_share) {
    Walk stops = walk;
    stops.stops_in = 2 * settings_.pace.stopping_distance_m / speed;
    const Approach other = scan(person, stops, way);
    if (other.possible)
      count(person, stops, way, other.at, share * shares.stops, Kind::any_way, out);
  }
  if (shares.speeds_up > kContactTuning.min_share && surely < shares.fastest_mps) {
    Walk faster = walk;  // in the direction in which they surely walk
    faster.ux = std::copysign(along, person.vx_mps) / surely;
    faster.uy = person.vy_mps / surely;
    faster.speed_up = shares.speed_up_mps2;
    faster.speed_up_for = (shares.fastest_mps - surely) / shares.speed_up_mps2;
    const Approach other = scan(person, faster, way);
    if (other.possible)
      count(person, faster, way, other.at, share * shares.speeds_up, Kind::any_way, out);
  }
}

/// Adds the futures of a person who stands, with this probability.
void ContactJudge::add_standing(const track::Person& person, const CarWay& way, double share,
                                bool likeliest, Outlook& out) const noexcept {
  const Walk walk{person.x_m, person.y_m, 0, 0};
  const Approach approach = scan(person, walk, way);
  out.keeps_side.all += share;
  if (likeliest) find_closest(walk, way, approach, out.likeliest);
  if (approach.possible) count(person, walk, way, approach.at, share, Kind::keeps_side, out);
}

/// Adds the futures in which the car takes this way.
void ContactJudge::add(const track::Person& person, const CarWay& way,
                       Outlook& out) const noexcept {
  track::Person as = person;
  const double walks = std::clamp(person.walks, 0.0, 1.0);
  if (walks > 1 - kContactTuning.min_share) {
    add_walking(person, way, way.share, way.likeliest, out);
  } else if (walks > kContactTuning.min_share) {
    as.x_m = person.walking.x_m;
    as.y_m = person.walking.y_m;
    as.vx_mps = person.walking.vx_mps;
    as.vy_mps = person.walking.vy_mps;
    as.covariance = person.walking.covariance;
    add_walking(as, way, way.share * walks, way.likeliest && walks >= 0.5, out);
  }
  if (1 - walks > kContactTuning.min_share) {
    as.x_m = person.standing.x_m;
    as.y_m = person.standing.y_m;
    as.vx_mps = as.vy_mps = 0;
    as.covariance = {};
    as.covariance[0] = person.standing.covariance[0];
    as.covariance[1] = person.standing.covariance[1];
    as.covariance[4] = person.standing.covariance[2];
    as.covariance[5] = person.standing.covariance[3];
    add_standing(as, way, way.share * (1 - walks), way.likeliest && walks < 0.5, out);
  }
}

/// The probability of a contact, by both kinds of futures. Those in which the person keeps to their
/// side of the road and is touched are rare: who stands, or walks along the road, is seldom in the
/// way of cars that drive on. So a way of the car that leads through them is likelier the wrong
/// one.
Contact ContactJudge::weigh(const Outlook& outlook, bool reverses) const noexcept {
  const Futures &side = outlook.keeps_side, &any = outlook.any_way;
  const double in_way = reverses ? 1 : settings_.pace.in_way_ratio;
  const double all = any.all + std::max(side.all - side.touch, 0.0) + in_way * side.touch;
  const double touch = any.touch + in_way * side.touch;
  Contact out = outlook.likeliest;
  if (!(touch > 0) || !(all > 0)) return out;
  const double mean = (any.time_s + in_way * side.time_s) / touch;
  out.probability = std::min(touch / all, 1.0);
  out.expected_s = mean;
  out.expected_sigma_s = std::sqrt(
      std::max((any.time_squared + in_way * side.time_squared) / touch - mean * mean, 0.0));
  return out;
}

Contact ContactJudge::judge(const track::Person& person, const CarPath& path) const noexcept {
  if (!is_number(person)) return {};
  Outlook outlook;
  outlook.likeliest.ahead_m = person.x_m - car_.axle_to_bumper_m;
  outlook.likeliest.beside_m = std::max(std::abs(person.y_m) - car_.width_m / 2, 0.0);
  if (!path.known()) return outlook.likeliest;
  for (const CarWay& way : path.ways())
    if (way.share > 0) add(person, way, outlook);
  return weigh(outlook, path.speed_after(0) < 0);
}

}  // namespace kerb::risk
