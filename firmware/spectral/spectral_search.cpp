// SPDX-License-Identifier: Apache-2.0
#include "firmware/spectral/spectral_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/types/boxes.hpp"

namespace kerb {
namespace {

using track::Likeness;
using track::Person;
using track::PersonList;
using track::Senses;

/// Fixed settings of SpectralSearch.
struct SpectralTuning {
  // The upper body, in shares of a person's box; colours are sampled there, too.
  float left = 0.28F, width = 0.44F, top = 0.18F, height = 0.30F;
  // The searched region around the upper body, in heights of the person: larger regions find people
  // who moved more, and take longer.
  float beside = 0.4F;        ///< to each side,
  float beside_more = 0.02F;  ///< more for each frame since they were last found,
  float beside_most = 0.9F;   ///< up to this
  float above = 0.12F;        ///< above and below
  // Likeness is 0 to 1.
  float found_likeness = 0.6F;       ///< a place at least this like is theirs,
  float max_surrounding = 0.5F;      ///< unless its surroundings are more than this share as like
  float column_sigma = 0.05F;        ///< of a found place, in heights
  float same_likeness = 0.4F;        ///< below: another person, or other light
  float learn_gain = 0.03F;          ///< of a new picture in what is learned; larger adapts sooner,
                                     ///< and is spoiled sooner by a wrong match
  float learn_gain_unlike = 0.005F;  ///< likewise, of one that is not like them
  double max_covered = 0.3;          ///< of an upper body, by another's box: nothing is learned
  // Budget.
  int min_people = 2;       ///< searched for, however long it takes
  double room_share = 0.4;  ///< of the budget: below, twice as many people are searched for
  int max_debt = 30;        ///< in budgets: limits how many frames are skipped
};
constexpr SpectralTuning kSpectralTuning{};

Detection region_of(const Detection& box, int unseen) noexcept {
  const Detection body = upper_body(box);
  const float beside = box.h * std::min(kSpectralTuning.beside + kSpectralTuning.beside_more *
                                                                     static_cast<float>(unseen),
                                        kSpectralTuning.beside_most);
  const float above = kSpectralTuning.above * box.h;
  return {body.x - beside, body.y - above, body.w + 2 * beside, body.h + 2 * above, 0};
}

}  // namespace

Detection upper_body(const Detection& box) noexcept {
  return {box.x + kSpectralTuning.left * box.w, box.y + kSpectralTuning.top * box.h,
          kSpectralTuning.width * box.w, kSpectralTuning.height * box.h, box.score};
}

SpectralSearch::SpectralSearch(std::unique_ptr<SpectralMatcher> matcher, Nanos budget)
    : matcher_{std::move(matcher)}, budget_{budget} {}

Result<bool> SpectralSearch::search(const PreparedImage& image, Senses& senses) {
  senses.likenesses = 0;
  captured_ = senses.captured;
  for (Target& t : targets_) t.search = -1;
  left_out_ = debt_ > Nanos::zero();
  if (left_out_) {
    debt_ -= budget_;
    ++totals_.passed;
    return false;
  }
  std::array<SpectralMatcher::Search, kMost> searches;
  std::array<SpectralMatcher::Found, kMost> found;
  std::array<const Target*, kMost> whom{};
  int count = 0;
  std::uint64_t spared = 0;
  for (int place = 0; place < kMost; ++place) {
    Target& t = targets_[static_cast<std::size_t>(place)];
    if (t.id == 0 || t.learned == 0) continue;
    if (t.nth >= most_) {
      ++spared;
      continue;
    }
    const auto at = static_cast<std::size_t>(count);
    searches[at] = {place, region_of(t.box, t.unseen), upper_body(t.box)};
    whom[at] = &t;
    t.search = count++;
  }
  if (count == 0 && !failure_) return false;
  const Status done = count == 0 ? matcher_->probe()
                                 : matcher_->search(image, searches.data(), count, found.data());
  if (!done) {
    for (Target& t : targets_) t.search = -1;
    failure_ = done.error();
    return done.error();
  }
  failure_.reset();
  if (count == 0) return false;
  ++totals_.frames;
  totals_.spared += spared;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SpectralMatcher::Found& f = found[at];
    if (!f.known) continue;
    Likeness& like = senses.like[static_cast<std::size_t>(senses.likenesses++)];
    like = {};
    like.id = whom[at]->id;
    like.column = f.x;
    like.sigma_px = kSpectralTuning.column_sigma * whom[at]->box.h;
    like.found = f.likeness >= kSpectralTuning.found_likeness &&
                 f.surrounding <= kSpectralTuning.max_surrounding * f.likeness;
    like.of.fill(Likeness::kNotLooked);
    for (int d = 0; d < std::clamp(senses.count, 0, Senses::kMost); ++d) {
      const float like_them =
          matcher_->likeness(i, upper_body(senses.boxes[static_cast<std::size_t>(d)]));
      if (like_them >= 0)
        like.of[static_cast<std::size_t>(d)] = static_cast<std::uint8_t>(
            std::lround(std::min(like_them, 1.0F) * static_cast<float>(Likeness::kSame)));
    }
    ++totals_.searches;
    if (like.found) ++totals_.found;
  }
  return true;
}

SpectralSearch::Target* SpectralSearch::of(std::uint32_t id) noexcept {
  for (Target& t : targets_)
    if (t.id == id) return &t;
  return nullptr;
}

/// The nearest confirmed people get a place in the matcher; those no longer among them lose theirs.
void SpectralSearch::choose(const PersonList& people) noexcept {
  for (Target& t : targets_) t.kept = false;
  const auto count = [&] {
    int confirmed = 0;
    while (confirmed < people.count && people.items[confirmed].confirmed) ++confirmed;
    return std::min(confirmed, kMost);
  }();
  for (int i = 0; i < count; ++i)
    if (Target* t = of(people.items[i].id)) {
      t->kept = true;
      t->nth = i;
    }
  for (int place = 0; place < kMost; ++place) {
    Target& t = targets_[static_cast<std::size_t>(place)];
    if (t.kept || t.id == 0) continue;
    matcher_->forget(place);
    t = {};
  }
  for (int i = 0; i < count; ++i) {
    if (of(people.items[i].id) != nullptr) continue;
    Target* free = of(0);
    if (free == nullptr) return;
    free->id = people.items[i].id;
    free->kept = true;
    free->nth = i;
  }
}

bool SpectralSearch::is_clear(const PersonList& people, int person) noexcept {
  const Detection body = upper_body(people.items[person].box);
  for (int i = 0; i < people.count; ++i)
    if (i != person && people.items[i].confirmed &&
        track::covered(body, people.items[i].box) > kSpectralTuning.max_covered)
      return false;
  return true;
}

Status SpectralSearch::learn(const PreparedImage& image, const PersonList& people) {
  choose(people);
  Status done = Done{};
  for (int i = 0; i < people.count; ++i) {
    const Person& p = people.items[i];
    Target* t = p.confirmed ? of(p.id) : nullptr;
    if (t == nullptr) continue;
    t->box = p.box;
    t->unseen = p.last_seen == captured_ ? 0 : std::min(t->unseen + 1, 1000);
    if (left_out_ || !p.seen || !is_clear(people, i)) continue;
    const Detection body = upper_body(p.box);
    // The first pictures count alike; later ones little, and those unlike the learned spectrum
    // hardly at all.
    float share = std::max(kSpectralTuning.learn_gain, 1 / static_cast<float>(t->learned + 1));
    if (t->search >= 0) {
      const float like = matcher_->likeness(t->search, body);
      if (like < kSpectralTuning.same_likeness) share = kSpectralTuning.learn_gain_unlike;
    } else if (t->learned > 0) {
      continue;
    }
    const Result<bool> learned =
        matcher_->learn(image, static_cast<int>(t - targets_.data()), body, share);
    if (!learned) {
      failure_ = learned.error();
      done = learned.error();
    } else if (*learned) {
      t->learned = std::min(t->learned + 1, 1000);
    }
  }
  return done;
}

void SpectralSearch::spent(Nanos time) noexcept {
  if (budget_ <= Nanos::zero() || left_out_) return;
  if (time > budget_)
    most_ = std::max(most_ / 2, kSpectralTuning.min_people);
  else if (static_cast<double>(time.count()) <
           kSpectralTuning.room_share * static_cast<double>(budget_.count()))
    most_ = std::min(most_ * 2, kMost);
  debt_ = std::clamp(debt_ + time - budget_, Nanos::zero(), kSpectralTuning.max_debt * budget_);
}

}  // namespace kerb
