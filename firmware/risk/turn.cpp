// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/turn.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/exact/exact_math.hpp"
#include "firmware/risk/path_spread.hpp"

namespace kerb::risk {
namespace {

/// Fixed settings; TurnSettings has those that are set from outside.
struct TurnTuning {
  double slows_mps2 = 0.3;  ///< braking from here on counts as slowing down for the turn
  double narrower = 0.85, wider = 1.2;  ///< range of the radius in a turn, of that driven now
  double least_radius_m = 3;            ///< no car can do less
};
constexpr TurnTuning kTurnTuning{};

/// Which radius and which angle go with which beginning of the turn, as shares of their ranges:
/// each once, and none in the order of another. The one in the middle is in the middle of all.
constexpr std::array<double, kTurnWays> kRadii{0.3, 0.9, 0.5, 0.1, 0.7};
constexpr std::array<double, kTurnWays> kAngles{0.7, 0.1, 0.5, 0.9, 0.3};

std::int8_t side_of(std::optional<TurnSignal> signal) noexcept {
  if (signal == TurnSignal::left) return 1;
  if (signal == TurnSignal::right) return -1;
  return 0;
}

double between(double from, double to, double share) noexcept { return from + share * (to - from); }

/// The radius: as the present bend leads to, where that is one of a turn; else as turns have it.
double radius_of(const TurnSettings& s, double curvature_soon, double share) noexcept {
  if (curvature_soon <= 1 / s.most_radius_m)
    return between(s.least_radius_m, s.most_radius_m, share);
  return std::max(between(kTurnTuning.narrower, kTurnTuning.wider, share) / curvature_soon,
                  kTurnTuning.least_radius_m);
}

/// Speed, and the way to the beginning of the turn in metres.
struct Approach {
  SpeedPlan speed;
  double begins_m = 0;
};
Approach approach_of(const TurnSettings& s, const TurnStart& now, bool begun, double radius,
                     double share) noexcept {
  const double v = now.speed_mps, a = now.acceleration_mps2;
  const double turn_mps = std::sqrt(s.lateral_mps2 * radius);
  Approach out{.speed = {.mps = v, .change_mps2 = a}, .begins_m = begun ? 0 : share * s.within_m};
  if (v <= turn_mps || begun) {
    if (a > 0)
      out.speed.speeds_up_for_s =
          std::min(out.speed.speeds_up_for_s, std::max(turn_mps - v, 0.0) / a);
    return out;
  }
  const double squares = v * v - turn_mps * turn_mps, rate = std::max(-a, s.braking_mps2);
  const double coasts_m = out.begins_m;
  out.begins_m += squares / (2 * rate);
  out.speed.least_mps = turn_mps;
  if (-a > kTurnTuning.slows_mps2) {
    out.speed.change_mps2 = -squares / (2 * out.begins_m);
  } else {
    out.speed.change_mps2 = -rate;
    out.speed.from_s = coasts_m / v;
  }
  return out;
}

}  // namespace

/// To the side that is told. Else to that of a bend as narrow as turns are, until it ends.
std::int8_t TurnEstimator::side(const TurnSettings& s, std::int8_t told,
                                const TurnStart& now) const noexcept {
  if (told != 0) return told;
  const double yaw_rate = std::abs(now.yaw_rate_radps);
  if (yaw_rate * s.most_radius_m >= now.speed_mps) return now.yaw_rate_radps > 0 ? 1 : -1;
  const bool bends = outlook_.side * now.yaw_rate_radps * s.begins_radius_m >= now.speed_mps;
  return bends && outlook_.turned_rad > 0 ? outlook_.side : std::int8_t{0};
}

void TurnEstimator::update(const TurnSettings& s, double dt, std::optional<TurnSignal> signal,
                           const TurnStart& now) noexcept {
  const std::int8_t told = side_of(signal);
  const double v = now.speed_mps;
  outlook_.share = 0;
  if (v < kLeastTurnSpeed_mps) return;
  if (const std::int8_t towards = side(s, told, now); towards != outlook_.side) {
    outlook_ = {.side = towards};
    done_ = false;
  }
  if (outlook_.side == 0) return;
  const double yaw_rate = outlook_.side * now.yaw_rate_radps;
  const bool bends = yaw_rate * s.begins_radius_m >= v;
  if (bends || outlook_.turned_rad > 0)
    outlook_.turned_rad = std::max(outlook_.turned_rad + yaw_rate * dt, 0.0);
  if (!bends && outlook_.turned_rad >= s.begun_rad) done_ = true;
  if (yaw_rate * s.most_radius_m >= v) done_ = false;  // it goes on
  if (done_) return;
  if (told == 0) {
    const double turned = std::clamp(outlook_.turned_rad / s.begun_rad - 1, 0.0, 1.0);
    outlook_.share = s.untold_share * turned;
    return;
  }
  const double turn_mps =
      std::sqrt(s.lateral_mps2 * between(s.least_radius_m, s.most_radius_m, 0.5));
  const double slow =
      std::clamp(std::max(-now.acceleration_mps2 / s.braking_mps2, 2 - v / turn_mps), 0.0, 1.0);
  const double begun = std::min(outlook_.turned_rad / s.begun_rad, 1.0);
  outlook_.share = between(between(s.signalled_share, s.slowing_share, slow), s.begun_share, begun);
}

void plan_turn(const PathSettings& settings, const TurnOutlook& outlook, const TurnStart& now,
               int which, CarWay& out) noexcept {
  const TurnSettings& s = settings.turn;
  const auto at = static_cast<std::size_t>(which);
  const double v = now.speed_mps, side = outlook.side < 0 ? -1 : 1;
  const double radius = radius_of(s, side * now.yaw_rate_soon_radps / v, kRadii[at]);
  const Approach approach =
      approach_of(s, now, outlook.turned_rad > 0, radius, (which + 0.5) / kTurnWays);
  double left = s.angle_rad + s.angle_half_rad * (2 * kAngles[at] - 1) - outlook.turned_rad;
  double bend = side * now.yaw_rate_radps / v;  // curvature, towards the side of the turn
  const double steeper = 1 / (radius * s.ramp_m);

  out.share = outlook.share / kTurnWays;
  out.likeliest = outlook.share > 0.5 && which == kTurnWays / 2;
  out.speed = approach.speed;
  out.fastest_mps = out.fastest_turn_radps = 0;
  double x = 0, y = 0, heading = 0, driven = 0, lateral = 0;
  for (int i = 0; i < CarWay::kKnots; ++i) {
    const double t = i * CarWay::kStep_s;
    const double to = approach.speed.driven(t), way = to - driven;
    driven = to;
    if (to > approach.begins_m) {
      // The curvature falls as steeply as it grew, so that nothing is left at the end.
      const double most = std::min(1 / radius, std::sqrt(2 * steeper * std::max(left, 0.0)));
      bend = std::min(bend + steeper * way, most);
      left -= bend * way;
    }
    const double turn = side * bend * way, chord = way * (1 - turn * turn / 24);
    x += chord * exact::cos(heading + turn / 2);
    y += chord * exact::sin(heading + turn / 2);
    heading += turn;
    const double speed = approach.speed.speed_after(t);
    lateral = std::max(lateral, std::abs(speed * speed * bend));
    const PathSpread spread = path_spread(settings,
                                          {.speed_mps = v,
                                           .acceleration_mps2 = now.acceleration_mps2,
                                           .lateral_mps2 = lateral,
                                           .yaw_sigma_radps = now.yaw_sigma_radps},
                                          t);
    out.knots[static_cast<std::size_t>(i)] = {
        x, y, exact::cos(heading), exact::sin(heading), speed, spread.along, spread.across};
    out.fastest_mps = std::max(out.fastest_mps, std::abs(speed));
    out.fastest_turn_radps = std::max(out.fastest_turn_radps, std::abs(speed * bend));
  }
}

}  // namespace kerb::risk
