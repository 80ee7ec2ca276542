// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/people_search.hpp"

#include <algorithm>
#include <utility>

namespace kerb::hog {
namespace {

FusionSettings candidates_of(const LookAgain& look, const FusionSettings& people) {
  FusionSettings settings;
  settings.min_hits = people.min_hits;
  settings.kind = FusionKind::suppression;
  settings.overlap = look.overlap;
  settings.max_people = look.most;
  return settings;
}

/// What the network sees: the picture's colours, or its grey alone.
template <Space S>
PlanesView<S, const std::uint8_t> planes_of(const Picture<S>& picture, int planes) {
  if (planes == picture.rgb.count) return picture.rgb;
  const auto& grey = picture.grey;
  return {grey.data, 1, grey.width, grey.height, grey.row_stride, 0};
}

}  // namespace

PeopleSearch::PeopleSearch(std::unique_ptr<Engine> engine, std::unique_ptr<Fusion> fusion,
                           std::unique_ptr<net::SecondLook> second_look,
                           const FusionSettings& settings) noexcept
    : engine_{std::move(engine)},
      fusion_{std::move(fusion)},
      second_look_{std::move(second_look)},
      settings_{settings} {}

Result<std::unique_ptr<PeopleSearch>> PeopleSearch::create(const Context& context, Workers& workers,
                                                           Model model,
                                                           const SearchSettings& search,
                                                           const FusionSettings& fusion, int width,
                                                           int height) {
  if (Status ok = validate(model); !ok) return ok.error();
  if (Status ok = validate(fusion); !ok) return ok.error();
  std::unique_ptr<net::SecondLook> second_look;
  if (model.look_again) {
    if (fusion.kind == FusionKind::mean_shift)
      return Error{Errc::invalid_argument, 0, "fusion",
                   "a model that looks again needs suppression, or none"};
    Result<std::unique_ptr<net::SecondLook>> made =
        net::make_second_look(context, workers, model.look_again->network, width, height);
    if (!made) return made.error();
    second_look = std::move(*made);
  }
  Result<std::unique_ptr<Fusion>> fuser =
      Fusion::create(model.look_again ? candidates_of(*model.look_again, fusion) : fusion);
  if (!fuser) return fuser.error();
  Result<std::unique_ptr<Engine>> engine =
      make_engine(context, workers, std::move(model), search, width, height);
  if (!engine) return engine.error();
  return std::unique_ptr<PeopleSearch>{
      new PeopleSearch{std::move(*engine), std::move(*fuser), std::move(second_look), fusion}};
}

template <Space S>
Status PeopleSearch::find_in(const Picture<S>& picture, float threshold, DetectionList& out) {
  out.count = 0;
  const float least = second_look_ ? model().look_again->threshold : threshold;
  const Result<Engine::Hits> hits = engine_->search(picture, least);
  if (!hits) return hits.error();
  fusion_->fuse(*hits, model().geometry(), engine_->plan(), out);
  return second_look_ ? look_again(picture, threshold, out) : Done{};
}

template <Space S>
Status PeopleSearch::look_again(const Picture<S>& picture, float threshold, DetectionList& people) {
  const LookAgain& look = *model().look_again;
  float window_scores[net::kMaxCandidates];
  for (int i = 0; i < people.count; ++i) window_scores[i] = people.items[i].score;
  // Their middles lie in the picture: fusion saw to that.
  const Status ok =
      second_look_->look(planes_of(picture, look.network.crop.planes), people.items, people.count);
  if (!ok) {
    people.count = 0;
    return ok;
  }
  int kept = 0;
  for (int i = 0; i < people.count; ++i) {
    Detection person = people.items[i];
    person.score += look.cascade_share * window_scores[i];
    if (person.score >= threshold) people.items[kept++] = person;
  }
  people.count = kept;
  if (settings_.kind == FusionKind::suppression)
    suppress(people, settings_.overlap, settings_.of_smaller);
  else
    sort_best_first(people);
  people.count = std::min(people.count, settings_.max_people);
  return Done{};
}

template Status PeopleSearch::find_in(const Picture<Space::host>&, float, DetectionList&);
template Status PeopleSearch::find_in(const Picture<Space::device>&, float, DetectionList&);

}  // namespace kerb::hog
