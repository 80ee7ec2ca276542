// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/simulator/world/world.hpp"

namespace kerb::sim {
namespace {

/// The short way round.
double turn_between(double from, double to) {
  return std::remainder(to - from, 2 * std::numbers::pi);
}

}  // namespace

Walk::Walk(const PersonSpec& person)
    : first_heading_{person.start.heading}, last_heading_{person.start.heading} {
  phases_.push_back({0, person.start.at, {}, 0, 0, 0});
  Vec2 at = person.start.at;
  double t = std::max(0.0, person.start_s);
  bool standing = true;
  for (const WalkLeg& leg : person.walk) {
    if (leg.wait_s > 0) {
      phases_.push_back({t, at, {}, walked_, 0, 0});
      t += leg.wait_s;
      standing = true;
    }
    ends_ = t;
    if (length(leg.to - at) > 0 && leg.mps > 0) {
      go(leg, at, standing);
      t = ends_;
      at = leg.to;
      standing = leg.slow_down_m > 0;
    }
  }
  phases_.push_back({ends_, at, {}, walked_, 0, 0});
  // Turns round a corner must not reach into each other.
  for (std::size_t i = 1; i < turns_.size(); ++i)
    if (turns_[i].begin < turns_[i - 1].end) {
      const double middle = (turns_[i].begin + turns_[i - 1].end) / 2;
      turns_[i].begin = turns_[i - 1].end = middle;
    }
}

void Walk::go(const WalkLeg& leg, Vec2 from, bool standing) {
  const double metres = length(leg.to - from);
  const Vec2 along = (1 / metres) * (leg.to - from);
  const double start = ends_;
  const double heading = std::atan2(along.y, along.x);
  const double by = turn_between(last_heading_, heading);
  if (by != 0) {
    const double stood_since = phases_.back().t;
    const double begin = standing ? std::max(start - kTurn, stood_since) : start - kTurn / 2;
    turns_.push_back({begin, standing ? start : start + kTurn / 2, last_heading_, by});
  }
  last_heading_ += by;
  fastest_ = std::max(fastest_, leg.mps);
  // Evenly faster over the first metres: v * v = 2 * a * s.
  // And evenly slower over the last. Where the leg is too short for both, the full speed is not
  // reached.
  const double up = standing ? leg.speed_up_m : 0;
  const double fits = std::min(1.0, metres / std::max(up + leg.slow_down_m, 1e-9));
  const double ramp = leg.slow_down_m > 0 ? fits * up : std::min(up, metres);
  const double last = fits * leg.slow_down_m;
  double at = start;
  if (ramp > 0) {
    const double acceleration = leg.mps * leg.mps / (2 * leg.speed_up_m);
    phases_.push_back({at, from, along, walked_, 0, acceleration});
    at += std::sqrt(2 * ramp / acceleration);
  }
  if (metres - ramp - last > (last > 0 ? 1e-9 : 0)) {
    phases_.push_back({at, from + ramp * along, along, walked_ + ramp, leg.mps, 0});
    at += (metres - last - ramp) / leg.mps;
  }
  if (last > 0) {
    const double begins = up > 0 ? leg.mps * std::sqrt(fits) : leg.mps;
    phases_.push_back({at, from + (metres - last) * along, along, walked_ + metres - last, begins,
                       -begins * begins / (2 * last)});
    at += 2 * last / begins;
  }
  walked_ += metres;
  ends_ = at;
}

double Walk::fastest_turn() const noexcept {
  double most = 0;
  for (const Turn& turn : turns_)
    if (turn.end > turn.begin)
      most = std::max(most, 1.5 * std::abs(turn.by) / (turn.end - turn.begin));
  return most;
}

void Walk::at(double t, PersonState& out) const {
  auto phase = std::upper_bound(phases_.begin(), phases_.end(), t,
                                [](double value, const Phase& p) { return value < p.t; });
  if (phase != phases_.begin()) --phase;
  const double dt = std::max(0.0, t - phase->t);
  const double metres = phase->mps * dt + phase->mps2 * dt * dt / 2;
  out.mps = phase->mps + phase->mps2 * dt;
  out.place.at = phase->from + metres * phase->along;
  out.velocity = out.mps * phase->along;
  out.walked_m = phase->walked + metres;
  out.turned = 0;
  out.place.heading = first_heading_;
  for (const Turn& turn : turns_) {
    if (t < turn.begin) break;
    out.place.heading = turn.from + turn.by;
    if (t >= turn.end) continue;
    const double u = (t - turn.begin) / (turn.end - turn.begin);  // smoothly: 3u^2 - 2u^3
    out.place.heading = turn.from + turn.by * u * u * (3 - 2 * u);
    out.turned = turn.by * 6 * u * (1 - u) / (turn.end - turn.begin);
  }
}

}  // namespace kerb::sim
