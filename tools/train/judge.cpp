// SPDX-License-Identifier: Apache-2.0
#include "tools/train/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "tools/train/engines.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

double shared(const Detection& a, const Detection& b) {
  const double x = static_cast<double>(std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x));
  const double y = static_cast<double>(std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y));
  if (x <= 0 || y <= 0) return 0;
  const double both = x * y;
  return both / (static_cast<double>(a.w * a.h) + static_cast<double>(b.w * b.h) - both);
}

/// Runs the model over pictures of whatever size.
class Searcher {
 public:
  Searcher(const Context& context, Workers& workers, const hog::Model& model,
           const JudgeSettings& settings, hog::Fusion& fusion)
      : engines_{context, workers, model, settings.search},
        model_{model},
        s_{settings},
        fusion_{fusion} {}

  Result<hog::Engine*> search(const Pixels& picture, DetectionList& out, std::int64_t& passed) {
    const Result<hog::Engine*> engine = engines_.get(picture.width, picture.height);
    if (!engine) return engine.error();
    const Result<hog::Engine::Hits> hits = (*engine)->search(picture.view(), s_.threshold);
    if (!hits) return hits.error();
    passed += hits->count;
    fusion_.fuse(*hits, model_.geometry(), (*engine)->plan(), out);
    return *engine;
  }

 private:
  Engines engines_;
  const hog::Model& model_;
  const JudgeSettings& s_;
  hog::Fusion& fusion_;
};

int cut_of(int room, std::uint64_t key) {
  return static_cast<int>(key % static_cast<std::uint64_t>(std::min(7, std::max(0, room) / 2) + 1));
}

/// Without some columns on the left and rows at the top.
Pixels cut(const Pixels& in, int left, int top) {
  Pixels out;
  out.width = in.width - left;
  out.height = in.height - top;
  const auto copy = [&](const std::vector<std::uint8_t>& from, int planes) {
    std::vector<std::uint8_t> to;
    for (int p = 0; p < planes; ++p)
      for (int y = top; y < in.height; ++y) {
        const auto row = from.begin() + (std::ptrdiff_t{p} * in.height + y) * in.width;
        to.insert(to.end(), row + left, row + in.width);
      }
    return to;
  };
  out.grey = copy(in.grey, 1);
  if (!in.planes.empty()) out.planes = copy(in.planes, 3);
  return out;
}

/// `least`: no score is less.
void fill_curve(std::vector<float> found, std::vector<float> wrong, float least, double pictures,
                Judgement& out) {
  std::sort(found.begin(), found.end(), std::greater<>{});
  std::sort(wrong.begin(), wrong.end(), std::greater<>{});
  double logs = 0;
  for (int i = 0; i < Judgement::kPoints; ++i) {
    const double rate = std::pow(10.0, -2 + 2.0 * i / (Judgement::kPoints - 1));
    const auto allowed = static_cast<std::size_t>(rate * pictures + 1e-9);
    // Above the first false positive too many.
    out.threshold[i] = wrong.size() > allowed
                           ? std::nextafter(wrong[allowed], std::numeric_limits<float>::infinity())
                           : least;
    const auto hits = std::find_if(found.begin(), found.end(),
                                   [&](float score) { return score < out.threshold[i]; }) -
                      found.begin();
    out.false_positives[i] = rate;
    out.miss_rate[i] = 1 - static_cast<double>(hits) / std::max(1, out.people);
    logs += std::log(std::max(out.miss_rate[i], 1e-10));
  }
  out.log_average = std::exp(logs / Judgement::kPoints);
}

}  // namespace

Result<Judgement> judge(const Context& context, Workers& workers, const hog::Model& model,
                        const JudgeSettings& settings, PictureSet& people, PictureSet& pictures,
                        Observer& observer) {
  Result<std::unique_ptr<hog::Fusion>> fusion = hog::Fusion::create(settings.fusion);
  if (!fusion) return fusion.error();
  Searcher searcher{context, workers, model, settings, **fusion};
  const auto list = std::make_unique<DetectionList>();
  const hog::Geometry& g = model.geometry();
  Judgement out;
  std::vector<float> found, wrong;
  std::int64_t ignored = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const Result<std::shared_ptr<const Pixels>> crop = people.get(i);
    if (!crop) return crop.error();
    const double scale = settings.crop_scale;
    const auto room = [scale](int crop_side, int window_side) {
      return crop_side - static_cast<int>(std::ceil(scale * window_side));
    };
    const int left = cut_of(room((*crop)->width, g.window_width), key_of({i, 1}));
    const int top = cut_of(room((*crop)->height, g.window_height), key_of({i, 2}));
    if (const auto done = searcher.search(cut(**crop, left, top), *list, ignored); !done)
      return done.error();
    const auto place = [scale](int crop_side, int window_side, float in_window, int off) {
      return static_cast<float>((crop_side - scale * window_side) / 2 - off +
                                scale * static_cast<double>(in_window));
    };
    const auto scaled = static_cast<float>(scale);
    const Detection truth{place((*crop)->width, g.window_width, g.person_x, left),
                          place((*crop)->height, g.window_height, g.person_y, top),
                          scaled * g.person_width, scaled * g.person_height, 0};
    ++out.people;
    for (int d = 0; d < list->count; ++d)
      if (shared(list->items[d], truth) >= 0.5) {
        found.push_back(list->items[d].score);  // the best comes first
        break;
      }
    observer.progress("judge: people", i + 1, people.size());
  }
  out.found = static_cast<double>(found.size()) / std::max(1, out.people);
  double pixels = 0;
  std::int64_t learners = 0;
  std::vector<std::int64_t> at_stage;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Result<std::shared_ptr<const Pixels>> picture = pictures.get(i);
    if (!picture) return picture.error();
    const Result<hog::Engine*> engine = searcher.search(**picture, *list, out.passed);
    if (!engine) return engine.error();
    for (int d = 0; d < list->count; ++d) wrong.push_back(list->items[d].score);
    pixels += static_cast<double>((*picture)->width) * (*picture)->height;
    out.windows += (*engine)->plan().window_count;
    observer.progress("judge: pictures", i + 1, pictures.size());
    if (!settings.count_work) continue;
    const Result<hog::Work> work = (*engine)->count_work((*picture)->view());
    if (!work) return work.error();
    learners += work->learners;
    at_stage.resize(work->windows_at_stage.size());
    for (std::size_t s = 0; s < at_stage.size(); ++s) at_stage[s] += work->windows_at_stage[s];
  }
  fill_curve(std::move(found), std::move(wrong), settings.threshold, pixels / (640.0 * 480.0), out);
  const auto windows = static_cast<double>(std::max<std::int64_t>(1, out.windows));
  out.learners = static_cast<double>(learners) / windows;
  for (const std::int64_t n : at_stage) out.reach.push_back(static_cast<double>(n) / windows);
  return out;
}

}  // namespace kerb::train
