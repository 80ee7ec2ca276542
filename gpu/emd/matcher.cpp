// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/matcher.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gpu/emd/targets_math.hpp"

namespace kerb {
namespace {

using emd::PlaceGrid;
using emd::Signature;

constexpr int kMass = 64;          // coarse, so that similar spectra have the same key
constexpr int kAcross = 6;         // places across the searched box
constexpr float kLeastOwn = 16;    // of 255: lower limit of a model's likeness to its own box
constexpr int kMostPlaces = 1600;  // of a region

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

Error bad_match(const char* what) {
  return Error{Errc::invalid_argument, 0, "spectral matcher", what};
}

int step_of(float box_width) noexcept {
  return std::max(1, static_cast<int>(box_width / static_cast<float>(kAcross)));
}

}  // namespace

Result<std::unique_ptr<SpectralMatcher>> EmdMatcher::create(const Context& context,
                                                            Workers& workers,
                                                            const FrameSourceInfo& source,
                                                            const EmdMatcherSettings& settings) {
  if (source.mosaic < 2)
    return Error{Errc::unsupported, 0, "spectral matcher", "the camera has no bands"};
  const int bands = source.mosaic * source.mosaic;
  if (!settings.nanometres.empty() && settings.nanometres.size() != at(bands))
    return bad_match("there must be a wavelength for each band, or none");
  const emd::BandLayout layout = emd::layout_of(settings.nanometres, bands);
  const Result<emd::Ground> ground = emd::ground_of(layout);
  if (!ground) return ground.error();
  std::unique_ptr<EmdMatcher> made{
      new EmdMatcher{workers, source, layout, *ground, settings.reach}};
  if (Status ok = made->begin(context); !ok) return ok.error();
  return std::unique_ptr<SpectralMatcher>{std::move(made)};
}

EmdMatcher::EmdMatcher(Workers& workers, const FrameSourceInfo& source,
                       const emd::BandLayout& layout, const emd::Ground& ground, double reach)
    : workers_{workers},
      sampler_{workers, source, layout, kMass, std::size_t{kMostPlaces}},
      ground_{ground},
      reach_{std::max(emd::cost_of_distance(ground, kMass, reach), 1U)},
      signatures_(std::size_t{kPlaces} * kMostPlaces),
      costs_(signatures_.size() * kPlaces),
      likely_(signatures_.size() * kPlaces) {
  static_assert(std::tuple_size_v<decltype(seen_)> <= kMostPlaces);  // the sampler's most
}

Status EmdMatcher::begin(const Context& context) {
  emd::DistanceSettings settings;
  settings.mass = kMass;
  Result<std::unique_ptr<emd::Distances>> made =
      emd::Distances::create(context, workers_, ground_, settings, signatures_.size());
  if (!made) return made.error();
  distances_ = std::move(*made);
  return probe();
}

Status EmdMatcher::probe() {
  searches_ = 0;
  std::array<Signature, kPlaces> targets{};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i].bins[0] = static_cast<std::uint8_t>(kMass - i);
    targets[i].bins[1] = static_cast<std::uint8_t>(i);
  }
  if (Status set = distances_->set_targets(targets.data(), kPlaces); !set) return set;
  signatures_[0] = targets[0];
  return run(1);
}

/// The first signatures to all targets.
Status EmdMatcher::run(std::size_t count) {
  return distances_->run(emd::SignaturesView<Space::host>{signatures_.data(), count},
                         emd::CostsView<Space::host>{costs_.data(), signatures_.size()});
}

Status EmdMatcher::search(const PreparedImage& image, const Search* searches, int count,
                          Found* found) {
  searches_ = 0;
  if (!can_search(image)) return bad_match("not the bands it was made for");
  if (count < 1 || count > kPlaces) return bad_match("1..8 searches");
  for (int i = 0; i < count; ++i) {
    const int place = searches[i].place;
    if (place < 0 || place >= kPlaces || !models_[at(place)].model)
      return bad_match("a place without a model");
  }
  sampler_.balance(image);
  std::size_t used = 0;
  std::array<Signature, kPlaces> targets;
  for (int i = 0; i < count; ++i) {
    Region& r = regions_[at(i)];
    r = {};
    r.place = searches[i].place;
    r.box_width = searches[i].size.w / static_cast<float>(sampler_.mosaic());
    r.box_height = searches[i].size.h / static_cast<float>(sampler_.mosaic());
    targets[at(i)] = models_[at(r.place)].model->signature();
    r.grid = sampler_.grid_of(searches[i].region, step_of(r.box_width), kMostPlaces);
    r.first = used;
    if (r.grid.count() == 0) continue;
    if (Status ok = sampler_.sign(image, r.grid, signatures_.data() + used); !ok) return ok;
    used += r.grid.count();
  }
  if (used > 0) {
    if (Status ok = distances_->set_targets(targets.data(), count); !ok) return ok;
    const std::size_t stride = signatures_.size();
    if (Status ok = run(used); !ok) return ok;
    if (Status ok = emd::cpu::likelihoods(workers_, costs_.data(), stride, used, count, reach_,
                                          likely_.data(), stride);
        !ok)
      return ok;
  }
  for (int i = 0; i < count; ++i) {
    found[i] = {};
    if (Status ok = find(i, found[i]); !ok) return ok;
  }
  searches_ = count;
  return Done{};
}

/// The likelihoods of a search, place by place.
emd::LikelyView EmdMatcher::likely(int search) const noexcept {
  const Region& r = regions_[at(search)];
  return {likely_.data() + at(search) * signatures_.size() + r.first, r.grid.width, r.grid.height,
          r.grid.width};
}

/// A mean likelihood relative to that of the box the model was learned from.
float EmdMatcher::relative(int place, float mean) const noexcept {
  return std::clamp(mean / std::max(models_[at(place)].own, kLeastOwn), 0.0F, 1.0F);
}

/// The most likely place of a search, and the likeness of its surroundings.
Status EmdMatcher::find(int search, Found& out) const {
  const Region& r = regions_[at(search)];
  const auto in_places = [&](float samples, int most) {
    return std::clamp(static_cast<int>(std::lround(samples / static_cast<float>(r.grid.step))), 1,
                      std::max(most, 1));
  };
  const Result<emd::LikelyBox> best = emd::find_likely(
      likely(search), in_places(r.box_width, r.grid.width), in_places(r.box_height, r.grid.height));
  if (!best) return best.error();
  if (!best->known) return Done{};
  const auto pixel = [&](float middle, int origin) {
    return (static_cast<float>(origin) + middle * static_cast<float>(r.grid.step)) *
           static_cast<float>(sampler_.mosaic());
  };
  out.known = true;
  out.x = pixel(best->x, r.grid.x);
  out.y = pixel(best->y, r.grid.y);
  out.likeness = relative(r.place, best->inside);
  // Where the best place is more like the model than the box it was learned from (larger places are
  // less noisy), its surroundings are scaled with it.
  const float better = std::max(best->inside / std::max(models_[at(r.place)].own, kLeastOwn), 1.0F);
  out.surrounding = relative(r.place, best->beside / better);
  return Done{};
}

float EmdMatcher::likeness(int search, const Detection& box) const noexcept {
  if (search < 0 || search >= searches_) return -1;
  const Region& r = regions_[at(search)];
  const auto n = static_cast<float>(sampler_.mosaic() * r.grid.step);
  const auto place = [&](float pixel, int origin) {
    return (pixel - static_cast<float>(origin * sampler_.mosaic())) / n;
  };
  const float mean =
      emd::mean_likelihood(likely(search), place(box.x, r.grid.x), place(box.y, r.grid.y),
                           place(box.x + box.w, r.grid.x), place(box.y + box.h, r.grid.y));
  return mean < 0 ? -1 : relative(r.place, mean);
}

Result<bool> EmdMatcher::learn(const PreparedImage& image, int place, const Detection& box,
                               float share) {
  if (place < 0 || place >= kPlaces) return bad_match("no such place");
  if (!can_search(image)) return bad_match("not the bands it was made for");
  if (!sampler_.balanced()) sampler_.balance(image);
  const float width = box.w / static_cast<float>(sampler_.mosaic());
  const PlaceGrid body = sampler_.grid_of(box, step_of(width), kMostOfBox);
  if (body.width < 2 || body.height < 2) return false;
  // The rim of a box mixes with its surroundings, as it does in a search.
  emd::Box inside;
  const PlaceGrid grid = sampler_.with_margin(body, inside);
  // Beside the frame's own, which likeness() still reads.
  if (Status ok = sampler_.sign(image, grid, seen_.data()); !ok) return ok.error();
  const ImageView<Space::host, const Signature> view{seen_.data(), grid.width, grid.height,
                                                     grid.width};
  const Result<emd::TargetModel> seen =
      emd::TargetModel::learn(view, inside, sampler_.bins(), kMass);
  if (!seen) return false;
  Model& m = models_[at(place)];
  const bool first = !m.model;
  if (first) {
    m.model = *seen;
  } else {
    m.model->update(*seen, std::clamp(static_cast<int>(std::lround(256 * share)), 1, 256));
  }
  const float own = own_likelihood(m.model->signature(), grid, inside);
  m.own = first ? own : m.own + share * (own - m.own);
  return true;
}

void EmdMatcher::forget(int place) noexcept {
  if (place >= 0 && place < kPlaces) models_[at(place)] = {};
}

/// The mean likelihood of the box that was just learned from, with the weights of learning.
float EmdMatcher::own_likelihood(const Signature& target, const PlaceGrid& grid,
                                 const emd::Box& box) {
  std::uint64_t sum = 0, weights = 0;
  for (int y = 0; y < box.height; ++y)
    for (int x = 0; x < box.width; ++x) {
      const Signature& s = seen_[at(box.y + y) * at(grid.width) + at(box.x + x)];
      const auto weight = static_cast<std::uint64_t>(std::min(x + 1, box.width - x)) *
                          static_cast<std::uint64_t>(std::min(y + 1, box.height - y));
      sum += weight * emd::likelihood_of(transport_.solve(ground_, s, target), reach_);
      weights += weight;
    }
  return weights == 0 ? 0 : static_cast<float>(sum) / static_cast<float>(weights);
}

}  // namespace kerb
