// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/track_list.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "firmware/types/boxes.hpp"

namespace kerb::track {
namespace {

/// Fixed settings of TrackList; MatchSettings has those that are set from outside. Shares of a
/// box's area unless said otherwise.
struct TrackListTuning {
  double hidden_share = 0.5;      ///< covered by a nearer person: it cannot be detected
  double distance_error = 0.1;    ///< of a distance, as a share
  double in_picture_share = 0.6;  ///< within the picture: it can be detected
  double clear_share = 0.3;       ///< covered by another box: its appearance is not its own
  double within_share = 0.8;      ///< covered by a much nearer person: a part of that person,
  double much_nearer = 0.75;      ///< where that person is at most this share of the distance away
  double start_overlap = 0.6;     ///< overlap with a track detected in this frame: starts no track
};
constexpr TrackListTuning kTrackListTuning{};

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

/// Null: they were not searched for.
const Likeness* likeness_of(const Senses& senses, std::uint32_t id) noexcept {
  for (int i = 0; i < std::clamp(senses.likenesses, 0, Senses::kMostLikenesses); ++i)
    if (senses.like[at(i)].id == id) return &senses.like[at(i)];
  return nullptr;
}

/// Spectral difference between a detection and the person that `like` belongs to, 0 to 1.
std::optional<double> unlike(const Likeness* like, std::size_t detection) noexcept {
  if (like == nullptr || like->of[detection] == Likeness::kNotLooked) return std::nullopt;
  return 1 - std::min(1.0, static_cast<double>(like->of[detection]) / Likeness::kSame);
}

}  // namespace

void TrackList::advance(const View& view, const Senses& senses) {
  const int reported = count();
  const bool flows = senses.followed == reported;
  for (int i = 0; i < count_; ++i)
    people_[at(i)].advance(view, flows && i < reported ? &senses.flows[at(i)] : nullptr);
}

int TrackList::count() const noexcept {
  return static_cast<int>(std::count_if(people_.begin(), people_.begin() + count_,
                                        [](const Track& p) { return !p.lost(); }));
}

/// Assigns the detections left to the people chosen by `is`: person_, detection_ and assignment_.
template <typename Is>
void TrackList::assign(const View& view, const Senses& senses, const Appearance* appearance,
                       const Is& is) {
  int people = 0, detections = 0;
  for (int i = 0; i < count_; ++i)
    if (!people_[at(i)].seen() && is(people_[at(i)])) person_[at(people++)] = i;
  for (int d = 0; d < kMost; ++d)
    if (!taken_[at(d)]) detection_[at(detections++)] = d;
  assignment_.reset(people, detections, -view.settings.match.least);
  for (int r = 0; r < people; ++r) {
    const Track& one = people_[at(person_[at(r)])];
    const Likeness* like = likeness_of(senses, one.id());
    // Of two people at one place, the one in front is more likely to be detected.
    const bool behind = is_covered(person_[at(r)], false);
    for (int c = 0; c < detections; ++c) {
      const std::size_t d = at(detection_[at(c)]);
      assignment_.set(r, c,
                      -one.likelihood_ratio(view, senses.boxes[d], seen_[d], senses.looks[d],
                                            appearance, unlike(like, d), behind));
    }
  }
  assignment_.solve();
}

template <typename Is>
void TrackList::match(const View& view, const Senses& senses, const Appearance* appearance,
                      const Is& is) {
  assign(view, senses, appearance, [&is](const Track& p) { return !p.lost() && is(p); });
  for (int r = 0; r < assignment_.rows(); ++r) {
    const int c = assignment_.column_of(r);
    if (c == Assignment::kNone) continue;
    const int chosen = detection_[at(c)];
    const std::size_t d = at(chosen);
    taken_[d] = true;
    Track& one = people_[at(person_[at(r)])];
    const Track::Finding how{view.moves(senses.flow_says_moves[d]), is_clear(senses, chosen),
                             !one.confirmed() && is_within(senses.boxes[d], one.distance())};
    one.found(view, senses.boxes[d], senses.looks[d], how);
  }
}

/// Gives people who were lost their id again, where a detection that nobody else has fits them.
void TrackList::recall(const View& view, const Senses& senses, const Appearance* appearance) {
  assign(view, senses, appearance, [](const Track& p) { return p.lost(); });
  for (int r = 0; r < assignment_.rows(); ++r) {
    const int c = assignment_.column_of(r);
    if (c == Assignment::kNone) continue;
    const std::size_t d = at(detection_[at(c)]);
    const Detection& box = senses.boxes[d];
    Track& one = people_[at(person_[at(r)])];
    if (static_cast<double>(box.score) < view.settings.birth_score || is_taken(box)) continue;
    Track again = one;
    if (!again.begin_again(view, box, senses.looks[d], view.moves(senses.flow_says_moves[d])) ||
        is_within(box, again.distance()))
      continue;
    one = again;
    taken_[d] = true;
  }
}

void TrackList::take(const View& view, const Senses& senses, const Appearance* appearance) {
  const int count = std::clamp(senses.count, 0, kMost);
  for (int d = 0; d < kMost; ++d) {
    usable_[at(d)] = d < count && is_sane(senses.boxes[at(d)]);
    taken_[at(d)] = !usable_[at(d)];
    if (usable_[at(d)])
      seen_[at(d)] = seen_box(view.camera, view.settings.filter, senses.boxes[at(d)]);
  }
  // Who was seen just now comes first: whoever is hidden must not take the detection of the person
  // who hides them.
  const auto is_recent = [&view](const Track& p) {
    return view.since(p.last_seen()) <= view.settings.match.recent_s;
  };
  match(view, senses, appearance, [&](const Track& p) { return p.confirmed() && is_recent(p); });
  match(view, senses, appearance, [&](const Track& p) { return p.confirmed() && !is_recent(p); });
  match(view, senses, appearance, [&](const Track& p) { return !p.confirmed(); });
  recall(view, senses, appearance);
  note_misses(view, senses);
  begin_new(view, senses);
  drop_duplicates(view);
}

/// Whether a much nearer person, detected in this frame, would hide a person at `distance`.
bool TrackList::is_within(const Detection& box, double distance) const {
  const auto hides = [&](const Track& p) {
    return p.confirmed() && p.seen() && p.distance() < kTrackListTuning.much_nearer * distance &&
           covered(box, p.box()) > kTrackListTuning.within_share;
  };
  return std::any_of(people_.begin(), people_.begin() + count_, hides);
}

bool TrackList::is_clear(const Senses& senses, int detection) const {
  for (int d = 0; d < kMost; ++d)
    if (d != detection && usable_[at(d)] &&
        covered(senses.boxes[at(detection)], senses.boxes[at(d)]) > kTrackListTuning.clear_share)
      return false;
  return true;
}

/// Whether a person who is about as near or nearer covers it; `found`: one detected in this frame.
bool TrackList::is_covered(int person, bool found) const {
  const Track& p = people_[at(person)];
  for (int i = 0; i < count_; ++i) {
    const Track& other = people_[at(i)];
    if (i != person && !other.lost() && (found ? other.seen() : other.confirmed()) &&
        other.distance() < (1 + kTrackListTuning.distance_error) * p.distance() &&
        covered(p.box(), other.box()) > kTrackListTuning.hidden_share)
      return true;
  }
  return false;
}

/// Whether it could not have been detected at its expected place.
bool TrackList::is_hidden(const View& view, int person) const {
  const Detection& box = people_[at(person)].box();
  if (static_cast<double>(box.h) < view.settings.smallest_px) return true;
  if (covered(box, picture_box(view.camera.width, view.camera.height)) <
      kTrackListTuning.in_picture_share)
    return true;
  return is_covered(person, true);
}

/// Whether the place found by bands belongs to no one else: no similar detection, assigned to
/// another track, is there, and no other track was found there by bands.
bool TrackList::is_free(const Senses& senses, const Likeness& like, int person) const {
  const auto holds = [&like](const Detection& box) {
    return like.column > box.x && like.column < box.x + box.w;
  };
  for (int d = 0; d < kMost; ++d)
    if (usable_[at(d)] && like.of[at(d)] != Likeness::kNotLooked &&
        like.of[at(d)] >= Likeness::kSame / 2 && holds(senses.boxes[at(d)]))
      return false;
  for (int i = 0; i < count_; ++i) {
    const Likeness* other = likeness_of(senses, people_[at(i)].id());
    if (i != person && people_[at(i)].found_by_bands() && other != nullptr &&
        holds(people_[at(i)].box()) &&
        std::abs(other->column - like.column) < 2 * (other->sigma_px + like.sigma_px))
      return false;
  }
  return true;
}

void TrackList::note_misses(const View& view, const Senses& senses) {
  for (int i = 0; i < count_; ++i) {
    Track& one = people_[at(i)];
    if (one.seen() || one.lost()) continue;
    const Likeness* like = likeness_of(senses, one.id());
    if (like != nullptr && like->found && one.confirmed() && is_free(senses, *like, i) &&
        one.found_by_bands(view, *like))
      continue;
    one.missed(view, one.confirmed() && is_hidden(view, i));
  }
}

/// Whether a track that was detected in this frame is at this box.
bool TrackList::is_taken(const Detection& box) const {
  return std::any_of(people_.begin(), people_.begin() + count_, [&](const Track& p) {
    return p.seen() && overlap(p.box(), box) > kTrackListTuning.start_overlap;
  });
}

/// Room for one more, if need be by forgetting who was lost first.
bool TrackList::make_room() noexcept {
  if (count_ < kMost) return true;
  int first = kMost;
  for (int i = 0; i < count_; ++i)
    if (people_[at(i)].lost() &&
        (first == kMost || people_[at(i)].last_seen() < people_[at(first)].last_seen()))
      first = i;
  if (first == kMost) return false;
  remove(first);
  return true;
}

void TrackList::begin_new(const View& view, const Senses& senses) {
  std::array<bool, kMost> starts{};
  for (int d = 0; d < kMost; ++d)
    starts[at(d)] = !taken_[at(d)] &&
                    !(static_cast<double>(senses.boxes[at(d)].score) < view.settings.birth_score) &&
                    !is_taken(senses.boxes[at(d)]);
  for (int d = 0; d < kMost; ++d) {
    if (!starts[at(d)]) continue;
    if (!make_room()) return;
    const Detection& box = senses.boxes[at(d)];
    Track& person = people_[at(count_)];
    if (!person.begin(view, next_id_, box, senses.looks[at(d)],
                      view.moves(senses.flow_says_moves[at(d)])))
      continue;
    if (is_within(box, person.distance())) continue;
    ++next_id_;
    ++count_;
  }
}

/// Whether `duplicate`, not detected in this frame, has the place and velocity of `p`, who was.
bool TrackList::is_duplicate(const View& view, const Track& duplicate, const Track& p) {
  const MatchSettings& m = view.settings.match;
  if (duplicate.seen() || !p.seen() || overlap(p.box(), duplicate.box()) < m.duplicate_overlap)
    return false;
  const double dx = p.x() - duplicate.x(), dy = p.y() - duplicate.y();
  const double near = std::max(m.duplicate_m, 0.1 * p.distance());
  return dx * dx + dy * dy < near * near && p.speed_apart(duplicate) < m.duplicate_mps;
}

/// Two tracks at one place are one person. A person who passes behind another is there for a moment
/// too, so a confirmed track is dropped only after some frames.
void TrackList::drop_duplicates(const View& view) {
  for (int i = 0; i < count_;) {
    Track& one = people_[at(i)];
    const auto is_of = [&](const Track& p) { return is_duplicate(view, one, p); };
    const bool duplicate = std::any_of(people_.begin(), people_.begin() + count_, is_of);
    if (one.note_duplicate(duplicate) >
        (one.confirmed() ? view.settings.match.duplicate_frames : 0)) {
      remove(i);
    } else {
      ++i;
    }
  }
}

void TrackList::remove(int person) noexcept {
  --count_;
  if (person != count_) people_[at(person)] = people_[at(count_)];
}

void TrackList::drop_gone(const View& view) {
  for (int i = 0; i < count_;) {
    Track& one = people_[at(i)];
    if (one.lost() ? one.is_memorable(view) : !one.is_gone(view)) {
      ++i;
    } else if (!one.lost() && one.is_memorable(view)) {
      one.lose();
      ++i;
    } else {
      remove(i);
    }
  }
}

void TrackList::report(const View& view, PersonList& out) {
  std::sort(people_.begin(), people_.begin() + count_, [](const Track& a, const Track& b) {
    if (a.lost() != b.lost()) return b.lost();
    if (a.confirmed() != b.confirmed()) return a.confirmed();
    const double da = a.distance(), db = b.distance();
    return da != db ? da < db : a.id() < b.id();
  });
  out.count = count();
  for (int i = 0; i < out.count; ++i) people_[at(i)].report(view, out.items[i]);
}

}  // namespace kerb::track
