// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/people_fuser.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "firmware/fuse/association.hpp"
#include "firmware/fuse/estimate.hpp"
#include "firmware/fuse/person_groups.hpp"

namespace kerb::fuse {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Fixed settings of the reports' times; tests/unit/firmware/fuse shows what a change does. When
/// two are one: AssociationTuning; how long somebody is remembered: GroupTuning.
struct FuserTuning {
  Nanos together = milliseconds{300};      ///< a report older than the newest by more is not fused
  Nanos longest_step = milliseconds{200};  ///< a longer time between reports counts as this
  Nanos longest_gap = seconds{5};          ///< after a longer one everything is forgotten
};
constexpr FuserTuning kFuserTuning{};

double in_seconds(Nanos t) noexcept { return static_cast<double>(t.count()) * 1e-9; }

/// Somebody's identity in one number, for the judge of contacts.
std::uint32_t pace_id(const track::Person& person, std::size_t reports) noexcept {
  const int camera = track::identity_camera(person, static_cast<int>(reports));
  return person.id * kMostCameras + static_cast<std::uint32_t>(camera);
}

/// The car's way in this time, by what the report says of its motion.
Way way_of(const risk::PeopleReport& report, Nanos time) noexcept {
  return {std::clamp(in_seconds(time), 0.0, in_seconds(kGroupTuning.hands_over)),
          report.path_known && std::abs(report.speed_mps) < 120 ? report.speed_mps : 0,
          std::abs(report.yaw_rate_radps) < 3 ? report.yaw_rate_radps : 0, report.path_known,
          report.yaw_rate_known};
}

}  // namespace

/// All that is not a setting.
struct PeopleFuser::State {
  explicit State(const FuserSettings& s) : judge{s.car, s.contact} {}

  std::optional<Nanos> at;                            // of the newest report so far
  std::array<std::optional<Nanos>, kCameras> held{};  // of the reports of the last step
  GroupList groups;
  CandidateList candidates;
  risk::ContactJudge judge;

  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("PeopleFuser")("at", s.at)("held", s.held);
    GroupList::list(f, s.groups);
    CandidateList::list(f, s.candidates);
    f("judge", s.judge);
  }

  void forget() noexcept {
    at.reset();
    groups.clear();
    candidates.clear();
    judge.reset();
  }
};

/// Room for one step.
struct PeopleFuser::Work {
  explicit Work(State& state) noexcept
      : s{state}, tracks{state.groups}, association{tracks, state.candidates} {}

  State& s;
  Reports in{};
  NewestReports newest{};
  GroupedTracks tracks;
  Association association;
  bool dirty = true;  // what is in `out` is not of this state
  std::array<std::array<bool, kPeople>, kCameras> judge_anew{};  // whose contact, in `out`
  std::array<bool, kCameras> changed{};                          // in `out`, against what was given
  std::array<risk::PeopleReport, kCameras> out{};
  track::PersonList paces;
  risk::CarPath path;

  void take_time(Nanos latest) noexcept;
  void compose(bool observe) noexcept;
  void tell(int group) noexcept;
};

/// Moves those who are lost on to the newest report's time; finds which reports can be fused then.
void PeopleFuser::Work::take_time(Nanos latest) noexcept {
  if (!s.at || latest - *s.at > kFuserTuning.longest_gap ||
      *s.at - latest > kFuserTuning.longest_gap) {
    s.forget();
    s.at = latest;
  }
  const auto* const by = std::find_if(in.begin(), in.end(), [latest](const auto* report) {
    return report != nullptr && report->at == latest;
  });
  if (latest > *s.at && by != in.end()) {
    s.groups.advance_all(way_of(**by, latest - *s.at));
    s.at = latest;
  }
  for (std::size_t c = 0; c < kCameras; ++c) {
    newest[c] = {in[c], in[c] != nullptr && *s.at - in[c]->at <= kFuserTuning.together, {}};
    if (in[c] != nullptr) newest[c].since = way_of(*in[c], *s.at - in[c]->at);
  }
}

/// Puts a group's person into the newest report that tells of them.
void PeopleFuser::Work::tell(int group) noexcept {
  const Group& g = s.groups.items[slot(group)];
  const std::array<int, kCameras>& place = tracks.place_of(group);
  std::size_t host = kCameras;
  for (std::size_t c = 0; c < kCameras; ++c)
    if (place[c] >= 0 && (host == kCameras || in[c]->at > in[host]->at)) host = c;
  if (host == kCameras) return;
  std::array<Opinion, kCameras> opinions;
  std::size_t count = 0;
  for (std::size_t c = 0; c < kCameras; ++c) {
    if (place[c] < 0) continue;
    const Nanos old = in[host]->at - in[c]->at;
    if (old <= kFuserTuning.together)
      opinions[count++] = {&in[c]->people.items[place[c]], way_of(*in[c], old)};
    if (c != host) {
      out[c].people.items[place[c]].id = 0;  // told elsewhere: left out below
      changed[c] = true;
    }
  }
  track::Person& person = out[host].people.items[place[host]];
  if (count > 1 && fuse(opinions.data(), count, person)) {
    judge_anew[host][slot(place[host])] = true;
    changed[host] = true;
  }
  if (association.is_held_back(group) && person.confirmed) {
    person.confirmed = false;
    changed[host] = true;
  }
  const bool own = g.identity == Identity{person.id, static_cast<std::uint8_t>(host)};
  if (!own || g.first_seen < person.first_seen) {
    person.id = g.identity.id;
    person.camera = own ? person.camera : static_cast<std::int8_t>(g.identity.camera);
    person.first_seen = std::min(person.first_seen, g.first_seen);
    changed[host] = true;
  }
}

void PeopleFuser::Work::compose(bool observe) noexcept {
  for (std::size_t c = 0; c < kCameras; ++c) {
    changed[c] = false;
    judge_anew[c].fill(false);
    if (in[c] == nullptr) continue;
    const risk::PeopleReport& from = *in[c];
    risk::PeopleReport& to = out[c];
    to.at = from.at;
    to.looked_at = from.looked_at;
    to.path_known = from.path_known;
    to.yaw_rate_known = from.yaw_rate_known;
    to.speed_mps = from.speed_mps;
    to.acceleration_mps2 = from.acceleration_mps2;
    to.yaw_rate_radps = from.yaw_rate_radps;
    to.yaw_acceleration_radps2 = from.yaw_acceleration_radps2;
    to.yaw_sigma_radps = from.yaw_sigma_radps;
    to.speed_sigma_mps = from.speed_sigma_mps;
    to.turn = from.turn;
    to.view = from.view;
    to.people.count = tracks.people(c);
    std::copy_n(from.people.items, tracks.people(c), to.people.items);
    std::copy_n(from.contacts, tracks.people(c), to.contacts);
  }
  for (int k = 0; k < s.groups.count; ++k) tell(k);

  paces.count = 0;
  for (std::size_t c = 0; c < kCameras; ++c) {
    if (in[c] == nullptr) continue;
    risk::PeopleReport& to = out[c];
    if (changed[c]) {
      int kept = 0;
      for (int i = 0; i < to.people.count; ++i) {
        if (to.people.items[i].id == 0 && in[c]->people.items[i].id != 0) continue;
        if (kept != i) {
          to.people.items[kept] = to.people.items[i];
          to.contacts[kept] = to.contacts[i];
          judge_anew[c][slot(kept)] = judge_anew[c][slot(i)];
        }
        ++kept;
      }
      to.people.count = kept;
    }
    for (int i = 0; i < to.people.count && paces.count < kPeople; ++i) {
      track::Person& p = paces.items[paces.count++];
      p.vy_mps = to.people.items[i].vy_mps;
      p.walks = to.people.items[i].walks;
      p.walking = to.people.items[i].walking;
      p.id = pace_id(to.people.items[i], c);
    }
  }
  if (observe) s.judge.observe(*s.at, paces);
  for (std::size_t c = 0; c < kCameras; ++c) {
    if (in[c] == nullptr || !changed[c]) continue;
    bool planned = false;
    for (int i = 0; i < out[c].people.count; ++i) {
      if (!judge_anew[c][slot(i)]) continue;
      if (!planned) {
        const risk::PeopleReport& r = *in[c];
        risk::CarMotion motion{
            std::nullopt,      std::nullopt, r.acceleration_mps2, r.yaw_acceleration_radps2,
            r.yaw_sigma_radps, r.turn,       r.speed_sigma_mps};
        if (r.path_known && std::isfinite(r.speed_mps)) motion.speed_mps = r.speed_mps;
        if (r.yaw_rate_known && std::isfinite(r.yaw_rate_radps))
          motion.yaw_rate_radps = r.yaw_rate_radps;
        path.set(r.at, motion);
        planned = true;
      }
      track::Person person = out[c].people.items[i];
      person.id = pace_id(person, c);
      out[c].contacts[i] = s.judge.judge(person, path);
    }
  }
}

PeopleFuser::PeopleFuser(const FuserSettings& settings)
    : settings_{settings}, state_{std::make_unique<State>(settings)} {
  if (settings.cameras < 2) return;
  work_ = std::make_unique<Work>(*state_);
  work_->path = risk::CarPath{settings.contact.path};
}
PeopleFuser::PeopleFuser(PeopleFuser&&) noexcept = default;
PeopleFuser& PeopleFuser::operator=(PeopleFuser&&) noexcept = default;
PeopleFuser::~PeopleFuser() = default;

void PeopleFuser::save(FieldWriter& out) const noexcept {
  State::list(out, std::as_const(*state_));
}
void PeopleFuser::describe(FieldLister& out) const { State::list(out, std::as_const(*state_)); }
void PeopleFuser::load(FieldReader& in) noexcept {
  State::list(in, *state_);
  if (work_) work_->dirty = true;
}

Reports PeopleFuser::step(const Reports& reports) noexcept {
  if (!work_) return reports;
  Work& w = *work_;
  State& s = *state_;
  w.in = reports;
  std::array<bool, kCameras> is_new{};
  std::array<double, kCameras> passed{};
  bool changed = w.dirty;
  std::optional<Nanos> newest;
  for (std::size_t c = 0; c < kCameras; ++c) {
    std::optional<Nanos> at;
    if (reports[c] != nullptr) at = reports[c]->at;
    if (at && (!newest || *at > *newest)) newest = at;
    if (at == s.held[c]) continue;
    changed = true;
    is_new[c] = at.has_value();
    if (at && s.held[c])
      passed[c] =
          in_seconds(std::clamp(*at - *s.held[c], Nanos::zero(), kFuserTuning.longest_step));
    s.held[c] = at;
  }
  if (!newest) return reports;
  if (changed) {
    const std::optional<Nanos> before = s.at;
    w.take_time(*newest);
    w.tracks.take(w.newest, *s.at);
    for (std::size_t c = 0; c < kCameras; ++c) {
      if (!is_new[c] || !w.newest[c].usable) continue;
      w.association.update(c, passed[c]);
    }
    w.association.hold_back();
    w.tracks.settle();
    w.compose(!before || *s.at > *before);
    w.dirty = false;
  }
  Reports out = reports;
  for (std::size_t c = 0; c < kCameras; ++c)
    if (reports[c] != nullptr && w.changed[c]) out[c] = &w.out[c];
  return out;
}

}  // namespace kerb::fuse
