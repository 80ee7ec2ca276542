// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/warning_logic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/warning/fields.hpp"

namespace kerb {
namespace {

/// Fixed settings of WarningLogic; WarningRules has those that are set from outside.
struct WarningTuning {
  double leave_creeping_kmh = 2;  ///< hysteresis of the speed below which information is given,
  double leave_slow_kmh = 0.3;    ///< and of that below which a collision is a creeping car's
  double close_enter_m = 0.1;     ///< hysteresis of the close zone: tolerance to begin,
  double close_exit_m = 0.5;      ///< and to continue
  Nanos max_evidence = std::chrono::milliseconds{400};  ///< upper limit of what is collected
};
constexpr WarningTuning kWarningTuning{};

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }

/// A fault stops warnings; the driver has not, and the car goes on.
bool is_faulty(Readiness readiness) noexcept {
  return readiness == Readiness::not_active || readiness == Readiness::no_speed;
}

Nanos from_seconds(double s) noexcept { return Nanos{static_cast<Nanos::rep>(s * 1e9)}; }

struct Place {
  double ahead, beside;
};
bool is_close(const WarningRules& rules, const Place& at, double slack) noexcept {
  return at.ahead >= -slack && at.ahead <= rules.close_ahead_m + slack &&
         at.beside <= rules.close_beside_m + slack;
}

/// A person's place relative to the car after t seconds, both at their present velocity.
Place after(const track::Person& person, const risk::Contact& contact, double car_mps,
            double t) noexcept {
  const double away = person.y_m < 0 ? -person.vy_mps : person.vy_mps;
  return {contact.ahead_m + (person.vx_mps - car_mps) * t,
          std::max(contact.beside_m + away * t, 0.0)};
}

}  // namespace

/// Keeps the person who is nearest in time; one for whom the level begins takes precedence.
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
void WarningLogic::Candidates::list(F& f, Self& s) {
  static_assert(sizeof(Candidate) == 32 && sizeof(Candidates) == 8 + sizeof(items_),
                "a new member? list it");
  f.structure("Candidates").list("items", s.count_, kCapacity, [&](std::size_t i) {
    auto& one = s.items_[i];
    f("id", one.id)("camera", one.camera)("support", one.support)("reports", one.reports);
    f("last", one.last);
  });
}
void WarningLogic::Candidates::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::Candidates::load(FieldReader& in) noexcept { list(in, *this); }
void WarningLogic::Candidates::describe(FieldLister& out) const { list(out, *this); }

template <typename F, typename Self>
void WarningLogic::list(F& f, Self& s) {
  static_assert(sizeof(WarningLogic) == sizeof(WarningRules) + 16 + 2 * sizeof(Candidates) + 8 +
                                            4 * 8 + 3 * 16 + 16 + sizeof(WarningDecision),
                "a new member? list it");
  f.structure("WarningLogic")("creeping", s.creeping_)("slow", s.slow_)("brakes", s.brakes_);
  f("ready", s.ready_)("brakes_hard", s.brakes_hard_)("steers", s.steers_)("warned_seen",
                                                                           s.warned_seen_);
  f("endangered", s.endangered_)("close", s.close_)("level", s.level_)("since", s.since_);
  f("collision_wanted", s.collision_wanted_)("information_wanted", s.information_wanted_);
  f("contact_at", s.contact_at_)("unable_since", s.unable_since_);
  f("collision_ended", s.collision_ended_)("information_ended", s.information_ended_);
  f("ended_for", s.ended_for_)("ended_camera", s.ended_camera_);
  f("decision", s.decision_);
}
void WarningLogic::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::describe(FieldLister& out) const { list(out, *this); }
void WarningLogic::load(FieldReader& in) noexcept {
  list(in, *this);
  if (level_ > WarningLevel::collision) in.fail();
}

bool WarningLogic::Candidates::take(int camera, std::uint32_t id, Nanos at, bool supports,
                                    const Enough& enough) noexcept {
  int i = 0;
  while (i < count_ && (items_[static_cast<std::size_t>(i)].id != id ||
                        items_[static_cast<std::size_t>(i)].camera != camera))
    ++i;
  if (i == count_) {
    if (!supports) return false;
    if (count_ == kCapacity) {  // replace the one that was updated longest ago
      const auto oldest =
          std::min_element(items_.begin(), items_.end(),
                           [](const Candidate& a, const Candidate& b) { return a.last < b.last; });
      i = static_cast<int>(oldest - items_.begin());
    } else {
      ++count_;
    }
    items_[static_cast<std::size_t>(i)] = {id, camera, Nanos{}, 1, at};
    return enough.reports <= 1 && enough.time <= Nanos::zero();
  }
  Candidate& candidate = items_[static_cast<std::size_t>(i)];
  if (at > candidate.last) {
    const Nanos passed = at - candidate.last;
    candidate.last = at;
    candidate.support = supports ? std::min(candidate.support + passed, kWarningTuning.max_evidence)
                                 : candidate.support - passed;
    candidate.reports += supports ? 1 : 0;
    if (candidate.support < Nanos::zero()) {
      candidate = items_[static_cast<std::size_t>(--count_)];
      return false;
    }
  }
  return supports && candidate.reports >= enough.reports && candidate.support >= enough.time;
}

void WarningLogic::Candidates::forget(Nanos now) noexcept {
  for (int i = 0; i < count_;) {
    Candidate& candidate = items_[static_cast<std::size_t>(i)];
    if (now - candidate.last > kStale) {
      candidate = items_[static_cast<std::size_t>(--count_)];
    } else {
      ++i;
    }
  }
}

/// Whose danger was gone a moment ago is not warned of again at once.
bool WarningLogic::may_begin(Nanos now, std::uint32_t person, int camera) const noexcept {
  return !collision_ended_ || now - *collision_ended_ >= kPause || ended_for_ != person ||
         ended_camera_ != camera;
}

/// `sees`: the camera does; else its people are carried on.
void WarningLogic::assess(Nanos now, int reporter, bool sees, const risk::PeopleReport& report,
                          Case& collision, Case& information) noexcept {
  const double age = std::max(seconds(now - report.at), 0.0);
  const double speed = report.path_known ? report.speed_mps : 0;
  const double likelihood = slow_ ? rules_.creeping_likelihood : rules_.likelihood;
  const double ahead = slow_ ? rules_.creeping_ahead_s : rules_.ahead_s(speed);
  if (report.path_known) {
    const double along = speed < 0 ? -report.acceleration_mps2 : report.acceleration_mps2;
    brakes_ = brakes_ || along < -rules_.brakes_mps2;
    brakes_hard_ = brakes_hard_ || along < -rules_.brakes_hard_mps2;
    steers_ = steers_ || std::abs(speed * report.yaw_rate_radps) > rules_.steers_mps2;
  }
  for (int i = 0; i < report.people.count; ++i) {
    const track::Person& person = report.people.items[i];
    const risk::Contact& contact = report.contacts[i];
    const int camera = track::identity_camera(person, reporter);
    warned_seen_ = warned_seen_ || (report.path_known && decision_.person == person.id &&
                                    decision_.camera == camera);
    std::optional<double> in_s;
    if (contact.expected_s) in_s = std::max(*contact.expected_s - age, 0.0);
    const double p = contact.probability * person.certainty;
    const Nanos looked = report.looked_at == Nanos::zero() ? report.at : report.looked_at;
    const bool seen = seconds(looked - person.last_seen) <= rules_.detected_within_s &&
                      seconds(report.at - looked) <= rules_.blind_s;
    const bool soon = in_s && *in_s + rules_.late_sigmas * contact.expected_sigma_s <= ahead;
    // Who is out of sight for a moment is no less in danger.
    const bool still =
        in_s && (brakes_hard_ ? p >= likelihood : contact.probability >= rules_.stay_likelihood) &&
        (person.confirmed || p >= likelihood) && *in_s <= ahead + rules_.stay_longer_s;
    const double wait = std::max(in_s.value_or(0) - rules_.urgent_s, 0.0);
    // Without a new picture nothing new is known of who is not confirmed.
    const bool begins =
        (person.confirmed || looked == report.at) &&
        endangered_.take(
            camera, person.id, report.at, in_s && p >= likelihood,
            {rules_.reports, std::min(from_seconds(wait), kWarningTuning.max_evidence)});
    collision.add(able_ && begins && soon && seen && may_begin(now, person.id, camera), still,
                  person.id, camera, in_s);

    if (!creeping_ || !person.confirmed || !able_ || !sees) continue;
    const Place here = after(person, contact, speed, 0);
    const Place then = after(person, contact, speed, age + rules_.close_soon_s);
    const bool close = is_close(rules_, here, kWarningTuning.close_enter_m) ||
                       is_close(rules_, then, kWarningTuning.close_enter_m);
    information.add(close_.take(camera, person.id, report.at, close,
                                {2, from_seconds(rules_.close_evidence_s)}),
                    is_close(rules_, here, kWarningTuning.close_exit_m), person.id, camera,
                    std::nullopt);
  }
}

/// Whether nothing is known of the person in danger before the contact was to happen: no camera
/// sees, or their track has ended.
bool WarningLogic::is_unseen(Nanos now) const noexcept {
  if (slow_ || now - collision_wanted_ >= from_seconds(rules_.lost_s)) return false;
  if (!sees_) return now < contact_at_ + kPassed;
  return !warned_seen_ && now < contact_at_;
}

WarningLevel WarningLogic::next(Nanos now, const Case& collision,
                                const Case& information) noexcept {
  const bool held = now - since_ >= kShortest;
  const bool information_may = !information_ended_ || now - *information_ended_ >= kPause;
  if (collision.stays) {
    collision_wanted_ = now;
    contact_at_ = now + from_seconds(collision.time_s.value_or(0));
  }
  if (information.stays) information_wanted_ = now;
  switch (level_) {
    case WarningLevel::none:
      if (collision.begins) return WarningLevel::collision;
      if (information.begins && information_may) return WarningLevel::information;
      return WarningLevel::none;
    case WarningLevel::information:
      if (collision.begins) return WarningLevel::collision;
      if (!held || (able_ && sees_ &&
                    now - information_wanted_ < from_seconds(rules_.information_lingers_s)))
        return WarningLevel::information;
      return WarningLevel::none;
    case WarningLevel::collision:
      break;
  }
  const bool driver_acts = brakes_ || steers_;
  if (!held) return WarningLevel::collision;
  if (!stopped_ && (collision.stays || (!driver_acts && is_unseen(now))))
    return WarningLevel::collision;
  if (able_ && sees_ && !driver_acts && now - collision_wanted_ < from_seconds(rules_.lingers_s))
    return WarningLevel::collision;
  return information.begins ? WarningLevel::information : WarningLevel::none;
}

WarningDecision WarningLogic::step(
    Nanos now, const std::array<const risk::PeopleReport*, kMostCameras>& reports,
    const DriverSide& side) noexcept {
  if (side.speed_mps) {  // where it is lost, it is as it was
    const double kmh = 3.6 * std::abs(*side.speed_mps);
    creeping_ = kmh < rules_.information_kmh + (creeping_ ? kWarningTuning.leave_creeping_kmh : 0);
    slow_ = kmh < rules_.slow_kmh + (slow_ ? kWarningTuning.leave_slow_kmh : 0);
  }
  const bool faulty = is_faulty(side.readiness);
  const bool before = std::exchange(ready_, can_warn(side.readiness));
  if (ready_) unable_since_.reset();
  if (before && !ready_) unable_since_ = now;
  able_ =
      ready_ || (faulty && unable_since_ && now - *unable_since_ <= from_seconds(rules_.blind_s));
  stopped_ = !ready_ && !faulty && side.readiness != Readiness::too_fast;
  sees_ = brakes_ = brakes_hard_ = steers_ = warned_seen_ = false;
  Case collision, information;
  if (stopped_) {
    endangered_.clear();
    close_.clear();
  } else {
    endangered_.forget(now);
    close_.forget(now);
    for (int camera = 0; camera < kMostCameras; ++camera) {
      const auto at = static_cast<std::size_t>(camera);
      const risk::PeopleReport* report = reports[at];
      if (report == nullptr || report->at == Nanos::zero() || now - report->at > kStale) continue;
      sees_ = sees_ || side.sees[at];
      assess(now, camera, side.sees[at], *report, collision, information);
    }
  }
  decide(now, collision, information);
  return decision_;
}

void WarningLogic::decide(Nanos now, const Case& collision, const Case& information) noexcept {
  const WarningLevel level = next(now, collision, information);
  if (level != level_) {
    if (level_ == WarningLevel::collision) {
      collision_ended_ = now;
      ended_for_ = sees_ ? decision_.person : std::nullopt;
      ended_camera_ = decision_.camera;
    }
    if (level_ == WarningLevel::information) information_ended_ = now;
    // After a collision warning, information may begin again at once.
    if (level == WarningLevel::collision) information_ended_.reset();
    level_ = level;
    since_ = now;
    decision_ = {level, std::nullopt, std::nullopt};
  }
  const Case& reason = level == WarningLevel::collision ? collision : information;
  decision_.time_to_collision_s.reset();
  if (level == WarningLevel::none) return;
  if (reason.person) {
    decision_.person = reason.person;
    decision_.camera = reason.camera;
    decision_.time_to_collision_s = reason.time_s;
  } else if (level == WarningLevel::collision && now < contact_at_) {
    decision_.time_to_collision_s = seconds(contact_at_ - now);
  }
}

}  // namespace kerb
