// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/hours_rule.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/world/outline.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim::hours {
namespace {

constexpr double kLook = 0.05;     // seconds between looks
constexpr std::size_t kAhead = 2;  // looks between those at the future
constexpr double kFine = 0.15;     // metres between places somebody may be at
constexpr int kSteady = 4;         // looks that one stands for while nobody changes their velocity
constexpr double kHarder = 2.5;    // m/s2: no car of these drives speeds up more

}  // namespace

QuietCheck::QuietCheck(const CarSpec& car, double seconds, const QuietRule& rule)
    : car_{car}, rule_{rule}, way_{car.start, car.way} {
  const SpeedProfile speed{car.speeds};
  const auto until = static_cast<int>((seconds + rule.look_ahead_s) / kLook) + 2;
  for (int i = 0; i <= until; ++i) {
    const SpeedProfile::Now now = speed.at(i * kLook);
    instants_.push_back({way_.at(now.metres), now.mps, now.metres});
    if (i * kLook <= seconds) ++count_;
  }
}

double QuietCheck::distance(Place front, const Disc& disc, double after) const {
  const Vec2 at = disc.at + after * disc.velocity;
  return outline_distance(car_.length_m, car_.width_m, seen_from(front, at)) - disc.radius;
}

/// Whether somebody is near the car that is there `after` seconds, give or take the gap.
bool QuietCheck::touches(Place front, double after, const Disc& disc) const {
  const double mps = length(disc.velocity);
  const double first = std::max(0.0, after - rule_.gap_s), last = after + rule_.gap_s;
  if (length(disc.at - front.at) > car_.length_m + 2 + mps * last) return false;
  const int steps = mps > 0 ? static_cast<int>(std::ceil((last - first) * mps / kFine)) : 0;
  for (int i = 0; i <= steps; ++i) {
    const double u = steps > 0 ? first + (last - first) * i / steps : 0;
    if (distance(front, disc, u) < rule_.room_m) return true;
  }
  return false;
}

bool QuietCheck::comes_near(const Instant& car, std::size_t at, const Disc& disc) const {
  const auto ahead = static_cast<std::size_t>(rule_.look_ahead_s / kLook + 1e-6);
  for (std::size_t k = 0; k <= ahead; k += kAhead) {
    const double after = static_cast<double>(k) * kLook;
    if (touches(instants_[at + k].front, after, disc)) return true;
    // A place on the way is no farther from the front than along the way.
    const double away = length(disc.at - car.front.at) - car.mps * after;
    if (away > car_.length_m + 2 + length(disc.velocity) * (after + rule_.gap_s)) continue;
    if (touches(way_.at(car.metres + car.mps * after), after, disc)) return true;
  }
  return false;
}

bool QuietCheck::keeps(const PersonSpec& person) const {
  const Walk walk{person};
  const std::vector<OutlineDisc> outline = outline_of(person);
  PersonState now;
  Vec2 looked;  // the velocity at the last look ahead, and the car's speed
  double looked_mps = -1;
  int since = kSteady;
  for (std::size_t i = 0; i < count_; ++i) {
    const Instant& car = instants_[i];
    walk.at(static_cast<double>(i) * kLook, now);
    const double away = length(now.place.at - car.front.at);
    const double farthest = (car.mps + kHarder * rule_.look_ahead_s) * rule_.look_ahead_s +
                            now.mps * (rule_.look_ahead_s + rule_.gap_s) + car_.length_m + 2;
    if (away > farthest) continue;
    const bool slow = car.mps < rule_.slow_mps;
    const auto disc_now = [&](const OutlineDisc& disc) {
      return Disc{disc_at(now.place, disc), now.velocity, disc.radius};
    };
    const double room = slow ? rule_.slow_room_m : rule_.room_m;
    for (const OutlineDisc& disc : outline)
      if (distance(car.front, disc_now(disc)) < room) return false;
    if (slow) {
      since = kSteady;
      continue;
    }
    // While neither changes their speed, what one look ahead sees the next ones see as well.
    const bool turns = outline.size() > 1 && now.turned != 0;
    const bool same = length(now.velocity - looked) < 1e-9 && car.mps == looked_mps && !turns;
    if (same && ++since < kSteady) continue;
    for (const OutlineDisc& disc : outline)
      if (comes_near(car, i, disc_now(disc))) return false;
    looked = now.velocity;
    looked_mps = car.mps;
    since = 0;
  }
  return true;
}

}  // namespace kerb::sim::hours
