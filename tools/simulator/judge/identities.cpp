// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/identities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kerb::sim {
namespace {

constexpr double kAcross = 0.5, kAngle = 0.04;  // m, rad
constexpr double kAlong = 0.4;                  // of the distance
constexpr double kNearest = 3, kFarthest = 40, kVisible = 0.5;
constexpr double kLate = 0.1;  // s: what a list says was seen about so long ago

using Spot = Truth::Everybody::Place;
using Object = Sent::People::Object;

/// How far an object is from where a person is, across the line of sight; infinite: too far.
double apart(const Spot& person, const Object& object) {
  const double far = std::hypot(person.ahead, person.left);
  const double seen = std::hypot(object.ahead, object.left);
  const double turn = std::atan2(object.left, object.ahead) - std::atan2(person.left, person.ahead);
  const double across = std::abs(turn) * far;
  const bool near =
      across <= std::max(kAcross, kAngle * far) && std::abs(seen - far) <= kAlong * far;
  return near ? across : std::numeric_limits<double>::infinity();
}

bool in_view(const Spot& p) {
  return p.visible >= kVisible && p.ahead >= kNearest && p.ahead <= kFarthest;
}

/// Which object each person is in one list; -1: none. `last`: their numbers so far.
std::vector<int> match(const std::vector<Spot>& people, const std::vector<Object>& objects,
                       const std::vector<std::optional<int>>& last) {
  std::vector<int> out(people.size(), -1);
  std::vector<bool> taken(objects.size(), false);
  for (std::size_t p = 0; p < people.size(); ++p)
    for (std::size_t o = 0; o < objects.size(); ++o)
      if (!taken[o] && last[p] == objects[o].id && std::isfinite(apart(people[p], objects[o]))) {
        out[p] = static_cast<int>(o);
        taken[o] = true;
        break;
      }
  for (;;) {  // then the nearest pair, and again
    double best = std::numeric_limits<double>::infinity();
    std::size_t person = 0, object = 0;
    for (std::size_t p = 0; p < people.size(); ++p)
      for (std::size_t o = 0; o < objects.size(); ++o) {
        if (out[p] >= 0 || taken[o]) continue;
        const double far = apart(people[p], objects[o]);
        if (far < best) {
          best = far;
          person = p;
          object = o;
        }
      }
    if (!std::isfinite(best)) return out;
    out[person] = static_cast<int>(object);
    taken[object] = true;
  }
}

}  // namespace

Identities find_identities(const Truth& truth, const Sent& sent) {
  Identities out;
  if (truth.everybody.empty()) return out;
  std::vector<std::optional<int>> last(truth.everybody.front().people.size());
  int followed = 0;
  for (const Sent::People& list : sent.people) {
    const auto after =
        std::upper_bound(truth.everybody.begin(), truth.everybody.end(), list.at - kLate,
                         [](double t, const Truth::Everybody& all) { return t < all.t; });
    if (after == truth.everybody.begin()) continue;
    const std::vector<Spot>& people = (after - 1)->people;
    const std::vector<int> object = match(people, list.objects, last);
    for (std::size_t p = 0; p < people.size(); ++p) {
      if (object[p] >= 0) {
        const int id = list.objects[static_cast<std::size_t>(object[p])].id;
        if (last[p] && *last[p] != id) {
          ++out.changes;
          if (!out.first) out.first = list.at;
        }
        last[p] = id;
      }
      if (!last[p] || !in_view(people[p])) continue;
      ++out.due;
      if (object[p] >= 0) ++followed;
    }
  }
  out.followed = out.due == 0 ? 0 : static_cast<double>(followed) / out.due;
  return out;
}

}  // namespace kerb::sim
