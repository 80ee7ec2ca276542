// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/warning_logic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "firmware/warning/fields.hpp"

namespace kerb {
namespace {

/// Fixed settings of WarningLogic; WarningRules has those that depend on the sensitivity. The
/// suites of `kerblab sim run` (euroncap, r159, quiet) and tests/unit/firmware/warning show what a
/// change does.
struct WarningTuning {
  // Hysteresis of the car's speed.
  double creep_enter_mps = 10 / 3.6;  ///< information is given below this speed,
  double creep_exit_mps = 12 / 3.6;   ///< and until this one
  double slow_enter_mps = 9.4 / 3.6;  ///< a collision follows the rules of a creeping car below,
  double slow_exit_mps = 9.7 / 3.6;   ///< and until this speed

  // Evidence: the time that reports must support a level before it begins. Longer: later warnings,
  // fewer false ones.
  int min_reports = 2;
  double evidence_near_ms = 32;      ///< for a contact up to evidence_near_s away,
  double evidence_far_more_ms = 60;  ///< more for one evidence_blend_s further away
  double evidence_near_s = 1.2;
  double evidence_blend_s = 0.8;
  Nanos max_evidence = std::chrono::milliseconds{400};     ///< upper limit of what is collected
  Nanos close_evidence = std::chrono::milliseconds{60};    ///< for information
  Nanos detected_within = std::chrono::milliseconds{250};  ///< a warning begins only for a person
                                                           ///< detected so recently
  double collect_ahead_s = 0.8;  ///< evidence is collected this long before it is time to warn
  double late_sigmas = 0.25;     ///< a contact counts as this many standard deviations later

  // A contact whose likelihood drops may be a person whom the car is about to pass: no warning
  // begins while there is time to reconsider.
  double likelihood_drop = 0.08;      ///< below the running mean
  double likelihood_memory_s = 0.15;  ///< time constant of the running mean
  double reconsider_s = 1.8;          ///< time to the contact above which a drop counts

  // A collision warning continues with a likelihood this much lower, and a time this much longer.
  double stay_less_likely = 0.25;
  double stay_longer_s = 0.6;
  // And this long without a reason, lest it flicker.
  Nanos collision_lingers = std::chrono::milliseconds{300};
  Nanos information_lingers = std::chrono::milliseconds{500};

  // The driver's reaction.
  double brakes_mps2 = 1, brakes_hard_mps2 = 3;
  double steers_mps2 = 2;  ///< lateral acceleration

  // Information: the person's middle is at most this far from the front bumper and from the side.
  double close_ahead_m = 3.95, close_beside_m = 0.75;
  double close_enter_m = 0.1, close_exit_m = 0.5;  ///< hysteresis: tolerance to begin, to continue
  double close_soon_s = 0.3;  ///< a person who will be there after this time counts
};
constexpr WarningTuning kWarningTuning{};

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }

/// The time that reports must support a contact which is so far away: the further, the longer.
Nanos evidence_needed(double in_s) noexcept {
  const double ms =
      kWarningTuning.evidence_near_ms +
      kWarningTuning.evidence_far_more_ms *
          std::clamp((in_s - kWarningTuning.evidence_near_s) / kWarningTuning.evidence_blend_s, 0.0,
                     1.0);
  return Nanos{static_cast<Nanos::rep>(ms * 1e6)};
}

struct Place {
  double ahead, beside;
};
bool is_close(const Place& at, double slack) noexcept {
  return at.ahead >= -slack && at.ahead <= kWarningTuning.close_ahead_m + slack &&
         at.beside <= kWarningTuning.close_beside_m + slack;
}

/// A person's place relative to the car after t seconds, both at their present velocity.
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
  static_assert(sizeof(Candidate) == 40 && sizeof(Candidates) == 8 + sizeof(items_),
                "a new member? list it");
  f.structure("Candidates").list("items", s.count_, kCapacity, [&](std::size_t i) {
    auto& one = s.items_[i];
    f("id", one.id)("camera", one.camera)("support", one.support)("reports", one.reports);
    f("last", one.last)("mean_likelihood", one.mean_likelihood);
  });
}
void WarningLogic::Candidates::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::Candidates::load(FieldReader& in) noexcept { list(in, *this); }
void WarningLogic::Candidates::describe(FieldLister& out) const { list(out, *this); }

template <typename F, typename Self>
void WarningLogic::list(F& f, Self& s) {
  static_assert(sizeof(WarningLogic) == sizeof(WarningRules) + 8 + 2 * sizeof(Candidates) + 8 +
                                            3 * 8 + 2 * 16 + sizeof(WarningDecision),
                "a new member? list it");
  f.structure("WarningLogic")("creeping", s.creeping_)("slow", s.slow_)("brakes", s.brakes_);
  f("brakes_hard", s.brakes_hard_)("steers", s.steers_)("endangered", s.endangered_);
  f("close", s.close_)("level", s.level_)("since", s.since_);
  f("collision_wanted", s.collision_wanted_)("information_wanted", s.information_wanted_);
  f("collision_ended", s.collision_ended_)("information_ended", s.information_ended_);
  f("decision", s.decision_);
}
void WarningLogic::save(FieldWriter& out) const noexcept { list(out, *this); }
void WarningLogic::describe(FieldLister& out) const { list(out, *this); }
void WarningLogic::load(FieldReader& in) noexcept {
  list(in, *this);
  if (level_ > WarningLevel::collision) in.fail();
}

WarningLogic::Candidates::Verdict WarningLogic::Candidates::take(int camera, std::uint32_t id,
                                                                 Nanos at, bool supports,
                                                                 double likelihood,
                                                                 Nanos enough) noexcept {
  int i = 0;
  while (i < count_ && (items_[static_cast<std::size_t>(i)].id != id ||
                        items_[static_cast<std::size_t>(i)].camera != camera))
    ++i;
  if (i == count_) {
    if (!supports) return {};
    if (count_ == kCapacity) {  // replace the one that was updated longest ago
      const auto oldest =
          std::min_element(items_.begin(), items_.end(),
                           [](const Candidate& a, const Candidate& b) { return a.last < b.last; });
      i = static_cast<int>(oldest - items_.begin());
    } else {
      ++count_;
    }
    items_[static_cast<std::size_t>(i)] = {id, camera, Nanos{}, 1, at, likelihood};
    return {};
  }
  Candidate& candidate = items_[static_cast<std::size_t>(i)];
  if (at > candidate.last) {
    const Nanos passed = at - candidate.last;
    candidate.last = at;
    const double dt = seconds(passed);
    candidate.mean_likelihood +=
        (likelihood - candidate.mean_likelihood) * (dt / (kWarningTuning.likelihood_memory_s + dt));
    candidate.support = supports ? std::min(candidate.support + passed, kWarningTuning.max_evidence)
                                 : candidate.support - passed;
    candidate.reports += supports ? 1 : 0;
    if (candidate.support < Nanos::zero()) {
      candidate = items_[static_cast<std::size_t>(--count_)];
      return {};
    }
  }
  return {
      supports && candidate.reports >= kWarningTuning.min_reports && candidate.support >= enough,
      likelihood < candidate.mean_likelihood - kWarningTuning.likelihood_drop};
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

void WarningLogic::assess(Nanos now, int camera, const risk::PeopleReport& report, Case& collision,
                          Case& information) noexcept {
  const double age = std::max(seconds(now - report.at), 0.0);
  const double speed = report.path_known ? report.speed_mps : 0;
  const double likelihood = slow_ ? rules_.creeping_likelihood : rules_.likelihood;
  const double ahead = slow_ ? rules_.creeping_ahead_s : rules_.ahead_s(speed);
  if (report.path_known) {
    const double along = speed < 0 ? -report.acceleration_mps2 : report.acceleration_mps2;
    brakes_ = brakes_ || along < -kWarningTuning.brakes_mps2;
    brakes_hard_ = brakes_hard_ || along < -kWarningTuning.brakes_hard_mps2;
    steers_ = steers_ || std::abs(speed * report.yaw_rate_radps) > kWarningTuning.steers_mps2;
  }
  for (int i = 0; i < report.people.count; ++i) {
    const track::Person& person = report.people.items[i];
    if (!person.confirmed && !(std::getenv("KTENT") != nullptr && person.certainty > 0.5)) continue;
    const risk::Contact& contact = report.contacts[i];
    std::optional<double> in_s;
    if (contact.expected_s) in_s = std::max(*contact.expected_s - age, 0.0);
    const double p = contact.probability * person.certainty;
    const bool seen = report.at - person.last_seen <= kWarningTuning.detected_within;
    const bool likely = in_s && p >= likelihood && *in_s <= ahead + kWarningTuning.collect_ahead_s;
    const bool soon =
        in_s && *in_s + kWarningTuning.late_sigmas * contact.expected_sigma_s <= ahead;
    const bool still =
        in_s && p >= (brakes_hard_ ? likelihood : likelihood - kWarningTuning.stay_less_likely) &&
        *in_s <= ahead + kWarningTuning.stay_longer_s;
    const Candidates::Verdict verdict = endangered_.take(camera, person.id, report.at, likely, p,
                                                         evidence_needed(in_s.value_or(0)));
    const bool may_pass = verdict.drops && in_s && *in_s > kWarningTuning.reconsider_s;
    collision.add(verdict.enough && soon && seen && !may_pass, still, person.id, camera, in_s);

    if (!creeping_) continue;
    const Place here = after(person, contact, speed, 0);
    const bool close = is_close(here, kWarningTuning.close_enter_m) ||
                       is_close(after(person, contact, speed, age + kWarningTuning.close_soon_s),
                                kWarningTuning.close_enter_m);
    information.add(
        close_.take(camera, person.id, report.at, close, 0, kWarningTuning.close_evidence).enough,
        is_close(here, kWarningTuning.close_exit_m), person.id, camera, std::nullopt);
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
      if (!held || (sees_ && now - information_wanted_ < kWarningTuning.information_lingers))
        return WarningLevel::information;
      return WarningLevel::none;
    case WarningLevel::collision:
      break;
  }
  const bool driver_acts = brakes_ || steers_;
  if (!held || collision.stays) return WarningLevel::collision;
  if (sees_ && !driver_acts && now - collision_wanted_ < kWarningTuning.collision_lingers)
    return WarningLevel::collision;
  return information.begins ? WarningLevel::information : WarningLevel::none;
}

WarningDecision WarningLogic::step(
    Nanos now, const std::array<const risk::PeopleReport*, kMostCameras>& reports,
    const DriverSide& side) noexcept {
  const double speed = std::abs(side.speed_mps.value_or(0));
  creeping_ = speed < (creeping_ ? kWarningTuning.creep_exit_mps : kWarningTuning.creep_enter_mps);
  slow_ = speed < (slow_ ? kWarningTuning.slow_exit_mps : kWarningTuning.slow_enter_mps);
  sees_ = brakes_ = brakes_hard_ = steers_ = false;
  Case collision, information;
  if (side.readiness == Readiness::ready) {
    endangered_.forget(now);
    close_.forget(now);
    for (int camera = 0; camera < kMostCameras; ++camera) {
      const risk::PeopleReport* report = reports[static_cast<std::size_t>(camera)];
      if (report == nullptr || report->at == Nanos::zero() || now - report->at > kStale) continue;
      sees_ = true;
      assess(now, camera, *report, collision, information);
    }
  } else {
    endangered_.clear();
    close_.clear();
  }

  const WarningLevel level = next(now, collision, information);
  if (level != level_) {
    if (level_ == WarningLevel::collision) collision_ended_ = now;
    if (level_ == WarningLevel::information) information_ended_ = now;
    // After a collision warning, information may begin again at once.
    if (level == WarningLevel::collision) information_ended_.reset();
    level_ = level;
    since_ = now;
    decision_ = {level, std::nullopt, std::nullopt};
  }
  const Case& reason = level == WarningLevel::collision ? collision : information;
  decision_.time_to_collision_s.reset();
  if (level != WarningLevel::none && reason.person) {
    decision_.person = reason.person;
    decision_.camera = reason.camera;
    decision_.time_to_collision_s = reason.time_s;
  }
  return decision_;
}

}  // namespace kerb
