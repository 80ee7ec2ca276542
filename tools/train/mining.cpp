// SPDX-License-Identifier: Apache-2.0
#include "tools/train/mining.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "tools/train/engines.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

struct Ticket {
  std::uint64_t key = 0;
  WindowRef window;
  friend bool operator<(const Ticket& a, const Ticket& b) {
    return a.key != b.key ? a.key < b.key : a.window < b.window;
  }
};

/// The `wanted` tickets with the lowest keys of all that are offered, in no order: a heap, the
/// highest first.
class Lottery {
 public:
  explicit Lottery(std::size_t wanted) : wanted_{wanted} {}
  void offer(const Ticket& ticket) {
    if (kept_.size() < wanted_) {
      kept_.push_back(ticket);
      std::push_heap(kept_.begin(), kept_.end());
    } else if (wanted_ > 0 && ticket < kept_.front()) {
      std::pop_heap(kept_.begin(), kept_.end());
      kept_.back() = ticket;
      std::push_heap(kept_.begin(), kept_.end());
    }
  }
  [[nodiscard]] const std::vector<Ticket>& kept() const noexcept { return kept_; }
  void clear() noexcept { kept_.clear(); }

 private:
  std::size_t wanted_;
  std::vector<Ticket> kept_;
};

Ticket ticket_of(std::uint64_t seed, std::size_t picture, std::size_t search, int window) {
  return {key_of({seed, picture, search, static_cast<std::uint64_t>(window)}),
          {static_cast<std::int32_t>(picture), static_cast<std::int32_t>(search), window}};
}

std::vector<WindowRef> windows_of(const Lottery& lottery) {
  std::vector<WindowRef> windows;
  windows.reserve(lottery.kept().size());
  for (const Ticket& ticket : lottery.kept()) windows.push_back(ticket.window);
  std::sort(windows.begin(), windows.end());
  return windows;
}

/// Windows that are no negatives, because people are in them.
struct Avoided {
  const PictureSet& pictures;
  const hog::Geometry& geometry;

  [[nodiscard]] bool at(std::size_t picture, const hog::SearchPlan& plan, int window) const {
    if (!pictures.avoids(picture)) return false;
    const hog::SearchPlan::Place place = plan.place(window);
    return pictures.is_avoided(picture, plan.box(geometry, place.level, place.x, place.y, 0));
  }
};

/// Less the higher the score. Scores of engines are finite.
std::uint64_t key_of_score(float score) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &score, sizeof bits);
  const bool negative = (bits >> 31) != 0;
  return negative ? std::uint64_t{bits} : std::uint64_t{0x7fffffffU - bits};
}

}  // namespace

Result<Mined> mine(const Context& context, Workers& workers, const hog::Model& model,
                   PictureSet& pictures, const MineSettings& settings, const std::string& what,
                   Observer& observer) {
  Mined mined;
  for (std::size_t s = 0; s < settings.searches.size(); ++s) {
    mined = {};
    mined.search = static_cast<int>(s);
    Engines engines{context, workers, model, settings.searches[s]};
    const Avoided avoided{pictures, model.geometry()};
    Lottery lottery{settings.wanted}, of_picture{settings.per_picture};
    Lottery best{settings.wanted + settings.hardest};  // some may be in both
    Random random{key_of({settings.seed, 0x6f72646572U})};
    for (const std::size_t i : draw(random, pictures.size(), pictures.size())) {
      const Result<std::shared_ptr<const Pixels>> picture = pictures.get(i);
      if (!picture) return picture.error();
      const Result<hog::Engine*> engine = engines.get((*picture)->width, (*picture)->height);
      if (!engine) return engine.error();
      const Result<hog::Engine::Hits> hits =
          (*engine)->search((*picture)->view(), settings.threshold);
      if (!hits) return hits.error();
      mined.searched += (*engine)->plan().window_count;
      ++mined.pictures;
      of_picture.clear();
      Lottery& taker = settings.per_picture == 0 ? lottery : of_picture;
      for (int h = 0; h < hits->count; ++h) {
        if (avoided.at(i, (*engine)->plan(), hits->data[h].window)) continue;
        ++mined.found;
        const Ticket ticket = ticket_of(settings.seed, i, s, hits->data[h].window);
        taker.offer(ticket);
        if (settings.hardest > 0) best.offer({key_of_score(hits->data[h].score), ticket.window});
      }
      for (const Ticket& ticket : of_picture.kept()) lottery.offer(ticket);
      observer.progress(what, mined.pictures, pictures.size());
      if (settings.enough != 0 && mined.found >= static_cast<std::int64_t>(settings.enough)) break;
    }
    mined.windows = windows_of(lottery);
    const bool enough = mined.windows.size() >= settings.wanted;
    if (settings.hardest > 0) {
      std::vector<Ticket> highest = best.kept();
      std::sort(highest.begin(), highest.end());
      const std::vector<WindowRef> drawn = mined.windows;
      std::size_t left = settings.hardest;
      for (const Ticket& ticket : highest) {
        if (left == 0) break;
        if (std::binary_search(drawn.begin(), drawn.end(), ticket.window)) continue;
        mined.windows.push_back(ticket.window);
        --left;
      }
      std::sort(mined.windows.begin(), mined.windows.end());
    }
    if (enough) break;
  }
  return mined;
}

Result<Mined> draw_windows(const hog::Geometry& geometry, PictureSet& pictures,
                           const hog::SearchSettings& search, std::size_t wanted,
                           std::uint64_t seed) {
  Mined mined;
  Lottery lottery{wanted};
  std::map<std::pair<int, int>, hog::SearchPlan> plans;  // by picture size
  const Avoided avoided{pictures, geometry};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::pair<int, int> size{pictures.width(i), pictures.height(i)};
    auto plan = plans.find(size);
    if (plan == plans.end()) {
      Result<hog::SearchPlan> made = hog::plan_search(geometry, search, size.first, size.second);
      if (!made) return made.error();
      plan = plans.emplace(size, *std::move(made)).first;
    }
    for (int window = 0; window < plan->second.window_count; ++window)
      if (!avoided.at(i, plan->second, window)) lottery.offer(ticket_of(seed, i, 0, window));
    mined.searched += plan->second.window_count;
  }
  mined.found = mined.searched;
  mined.pictures = pictures.size();
  mined.windows = windows_of(lottery);
  return mined;
}

}  // namespace kerb::train
