// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/roster.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "firmware/types/boxes.hpp"

namespace kerb::track {
namespace {

constexpr double kHiddenShare = 0.5;  // of a box, covered by one who is nearer
constexpr double kAsFar = 0.1;        // distances are known no better
constexpr double kInPicture = 0.6;    // of a box, for somebody to be found
constexpr double kClearShare = 0.3;   // of a box, covered by another: its looks are not its own
constexpr double kWithinShare = 0.8, kMuchNearer = 0.75;
constexpr double kBegunOverlap = 0.6;  // with somebody found in this frame: no other person

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

/// Null: nobody looked for them.
const Likeness* likeness_of(const Senses& senses, std::uint32_t id) noexcept {
  for (int i = 0; i < std::clamp(senses.likenesses, 0, Senses::kMostLikenesses); ++i)
    if (senses.like[at(i)].id == id) return &senses.like[at(i)];
  return nullptr;
}

/// How different the detection's bands are from those of whom `like` is of.
std::optional<double> unlike(const Likeness* like, std::size_t detection) noexcept {
  if (like == nullptr || like->of[detection] == Likeness::kNotLooked) return std::nullopt;
  return 1 - std::min(1.0, static_cast<double>(like->of[detection]) / Likeness::kSame);
}

}  // namespace

void Roster::advance(const View& view, const Senses& senses) {
  const bool flows = senses.followed == count_;
  for (int i = 0; i < count_; ++i)
    people_[at(i)].advance(view, flows ? &senses.flows[at(i)] : nullptr);
}

void Roster::take(const View& view, const Senses& senses, const Appearance* appearance) {
  const int count = std::clamp(senses.count, 0, kMost);
  for (int d = 0; d < kMost; ++d) {
    usable_[at(d)] = d < count && is_sane(senses.boxes[at(d)]);
    taken_[at(d)] = !usable_[at(d)];
    if (usable_[at(d)])
      seen_[at(d)] = seen_box(view.camera, view.settings.filter, senses.boxes[at(d)]);
  }
  match(view, senses, appearance, true);
  match(view, senses, appearance, false);
  note_misses(view, senses);
  begin_new(view, senses);
  drop_shadows(view);
}

void Roster::match(const View& view, const Senses& senses, const Appearance* appearance,
                   bool confirmed) {
  std::array<int, kMost> person{}, detection{};
  int people = 0, detections = 0;
  for (int i = 0; i < count_; ++i)
    if (people_[at(i)].confirmed() == confirmed && !people_[at(i)].seen()) person[at(people++)] = i;
  for (int d = 0; d < kMost; ++d)
    if (!taken_[at(d)]) detection[at(detections++)] = d;
  assignment_.reset(people, detections, view.settings.match.limit);
  for (int r = 0; r < people; ++r) {
    const Followed& one = people_[at(person[at(r)])];
    const Likeness* like = likeness_of(senses, one.id());
    // Of two at one place, the one in front is the likelier to be found.
    const double behind = is_covered(person[at(r)], false) ? view.settings.match.behind : 0;
    for (int c = 0; c < detections; ++c) {
      const std::size_t d = at(detection[at(c)]);
      assignment_.set(r, c,
                      behind + one.cost(view, senses.boxes[d], seen_[d], senses.looks[d],
                                        appearance, unlike(like, d)));
    }
  }
  assignment_.solve();
  for (int r = 0; r < people; ++r) {
    const int c = assignment_.column_of(r);
    if (c == Assignment::kNone) continue;
    const int chosen = detection[at(c)];
    const std::size_t d = at(chosen);
    taken_[d] = true;
    Followed& one = people_[at(person[at(r)])];
    const Followed::Finding how{view.moves(senses.flow_says_moves[d]), is_clear(senses, chosen),
                                !confirmed && is_within(senses.boxes[d], one.distance())};
    one.found(view, senses.boxes[d], senses.looks[d], how);
  }
}

/// Whether somebody much nearer than `distance`, found in this frame, would hide who stands there.
bool Roster::is_within(const Detection& box, double distance) const {
  const auto hides = [&](const Followed& p) {
    return p.confirmed() && p.seen() && p.distance() < kMuchNearer * distance &&
           covered(box, p.box()) > kWithinShare;
  };
  return std::any_of(people_.begin(), people_.begin() + count_, hides);
}

bool Roster::is_clear(const Senses& senses, int detection) const {
  for (int d = 0; d < kMost; ++d)
    if (d != detection && usable_[at(d)] &&
        covered(senses.boxes[at(detection)], senses.boxes[at(d)]) > kClearShare)
      return false;
  return true;
}

/// Whether somebody who is about as near or nearer covers it; `found`: one found in this frame.
bool Roster::is_covered(int person, bool found) const {
  const Followed& p = people_[at(person)];
  for (int i = 0; i < count_; ++i) {
    const Followed& other = people_[at(i)];
    if (i != person && (found ? other.seen() : other.confirmed()) &&
        other.distance() < (1 + kAsFar) * p.distance() &&
        covered(p.box(), other.box()) > kHiddenShare)
      return true;
  }
  return false;
}

/// Whether it could not have been found where it is expected.
bool Roster::is_hidden(const View& view, int person) const {
  const Detection& box = people_[at(person)].box();
  if (static_cast<double>(box.h) < view.settings.smallest_px) return true;
  if (covered(box, picture_box(view.camera.width, view.camera.height)) < kInPicture) return true;
  return is_covered(person, true);
}

/// Whether the place where a person was made out is nobody else's: no detection like them is there,
/// which was given to another, and nobody else who looks like them was made out.
bool Roster::is_free(const Senses& senses, const Likeness& like, int person) const {
  const auto holds = [&like](const Detection& box) {
    return like.column > box.x && like.column < box.x + box.w;
  };
  for (int d = 0; d < kMost; ++d)
    if (usable_[at(d)] && like.of[at(d)] != Likeness::kNotLooked &&
        like.of[at(d)] >= Likeness::kSame / 2 && holds(senses.boxes[at(d)]))
      return false;
  for (int i = 0; i < count_; ++i) {
    const Likeness* other = likeness_of(senses, people_[at(i)].id());
    if (i != person && people_[at(i)].made_out() && other != nullptr &&
        holds(people_[at(i)].box()) &&
        std::abs(other->column - like.column) < 2 * (other->sigma_px + like.sigma_px))
      return false;
  }
  return true;
}

void Roster::note_misses(const View& view, const Senses& senses) {
  for (int i = 0; i < count_; ++i) {
    Followed& one = people_[at(i)];
    if (one.seen()) continue;
    const Likeness* like = likeness_of(senses, one.id());
    if (like != nullptr && like->found && one.confirmed() && is_free(senses, *like, i) &&
        one.made_out(view, *like))
      continue;
    one.missed(view, one.confirmed() && is_hidden(view, i));
  }
}

void Roster::begin_new(const View& view, const Senses& senses) {
  const int before = count_;
  for (int d = 0; d < kMost; ++d) {
    const Detection& box = senses.boxes[at(d)];
    if (taken_[at(d)] || static_cast<double>(box.score) < view.settings.birth_score) continue;
    const auto holds = [&](const Followed& p) {
      return p.seen() && overlap(p.box(), box) > kBegunOverlap;
    };
    if (std::any_of(people_.begin(), people_.begin() + before, holds)) continue;
    if (count_ == kMost) return;
    Followed& person = people_[at(count_)];
    if (!person.begin(view, next_id_, box, senses.looks[at(d)],
                      view.moves(senses.flow_says_moves[at(d)])))
      continue;
    if (is_within(box, person.distance())) continue;
    ++next_id_;
    ++count_;
  }
}

/// Whether `shadow`, not found in this frame, is where `p`, who was found, is too, and going the
/// same way.
bool Roster::is_shadow(const View& view, const Followed& shadow, const Followed& p) {
  const MatchSettings& m = view.settings.match;
  if (shadow.seen() || !p.seen() || overlap(p.box(), shadow.box()) < m.duplicate_overlap)
    return false;
  const double dx = p.x() - shadow.x(), dy = p.y() - shadow.y();
  const double near = std::max(m.duplicate_m, 0.1 * p.distance());
  return dx * dx + dy * dy < near * near && p.speed_apart(shadow) < m.duplicate_mps;
}

/// Two that are followed in one place are one. Who passes behind another is there for a moment
/// too, so one that is confirmed goes only when it has been so for a while.
void Roster::drop_shadows(const View& view) {
  for (int i = 0; i < count_;) {
    Followed& one = people_[at(i)];
    const auto is_of = [&](const Followed& p) { return is_shadow(view, one, p); };
    const bool shadow = std::any_of(people_.begin(), people_.begin() + count_, is_of);
    if (one.note_shadow(shadow) > (one.confirmed() ? view.settings.match.duplicate_frames : 0)) {
      remove(i);
    } else {
      ++i;
    }
  }
}

void Roster::remove(int person) noexcept {
  --count_;
  if (person != count_) people_[at(person)] = people_[at(count_)];
}

void Roster::drop_gone(const View& view) {
  for (int i = 0; i < count_;) {
    if (people_[at(i)].is_gone(view)) {
      remove(i);
    } else {
      ++i;
    }
  }
}

void Roster::tell(PersonList& out) {
  std::sort(people_.begin(), people_.begin() + count_, [](const Followed& a, const Followed& b) {
    if (a.confirmed() != b.confirmed()) return a.confirmed();
    const double da = a.distance(), db = b.distance();
    return da != db ? da < db : a.id() < b.id();
  });
  out.count = count_;
  for (int i = 0; i < count_; ++i) people_[at(i)].tell(out.items[i]);
}

}  // namespace kerb::track
