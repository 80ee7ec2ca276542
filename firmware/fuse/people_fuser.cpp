// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/people_fuser.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "firmware/fuse/estimate.hpp"
#include "firmware/track/hungarian.hpp"

namespace kerb::fuse {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Fixed settings of PeopleFuser; tests/unit/firmware/fuse shows what a change does.
struct FuserTuning {
  double evidence_s = 0.3;  ///< errors persist about this long: in this time the ratio counts once
  double begin = 2;         ///< log-likelihood ratio with which two become one,
  double end = -2;          ///< and with which a track leaves its group
  double most = 5;          ///< limits of what is collected
  double at_once_most = 4, at_once_least = -8;  ///< limits of one report's ratio
  double fades = 1;                    ///< taken off, in evidence_s, where a pair is not assigned
  Nanos together = milliseconds{300};  ///< a report older than the newest by more is not fused
  Nanos longest_step = milliseconds{200};  ///< a longer time between reports counts as this
  Nanos remembers = seconds{5};   ///< a track that is gone may come back: the tracker's is less
  Nanos hands_over = seconds{2};  ///< a person whom no camera sees may appear in another
  Nanos new_track = milliseconds{1500};  ///< only such a track may be somebody who was lost
  Nanos longest_gap = seconds{5};        ///< after a longer one everything is forgotten
};
constexpr FuserTuning kFuserTuning{};

constexpr std::size_t kCameras = kMostCameras;
constexpr int kPeople = track::PersonList::kCapacity;
constexpr int kGroups = kMostCameras * kPeople + kPeople;  // all tracks, and some who are lost
constexpr int kCandidates = kMostCameras * kPeople;
constexpr int kColumns = 128;                       // groups that one report's tracks may be
constexpr std::uint32_t kFirstFresh = 0x3000'0000;  // ids that no tracker reaches
constexpr std::uint32_t kLastFresh = 0x3FFF'FFFF;

double in_seconds(Nanos t) noexcept { return static_cast<double>(t.count()) * 1e-9; }

/// Somebody's identity in one number, for the judge of contacts.
std::uint32_t pace_id(const track::Person& person, std::size_t reports) noexcept {
  const int camera = track::identity_camera(person, static_cast<int>(reports));
  return person.id * kMostCameras + static_cast<std::uint32_t>(camera);
}

}  // namespace

struct Identity {
  std::uint32_t id = 0;
  std::uint8_t camera = 0;
  bool operator==(const Identity&) const = default;
};

/// A track of one camera, in a group.
struct Member {
  std::uint32_t id = 0;  ///< 0: none
  bool present = false;  ///< in that camera's newest report
  Nanos last{};          ///< when it was
  double evidence = 0;   ///< that it is the same person as the others
};

struct Group {
  Identity identity;
  bool told = false;   ///< somebody has been confirmed with this identity
  Nanos first_seen{};  ///< by the earliest of its tracks
  Nanos last{};        ///< when a track was there
  std::array<Member, kCameras> of{};
  Moving state;  ///< as of the fuser's time
};

/// A track that may belong to a group.
struct Candidate {
  Identity track, group;
  double evidence = 0;
  bool renewed = false;  ///< in this step
};

namespace {

/// Which of two identities stays: one that others know, then the one that was there first.
bool is_older(const Group& a, const Group& b) noexcept {
  const auto rank = [](const Group& g) {
    return std::tuple{!g.told, g.first_seen, g.identity.camera, g.identity.id};
  };
  return rank(a) < rank(b);
}

template <typename F, typename I>
void identity_fields(F& f, const char* id, const char* camera, I& identity) {
  f(id, identity.id)(camera, identity.camera);
  if constexpr (F::kReads)
    if (identity.camera >= kMostCameras) {
      identity.camera = 0;
      f.fail();
    }
}

}  // namespace

/// All that is not a setting.
struct PeopleFuser::State {
  explicit State(const FuserSettings& s) : judge{s.car, s.contact} {}

  std::optional<Nanos> at;                            // of the newest report so far
  std::array<std::optional<Nanos>, kCameras> held{};  // of the reports of the last step
  std::uint32_t fresh = kFirstFresh;
  int count = 0;
  std::array<Group, kGroups> groups{};
  int candidate_count = 0;
  std::array<Candidate, kCandidates> candidates{};
  risk::ContactJudge judge;

  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    static_assert(sizeof(Member) == 24 && sizeof(Candidate) == 32 &&
                      sizeof(Group) == 32 + kCameras * sizeof(Member) + sizeof(Moving),
                  "a new member? list it");
    f.structure("PeopleFuser")("at", s.at)("held", s.held)("fresh", s.fresh);
    f.list("groups", s.count, kGroups, [&](std::size_t i) {
      auto& g = s.groups[i];
      identity_fields(f, "id", "camera", g.identity);
      f("told", g.told)("first_seen", g.first_seen)("last", g.last);
      f("mean", g.state.mean)("covariance", g.state.covariance);
      std::array<std::uint32_t, kCameras> id{};
      std::array<bool, kCameras> present{};
      std::array<Nanos, kCameras> last{};
      std::array<double, kCameras> evidence{};
      for (std::size_t c = 0; c < kCameras; ++c) {
        id[c] = g.of[c].id;
        present[c] = g.of[c].present;
        last[c] = g.of[c].last;
        evidence[c] = g.of[c].evidence;
      }
      f("tracks", id)("present", present)("seen", last)("evidence", evidence);
      if constexpr (F::kReads)
        for (std::size_t c = 0; c < kCameras; ++c)
          g.of[c] = {id[c], present[c], last[c], evidence[c]};
    });
    f.list("candidates", s.candidate_count, kCandidates, [&](std::size_t i) {
      auto& c = s.candidates[i];
      identity_fields(f, "track_id", "track_camera", c.track);
      identity_fields(f, "group_id", "group_camera", c.group);
      f("evidence", c.evidence);
    });
    f("judge", s.judge);
  }

  [[nodiscard]] int find(const Identity& identity) const noexcept {
    for (int i = 0; i < count; ++i)
      if (groups[static_cast<std::size_t>(i)].identity == identity) return i;
    return -1;
  }
  /// The tracker's own id as an identity or, where that is in use, another one.
  [[nodiscard]] Identity identity_for(std::uint8_t camera, std::uint32_t id) noexcept {
    Identity out{id, camera};
    while (find(out) >= 0) {
      out = {fresh, camera};
      fresh = fresh >= kLastFresh ? kFirstFresh : fresh + 1;
    }
    return out;
  }
  void forget() noexcept {
    at.reset();
    count = candidate_count = 0;
    judge.reset();
  }
};

/// Room for one step.
struct PeopleFuser::Work {
  /// A track of the newest reports, as of the fuser's time.
  struct Track {
    const track::Person* person = nullptr;
    int group = -1;
    bool proper = false;  ///< its state is
    Moving state;
  };
  State* s = nullptr;
  Reports in{};
  bool dirty = true;  // what is in `out` is not of this state
  std::array<bool, kCameras> usable{};
  std::array<Way, kCameras> since{};  // the car's way since each report, up to the fuser's time
  std::array<std::array<Track, kPeople>, kCameras> tracks{};
  std::array<std::array<bool, kPeople>, kCameras> judge_anew{};  // whose contact, in `out`
  std::array<bool, kCameras> changed{};                          // in `out`, against what was given
  std::array<risk::PeopleReport, kCameras> out{};
  std::array<std::array<int, kCameras>, kGroups> place_of{};  // of a group's tracks in the reports
  std::array<bool, kGroups> held_back{};
  track::PersonList paces;
  risk::CarPath path;

  // The assignment.
  int columns = 0;
  std::array<int, kColumns> group_of{};
  std::array<std::array<double, kColumns>, kPeople> ratio{};  // < kNever: cannot be
  std::array<double, kPeople> own_ratio{};
  std::array<int, kPeople> assigned{};  // column; -1: none
  std::array<double, kPeople + 1> row_price{};
  std::array<double, kColumns + kPeople + 1> column_price{}, least{};
  std::array<bool, kColumns + kPeople + 1> used{};
  std::array<int, kColumns + kPeople + 1> row_at{}, from_column{};
  static constexpr double kNever = -1e6;

  [[nodiscard]] int people(std::size_t c) const noexcept {
    return in[c] == nullptr ? 0 : std::clamp(in[c]->people.count, 0, kPeople);
  }
  [[nodiscard]] Group& group(int i) const noexcept {
    return s->groups[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] static std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }
  [[nodiscard]] Way way_of(const risk::PeopleReport& report, Nanos time) const noexcept {
    return {std::clamp(in_seconds(time), 0.0, in_seconds(kFuserTuning.hands_over)),
            report.path_known && std::abs(report.speed_mps) < 120 ? report.speed_mps : 0,
            std::abs(report.yaw_rate_radps) < 3 ? report.yaw_rate_radps : 0, report.path_known,
            report.yaw_rate_known};
  }

  void take_time(Nanos newest) noexcept;
  void find_tracks() noexcept;
  void index() noexcept;
  void add_group(std::size_t c, const track::Person& person) noexcept;
  void remove(int group) noexcept;
  [[nodiscard]] bool rest_of(int group, std::size_t c, Moving& rest) const noexcept;
  [[nodiscard]] bool may_join(std::size_t c, const Track& track, int to) const noexcept;
  [[nodiscard]] bool apart(int a, int b) const noexcept;
  void assign(std::size_t c) noexcept;
  void solve(int rows) noexcept;
  void weigh(std::size_t c, double dt) noexcept;
  Candidate* candidate(const Identity& track, const Identity& group) noexcept;
  void leave(std::size_t c) noexcept;
  void join(std::size_t c) noexcept;
  void merge(int from, int into) noexcept;
  void hold_back() noexcept;
  void settle() noexcept;
  void compose(bool observe) noexcept;
  void tell(const Group& g, const std::array<int, kCameras>& place) noexcept;
};

/// Moves those who are lost on to the newest report's time.
void PeopleFuser::Work::take_time(Nanos newest) noexcept {
  if (!s->at || newest - *s->at > kFuserTuning.longest_gap ||
      *s->at - newest > kFuserTuning.longest_gap) {
    s->forget();
    s->at = newest;
  }
  const auto* const by = std::find_if(in.begin(), in.end(), [newest](const auto* report) {
    return report != nullptr && report->at == newest;
  });
  if (newest > *s->at && by != in.end()) {
    const Way way = way_of(**by, newest - *s->at);
    for (int i = 0; i < s->count; ++i) advance(group(i).state, way);
    s->at = newest;
  }
  for (std::size_t c = 0; c < kCameras; ++c) {
    usable[c] = in[c] != nullptr && *s->at - in[c]->at <= kFuserTuning.together;
    if (in[c] != nullptr) since[c] = way_of(*in[c], *s->at - in[c]->at);
  }
}

/// Finds each track's group; makes one for a track that has none.
void PeopleFuser::Work::find_tracks() noexcept {
  for (int i = 0; i < s->count; ++i)
    for (Member& m : group(i).of) m.present = false;
  for (std::size_t c = 0; c < kCameras; ++c) {
    for (int i = 0; i < people(c); ++i) {
      const track::Person& person = in[c]->people.items[i];
      Track& track = tracks[c][at(i)];
      track.person = &person;
      track.state = moving_of(person);
      track.proper = is_proper(track.state);
      if (track.proper) advance(track.state, since[c]);
      track.group = -1;
      for (int k = 0; k < s->count && track.group < 0; ++k)
        if (person.id != 0 && group(k).of[c].id == person.id) track.group = k;
      if (track.group < 0) continue;
      Member& member = group(track.group).of[c];
      if (member.present) {  // two with one id: damaged
        track.group = -1;
        continue;
      }
      member.present = true;
      member.last = in[c]->at;
    }
  }
  // Those who are gone for long make room.
  for (int i = 0; i < s->count;) {
    Group& g = group(i);
    bool any = false;
    for (Member& m : g.of) {
      if (!m.present && m.id != 0 && *s->at - m.last > kFuserTuning.remembers) m = {};
      any = any || m.id != 0;
    }
    if (any)
      ++i;
    else
      remove(i);
  }
  index();
  for (std::size_t c = 0; c < kCameras; ++c)
    for (int i = 0; i < people(c); ++i)
      if (tracks[c][at(i)].group < 0) add_group(c, *tracks[c][at(i)].person);
  index();
}

void PeopleFuser::Work::index() noexcept {
  for (std::size_t c = 0; c < kCameras; ++c)
    for (int i = 0; i < people(c); ++i) tracks[c][at(i)].group = -1;
  for (int k = 0; k < s->count; ++k)
    for (std::size_t c = 0; c < kCameras; ++c) {
      place_of[at(k)][c] = -1;
      Member& m = group(k).of[c];
      if (!m.present) continue;
      for (int i = 0; i < people(c) && place_of[at(k)][c] < 0; ++i)
        if (tracks[c][at(i)].person->id == m.id) {
          tracks[c][at(i)].group = k;
          place_of[at(k)][c] = i;
        }
      m.present = place_of[at(k)][c] >= 0;
    }
}

void PeopleFuser::Work::add_group(std::size_t c, const track::Person& person) noexcept {
  if (person.id == 0) return;
  for (int k = 0; k < s->count; ++k)
    if (group(k).of[c].id == person.id) return;  // two with one id: damaged
  if (s->count == kGroups) {                     // the one who was lost longest ago
    int oldest = -1;
    for (int k = 0; k < s->count; ++k) {
      const auto& of = group(k).of;
      if (std::any_of(of.begin(), of.end(), [](const Member& m) { return m.present; })) continue;
      if (oldest < 0 || group(k).last < group(oldest).last) oldest = k;
    }
    if (oldest < 0) return;
    remove(oldest);
  }
  const auto camera = static_cast<std::uint8_t>(c);
  const Identity identity = s->identity_for(camera, person.id);
  Group& g = group(s->count++);
  g = {};
  g.identity = identity;
  g.first_seen = person.first_seen;
  g.last = *s->at;
  g.of[c] = {person.id, true, in[c]->at, 0};
}

void PeopleFuser::Work::remove(int i) noexcept { group(i) = group(--s->count); }

/// Where the surest of the group's tracks of other cameras puts the person. False: there are none
/// now, and the person is not lost either.
bool PeopleFuser::Work::rest_of(int i, std::size_t c, Moving& rest) const noexcept {
  const Track* surest = nullptr;
  bool present = false;
  const auto spread = [](const Track& t) { return t.state.covariance[0] + t.state.covariance[5]; };
  for (std::size_t k = 0; k < kCameras; ++k) {
    const Member& m = group(i).of[k];
    present = present || m.present;
    if (k == c || !m.present || !usable[k]) continue;
    const Track& track = tracks[k][at(place_of[at(i)][k])];
    if (track.proper && (surest == nullptr || spread(track) < spread(*surest))) surest = &track;
  }
  if (surest != nullptr) rest = surest->state;
  if (surest != nullptr || present) return surest != nullptr;
  rest = group(i).state;
  return group(i).told && *s->at - group(i).last <= kFuserTuning.hands_over && is_proper(rest);
}

/// No camera has a track in both.
bool PeopleFuser::Work::apart(int a, int b) const noexcept {
  for (std::size_t k = 0; k < kCameras; ++k)
    if (group(a).of[k].present && group(b).of[k].present) return false;
  return true;
}

/// Whether a track of camera `c` may become one with another group.
bool PeopleFuser::Work::may_join(std::size_t c, const Track& track, int to) const noexcept {
  const Group& own = group(track.group);
  const Group& g = group(to);
  if (g.of[c].present) return false;
  bool lost = true, alone = true;
  for (std::size_t k = 0; k < kCameras; ++k) {
    lost = lost && !g.of[k].present;
    alone = alone && (k == c || own.of[k].id == 0);
  }
  // Who is lost to all: for a new track of a camera that did not lose them, for that camera's
  // tracker would know.
  if (lost)
    return alone && in[c]->at - track.person->first_seen <= kFuserTuning.new_track &&
           (g.of[c].id == 0 || g.of[c].last < g.last);
  return apart(track.group, to) || own.of[c].evidence < 0;
}

/// The tracks of camera `c`, each to another group or to none, with the largest sum of the ratios;
/// and how well each fits its own.
void PeopleFuser::Work::assign(std::size_t c) noexcept {
  const int rows = people(c);
  columns = 0;
  for (int r = 0; r < rows; ++r) {
    ratio[at(r)].fill(kNever);
    own_ratio[at(r)] = kNever;
    assigned[at(r)] = -1;
  }
  for (int k = 0; k < s->count && columns < kColumns; ++k) {
    Moving rest;
    if (!rest_of(k, c, rest)) continue;
    bool any = false;
    for (int r = 0; r < rows; ++r) {
      const Track& track = tracks[c][at(r)];
      if (track.group < 0 || !track.proper) continue;
      const bool own = track.group == k;
      if (!own && !may_join(c, track, k)) continue;
      const std::optional<double> found = one_person(track.state, rest);
      if (!found && !own) continue;
      const double is = std::clamp(found.value_or(kFuserTuning.at_once_least),
                                   kFuserTuning.at_once_least, kFuserTuning.at_once_most);
      (own ? own_ratio[at(r)] : ratio[at(r)][at(columns)]) = is;
      any = any || !own;
    }
    if (any) group_of[at(columns++)] = k;
  }
  if (columns > 0) solve(rows);
}

void PeopleFuser::Work::solve(int rows) noexcept {
  constexpr double kFar = 1e6;
  const auto cost = [this](int row, int column) noexcept {
    const std::size_t r = at(row - 1), k = at(column - 1);
    if (column > columns) return column - columns == row ? 0.0 : kFar;  // nobody
    return ratio[r][k] > 0 ? -ratio[r][k] : kFar;
  };
  row_price.fill(0);
  column_price.fill(0);
  row_at.fill(0);
  from_column.fill(0);
  const track::HungarianState state{row_price.data(), column_price.data(), least.data(),
                                    used.data(),      row_at.data(),       from_column.data()};
  for (int r = 1; r <= rows; ++r) track::hungarian_insert(r, columns + rows, cost, state);
  for (int k = 1; k <= columns; ++k)
    if (row_at[at(k)] > 0 && cost(row_at[at(k)], k) < 0) assigned[at(row_at[at(k)] - 1)] = k - 1;
}

Candidate* PeopleFuser::Work::candidate(const Identity& track, const Identity& group) noexcept {
  for (int i = 0; i < s->candidate_count; ++i) {
    Candidate& c = s->candidates[at(i)];
    if (c.track == track && c.group == group) return &c;
  }
  if (s->candidate_count == kCandidates) return nullptr;
  Candidate& c = s->candidates[at(s->candidate_count++)];
  c = {track, group, 0, false};
  return &c;
}

/// Collects what the assignment says, of `dt` seconds.
void PeopleFuser::Work::weigh(std::size_t c, double dt) noexcept {
  const double share = dt / kFuserTuning.evidence_s;
  const auto camera = static_cast<std::uint8_t>(c);
  for (int i = 0; i < s->candidate_count; ++i) s->candidates[at(i)].renewed = false;
  for (int r = 0; r < people(c); ++r) {
    const Track& track = tracks[c][at(r)];
    if (track.group < 0) continue;
    const double own = own_ratio[at(r)];
    const int to = assigned[at(r)];
    const double other = to >= 0 ? ratio[at(r)][at(to)] : 0;
    // A group that has none of this one's cameras may be the same person, too; of another group
    // the track would have to leave its own.
    const bool moves = to >= 0 && own > kNever && !apart(track.group, group_of[at(to)]);
    if (own > kNever) {
      double& evidence = group(track.group).of[c].evidence;
      evidence = std::clamp(evidence + share * (moves ? std::min(own - other, 0.0) : own),
                            -kFuserTuning.most, kFuserTuning.most);
    }
    if (to < 0) continue;
    if (Candidate* found =
            candidate({track.person->id, camera}, group(group_of[at(to)]).identity)) {
      found->evidence =
          std::min(found->evidence + share * (moves ? other - std::max(own, 0.0) : other),
                   kFuserTuning.most);
      found->renewed = true;
    }
  }
  for (int i = 0; i < s->candidate_count;) {
    Candidate& one = s->candidates[at(i)];
    if (one.track.camera == camera && !one.renewed) one.evidence -= share * kFuserTuning.fades;
    if (one.evidence > 0 || (one.renewed && one.evidence >= 0))
      ++i;
    else
      one = s->candidates[at(--s->candidate_count)];
  }
}

/// Tracks of camera `c` that are somebody else than their group's others.
void PeopleFuser::Work::leave(std::size_t c) noexcept {
  for (int r = 0; r < people(c); ++r) {
    const Track& track = tracks[c][at(r)];
    if (track.group < 0 || group(track.group).of[c].evidence > kFuserTuning.end) continue;
    Group& rest = group(track.group);
    const Identity own{track.person->id, static_cast<std::uint8_t>(c)};
    rest.of[c] = {};
    // Whose id it is keeps it.
    if (rest.identity == own) {
      std::size_t heir = kCameras;
      for (std::size_t k = 0; k < kCameras; ++k)
        if (rest.of[k].id != 0 &&
            (heir == kCameras || (rest.of[k].present && !rest.of[heir].present)))
          heir = k;
      if (heir == kCameras) {
        remove(track.group);
      } else {
        rest.identity = s->identity_for(static_cast<std::uint8_t>(heir), rest.of[heir].id);
        if (rest.of[heir].present)
          for (int p = 0; p < people(heir); ++p)
            if (tracks[heir][at(p)].person->id == rest.of[heir].id)
              rest.first_seen = tracks[heir][at(p)].person->first_seen;
      }
    }
    add_group(c, *track.person);
    index();
  }
}

/// Two groups, or a group and somebody who was lost, become one. `from` ends. The identity is that
/// which others know; of two, the older one.
void PeopleFuser::Work::merge(int from, int into) noexcept {
  Group& a = group(into);
  const Group& b = group(from);
  if (is_older(b, a)) a.identity = b.identity;
  a.first_seen = std::min(a.first_seen, b.first_seen);
  a.told = a.told || b.told;
  a.last = std::max(a.last, b.last);
  for (std::size_t k = 0; k < kCameras; ++k)
    if (b.of[k].present || (a.of[k].id == 0 && b.of[k].id != 0)) a.of[k] = b.of[k];
  for (Member& m : a.of)
    if (m.id != 0) m.evidence = std::max(m.evidence, kFuserTuning.begin);
  remove(from);
  index();
}

/// Tracks of camera `c` that are one with another group.
void PeopleFuser::Work::join(std::size_t c) noexcept {
  for (int i = 0; i < s->candidate_count;) {
    const Candidate one = s->candidates[at(i)];
    if (one.track.camera != c || one.evidence < kFuserTuning.begin) {
      ++i;
      continue;
    }
    const int to = s->find(one.group);
    const Track* track = nullptr;
    for (int r = 0; r < people(c); ++r)
      if (tracks[c][at(r)].person->id == one.track.id) track = &tracks[c][at(r)];
    if (to < 0 || track == nullptr || track->group < 0 || track->group == to) {
      s->candidates[at(i)] = s->candidates[at(--s->candidate_count)];
      continue;
    }
    if (!may_join(c, *track, to)) {  // until the one who is there leaves
      ++i;
      continue;
    }
    s->candidates[at(i)] = s->candidates[at(--s->candidate_count)];
    if (!apart(track->group, to)) {  // this track alone
      group(track->group).of[c].evidence = -kFuserTuning.most;
      leave(c);
      if (track->group < 0 || track->group == to) continue;
    }
    if (const int into = s->find(one.group); into >= 0) merge(track->group, into);
  }
}

/// Somebody new who is probably a person whom another camera has confirmed is not confirmed until
/// that is settled: or they would be two for a moment.
void PeopleFuser::Work::hold_back() noexcept {
  const auto confirmed = [this](int i) {
    for (std::size_t c = 0; c < kCameras; ++c)
      for (int p = 0; p < people(c); ++p)
        if (tracks[c][at(p)].group == i && tracks[c][at(p)].person->confirmed) return true;
    return false;
  };
  held_back.fill(false);
  for (int i = 0; i < s->candidate_count; ++i) {
    const Candidate& one = s->candidates[at(i)];
    const int to = s->find(one.group);
    if (to < 0 || one.evidence <= 0) continue;
    for (int p = 0; p < people(one.track.camera); ++p) {
      const Track& track = tracks[one.track.camera][at(p)];
      if (track.person->id != one.track.id || track.group < 0 || track.group == to) continue;
      const bool later = is_older(group(to), group(track.group));
      const int older = later ? to : track.group, newer = later ? track.group : to;
      if (!group(newer).told && confirmed(older)) held_back[at(newer)] = true;
    }
  }
  for (int i = 0; i < s->count; ++i)
    group(i).told = group(i).told || (!held_back[at(i)] && confirmed(i));
}

/// What is remembered of everybody for the time when they are lost.
void PeopleFuser::Work::settle() noexcept {
  for (int i = 0; i < s->count; ++i) {
    Group& g = group(i);
    bool any = false;
    for (std::size_t c = 0; c < kCameras; ++c) {
      if (!g.of[c].present) continue;
      g.last = std::max(g.last, g.of[c].last);
      any = any || usable[c];
    }
    Moving state;
    if (any && rest_of(i, kCameras, state)) g.state = state;
  }
}

/// Puts a group's person into the newest report that tells of them.
void PeopleFuser::Work::tell(const Group& g, const std::array<int, kCameras>& place) noexcept {
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
    judge_anew[host][at(place[host])] = true;
    changed[host] = true;
  }
  if (held_back[at(static_cast<int>(&g - s->groups.data()))] && person.confirmed) {
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
    to.path_known = from.path_known;
    to.yaw_rate_known = from.yaw_rate_known;
    to.speed_mps = from.speed_mps;
    to.acceleration_mps2 = from.acceleration_mps2;
    to.yaw_rate_radps = from.yaw_rate_radps;
    to.yaw_acceleration_radps2 = from.yaw_acceleration_radps2;
    to.yaw_sigma_radps = from.yaw_sigma_radps;
    to.turn = from.turn;
    to.view = from.view;
    to.people.count = people(c);
    std::copy_n(from.people.items, people(c), to.people.items);
    std::copy_n(from.contacts, people(c), to.contacts);
  }
  for (int k = 0; k < s->count; ++k) tell(group(k), place_of[at(k)]);

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
          judge_anew[c][at(kept)] = judge_anew[c][at(i)];
        }
        ++kept;
      }
      to.people.count = kept;
    }
    for (int i = 0; i < to.people.count && paces.count < kPeople; ++i) {
      track::Person& p = paces.items[paces.count++];
      p.vy_mps = to.people.items[i].vy_mps;
      p.id = pace_id(to.people.items[i], c);
    }
  }
  if (observe) s->judge.observe(*s->at, paces);
  for (std::size_t c = 0; c < kCameras; ++c) {
    if (in[c] == nullptr || !changed[c]) continue;
    bool planned = false;
    for (int i = 0; i < out[c].people.count; ++i) {
      if (!judge_anew[c][at(i)]) continue;
      if (!planned) {
        const risk::PeopleReport& r = *in[c];
        risk::CarMotion motion{std::nullopt,        std::nullopt,
                               r.acceleration_mps2, r.yaw_acceleration_radps2,
                               r.yaw_sigma_radps,   r.turn};
        if (r.path_known && std::isfinite(r.speed_mps)) motion.speed_mps = r.speed_mps;
        if (r.yaw_rate_known && std::isfinite(r.yaw_rate_radps))
          motion.yaw_rate_radps = r.yaw_rate_radps;
        path.set(r.at, motion);
        planned = true;
      }
      track::Person person = out[c].people.items[i];
      person.id = pace_id(person, c);
      out[c].contacts[i] = s->judge.judge(person, path);
    }
  }
}

PeopleFuser::PeopleFuser(const FuserSettings& settings)
    : settings_{settings}, state_{std::make_unique<State>(settings)} {
  if (settings.cameras < 2) return;
  work_ = std::make_unique<Work>();
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
  w.s = &s;
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
    w.find_tracks();
    for (std::size_t c = 0; c < kCameras; ++c) {
      if (!is_new[c] || !w.usable[c]) continue;
      w.assign(c);
      w.weigh(c, passed[c]);
      w.leave(c);
      w.join(c);
    }
    w.hold_back();
    w.settle();
    w.compose(!before || *s.at > *before);
    w.dirty = false;
  }
  Reports out = reports;
  for (std::size_t c = 0; c < kCameras; ++c)
    if (reports[c] != nullptr && w.changed[c]) out[c] = &w.out[c];
  return out;
}

}  // namespace kerb::fuse
