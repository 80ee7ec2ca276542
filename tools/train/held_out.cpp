// SPDX-License-Identifier: Apache-2.0
#include "tools/train/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/train/engines.hpp"

namespace kerb::train {
namespace {

constexpr double kAspect = 0.41;

/// Of their union, both made kAspect as wide as high about their middles.
double overlap(const Detection& a, double x, double y, double height) {
  const double ax = static_cast<double>(a.x) + static_cast<double>(a.w) / 2;
  const double ay = static_cast<double>(a.y) + static_cast<double>(a.h) / 2;
  const double ah = static_cast<double>(a.h);
  const auto shared = [](double c, double s, double d, double t) {
    return std::max(0.0, std::min(c + s / 2, d + t / 2) - std::max(c - s / 2, d - t / 2));
  };
  const double both = shared(ax, ah * kAspect, x, height * kAspect) * shared(ay, ah, y, height);
  return both / (ah * ah * kAspect + height * height * kAspect - both);
}

hog::SearchSettings search_of(const hog::Advice& advice) {
  hog::SearchSettings search;
  search.scale_step = hog::advised_scale_step(advice);
  search.stride = advice.stride;
  search.padding = advice.padding;
  return search;
}

}  // namespace

Result<HeldOut> held_out(const hog::Model& model, double person_height, const Bench& bench) {
  const hog::SearchSettings search = search_of(model.advice);
  hog::FusionSettings fusing;
  fusing.kind = model.advice.fusion;
  fusing.overlap = model.advice.overlap;
  fusing.of_smaller = model.advice.of_smaller;
  constexpr float kLowest = -1e9F;
  fusing.zero = kLowest;
  Result<std::unique_ptr<hog::Fusion>> fusion = hog::Fusion::create(fusing);
  if (!fusion) return fusion.error();
  Engines engines{bench.context, bench.workers, model, search};
  DetectionList people;
  std::vector<float> found, wrong;  // best scores of crops; scores of false positives
  for (std::size_t i = 0; i < bench.crops.size(); ++i) {
    const auto picture = bench.crops.get(i);
    if (!picture) return picture.error();
    const auto engine = engines.get((*picture)->width, (*picture)->height);
    if (!engine) return engine.error();
    const auto hits = (*engine)->search((*picture)->view(), kLowest);
    if (!hits) return hits.error();
    float best = -std::numeric_limits<float>::infinity();
    const hog::SearchPlan& plan = (*engine)->plan();
    std::size_t level = 0;
    for (int h = 0; h < hits->count; ++h) {
      const hog::Hit& hit = hits->data[h];
      while (level + 1 < plan.windows.size() && plan.windows[level + 1].first_window <= hit.window)
        ++level;
      const hog::LevelWindows& w = plan.windows[level];
      const int number = hit.window - w.first_window;
      const Detection box = plan.box(model.geometry(), static_cast<int>(level),
                                     w.first_x + number % w.columns * plan.stride,
                                     w.first_y + number / w.columns * plan.stride, hit.score);
      if (hit.score > best &&
          overlap(box, (*picture)->width / 2.0, (*picture)->height / 2.0, person_height) >= 0.5)
        best = hit.score;
    }
    found.push_back(best);
    bench.observer.progress("held out: people", i + 1, bench.crops.size());
  }
  HeldOut result;
  std::int64_t windows = 0, learners = 0;
  for (std::size_t i = 0; i < bench.negatives.size(); ++i) {
    const auto picture = bench.negatives.get(i);
    if (!picture) return picture.error();
    const auto engine = engines.get((*picture)->width, (*picture)->height);
    if (!engine) return engine.error();
    const auto hits = (*engine)->search((*picture)->view(), kLowest);
    if (!hits) return hits.error();
    (*fusion)->fuse(*hits, model.geometry(), (*engine)->plan(), people);
    for (int k = 0; k < people.count; ++k) wrong.push_back(people.items[k].score);
    if (i % 8 == 0) {
      const auto work = (*engine)->count_work((*picture)->view());
      if (!work) return work.error();
      windows += work->windows;
      learners += work->learners;
    }
    bench.observer.progress("held out: pictures", i + 1, bench.negatives.size());
  }
  std::sort(found.begin(), found.end());
  std::sort(wrong.begin(), wrong.end(), std::greater<>{});
  const auto pictures = static_cast<double>(bench.negatives.size());
  // The threshold at so many false positives a picture, and the people who score less.
  const auto threshold_at = [&](double rate) {
    const auto allowed = static_cast<std::size_t>(rate * pictures);
    return allowed < wrong.size() ? std::nextafter(wrong[allowed], 1e30F) : kLowest;
  };
  const auto missed_at = [&](double rate) {
    const auto below = std::lower_bound(found.begin(), found.end(), threshold_at(rate));
    return static_cast<double>(below - found.begin()) / static_cast<double>(found.size());
  };
  double sum = 0;
  for (int k = 0; k < 9; ++k)
    sum += std::log(std::max(missed_at(std::pow(10.0, -2 + 0.25 * k)), 1e-10));
  result.miss_rate = std::exp(sum / 9);
  result.at_tenth = missed_at(0.1);
  result.threshold_tenth = threshold_at(0.1);
  result.threshold_one = threshold_at(1);
  result.false_positives = static_cast<double>(wrong.size()) / pictures;
  result.learners = windows == 0 ? 0 : static_cast<double>(learners) / static_cast<double>(windows);
  return result;
}

}  // namespace kerb::train
