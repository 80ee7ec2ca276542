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

/// The car as it goes on from a moment: its change of speed until it stands, its bend.
class GoesOn {
 public:
  explicit GoesOn(const CarState& car)
      : mps_{car.mps},
        mps2_{car.mps2},
        way_{car.place, car.yaw_radps == 0 || car.mps == 0
                            ? std::vector<Stretch>{}
                            : std::vector<Stretch>{
                                  {.length_m = 1e6, .radius_m = car.mps / car.yaw_radps}}} {}
  [[nodiscard]] Place after(double seconds) const {
    const bool brakes = mps_ * mps2_ < 0;
    const double t = brakes ? std::min(seconds, -mps_ / mps2_) : seconds;
    return way_.at(mps_ * t + mps2_ * t * t / 2);
  }
  [[nodiscard]] double fastest(double seconds) const {
    return std::abs(mps_) + (mps_ * mps2_ > 0 ? std::abs(mps2_) * seconds : 0);
  }

 private:
  double mps_, mps2_;
  Way way_;
};

/// Seconds until the car runs over the person if both go on as now.
std::optional<double> runs_over(const World& world, const Moment& now, std::size_t person) {
  const CarSpec& spec = world.scenario().car;
  const PersonState& walker = now.people[person];
  const GoesOn car{now.car};
  const double reach = std::hypot(spec.length_m, spec.width_m / 2);
  const double curvature = now.car.mps == 0 ? 0 : std::abs(now.car.yaw_radps / now.car.mps);
  return first_touch(
      [&](double s) {
        const Vec2 there = walker.place.at + s * walker.velocity;
        return outline_distance(spec.length_m, spec.width_m, seen_from(car.after(s), there));
      },
      car.fastest(kDangerAhead_s) * (1 + curvature * reach) + walker.mps, 0, kDangerAhead_s);
}

/// One person's dangers, as time goes by.
class Follower {
 public:
  Follower(std::size_t person, const std::optional<Contact>& contact, double until)
      : person_{person}, contact_{contact}, until_{until} {}

  void look(const World& world, const Visibility& visibility, const Moment& now) {
    const std::optional<double> over = runs_over(world, now, person_);
    const bool soon = contact_ && contact_->t - now.t <= kDangerAhead_s;
    if (!seen_ && (over || soon) && visibility.visible(now, person_) >= kSeen) seen_ = now.t;
    if (over && seen_ && !open_)
      open_ = Danger{static_cast<int>(person_), now.t, now.t, now.t, now.t + *over, false};
    if (!over && open_) close(now.t);
  }
  void finish(std::vector<Danger>& out) {
    if (contact_ && seen_) {
      const double begin = std::max(contact_->t - kDangerAhead_s, *seen_);
      Danger hit{static_cast<int>(person_), begin, until_, std::min(contact_->t, until_),
                 contact_->t, true};
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
  Moment now;
  for (int i = 0; i * kLook < until; ++i) {
    world.at(i * kLook, now);
    for (Follower& person : people) person.look(world, visibility, now);
  }
  std::vector<Danger> out;
  for (Follower& person : people) person.finish(out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Danger& a, const Danger& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace kerb::sim
