// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/truth.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kerb::sim {
namespace {

constexpr double kFineStep = 0.02, kCoarseStep = 0.1;  // seconds
constexpr double kLongRun = 60;                        // from here on coarse

/// When something that does not hold at `before` and holds at `after` began to, to a millisecond.
double began(double before, double after, const std::function<bool(double)>& holds) {
  while (after - before > 1e-3) {
    const double middle = (before + after) / 2;
    (holds(middle) ? after : before) = middle;
  }
  return after;
}

class Finder {
 public:
  explicit Finder(const World& world) : world_{world}, visibility_{world.scenario()} {}

  Truth find() {
    Truth truth;
    truth.seconds = world_.scenario().seconds;
    truth.contact = world_.contact();
    const double step = truth.seconds > kLongRun ? kCoarseStep : kFineStep;
    const auto count = static_cast<int>(std::floor(truth.seconds / step + 1e-9)) + 1;
    std::vector<std::optional<std::size_t>> open(world_.scenario().people.size());
    for (int i = 0; i < count; ++i) {
      const double t = i * step;
      world_.at(t, now_);
      world_.truth(now_, people_);
      truth.samples.push_back(sample(t));
      if (world_.scenario().criteria.most_identity_changes) truth.everybody.push_back(everybody(t));
      if (truth.contact && t <= truth.contact->t) follow(truth, t, std::max(0.0, t - step));
      follow_close(truth, open, t, std::max(0.0, t - step));
    }
    for (const std::optional<std::size_t>& stays : open)
      if (stays) truth.close[*stays].end = truth.seconds;
    if (truth.contact) {
      world_.at(truth.contact->t, now_);
      truth.contact_mps = now_.car.mps;
    }
    if (!world_.scenario().criteria.no_collision_warning)
      truth.dangers = find_dangers(world_, visibility_);
    return truth;
  }

 private:
  [[nodiscard]] Truth::Sample sample(double t) const {
    Truth::Sample s;
    s.t = t;
    s.car_mps = now_.car.mps;
    const auto before = [&](std::size_t a, std::size_t b) {
      const PersonTruth &x = people_[a], &y = people_[b];
      if (x.contact.has_value() != y.contact.has_value()) return x.contact.has_value();
      if (x.contact && y.contact) return *x.contact < *y.contact;
      const bool x_behind = x.ahead < 0, y_behind = y.ahead < 0;
      if (x_behind != y_behind) return y_behind;
      return x.distance < y.distance;
    };
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < people_.size(); ++i)
      if (!first || before(i, *first)) first = i;
    if (!first) return s;
    const PersonTruth& p = people_[*first];
    s.person = static_cast<int>(*first);
    s.distance = p.distance;
    s.ahead = p.ahead;
    s.left = p.left;
    s.ttc = p.ttc;
    s.visible = visibility_.visible(now_, *first);
    s.zone = p.zone;
    return s;
  }
  [[nodiscard]] Truth::Everybody everybody(double t) const {
    Truth::Everybody all{t, {}};
    for (std::size_t i = 0; i < people_.size(); ++i)
      all.people.push_back({people_[i].ahead, people_[i].left, visibility_.visible(now_, i)});
    return all;
  }
  [[nodiscard]] double visible_at(double t, std::size_t person) const {
    Moment moment;
    world_.at(t, moment);
    return visibility_.visible(moment, person);
  }
  void follow(Truth& truth, double t, double before) {
    const auto person = static_cast<std::size_t>(truth.contact->person);
    const double visible = visibility_.visible(now_, person);
    const auto note = [&](std::optional<double>& when, bool wanted, double share) {
      if (!wanted || visible < share) return false;
      when = t > before
                 ? began(before, t, [&](double at) { return visible_at(at, person) >= share; })
                 : t;
      return true;
    };
    note(truth.seen, !truth.seen, kSeenShare);
    if (visible < kSeenShare) hidden_ = true;
    if (note(truth.half_visible, hidden_, kHalfShare)) hidden_ = false;
  }
  [[nodiscard]] bool close_at(double t, std::size_t person) const {
    Moment moment;
    std::vector<PersonTruth> people;
    world_.at(t, moment);
    world_.truth(moment, people);
    return std::abs(moment.car.mps) < kCreeping && people[person].zone == Zone::close;
  }
  void follow_close(Truth& truth, std::vector<std::optional<std::size_t>>& open, double t,
                    double before) {
    for (std::size_t i = 0; i < people_.size(); ++i) {
      const bool close = std::abs(now_.car.mps) < kCreeping && people_[i].zone == Zone::close;
      if (close == open[i].has_value()) continue;
      const double when =
          t > before ? began(before, t, [&](double at) { return close_at(at, i) == close; }) : t;
      if (close) {
        open[i] = truth.close.size();
        truth.close.push_back({static_cast<int>(i), when, when});
      } else {
        truth.close[*open[i]].end = when;
        open[i].reset();
      }
    }
  }

  const World& world_;
  Visibility visibility_;
  Moment now_;
  bool hidden_ = true;  // whoever is hit, since they were last half visible
  std::vector<PersonTruth> people_;
};

}  // namespace

bool too_dark(const Truth::PersonLight& light) noexcept {
  return light.lux < kDarkBelow_lux && light.contrast < kDarkContrast * light.noise;
}

Truth find_truth(const World& world) { return Finder{world}.find(); }

}  // namespace kerb::sim
