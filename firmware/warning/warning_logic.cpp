// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/warning_logic.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/warning/fields.hpp"

namespace kerb {
namespace {

// Speeds, m/s: a car creeps from the first on until the second.
constexpr double kCreeps = 10 / 3.6, kCreepsNoMore = 12 / 3.6;  // for information
constexpr double kSlow = 9.4 / 3.6, kSlowNoMore = 9.7 / 3.6;    // for collision
// Evidence.
constexpr int kFewestReports = 2;
constexpr Nanos kMostEvidence = std::chrono::milliseconds{400};
constexpr Nanos kCloseEvidence = std::chrono::milliseconds{60};
constexpr Nanos kSeenLately = std::chrono::milliseconds{250};  // by the detector
constexpr double kForesees = 0.8;                              // seconds before it is time to warn
constexpr double kDoubt =
    0.25;  // standard deviations by which a contact may be later than expected
// Who is about to be passed: a contact that becomes less likely, by this much against the last
// moments (a memory in seconds), while it is so far off.
constexpr double kWanes = 0.08, kLately = 0.15, kTimeToSee = 1.8;
// What a collision warning goes on by.
constexpr double kLessLikely = 0.25, kLonger = 0.6;  // seconds
constexpr Nanos kCollisionLingers = std::chrono::milliseconds{300};
constexpr Nanos kInformationLingers = std::chrono::milliseconds{500};
// What the driver does about it, m/s^2.
constexpr double kBrakes = 1, kBrakesHard = 3, kSteers = 2;
// Right in front: the person's middle, from the bumper and beside the car's width, metres.
constexpr double kCloseAhead = 3.95, kCloseBeside = 0.75;
constexpr double kSlack = 0.1, kMoreSlack = 0.5;
constexpr double kSoon = 0.3;  // seconds: who will be there then is told of now

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }

/// For how long reports must speak for a contact that is so far off: what is further off can wait
/// for more.
Nanos enough_at(double in_s) noexcept {
  const double ms = 32 + 60 * std::clamp((in_s - 1.2) / 0.8, 0.0, 1.0);
  return Nanos{static_cast<Nanos::rep>(ms * 1e6)};
}

struct Place {
  double ahead, beside;
};
bool is_close(const Place& at, double slack) noexcept {
  return at.ahead >= -slack && at.ahead <= kCloseAhead + slack && at.beside <= kCloseBeside + slack;
}

/// Where somebody will be as the car has them, both going on as they do.
Place after(const track::Person& person, const risk::Contact& contact, double car_mps,
            double t) noexcept {
  const double away = person.y_m < 0 ? -person.vy_mps : person.vy_mps;
  return {contact.ahead_m + (person.vx_mps - car_mps) * t,
          std::max(contact.beside_m + away * t, 0.0)};
}

}  // namespace

WarningRules WarningRules::of(Sensitivity sensitivity) noexcept {
  WarningRules rules;
  if (sensitivity == Sensitivity::late) {
    rules.likelihood = 0.7;
    rules.standing_ahead_s = 1.6;
    rules.most_ahead_s = 2;
  }
  if (sensitivity == Sensitivity::early) {
    rules.likelihood = 0.5;
    rules.standing_ahead_s = 2.4;
    rules.most_ahead_s = 2.9;
  }
  return rules;
}

double WarningRules::ahead_s(double speed_mps) const noexcept {
  return std::min(standing_ahead_s + longer_ahead_s_per_mps * std::abs(speed_mps), most_ahead_s);
}

WarningLogic::WarningLogic(Sensitivity sensitivity) noexcept
    : WarningLogic{WarningRules::of(sensitivity)} {}

/// Keeps the one that is nearest in time, and before all others one that begins it.
void WarningLogic::Case::add(bool begin, bool stay, std::uint32_t id, int seen_by,
                             std::optional<double> in_s) noexcept {
  if (!begin && !stay) return;
  const bool sooner = in_s && (!time_s || *in_s < *time_s);
  if (!person || (begin && !begins) || (begin == begins && sooner)) {
    person = id;
    camera = seen_by;
    time_s = in_s;
  }
  begins = begins || begin;
  stays = true;
}

template <typename F, typename Self>
void WarningLogic::Suspects::list(F& f, Self& s) {
  static_assert(sizeof(Suspect) == 40 && sizeof(Suspects) == 8 + sizeof(items_),
                "a new member? list it");
  f.structure("Suspects").list("items", s.count_, kCapacity, [&](std::size_t i) {
    auto& one = s.items_[i];
    f("id", one.id)("camera", one.camera)("spoke", one.spoke)("reports", one.reports);
    f("last", one.last)("lately", one.lately);
  });
}
void WarningLogic::Suspects::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::Suspects::load(FieldReader& in) noexcept { list(in, *this); }
void WarningLogic::Suspects::describe(FieldLister& out) const { list(out, *this); }

template <typename F, typename Self>
void WarningLogic::list(F& f, Self& s) {
  static_assert(sizeof(WarningLogic) == sizeof(WarningRules) + 8 + 2 * sizeof(Suspects) + 8 +
                                            3 * 8 + 2 * 16 + sizeof(WarningDecision),
                "a new member? list it");
  f.structure("WarningLogic")("creeping", s.creeping_)("slow", s.slow_)("brakes", s.brakes_);
  f("brakes_hard", s.brakes_hard_)("steers", s.steers_)("endangered", s.endangered_);
  f("close", s.close_)("level", s.level_)("since", s.since_);
  f("collision_wanted", s.collision_wanted_)("information_wanted", s.information_wanted_);
  f("collision_ended", s.collision_ended_)("information_ended", s.information_ended_);
  f("told", s.told_);
}
void WarningLogic::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::describe(FieldLister& out) const { list(out, *this); }
void WarningLogic::load(FieldReader& in) noexcept {
  list(in, *this);
  if (level_ > WarningLevel::collision) in.fail();
}

WarningLogic::Suspects::Said WarningLogic::Suspects::take(int camera, std::uint32_t id, Nanos at,
                                                          bool speaks_for, double likelihood,
                                                          Nanos enough) noexcept {
  int i = 0;
  while (i < count_ && (items_[static_cast<std::size_t>(i)].id != id ||
                        items_[static_cast<std::size_t>(i)].camera != camera))
    ++i;
  if (i == count_) {
    if (!speaks_for) return {};
    if (count_ == kCapacity) {  // the one that was looked at longest ago makes room
      const auto oldest =
          std::min_element(items_.begin(), items_.end(),
                           [](const Suspect& a, const Suspect& b) { return a.last < b.last; });
      i = static_cast<int>(oldest - items_.begin());
    } else {
      ++count_;
    }
    items_[static_cast<std::size_t>(i)] = {id, camera, Nanos{}, 1, at, likelihood};
    return {};
  }
  Suspect& suspect = items_[static_cast<std::size_t>(i)];
  if (at > suspect.last) {
    const Nanos passed = at - suspect.last;
    suspect.last = at;
    const double dt = seconds(passed);
    suspect.lately += (likelihood - suspect.lately) * (dt / (kLately + dt));
    suspect.spoke =
        speaks_for ? std::min(suspect.spoke + passed, kMostEvidence) : suspect.spoke - passed;
    suspect.reports += speaks_for ? 1 : 0;
    if (suspect.spoke < Nanos::zero()) {
      suspect = items_[static_cast<std::size_t>(--count_)];
      return {};
    }
  }
  return {speaks_for && suspect.reports >= kFewestReports && suspect.spoke >= enough,
          likelihood < suspect.lately - kWanes};
}

void WarningLogic::Suspects::forget(Nanos now) noexcept {
  for (int i = 0; i < count_;) {
    Suspect& suspect = items_[static_cast<std::size_t>(i)];
    if (now - suspect.last > kStale) {
      suspect = items_[static_cast<std::size_t>(--count_)];
    } else {
      ++i;
    }
  }
}

void WarningLogic::look(Nanos now, int camera, const risk::PeopleReport& report, Case& collision,
                        Case& information) noexcept {
  const double age = std::max(seconds(now - report.at), 0.0);
  const double speed = report.path_known ? report.speed_mps : 0;
  const double likelihood = slow_ ? rules_.creeping_likelihood : rules_.likelihood;
  const double ahead = slow_ ? rules_.creeping_ahead_s : rules_.ahead_s(speed);
  if (report.path_known) {
    const double along = speed < 0 ? -report.acceleration_mps2 : report.acceleration_mps2;
    brakes_ = brakes_ || along < -kBrakes;
    brakes_hard_ = brakes_hard_ || along < -kBrakesHard;
    steers_ = steers_ || std::abs(speed * report.yaw_rate_radps) > kSteers;
  }
  for (int i = 0; i < report.people.count; ++i) {
    const track::Person& person = report.people.items[i];
    if (!person.confirmed) continue;
    const risk::Contact& contact = report.contacts[i];
    std::optional<double> in_s;
    if (contact.expected_s) in_s = std::max(*contact.expected_s - age, 0.0);
    const double p = contact.probability;
    const bool seen = report.at - person.last_seen <= kSeenLately;
    const bool likely = in_s && p >= likelihood && *in_s <= ahead + kForesees;
    const bool soon = in_s && *in_s + kDoubt * contact.expected_sigma_s <= ahead;
    const bool still = in_s && p >= (brakes_hard_ ? likelihood : likelihood - kLessLikely) &&
                       *in_s <= ahead + kLonger;
    const Suspects::Said said =
        endangered_.take(camera, person.id, report.at, likely, p, enough_at(in_s.value_or(0)));
    const bool may_pass = said.wanes && in_s && *in_s > kTimeToSee;
    collision.add(said.enough && soon && seen && !may_pass, still, person.id, camera, in_s);

    if (!creeping_) continue;
    const Place here = after(person, contact, speed, 0);
    const bool close =
        is_close(here, kSlack) || is_close(after(person, contact, speed, age + kSoon), kSlack);
    information.add(close_.take(camera, person.id, report.at, close, 0, kCloseEvidence).enough,
                    is_close(here, kMoreSlack), person.id, camera, std::nullopt);
  }
}

WarningLevel WarningLogic::next(Nanos now, const Case& collision,
                                const Case& information) noexcept {
  const bool held = now - since_ >= kShortest;
  const bool collision_may = !collision_ended_ || now - *collision_ended_ >= kPause;
  const bool information_may = !information_ended_ || now - *information_ended_ >= kPause;
  if (collision.stays) collision_wanted_ = now;
  if (information.stays) information_wanted_ = now;
  switch (level_) {
    case WarningLevel::none:
      if (collision.begins && collision_may) return WarningLevel::collision;
      if (information.begins && information_may) return WarningLevel::information;
      return WarningLevel::none;
    case WarningLevel::information:
      if (collision.begins && collision_may) return WarningLevel::collision;
      if (!held || (sees_ && now - information_wanted_ < kInformationLingers))
        return WarningLevel::information;
      return WarningLevel::none;
    case WarningLevel::collision:
      break;
  }
  const bool driver_acts = brakes_ || steers_;
  if (!held || collision.stays) return WarningLevel::collision;
  if (sees_ && !driver_acts && now - collision_wanted_ < kCollisionLingers)
    return WarningLevel::collision;
  return information.begins ? WarningLevel::information : WarningLevel::none;
}

WarningDecision WarningLogic::step(
    Nanos now, const std::array<const risk::PeopleReport*, kMostCameras>& reports,
    const DriverSide& side) noexcept {
  const double speed = std::abs(side.speed_mps.value_or(0));
  creeping_ = speed < (creeping_ ? kCreepsNoMore : kCreeps);
  slow_ = speed < (slow_ ? kSlowNoMore : kSlow);
  sees_ = brakes_ = brakes_hard_ = steers_ = false;
  Case collision, information;
  if (side.readiness == Readiness::ready) {
    endangered_.forget(now);
    close_.forget(now);
    for (int camera = 0; camera < kMostCameras; ++camera) {
      const risk::PeopleReport* report = reports[static_cast<std::size_t>(camera)];
      if (report == nullptr || report->at == Nanos::zero() || now - report->at > kStale) continue;
      sees_ = true;
      look(now, camera, *report, collision, information);
    }
  } else {
    endangered_.clear();
    close_.clear();
  }

  const WarningLevel level = next(now, collision, information);
  if (level != level_) {
    if (level_ == WarningLevel::collision) collision_ended_ = now;
    if (level_ == WarningLevel::information) information_ended_ = now;
    // After a collision warning, information is news again.
    if (level == WarningLevel::collision) information_ended_.reset();
    level_ = level;
    since_ = now;
    told_ = {level, std::nullopt, std::nullopt};
  }
  const Case& reason = level == WarningLevel::collision ? collision : information;
  told_.time_to_collision_s.reset();
  if (level != WarningLevel::none && reason.person) {
    told_.person = reason.person;
    told_.camera = reason.camera;
    told_.time_to_collision_s = reason.time_s;
  }
  return told_;
}

}  // namespace kerb
