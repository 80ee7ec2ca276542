// SPDX-License-Identifier: Apache-2.0
#include "tools/train/rejection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "tools/train/engines.hpp"
#include "tools/train/patches.hpp"
#include "tools/train/window_sums.hpp"

namespace kerb::train {
namespace {

/// How early people are given up: after the share x of all stages, (1 - e^-ax) / (1 - e^-a) of
/// those who may be. More: earlier.
constexpr double kEarly = 4;

double overlap_of(const Area& a, const Detection& b) {
  const double w = std::min(a.x + a.w, double{b.x} + double{b.w}) - std::max(a.x, double{b.x});
  const double h = std::min(a.y + a.h, double{b.y} + double{b.h}) - std::max(a.y, double{b.y});
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a.w * a.h + double{b.w} * double{b.h} - w * h);
}

/// The windows on the people of some pictures.
struct OnPeople {
  std::vector<WindowRef> windows;
  std::vector<std::int32_t> person;  // of each window
};

/// Of one picture: the best windows of each person, appended to `out`.
void take_best(const hog::SearchPlan& plan, const hog::Geometry& geometry,
               const hog::Engine::Hits& hits, const std::vector<Area>& people,
               const RejectionSettings& settings, std::size_t picture, std::int32_t first_person,
               OnPeople& out) {
  std::vector<std::vector<hog::Hit>> of_person(people.size());
  for (int h = 0; h < hits.count; ++h) {
    const hog::SearchPlan::Place place = plan.place(hits.data[h].window);
    const Detection box = plan.box(geometry, place.level, place.x, place.y, 0);
    for (std::size_t p = 0; p < people.size(); ++p)
      if (overlap_of(people[p], box) >= settings.overlap) of_person[p].push_back(hits.data[h]);
  }
  for (std::size_t p = 0; p < people.size(); ++p) {
    std::vector<hog::Hit>& best = of_person[p];
    std::sort(best.begin(), best.end(), [](const hog::Hit& a, const hog::Hit& b) {
      return a.score != b.score ? a.score > b.score : a.window < b.window;
    });
    best.resize(std::min(best.size(), static_cast<std::size_t>(settings.windows_most)));
    for (const hog::Hit& hit : best) {
      out.windows.push_back({static_cast<std::int32_t>(picture), 0, hit.window});
      out.person.push_back(first_person + static_cast<std::int32_t>(p));
    }
  }
}

/// The leaf that a window comes to.
std::int32_t vote_of(const hog::CascadeModel& model, const hog::TreeLearner& tree,
                     const std::vector<Feature>& features, const WindowSums& sums,
                     std::size_t place) {
  int at = 0;
  do {
    const auto node = static_cast<std::size_t>(tree.first_node + at);
    const float value = sums.value(features[node], place);
    at = value < model.nodes[node].threshold ? model.nodes[node].left : model.nodes[node].right;
  } while (at >= 0);
  return model.leaves[static_cast<std::size_t>(tree.first_leaf + ~at)];
}

std::vector<WindowTrace> traces_of(const hog::CascadeModel& model, const Patches& patches,
                                   const std::vector<std::int32_t>& person, Workers& workers) {
  const int grid = hog::grid_of(model);
  std::vector<Feature> features;
  features.reserve(model.nodes.size());
  for (const hog::TreeNode& node : model.nodes) features.push_back(feature_of(node, grid));
  std::vector<WindowSums> of_worker;
  of_worker.reserve(static_cast<std::size_t>(workers.count()));
  for (int i = 0; i < workers.count(); ++i) of_worker.emplace_back(model.channels, grid, patches);
  std::vector<WindowTrace> traces(patches.size());
  constexpr std::size_t kTogether = WindowSums::kPlaces;
  workers.run(static_cast<int>((patches.size() + kTogether - 1) / kTogether),
              [&](int task, int worker) {
                WindowSums& sums = of_worker[static_cast<std::size_t>(worker)];
                const std::size_t from = static_cast<std::size_t>(task) * kTogether;
                for (std::size_t i = from; i < std::min(from + kTogether, patches.size()); ++i) {
                  sums.load(patches, i, i - from);
                  WindowTrace& trace = traces[i];
                  trace.person = person[i];
                  std::int32_t votes = 0;
                  for (const hog::Stage& stage : model.stages) {
                    for (std::int32_t t = stage.first; t < stage.first + stage.count; ++t)
                      votes += vote_of(model, model.trees[static_cast<std::size_t>(t)], features,
                                       sums, i - from);
                    trace.sums.push_back(votes);
                  }
                }
              });
  return traces;
}

}  // namespace

std::vector<std::int32_t> rejection_thresholds(const std::vector<WindowTrace>& traces,
                                               std::size_t stages, double keep) {
  constexpr std::int32_t kRejected = std::numeric_limits<std::int32_t>::min();
  std::int32_t last_person = -1;
  for (const WindowTrace& trace : traces) last_person = std::max(last_person, trace.person);
  std::vector<std::int32_t> best(static_cast<std::size_t>(last_person + 1), kRejected);
  std::vector<bool> alive(traces.size(), true);
  // The best sum of each person's windows that are left.
  const auto update_best = [&](std::size_t stage) {
    std::fill(best.begin(), best.end(), kRejected);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      std::int32_t& of_person = best[static_cast<std::size_t>(traces[i].person)];
      if (alive[i]) of_person = std::max(of_person, traces[i].sums[stage]);
    }
  };
  const auto left = [&] {
    return best.size() - static_cast<std::size_t>(std::count(best.begin(), best.end(), kRejected));
  };
  std::vector<std::int32_t> thresholds;
  std::size_t people = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    update_best(s);
    if (s == 0) people = left();
    const double part = static_cast<double>(s + 1) / static_cast<double>(stages);
    const double given_up = (1 - keep) * static_cast<double>(people) *
                            (1 - std::exp(-kEarly * part)) / (1 - std::exp(-kEarly));
    // No more are gone than may go, as that number never falls. The small addition is for whole
    // numbers that were rounded down: the last stage may use all of them.
    const auto may_go = static_cast<std::size_t>(given_up + 1e-9) - (people - left());
    std::vector<std::int32_t> sums;
    for (const std::int32_t sum : best)
      if (sum != kRejected) sums.push_back(sum);
    if (sums.empty()) {
      thresholds.push_back(kRejected);
      continue;
    }
    std::sort(sums.begin(), sums.end());
    const std::int32_t threshold = sums[std::min(may_go, sums.size() - 1)];
    thresholds.push_back(threshold);
    for (std::size_t i = 0; i < traces.size(); ++i)
      alive[i] = alive[i] && traces[i].sums[s] >= threshold;
  }
  return thresholds;
}

Result<Rejection> set_rejection(const Context& context, Workers& workers, const hog::Model& model,
                                PictureSet& pictures, const std::vector<std::vector<Area>>& people,
                                const RejectionSettings& settings, Observer& observer) {
  const auto* cascade = std::get_if<hog::CascadeModel>(&model.kind);
  if (cascade == nullptr || !cascade->cumulative || cascade->trees.empty())
    return Error{Errc::invalid_argument, 0, "train rejection",
                 "the model must be a cascade of trees with one running sum (train channels)"};
  if (people.size() != pictures.size())
    return Error{Errc::invalid_argument, 0, "train rejection", "needs the people of each picture"};
  Rejection out{model, 0, 0, 0};
  OnPeople found;
  Engines engines{context, workers, model, settings.search};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    observer.progress("search", i, pictures.size());
    if (people[i].empty()) continue;
    const Result<std::shared_ptr<const Pixels>> picture = pictures.get(i);
    if (!picture) return picture.error();
    const Result<hog::Engine*> engine = engines.get((*picture)->width, (*picture)->height);
    if (!engine) return engine.error();
    const Result<hog::Engine::Hits> hits =
        (*engine)->search((*picture)->view(), settings.threshold);
    if (!hits) return hits.error();
    take_best((*engine)->plan(), model.geometry(), *hits, people[i], settings, i,
              static_cast<std::int32_t>(out.people), found);
    out.people += people[i].size();
  }
  Patches patches{cascade->channels.colour ? Planes::luv : Planes::grey,
                  cascade->geometry.window_width, cascade->geometry.window_height};
  if (Status ok = add_windows(pictures, found.windows, model.geometry(), {settings.search}, workers,
                              patches, "windows", observer);
      !ok)
    return ok.error();
  if (patches.size() == 0)
    return Error{Errc::invalid_argument, 0, "train rejection", "the model finds nobody"};
  const std::vector<WindowTrace> traces = traces_of(*cascade, patches, found.person, workers);
  const std::vector<std::int32_t> thresholds =
      rejection_thresholds(traces, cascade->stages.size(), settings.keep);

  auto& stages = std::get<hog::CascadeModel>(out.model.kind).stages;
  for (std::size_t s = 0; s + 1 < stages.size(); ++s)  // scores are relative to the last one's
    stages[s].threshold = std::max(stages[s].threshold, thresholds[s]);
  std::vector<bool> was(out.people), is(out.people);
  for (const WindowTrace& trace : traces) {
    const auto person = static_cast<std::size_t>(trace.person);
    was[person] = true;
    bool passes = true;
    for (std::size_t s = 0; s < stages.size(); ++s)
      passes = passes && trace.sums[s] >= stages[s].threshold;
    if (passes) is[person] = true;
  }
  out.found = static_cast<std::size_t>(std::count(was.begin(), was.end(), true));
  out.kept = static_cast<std::size_t>(std::count(is.begin(), is.end(), true));
  if (Status ok = hog::validate(out.model); !ok) return ok.error();
  return out;
}

}  // namespace kerb::train
