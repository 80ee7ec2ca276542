// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/association.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "firmware/fuse/estimate.hpp"
#include "firmware/track/hungarian.hpp"

namespace kerb::fuse {
namespace {

/// Fixed settings of Association; tests/unit/firmware/fuse shows what a change does.
struct AssociationTuning {
  double evidence_s = 0.3;  ///< errors persist about this long: in this time the ratio counts once
  double begin = 2;         ///< log-likelihood ratio with which two become one,
  double end = -2;          ///< and with which a track leaves its group
  double most = 5;          ///< limits of what is collected
  double at_once_most = 4, at_once_least = -8;  ///< limits of one report's ratio
  double fades = 1;  ///< taken off, in evidence_s, where a pair is not assigned
  Nanos new_track = std::chrono::milliseconds{1500};  ///< only such a track may be one who was lost
};
constexpr AssociationTuning kAssociationTuning{};

}  // namespace

void Association::update(std::size_t c, double dt) noexcept {
  assign(c);
  weigh(c, dt);
  leave(c);
  join(c);
}

/// Whether a track of camera `c` may become one with another group.
bool Association::may_join(std::size_t c, const Track& track, int to) const noexcept {
  const Group& own = tracks_.group(track.group);
  const Group& g = tracks_.group(to);
  if (g.of[c].present) return false;
  bool lost = true, alone = true;
  for (std::size_t k = 0; k < kCameras; ++k) {
    lost = lost && !g.of[k].present;
    alone = alone && (k == c || own.of[k].id == 0);
  }
  // Who is lost to all: for a new track of a camera that did not lose them, for that camera's
  // tracker would know.
  if (lost)
    return alone &&
           tracks_.report(c).at - track.person->first_seen <= kAssociationTuning.new_track &&
           (g.of[c].id == 0 || g.of[c].last < g.last);
  return tracks_.apart(track.group, to) || own.of[c].evidence < 0;
}

/// The tracks of camera `c`, each to another group or to none, with the largest sum of the ratios;
/// and how well each fits its own.
void Association::assign(std::size_t c) noexcept {
  const int rows = tracks_.people(c);
  columns_ = 0;
  for (int r = 0; r < rows; ++r) {
    ratio_[slot(r)].fill(kNever);
    own_ratio_[slot(r)] = kNever;
    assigned_[slot(r)] = -1;
  }
  for (int k = 0; k < tracks_.groups().count && columns_ < kColumns; ++k) {
    Moving rest;
    if (!tracks_.rest_of(k, c, rest)) continue;
    bool any = false;
    for (int r = 0; r < rows; ++r) {
      const Track& track = tracks_.track(c, r);
      if (track.group < 0 || !track.proper) continue;
      const bool own = track.group == k;
      if (!own && !may_join(c, track, k)) continue;
      const std::optional<double> found = one_person(track.state, rest);
      if (!found && !own) continue;
      const double is =
          std::clamp(found.value_or(kAssociationTuning.at_once_least),
                     kAssociationTuning.at_once_least, kAssociationTuning.at_once_most);
      (own ? own_ratio_[slot(r)] : ratio_[slot(r)][slot(columns_)]) = is;
      any = any || !own;
    }
    if (any) group_of_[slot(columns_++)] = k;
  }
  if (columns_ > 0) solve(rows);
}

void Association::solve(int rows) noexcept {
  constexpr double kFar = 1e6;
  const auto cost = [this](int row, int column) noexcept {
    const std::size_t r = slot(row - 1), k = slot(column - 1);
    if (column > columns_) return column - columns_ == row ? 0.0 : kFar;  // nobody
    return ratio_[r][k] > 0 ? -ratio_[r][k] : kFar;
  };
  row_price_.fill(0);
  column_price_.fill(0);
  row_at_.fill(0);
  from_column_.fill(0);
  const track::HungarianState state{row_price_.data(), column_price_.data(), least_.data(),
                                    used_.data(),      row_at_.data(),       from_column_.data()};
  for (int r = 1; r <= rows; ++r) track::hungarian_insert(r, columns_ + rows, cost, state);
  for (int k = 1; k <= columns_; ++k)
    if (row_at_[slot(k)] > 0 && cost(row_at_[slot(k)], k) < 0)
      assigned_[slot(row_at_[slot(k)] - 1)] = k - 1;
}

/// The one of this pair, if need be a new one. Null: there is no room.
Candidate* Association::candidate(const Identity& track, const Identity& group) noexcept {
  for (int i = 0; i < candidates_.count; ++i) {
    Candidate& c = candidates_.items[slot(i)];
    if (c.track == track && c.group == group) return &c;
  }
  if (candidates_.count == CandidateList::kMost) return nullptr;
  Candidate& c = candidates_.items[slot(candidates_.count++)];
  c = {track, group, 0, false};
  return &c;
}

/// The last one takes its place.
void Association::drop(int i) noexcept {
  candidates_.items[slot(i)] = candidates_.items[slot(--candidates_.count)];
}

/// Collects what the assignment says, of `dt` seconds.
void Association::weigh(std::size_t c, double dt) noexcept {
  const double share = dt / kAssociationTuning.evidence_s;
  const auto camera = static_cast<std::uint8_t>(c);
  for (int i = 0; i < candidates_.count; ++i) candidates_.items[slot(i)].renewed = false;
  for (int r = 0; r < tracks_.people(c); ++r) {
    const Track& track = tracks_.track(c, r);
    if (track.group < 0) continue;
    const double own = own_ratio_[slot(r)];
    const int to = assigned_[slot(r)];
    const double other = to >= 0 ? ratio_[slot(r)][slot(to)] : 0;
    // A group that has none of this one's cameras may be the same person, too; of another group
    // the track would have to leave its own.
    const bool moves = to >= 0 && own > kNever && !tracks_.apart(track.group, group_of_[slot(to)]);
    if (own > kNever) {
      double& evidence = tracks_.group(track.group).of[c].evidence;
      evidence = std::clamp(evidence + share * (moves ? std::min(own - other, 0.0) : own),
                            -kAssociationTuning.most, kAssociationTuning.most);
    }
    if (to < 0) continue;
    if (Candidate* found =
            candidate({track.person->id, camera}, tracks_.group(group_of_[slot(to)]).identity)) {
      found->evidence =
          std::min(found->evidence + share * (moves ? other - std::max(own, 0.0) : other),
                   kAssociationTuning.most);
      found->renewed = true;
    }
  }
  for (int i = 0; i < candidates_.count;) {
    Candidate& one = candidates_.items[slot(i)];
    if (one.track.camera == camera && !one.renewed)
      one.evidence -= share * kAssociationTuning.fades;
    if (one.evidence > 0 || (one.renewed && one.evidence >= 0))
      ++i;
    else
      drop(i);
  }
}

/// Tracks of camera `c` that are somebody else than their group's others.
void Association::leave(std::size_t c) noexcept {
  for (int r = 0; r < tracks_.people(c); ++r) {
    const Track& track = tracks_.track(c, r);
    if (track.group < 0 || tracks_.group(track.group).of[c].evidence > kAssociationTuning.end)
      continue;
    tracks_.split(c, r);
  }
}

/// Tracks of camera `c` that are one with another group.
void Association::join(std::size_t c) noexcept {
  for (int i = 0; i < candidates_.count;) {
    const Candidate one = candidates_.items[slot(i)];
    if (one.track.camera != c || one.evidence < kAssociationTuning.begin) {
      ++i;
      continue;
    }
    const int to = tracks_.groups().find(one.group);
    const Track* track = nullptr;
    for (int r = 0; r < tracks_.people(c); ++r)
      if (tracks_.track(c, r).person->id == one.track.id) track = &tracks_.track(c, r);
    if (to < 0 || track == nullptr || track->group < 0 || track->group == to) {
      drop(i);
      continue;
    }
    if (!may_join(c, *track, to)) {  // until the one who is there leaves
      ++i;
      continue;
    }
    drop(i);
    if (!tracks_.apart(track->group, to)) {  // this track alone
      tracks_.group(track->group).of[c].evidence = -kAssociationTuning.most;
      leave(c);
      if (track->group < 0 || track->group == to) continue;
    }
    if (const int into = tracks_.groups().find(one.group); into >= 0)
      tracks_.merge(track->group, into, kAssociationTuning.begin);
  }
}

void Association::hold_back() noexcept {
  const auto confirmed = [this](int i) {
    for (std::size_t c = 0; c < kCameras; ++c)
      for (int p = 0; p < tracks_.people(c); ++p)
        if (tracks_.track(c, p).group == i && tracks_.track(c, p).person->confirmed) return true;
    return false;
  };
  held_back_.fill(false);
  for (int i = 0; i < candidates_.count; ++i) {
    const Candidate& one = candidates_.items[slot(i)];
    const int to = tracks_.groups().find(one.group);
    if (to < 0 || one.evidence <= 0) continue;
    for (int p = 0; p < tracks_.people(one.track.camera); ++p) {
      const Track& track = tracks_.track(one.track.camera, p);
      if (track.person->id != one.track.id || track.group < 0 || track.group == to) continue;
      const bool later = is_older(tracks_.group(to), tracks_.group(track.group));
      const int older = later ? to : track.group, newer = later ? track.group : to;
      if (!tracks_.group(newer).told && confirmed(older)) held_back_[slot(newer)] = true;
    }
  }
  for (int i = 0; i < tracks_.groups().count; ++i) {
    bool& told = tracks_.group(i).told;
    told = told || (!is_held_back(i) && confirmed(i));
  }
}

}  // namespace kerb::fuse
