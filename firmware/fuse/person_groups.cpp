// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/person_groups.hpp"

#include <tuple>

namespace kerb::fuse {

bool is_older(const Group& a, const Group& b) noexcept {
  const auto rank = [](const Group& g) {
    return std::tuple{!g.told, g.first_seen, g.identity.camera, g.identity.id};
  };
  return rank(a) < rank(b);
}

int GroupList::find(const Identity& identity) const noexcept {
  for (int i = 0; i < count; ++i)
    if (items[slot(i)].identity == identity) return i;
  return -1;
}

Identity GroupList::identity_for(std::uint8_t camera, std::uint32_t id) noexcept {
  Identity out{id, camera};
  while (find(out) >= 0) {
    out = {fresh, camera};
    fresh = fresh >= kLastFresh ? kFirstFresh : fresh + 1;
  }
  return out;
}

void GroupList::advance_all(const Way& way) noexcept {
  for (int i = 0; i < count; ++i) advance(items[slot(i)].state, way);
}

void GroupedTracks::take(const NewestReports& reports, Nanos now) noexcept {
  in_ = reports;
  now_ = now;
  for (int i = 0; i < groups_.count; ++i)
    for (Member& m : group(i).of) m.present = false;
  for (std::size_t c = 0; c < kCameras; ++c) {
    for (int i = 0; i < people(c); ++i) {
      const track::Person& person = report(c).people.items[i];
      Track& track = tracks_[c][slot(i)];
      track.person = &person;
      track.state = moving_of(person);
      track.proper = is_proper(track.state);
      if (track.proper) advance(track.state, in_[c].since);
      track.group = -1;
      for (int k = 0; k < groups_.count && track.group < 0; ++k)
        if (person.id != 0 && group(k).of[c].id == person.id) track.group = k;
      if (track.group < 0) continue;
      Member& member = group(track.group).of[c];
      if (member.present) {  // two with one id: damaged
        track.group = -1;
        continue;
      }
      member.present = true;
      member.last = report(c).at;
    }
  }
  // Those who are gone for long make room.
  for (int i = 0; i < groups_.count;) {
    Group& g = group(i);
    bool any = false;
    for (Member& m : g.of) {
      if (!m.present && m.id != 0 && now_ - m.last > kGroupTuning.remembers) m = {};
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
      if (track(c, i).group < 0) add(c, *track(c, i).person);
  index();
}

/// Which track is where, after groups have changed their numbers or members.
void GroupedTracks::index() noexcept {
  for (std::size_t c = 0; c < kCameras; ++c)
    for (int i = 0; i < people(c); ++i) tracks_[c][slot(i)].group = -1;
  for (int k = 0; k < groups_.count; ++k)
    for (std::size_t c = 0; c < kCameras; ++c) {
      int& place = place_of_[slot(k)][c];
      place = -1;
      Member& m = group(k).of[c];
      if (!m.present) continue;
      for (int i = 0; i < people(c) && place < 0; ++i)
        if (track(c, i).person->id == m.id) {
          tracks_[c][slot(i)].group = k;
          place = i;
        }
      m.present = place >= 0;
    }
}

void GroupedTracks::add(std::size_t c, const track::Person& person) noexcept {
  if (person.id == 0) return;
  for (int k = 0; k < groups_.count; ++k)
    if (group(k).of[c].id == person.id) return;  // two with one id: damaged
  if (groups_.count == GroupList::kMost) {       // the one who was lost longest ago
    int oldest = -1;
    for (int k = 0; k < groups_.count; ++k) {
      const auto& of = group(k).of;
      if (std::any_of(of.begin(), of.end(), [](const Member& m) { return m.present; })) continue;
      if (oldest < 0 || group(k).last < group(oldest).last) oldest = k;
    }
    if (oldest < 0) return;
    remove(oldest);
  }
  const auto camera = static_cast<std::uint8_t>(c);
  const Identity identity = groups_.identity_for(camera, person.id);
  Group& g = group(groups_.count++);
  g = {};
  g.identity = identity;
  g.first_seen = person.first_seen;
  g.last = now_;
  g.of[c] = {person.id, true, report(c).at, 0};
}

void GroupedTracks::split(std::size_t c, int i) noexcept {
  const Track& track = tracks_[c][slot(i)];
  Group& rest = group(track.group);
  const Identity own{track.person->id, static_cast<std::uint8_t>(c)};
  rest.of[c] = {};
  if (rest.identity == own) {
    std::size_t heir = kCameras;
    for (std::size_t k = 0; k < kCameras; ++k)
      if (rest.of[k].id != 0 &&
          (heir == kCameras || (rest.of[k].present && !rest.of[heir].present)))
        heir = k;
    if (heir == kCameras) {
      remove(track.group);
    } else {
      rest.identity = groups_.identity_for(static_cast<std::uint8_t>(heir), rest.of[heir].id);
      if (rest.of[heir].present)
        for (int p = 0; p < people(heir); ++p)
          if (tracks_[heir][slot(p)].person->id == rest.of[heir].id)
            rest.first_seen = tracks_[heir][slot(p)].person->first_seen;
    }
  }
  add(c, *track.person);
  index();
}

void GroupedTracks::merge(int from, int into, double least_evidence) noexcept {
  Group& a = group(into);
  const Group& b = group(from);
  if (is_older(b, a)) a.identity = b.identity;
  a.first_seen = std::min(a.first_seen, b.first_seen);
  a.told = a.told || b.told;
  a.last = std::max(a.last, b.last);
  for (std::size_t k = 0; k < kCameras; ++k)
    if (b.of[k].present || (a.of[k].id == 0 && b.of[k].id != 0)) a.of[k] = b.of[k];
  for (Member& m : a.of)
    if (m.id != 0) m.evidence = std::max(m.evidence, least_evidence);
  remove(from);
  index();
}

void GroupedTracks::settle() noexcept {
  for (int i = 0; i < groups_.count; ++i) {
    Group& g = group(i);
    bool any = false;
    for (std::size_t c = 0; c < kCameras; ++c) {
      if (!g.of[c].present) continue;
      g.last = std::max(g.last, g.of[c].last);
      any = any || in_[c].usable;
    }
    Moving state;
    if (any && rest_of(i, kCameras, state)) g.state = state;
  }
}

bool GroupedTracks::rest_of(int i, std::size_t c, Moving& rest) const noexcept {
  const Track* surest = nullptr;
  bool present = false;
  const auto spread = [](const Track& t) { return t.state.covariance[0] + t.state.covariance[5]; };
  for (std::size_t k = 0; k < kCameras; ++k) {
    const Member& m = group(i).of[k];
    present = present || m.present;
    if (k == c || !m.present || !in_[k].usable) continue;
    const Track& track = tracks_[k][slot(place_of(i)[k])];
    if (track.proper && (surest == nullptr || spread(track) < spread(*surest))) surest = &track;
  }
  if (surest != nullptr) rest = surest->state;
  if (surest != nullptr || present) return surest != nullptr;
  rest = group(i).state;
  return group(i).told && now_ - group(i).last <= kGroupTuning.hands_over && is_proper(rest);
}

bool GroupedTracks::apart(int a, int b) const noexcept {
  for (std::size_t k = 0; k < kCameras; ++k)
    if (group(a).of[k].present && group(b).of[k].present) return false;
  return true;
}

}  // namespace kerb::fuse
