// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/detector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerb {

HogDetector::HogDetector(std::unique_ptr<hog::PeopleSearch> search, float threshold) noexcept
    : search_{std::move(search)},
      threshold_{threshold},
      colour_{hog::needs_colour(search_->model())} {}

Result<std::unique_ptr<HogDetector>> HogDetector::create(const Context& context, Workers& workers,
                                                         hog::Model model,
                                                         const hog::SearchSettings& search,
                                                         const hog::FusionSettings& fusion,
                                                         float threshold, int width, int height) {
  if (!std::isfinite(threshold))
    return Error{Errc::invalid_argument, 0, "make detector", "the threshold is not a number"};
  // A plan is cheap: a search without windows is refused before memory is allocated for it.
  const Result<hog::SearchPlan> plan = hog::plan_search(model.geometry(), search, width, height);
  if (!plan) return plan.error();
  if (plan->window_count == 0)
    return Error{Errc::invalid_argument, 0, "make detector",
                 "no window fits: look at the picture's size, the heights, region and ground"};
  hog::FusionSettings weighed = fusion;
  weighed.zero = std::min(weighed.zero, threshold);  // or hits under 0 would weigh nothing
  Result<std::unique_ptr<hog::PeopleSearch>> made =
      hog::PeopleSearch::create(context, workers, std::move(model), search, weighed, width, height);
  if (!made) return made.error();
  return std::unique_ptr<HogDetector>{new HogDetector{std::move(*made), threshold}};
}

Status HogDetector::detect(const PreparedImage& image, DetectionList& out) {
  out.count = 0;
  hog::Picture<Space::host> here{image.grey, {}};
  hog::Picture<Space::device> there{image.device_grey, {}};
  if (colour_) {  // dense models get grey only, because they would use colour where they see it
    here.rgb = image.rgb;
    there.rgb = image.device_rgb;
  }
  const bool on_device = search_->engine().backend() == Backend::cuda &&
                         (colour_ ? there.rgb.data : there.grey.data) != nullptr;
  return on_device ? search_->find(there, threshold_, out) : search_->find(here, threshold_, out);
}

}  // namespace kerb
