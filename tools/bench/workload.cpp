// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/bench/random.hpp"
#include "tools/train/blocks.hpp"

namespace kerb::bench {
namespace {

using hog::CascadeModel;
using hog::LinearLearner;
using train::Block;

/// Lower than any sum of votes, so that every window passes. A sum and this are exact in a float,
/// or off by a unit or two, which moves no rate that anybody could see.
constexpr std::int32_t kOpen = -(1 << 23);

LinearLearner random_learner(const std::vector<Block>& pool, Random& random) {
  const Block& block = pool[static_cast<std::size_t>(random.below(static_cast<int>(pool.size())))];
  LinearLearner learner;
  learner.x = static_cast<std::int16_t>(block.x);
  learner.y = static_cast<std::int16_t>(block.y);
  learner.width = static_cast<std::int16_t>(block.width);
  learner.height = static_cast<std::int16_t>(block.height);
  learner.pass = 1 << 12;
  learner.fail = -(1 << 12);
  learner.slope = 1 << 16;  // sums of votes spread out: a threshold can be set between any two
  for (float& weight : learner.weights) weight = random.unit() - 0.5F;
  return learner;
}

CascadeModel only_stage(const CascadeModel& model, std::size_t index) {
  const hog::Stage& stage = model.stages[index];
  CascadeModel one;
  one.geometry = model.geometry;
  one.channels = model.channels;
  one.linear.assign(model.linear.begin() + stage.first,
                    model.linear.begin() + stage.first + stage.count);
  one.stages.push_back({0, stage.count, kOpen});
  return one;
}

Status check(const WorkloadSettings& s) {
  const auto is_part = [](double part) { return part >= 0 && part < 1; };
  const bool holds =
      (s.grid == 1 || s.grid == 2 || s.grid == 4) && !s.stage_sizes.empty() &&
      std::all_of(s.stage_sizes.begin(), s.stage_sizes.end(), [](int n) { return n >= 1; }) &&
      is_part(s.early_reject) && is_part(s.late_reject);
  if (!holds) return Error{Errc::invalid_argument, 0, "make workload", "settings"};
  return Done{};
}

}  // namespace

Result<hog::Model> make_workload(Workers& workers, const WorkloadSettings& settings,
                                 const hog::SearchSettings& search,
                                 const ImageView<Space::host, const std::uint8_t>& picture) {
  if (Status ok = check(settings); !ok) return ok.error();
  const std::vector<Block> pool = train::block_pool(64, 128, settings.grid);
  Random random{settings.seed};
  CascadeModel model;
  for (const int size : settings.stage_sizes) {
    model.stages.push_back({static_cast<std::int32_t>(model.linear.size()), size, 0});
    for (int i = 0; i < size; ++i) model.linear.push_back(random_learner(pool, random));
  }

  struct Survivor {
    std::int32_t window, votes;
  };
  std::vector<Survivor> alive;
  for (std::size_t i = 0; i < model.stages.size(); ++i) {
    Result<std::unique_ptr<hog::Engine>> engine = hog::make_cascade_cpu(
        workers, {"stage", only_stage(model, i)}, search, picture.width, picture.height);
    if (!engine) return engine.error();
    const int windows = (*engine)->plan().window_count;
    if (windows == 0)
      return Error{Errc::invalid_argument, 0, "make workload", "the picture holds no window"};
    const Result<hog::Engine::Hits> hits = (*engine)->search(hog::Picture<Space::host>{picture, {}},
                                                             std::numeric_limits<float>::lowest());
    if (!hits) return hits.error();
    if (hits->count != windows)
      return Error{Errc::unsupported, 0, "make workload", "the engine lost windows"};
    if (i == 0)
      for (int window = 0; window < windows; ++window) alive.push_back({window, 0});

    for (Survivor& survivor : alive)
      survivor.votes = static_cast<std::int32_t>(
                           std::lround(hits->data[survivor.window].score / hog::kVoteUnit)) +
                       kOpen;
    std::sort(alive.begin(), alive.end(), [](const Survivor& a, const Survivor& b) {
      return a.votes != b.votes ? a.votes < b.votes : a.window < b.window;
    });
    const double reject =
        static_cast<int>(i) < settings.early_stages ? settings.early_reject : settings.late_reject;
    const auto cut =
        static_cast<std::size_t>(std::lround(reject * static_cast<double>(alive.size())));
    if (cut < alive.size()) {
      model.stages[i].threshold = alive[cut].votes;
    } else if (!alive.empty()) {
      model.stages[i].threshold = alive.back().votes + 1;
    }
    const std::int32_t threshold = model.stages[i].threshold;
    std::erase_if(alive, [&](const Survivor& s) { return s.votes < threshold; });
  }
  hog::Model whole{"workload", std::move(model)};
  if (Status ok = hog::validate(whole); !ok) return ok.error();
  return whole;
}

}  // namespace kerb::bench
