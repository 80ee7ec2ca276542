// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/car_path.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/exact/exact_math.hpp"

namespace kerb::risk {
namespace {

constexpr double kHardestBraking = 9, kFastestStart = 4;        // m/s^2
constexpr double kQuick = 0.15, kSlow = 0.5, kYawChange = 0.2;  // seconds of memory
constexpr double kYawRunsOut = 0.6;     // seconds over which a change of the yaw rate fades
constexpr double kYawNoise = 0.02;      // rad/s^2: a change no larger is none
constexpr double kMostYawChange = 0.6;  // rad/s^2
constexpr double kStands = 0.05;        // m/s, and below
// Doubt. On a straight a driver wanders by so much, in a bend by a share of what it asks for.
constexpr double kWander = 0.15;           // m/s^2 to the side
constexpr double kBendShare = 0.1;         // of the acceleration to the side
constexpr double kYawSigma = 0.004;        // rad/s, of the car's sensor
constexpr double kYawSigmaMissing = 0.08;  // rad/s
constexpr double kSpeedShare = 0.01;       // of the speed, the sensor's
constexpr double kPaceSigma = 0.4;         // m/s^2: what the driver may do along the way
constexpr double kPaceShare = 0.15;        // of the acceleration

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }
double sign(double x) noexcept { return x < 0 ? -1 : 1; }

/// One step of a memory that forgets within `memory` seconds.
double eased(double old, double now, double dt, double memory) noexcept {
  return old + (now - old) * (dt / (memory + dt));
}

}  // namespace

void CarPath::take_speed(Nanos at, double speed) noexcept {
  const double dt = seconds(at - speed_at_);
  if (!speed_ || at - speed_at_ > kForgets) {
    quick_ = slow_ = 0;
  } else if (dt > 0) {
    const double change =
        std::clamp((speed - *speed_) / dt, -kHardestBraking - 3, kHardestBraking + 3);
    quick_ = eased(quick_, change, dt, kQuick);
    slow_ = eased(slow_, change, dt, kSlow);
  }
  speed_ = speed;
  speed_at_ = at;
}

void CarPath::take_yaw_rate(Nanos at, double yaw_rate) noexcept {
  const double dt = seconds(at - yaw_rate_at_);
  if (!yaw_rate_ || at - yaw_rate_at_ > kForgets) {
    yaw_acceleration_ = 0;
  } else if (dt > 0) {
    const double change = std::clamp((yaw_rate - *yaw_rate_) / dt, -2.0, 2.0);
    yaw_acceleration_ = eased(yaw_acceleration_, change, dt, kYawChange);
  }
  yaw_rate_ = yaw_rate;
  yaw_rate_at_ = at;
}

/// knots_ and headings_, fastest_ and fastest_turn_ follow from these: plan() makes them again.
template <typename F, typename Self>
void CarPath::list(F& f, Self& s) {
  static_assert(sizeof(CarPath) == 3 * 8 + 2 * 16 + 6 * 8 + kKnots * (7 + 1) * 8,
                "a new member? list it, or let plan() make it");
  f.structure("CarPath")("at", s.at_)("speed_at", s.speed_at_)("yaw_rate_at", s.yaw_rate_at_);
  f("speed", s.speed_)("yaw_rate", s.yaw_rate_)("quick", s.quick_)("slow", s.slow_);
  f("acceleration", s.acceleration_)("yaw_acceleration", s.yaw_acceleration_);
}
void CarPath::save(FieldWriter& out) const noexcept { list(out, *this); }
void CarPath::describe(FieldLister& out) const { list(out, *this); }
void CarPath::load(FieldReader& in) noexcept {
  list(in, *this);
  plan();
}

void CarPath::update(Nanos at, const ego::VehicleMotion& told) noexcept {
  if (at < at_ || at - at_ > kForgets) reset();
  at_ = at;
  if (told.speed_mps && std::isfinite(*told.speed_mps)) take_speed(at, *told.speed_mps);
  if (told.yaw_rate_radps && std::isfinite(*told.yaw_rate_radps))
    take_yaw_rate(at, *told.yaw_rate_radps);
  if (speed_ && at - speed_at_ > kForgets) speed_.reset();
  if (yaw_rate_ && at - yaw_rate_at_ > kForgets) yaw_rate_.reset();
  if (!yaw_rate_) yaw_acceleration_ = 0;

  // Along the way the car goes: less than nothing is braking. In between, a share of each memory,
  // so that nothing jumps.
  const double way = sign(speed_mps());
  const double quick = way * quick_, slow = way * slow_;
  const double brakes = std::clamp((-quick - 0.4) / 0.6, 0.0, 1.0);
  const double along = brakes * quick + (1 - brakes) * slow;
  acceleration_ = speed_ ? way * std::clamp(along, -kHardestBraking, kFastestStart) : 0;
  plan();
}

bool CarPath::known() const noexcept { return speed_.has_value(); }

double CarPath::speed_after(double t) const noexcept {
  const double v = speed_mps(), a = acceleration_;
  if (v * a < 0) {  // brakes, and then stands
    const double then = v + a * t;
    return then * v > 0 ? then : 0;
  }
  return v + a * std::min(t, kSpeedsUpFor);
}

double CarPath::driven(double t) const noexcept {
  const double v = speed_mps(), a = acceleration_;
  if (v * a < 0) {
    const double until = std::min(t, -v / a);
    return v * until + a * until * until / 2;
  }
  const double faster = std::min(t, kSpeedsUpFor);
  return v * t + a * faster * faster / 2 + a * faster * (t - faster);
}

double CarPath::turning(double t) const noexcept {
  if (!yaw_rate_) return 0;
  const double v = speed_mps();
  if (std::abs(v) < kStands) return 0;
  const double change = sign(yaw_acceleration_) *
                        std::clamp(std::abs(yaw_acceleration_) - kYawNoise, 0.0, kMostYawChange);
  const double bend = *yaw_rate_ + change * kYawRunsOut * (1 - exact::exp(-t / kYawRunsOut));
  return bend * (speed_after(t) / v);
}

Pose CarPath::step(const Pose& from, double begin, double end) const noexcept {
  const double turn = turning((begin + end) / 2) * (end - begin);
  const double way = driven(end) - driven(begin);
  // The chord of an arc, for arcs that are short.
  const double chord = way * (1 - turn * turn / 24);
  const double heading = from.heading + turn / 2;
  Pose pose;
  pose.x = from.x + chord * exact::cos(heading);
  pose.y = from.y + chord * exact::sin(heading);
  pose.heading = from.heading + turn;

  const double v = std::abs(speed_mps());
  const double side = std::abs(speed_mps() * yaw_rate_radps());
  const double yaw = v * (yaw_rate_ ? kYawSigma : kYawSigmaMissing);
  const double wander = std::min(1.0, v / 3) * kWander;
  const double across =
      std::sqrt(wander * wander + kBendShare * kBendShare * side * side + yaw * yaw);
  const double pace = std::min(1.0, v) * (kPaceSigma + kPaceShare * std::abs(acceleration_));
  const double speed = kSpeedShare * v * end, along = pace * end * end / 2;
  pose.sigma_across = across * end * end / 2;
  pose.sigma_heading = v < 1 ? 0 : across * end / v;
  pose.sigma_along = std::sqrt(speed * speed + along * along);
  return pose;
}

void CarPath::plan() noexcept {
  Pose pose;
  fastest_ = fastest_turn_ = 0;
  for (int i = 0; i < kKnots; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double t = i * kStep;
    if (i > 0) pose = step(pose, t - kStep, t);
    Knot& knot = knots_[at];
    knot.x = pose.x;
    knot.y = pose.y;
    knot.cos = exact::cos(pose.heading);
    knot.sin = exact::sin(pose.heading);
    knot.speed = speed_after(t);
    knot.sigma_along = pose.sigma_along;
    knot.sigma_across = pose.sigma_across;
    headings_[at] = pose.heading;
    fastest_ = std::max(fastest_, std::abs(knot.speed));
    fastest_turn_ = std::max(fastest_turn_, std::abs(turning(t)));
  }
}

Pose CarPath::after(double t) const noexcept {
  t = std::clamp(t, 0.0, kHorizon);
  const int i = std::min(static_cast<int>(t / kStep), kKnots - 1);
  const auto at = static_cast<std::size_t>(i);
  const Pose from{knots_[at].x, knots_[at].y, headings_[at], 0, 0, 0};
  return step(from, i * kStep, t);
}

}  // namespace kerb::risk
