// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/dangers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tools/simulator/world/outline.hpp"

namespace kerb::sim {
namespace {

constexpr double kLook = 0.02;  // seconds
constexpr double kSeen = 0.1;   // of the person

/// Seconds until the car runs over the person if both go on as now: the car on its way.
std::optional<double> runs_over(const World& world, const Way& way, const Moment& now,
                                std::size_t person) {
  const CarSpec& spec = world.scenario().car;
  const CarState& car = now.car;
  const PersonState& walker = now.people[person];
  const bool brakes = car.mps * car.mps2 < 0;
  const auto after = [&](double s) {
    const double t = brakes ? std::min(s, -car.mps / car.mps2) : s;  // until it stands
    return way.at(car.metres + car.mps * t + car.mps2 * t * t / 2);
  };
  const double reach = std::hypot(spec.length_m, spec.width_m / 2);
  const double fastest = std::abs(car.mps) + (brakes ? 0 : std::abs(car.mps2) * kDangerAhead_s);
  return first_touch(
      [&](double s) {
        const Vec2 there = walker.place.at + s * walker.velocity;
        return outline_distance(spec.length_m, spec.width_m, seen_from(after(s), there));
      },
      fastest * (1 + way.most_curved() * reach) + walker.mps, 0, kDangerAhead_s);
}

/// One person's dangers, as time goes by.
class Follower {
 public:
  Follower(std::size_t person, const std::optional<Contact>& contact, double until)
      : person_{person}, contact_{contact}, until_{until} {}

  void look(const World& world, const Way& way, const Visibility& visibility, const Moment& now) {
    const std::optional<double> over = runs_over(world, way, now, person_);
    const bool soon = contact_ && contact_->t - now.t <= kDangerAhead_s;
    if (!seen_ && (over || soon) && visibility.visible(now, person_) >= kSeen) seen_ = now.t;
    if (over && seen_ && !open_)
      open_ = Danger{static_cast<int>(person_), now.t, now.t, now.t, now.t + *over, false};
    if (!over && open_) close(now.t);
  }
  void finish(std::vector<Danger>& out) {
    if (contact_ && seen_) {
      const double begin = std::max(contact_->t - kDangerAhead_s, *seen_);
      Danger hit{static_cast<int>(person_),     begin,       until_,
                 std::min(contact_->t, until_), contact_->t, true};
      if (open_) hit.evident = std::max(open_->begin, begin);
      std::erase_if(dangers_, [&](const Danger& d) { return d.end > begin; });
      if (hit.begin < hit.end) dangers_.push_back(hit);
    } else if (open_) {
      close(until_);
    }
    out.insert(out.end(), dangers_.begin(), dangers_.end());
  }

 private:
  void close(double t) {
    open_->end = t;
    if (t - open_->begin >= kLeastDanger_s) dangers_.push_back(*open_);
    open_.reset();
  }

  std::size_t person_;
  std::optional<Contact> contact_;
  double until_;  // the first contact, or the end of the run
  std::optional<double> seen_;
  std::optional<Danger> open_;
  std::vector<Danger> dangers_;
};

}  // namespace

std::vector<Danger> find_dangers(const World& world, const Visibility& visibility) {
  const std::optional<Contact> first = world.contact();
  const double until = first ? first->t : world.scenario().seconds;
  std::vector<Follower> people;
  for (std::size_t i = 0; i < world.contacts().size(); ++i)
    people.emplace_back(i, world.contacts()[i], until);
  const Way way{world.scenario().car.start, world.scenario().car.way};
  Moment now;
  for (int i = 0; i * kLook < until; ++i) {
    world.at(i * kLook, now);
    for (Follower& person : people) person.look(world, way, visibility, now);
  }
  std::vector<Danger> out;
  for (Follower& person : people) person.finish(out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Danger& a, const Danger& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace kerb::sim
