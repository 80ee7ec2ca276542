// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/car_path.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/exact/exact_math.hpp"
#include "firmware/risk/path_spread.hpp"
#include "firmware/risk/yaw_rate.hpp"

namespace kerb::risk {
namespace {

/// Fixed settings of CarPath; the suites of `kerblab sim run` and tests/unit/firmware/risk show
/// what a change does. Times are time constants of low-pass filters: longer ones follow the signal
/// later and pass less noise.
struct CarPathTuning {
  // Acceleration along the path, from the change of the speed.
  double max_braking_mps2 = 9;
  double braking_margin_mps2 = 3;  ///< one change of the speed may exceed max_braking by this
  double max_speeding_up_mps2 = 4;
  double fast_filter_s = 0.15;       ///< used while braking
  double slow_filter_s = 0.5;        ///< used otherwise
  double braking_begins_mps2 = 0.4;  ///< fast-filtered: a weaker one uses the slow filter,
  double braking_blend_mps2 = 0.6;   ///< a stronger one the fast filter from this much more on

  // Turning.
  double yaw_filter_s = 0.2;              ///< of the change of the yaw rate
  double max_yaw_step_radps2 = 2;         ///< of one change of the yaw rate
  double yaw_change_noise_radps2 = 0.02;  ///< a smaller change counts as none
  double max_yaw_change_radps2 = 0.6;
  double stands_mps = 0.05;  ///< a slower car does not turn
  double most_speed_sigma_mps = 20;
  double flow_filter_s = 0.15;  ///< of the flow's yaw rate
  double contradicted_s = 0.3;  ///< this long, and the sensor is not believed
};
constexpr CarPathTuning kCarPathTuning{};

/// Bends that end before `until_s` are taken to end at `at_s`. Those that end later are as good as
/// those that do not: the horizon of warnings is not much longer.
struct BendEnd {
  double at_s, until_s;
};
constexpr std::array<BendEnd, CarPath::kBendEnds> kBends{{{0, 0.3}, {0.6, 1}, {1.3, 1.8}}};

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }
double sign(double x) noexcept { return x < 0 ? -1 : 1; }

/// One step of a first-order low-pass filter with the time constant `memory`, in seconds.
double low_pass(double old, double now, double dt, double memory) noexcept {
  return old + (now - old) * (dt / (memory + dt));
}

}  // namespace

void CarPath::take_speed(Nanos at, double speed) noexcept {
  const double dt = seconds(at - speed_at_);
  if (!speed_ || at - speed_at_ > kStaleAfter) {
    fast_ = slow_ = 0;
  } else if (dt > 0) {
    const double change =
        std::clamp((speed - *speed_) / dt,
                   -kCarPathTuning.max_braking_mps2 - kCarPathTuning.braking_margin_mps2,
                   kCarPathTuning.max_braking_mps2 + kCarPathTuning.braking_margin_mps2);
    fast_ = low_pass(fast_, change, dt, kCarPathTuning.fast_filter_s);
    slow_ = low_pass(slow_, change, dt, kCarPathTuning.slow_filter_s);
  }
  speed_ = speed;
  speed_at_ = at;
}

void CarPath::take_yaw_rate(Nanos at, double yaw_rate) noexcept {
  const double dt = seconds(at - yaw_rate_at_);
  if (!yaw_rate_ || at - yaw_rate_at_ > kStaleAfter) {
    yaw_acceleration_ = 0;
  } else if (dt > 0) {
    const double change =
        std::clamp((yaw_rate - *yaw_rate_) / dt, -kCarPathTuning.max_yaw_step_radps2,
                   kCarPathTuning.max_yaw_step_radps2);
    yaw_acceleration_ = low_pass(yaw_acceleration_, change, dt, kCarPathTuning.yaw_filter_s);
  }
  yaw_rate_ = yaw_rate;
  yaw_rate_at_ = at;
}

/// Follows the flow's yaw rate, and how long it has contradicted the sensor's.
void CarPath::take_flow(Nanos at, double dt, std::optional<double> flow,
                        const ego::VehicleMotion& reported) noexcept {
  if (flow && std::isfinite(*flow)) {
    const double old = flow_yaw_.value_or(*flow);
    flow_yaw_ = low_pass(old, *flow, dt, kCarPathTuning.flow_filter_s);
    flow_at_ = at;
    const double apart = std::abs(reported.yaw_rate_radps.value_or(*flow) - *flow);
    contradicted_s_ = apart > settings_.yaw_contradiction_radps ? contradicted_s_ + dt : 0;
  }
  if (flow_yaw_ && at - flow_at_ > kStaleAfter) {
    flow_yaw_.reset();
    contradicted_s_ = 0;
  }
}

/// ways_ and headings_ follow from these: plan() makes them again.
template <typename F, typename Self>
void CarPath::list(F& f, Self& s) {
  static_assert(
      sizeof(CarPath) == sizeof(PathSettings) + 4 * 8 + 3 * 16 + 7 * 8 + sizeof(TurnEstimator) + 8 +
                             (1 + std::max(kTurnWays, kBendEnds)) * sizeof(CarWay) + kKnots * 8,
      "a new member? list it, or let plan() make it");
  f.structure("CarPath")("at", s.at_)("speed_at", s.speed_at_)("yaw_rate_at", s.yaw_rate_at_);
  f("speed", s.speed_)("yaw_rate", s.yaw_rate_)("fast", s.fast_)("slow", s.slow_);
  f("acceleration", s.acceleration_)("yaw_acceleration", s.yaw_acceleration_);
  f("flow_at", s.flow_at_)("flow_yaw", s.flow_yaw_)("contradicted_s", s.contradicted_s_);
  f("yaw_sigma", s.yaw_sigma_)("speed_sigma", s.speed_sigma_)("turn", s.turn_);
}
void CarPath::save(FieldWriter& out) const noexcept { list(out, *this); }
void CarPath::describe(FieldLister& out) const { list(out, *this); }
void CarPath::load(FieldReader& in) noexcept {
  list(in, *this);
  plan();
}

void CarPath::update(Nanos at, const ego::VehicleMotion& reported,
                     std::optional<double> flow_yaw_radps) noexcept {
  if (at < at_ || at - at_ > kStaleAfter) reset();
  const double dt = at_ == Nanos::zero() ? 0 : seconds(at - at_);
  at_ = at;
  if (reported.speed_mps && std::isfinite(*reported.speed_mps)) take_speed(at, *reported.speed_mps);
  const double sigma = reported.speed_sigma_mps;
  speed_sigma_ = sigma > 0 && sigma < kCarPathTuning.most_speed_sigma_mps ? sigma : 0;
  take_flow(at, dt, flow_yaw_radps, reported);
  const bool sensor_wrong = contradicted_s_ >= kCarPathTuning.contradicted_s;
  if (const std::optional<YawRate> yaw =
          fuse_yaw_rate(settings_, reported, flow_yaw_, sensor_wrong, speed_mps())) {
    take_yaw_rate(at, yaw->radps);
    yaw_sigma_ = yaw->sigma_radps;
  }
  if (speed_ && at - speed_at_ > kStaleAfter) speed_.reset();
  if (yaw_rate_ && at - yaw_rate_at_ > kStaleAfter) yaw_rate_.reset();
  if (!yaw_rate_) yaw_acceleration_ = 0;
  if (!yaw_rate_) yaw_sigma_ = settings_.yaw_rate_unknown_radps;
  accelerate();
  turn_.update(settings_.turn, dt, reported.turn_signal, turn_start());
  plan();
}

/// The acceleration along the direction of travel: negative is braking. Blends both filters, so
/// that nothing jumps.
void CarPath::accelerate() noexcept {
  const double way = sign(speed_mps());
  const double quick = way * fast_, slow = way * slow_;
  const double brakes = std::clamp(
      (-quick - kCarPathTuning.braking_begins_mps2) / kCarPathTuning.braking_blend_mps2, 0.0, 1.0);
  const double along = brakes * quick + (1 - brakes) * slow;
  acceleration_ = speed_ ? way * std::clamp(along, -kCarPathTuning.max_braking_mps2,
                                            kCarPathTuning.max_speeding_up_mps2)
                         : 0;
}

TurnStart CarPath::turn_start() const noexcept {
  return {speed_mps(), acceleration_, yaw_rate_radps(), yaw_rate_after(kHorizon_s), yaw_sigma_};
}

CarMotion CarPath::motion() const noexcept {
  return {speed_,     yaw_rate_,       acceleration_, yaw_acceleration_,
          yaw_sigma_, turn_.outlook(), speed_sigma_};
}

void CarPath::set(Nanos at, const CarMotion& motion) noexcept {
  reset();
  at_ = speed_at_ = yaw_rate_at_ = at;
  speed_ = motion.speed_mps;
  yaw_rate_ = motion.yaw_rate_radps;
  acceleration_ = motion.acceleration_mps2;
  yaw_acceleration_ = motion.yaw_acceleration_radps2;
  yaw_sigma_ = motion.yaw_sigma_radps > 0 ? motion.yaw_sigma_radps
               : yaw_rate_                ? settings_.yaw_rate_sigma_radps
                                          : settings_.yaw_rate_unknown_radps;
  speed_sigma_ = motion.speed_sigma_mps;
  turn_.set(motion.turn);
  plan();
}

bool CarPath::known() const noexcept { return speed_.has_value(); }

double CarPath::speed_after(double t) const noexcept { return ways_[0].speed.speed_after(t); }

/// The change of the yaw rate now, rad/s^2, as far as it is one.
double CarPath::yaw_change() const noexcept {
  return sign(yaw_acceleration_) *
         std::clamp(std::abs(yaw_acceleration_) - kCarPathTuning.yaw_change_noise_radps2, 0.0,
                    kCarPathTuning.max_yaw_change_radps2);
}

/// The yaw rate at the present speed: its change fades.
double CarPath::yaw_rate_after(double t) const noexcept {
  return yaw_rate_radps() + yaw_change() * settings_.yaw_change_fades_s *
                                (1 - exact::exp(-t / settings_.yaw_change_fades_s));
}

double CarPath::turning(double t) const noexcept {
  if (!yaw_rate_) return 0;
  const double v = speed_mps();
  if (std::abs(v) < kCarPathTuning.stands_mps) return 0;
  return yaw_rate_after(t) * (speed_after(t) / v);
}

/// `bend_ends_s`: from then on the car straightens.
Pose CarPath::step(const Pose& from, double begin, double end, double bend_ends_s) const noexcept {
  const double middle = (begin + end) / 2;
  const double left =
      std::clamp(1 - (middle - bend_ends_s) / settings_.bend.straightens_s, 0.0, 1.0);
  const double turn = left * turning(middle) * (end - begin);
  const double way = ways_[0].speed.driven(end) - ways_[0].speed.driven(begin);
  // The chord of a short arc.
  const double chord = way * (1 - turn * turn / 24);
  const double heading = from.heading + turn / 2;
  Pose pose;
  pose.x = from.x + chord * exact::cos(heading);
  pose.y = from.y + chord * exact::sin(heading);
  pose.heading = from.heading + turn;
  const PathSpread spread = path_spread(
      settings_,
      {.speed_mps = speed_mps(),
       .acceleration_mps2 = acceleration_,
       .lateral_mps2 = std::abs(speed_mps() * yaw_rate_radps()),
       .lateral_change_mps2 = std::abs(speed_mps() * yaw_change() * settings_.yaw_change_fades_s),
       .yaw_sigma_radps = yaw_sigma_},
      end);
  pose.sigma_across = spread.across;
  pose.sigma_heading = spread.heading;
  pose.sigma_along =
      speed_sigma_ > 0
          ? std::sqrt(spread.along * spread.along + speed_sigma_ * speed_sigma_ * end * end)
          : spread.along;
  return pose;
}

/// Fills the way's knots; `headings`: at them, or null.
void CarPath::plan_way(double bend_ends_s, CarWay& way,
                       std::array<double, kKnots>* headings) noexcept {
  Pose pose;
  way.speed = {.mps = speed_mps(), .change_mps2 = acceleration_, .speeds_up_for_s = kSpeedsUpFor_s};
  way.fastest_mps = way.fastest_turn_radps = 0;
  for (int i = 0; i < kKnots; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double t = i * kStep_s;
    if (i > 0) pose = step(pose, t - kStep_s, t, bend_ends_s);
    Knot& knot = way.knots[at];
    knot.x = pose.x;
    knot.y = pose.y;
    knot.cos = exact::cos(pose.heading);
    knot.sin = exact::sin(pose.heading);
    knot.speed = speed_after(t);
    knot.sigma_along = pose.sigma_along;
    knot.sigma_across = pose.sigma_across;
    if (headings != nullptr) (*headings)[at] = pose.heading;
    way.fastest_mps = std::max(way.fastest_mps, std::abs(knot.speed));
    way.fastest_turn_radps = std::max(way.fastest_turn_radps, std::abs(turning(t)));
  }
}

/// Ways on which the bend ends, instead of a part of the first way.
void CarPath::plan_bend_ends() noexcept {
  const BendSettings& s = settings_.bend;
  const double lateral = std::abs(speed_mps() * yaw_rate_radps());
  const double bends =
      std::clamp((lateral - s.from_mps2) / std::max(s.surely_mps2 - s.from_mps2, 1e-6), 0.0, 1.0);
  if (!(s.lasts_s > 0) || !(bends > 0)) return;
  // Where the steering is already turned back, it ends sooner.
  const double back = std::max(-yaw_change() * sign(yaw_rate_radps()), 0.0);
  const double ends_per_s = 1 / s.lasts_s + s.turned_back_share * back / std::abs(yaw_rate_radps());
  double before = 0;
  for (const BendEnd& end : kBends) {
    const double by = 1 - exact::exp(-end.until_s * ends_per_s);
    CarWay& way = ways_[count_++];
    way.share = bends * (by - before);
    way.likeliest = false;
    ways_[0].share -= way.share;
    before = by;
    plan_way(end.at_s, way, nullptr);
  }
  // The likeliest one, which is the first unless bends are short.
  std::size_t most = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    ways_[i].likeliest = false;
    if (ways_[i].share > ways_[most].share) most = i;
  }
  ways_[most].likeliest = true;
}

void CarPath::plan() noexcept {
  CarWay& on = ways_[0];
  const TurnOutlook& turn = turn_.outlook();
  const bool may_turn = turn.share > 0 && turn.share <= 1 && speed_mps() >= kLeastTurnSpeed_mps;
  on.share = may_turn ? 1 - turn.share : 1;
  on.likeliest = on.share >= 0.5;
  plan_way(kForever_s, on, &headings_);
  count_ = 1;
  if (!may_turn) return plan_bend_ends();
  for (int i = 0; i < kTurnWays; ++i) plan_turn(settings_, turn, turn_start(), i, ways_[count_++]);
}

Pose CarPath::after(double t) const noexcept {
  t = std::clamp(t, 0.0, kHorizon_s);
  const int i = std::min(static_cast<int>(t / kStep_s), kKnots - 1);
  const auto at = static_cast<std::size_t>(i);
  const Knot& knot = ways_[0].knots[at];
  const Pose from{knot.x, knot.y, headings_[at], 0, 0, 0};
  return step(from, i * kStep_s, t);
}

}  // namespace kerb::risk
