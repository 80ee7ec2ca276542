// SPDX-License-Identifier: Apache-2.0
#include "tools/train/channels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

constexpr double kUnits = 65536;  // votes to 1

std::int32_t votes(double value) { return static_cast<std::int32_t>(std::lround(value * kUnits)); }

/// Windows are thrown out after each of the first trees, later after every few: looking costs time.
int stage_size(std::size_t trees_before) {
  if (trees_before < 32) return 1;
  if (trees_before < 64) return 2;
  if (trees_before < 128) return 4;
  return trees_before < 256 ? 8 : 16;
}

/// `thresholds`: for each tree, what the sum must be after it.
hog::Model model_of(const ChannelSettings& s, const std::vector<Feature>& features,
                    const FeatureTable& table, const std::vector<Tree>& trees,
                    const std::vector<std::int32_t>& thresholds) {
  hog::CascadeModel m;
  m.geometry = s.geometry;
  m.channels = s.channels;
  m.cumulative = true;
  for (const Tree& tree : trees) {
    hog::TreeLearner learner;
    learner.first_node = static_cast<std::int32_t>(m.nodes.size());
    learner.first_leaf = static_cast<std::int32_t>(m.leaves.size());
    std::vector<std::int16_t> number(tree.size());  // of a node, or ~leaf
    for (std::size_t b = 0; b < tree.size(); ++b)
      number[b] = tree[b].feature >= 0 ? learner.node_count++
                                       : static_cast<std::int16_t>(~learner.leaf_count++);
    for (const Branch& branch : tree) {
      if (branch.feature < 0) {
        m.leaves.push_back(branch.vote);
        continue;
      }
      const auto feature = static_cast<std::size_t>(branch.feature);
      hog::TreeNode node = node_of(features[feature], s.grid);
      node.threshold = table.cut(feature, branch.step);
      node.left = number[static_cast<std::size_t>(branch.left)];
      node.right = number[static_cast<std::size_t>(branch.right)];
      m.nodes.push_back(node);
    }
    m.trees.push_back(learner);
  }
  for (std::size_t first = 0; first < trees.size();) {
    const auto count = std::min(static_cast<std::size_t>(stage_size(first)), trees.size() - first);
    m.stages.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(count),
                        thresholds[first + count - 1]});
    first += count;
  }
  hog::Model model;
  model.name = s.name;
  model.kind = std::move(m);
  return model;
}

/// A tree that asks nothing (all its windows were of one class) would be no TreeLearner.
bool asks(const Tree& tree) { return tree.size() > 1; }

}  // namespace

Status validate(const ChannelSettings& s) {
  const auto bad = [](const char* text) {
    return Error{Errc::invalid_argument, 0, "train channels", text};
  };
  const hog::Geometry& g = s.geometry;
  if (s.grid != 1 && s.grid != 2 && s.grid != 4) return bad("grid: 1, 2 or 4");
  if (g.window_width % s.grid != 0 || g.window_height % s.grid != 0)
    return bad("the window must be whole cells of the grid");
  if (s.rounds.empty() || *std::min_element(s.rounds.begin(), s.rounds.end()) < 1)
    return bad("rounds: one or more, each of a tree or more");
  if (s.boost.depth < 1 || s.boost.depth > 6) return bad("depth: 1..6");
  if (s.pool < 1 || s.boost.sample < 1) return bad("features: one or more");
  if (s.mix.plain + s.mix.local + s.mix.neighbour < 1) return bad("no kind of feature");
  if (s.first_negatives < 1) return bad("negatives: one or more");
  return Done{};
}

Result<hog::Model> train_channels(const ChannelSettings& s, const Bench& bench) {
  if (Status ok = validate(s); !ok) return ok.error();
  const int columns = s.geometry.window_width / s.grid, rows = s.geometry.window_height / s.grid;
  const Planes planes = s.channels.colour ? Planes::luv : Planes::grey;
  Patches people{planes, s.geometry.window_width, s.geometry.window_height};
  if (Status ok = add_crops(bench.crops, s.crops, bench.workers, people); !ok) return ok.error();
  if (s.edges) {
    const std::size_t whole = people.size();
    const hog::Geometry& g = s.geometry;
    const int above = static_cast<int>(g.person_y);
    const int below = g.window_height - static_cast<int>(g.person_y + g.person_height);
    add_cut_short(people, 0, whole, below, false);
    add_cut_short(people, 0, whole, above, true);
  }

  hog::SearchSettings search;
  search.scale_step = s.step;
  search.stride = s.stride;
  search.padding = s.padding;
  const std::vector<hog::SearchSettings> searches{search};
  Result<Mined> first =
      draw_windows(s.geometry, bench.negatives, search, s.first_negatives, key_of({s.seed, 1}));
  if (!first) return first.error();
  std::vector<WindowRef> chosen = std::move(first->windows);
  hog::Model model;
  for (std::size_t round = 0; round < s.rounds.size(); ++round) {
    const std::string title = "round " + std::to_string(round + 1);
    if (round > 0) {
      MineSettings mining;
      mining.searches = searches;
      mining.wanted = s.round_negatives;
      mining.per_picture = s.per_picture;
      mining.threshold = static_cast<float>(s.hard - s.rejection);
      mining.seed = key_of({s.seed, 2, round});
      const Result<Mined> mined = mine(bench.context, bench.workers, model, bench.negatives, mining,
                                       title + ": negatives", bench.observer);
      if (!mined) return mined.error();
      // What is there already is not taken twice; when there are too many, old ones go.
      std::vector<WindowRef> fresh;
      std::sort(chosen.begin(), chosen.end());
      std::set_difference(mined->windows.begin(), mined->windows.end(), chosen.begin(),
                          chosen.end(), std::back_inserter(fresh));
      if (chosen.size() + fresh.size() > s.most_negatives && fresh.size() < s.most_negatives) {
        Random random{key_of({s.seed, 3, round})};
        std::vector<WindowRef> kept;
        for (const std::size_t i : draw(random, chosen.size(), s.most_negatives - fresh.size()))
          kept.push_back(chosen[i]);
        chosen = std::move(kept);
      }
      chosen.insert(chosen.end(), fresh.begin(), fresh.end());
      std::sort(chosen.begin(), chosen.end());
      char line[160];
      std::snprintf(line, sizeof line,
                    "%s: %lld false positives (%.2e a window), %zu new negatives", title.c_str(),
                    static_cast<long long>(mined->found), mined->rate(), fresh.size());
      bench.observer.say(line);
    }
    Patches others{planes, s.geometry.window_width, s.geometry.window_height};
    if (Status ok = add_windows(bench.negatives, chosen, s.geometry, searches, bench.workers,
                                others, title + ": windows", bench.observer);
        !ok)
      return ok.error();
    const std::vector<Feature> features =
        draw_features(s.channels, columns, rows, s.mix, s.pool, key_of({s.seed, 4, round}));
    const FeatureTable table = FeatureTable::build(features, s.channels, s.grid, people, others,
                                                   4096, key_of({s.seed, 5, round}), bench.workers);
    Booster booster{table, people.size(), s.boost, key_of({s.seed, 6, round}), bench.workers};
    const auto wanted = static_cast<std::size_t>(s.rounds[round]);
    while (booster.trees().size() < wanted) {
      booster.grow();
      if (!asks(booster.trees().back())) break;  // everybody is told apart
      bench.observer.progress(title + ": trees", booster.trees().size(), wanted);
    }
    std::vector<Tree> trees = booster.trees();
    while (!trees.empty() && !asks(trees.back())) trees.pop_back();
    if (trees.empty())
      return Error{Errc::invalid_argument, 0, "train channels",
                   "nothing tells people from negatives"};
    const std::vector<std::int32_t> thresholds(trees.size(), votes(s.rejection));
    model = model_of(s, features, table, trees, thresholds);
    char line[160];
    std::snprintf(line, sizeof line, "%s: %zu trees, %zu people, %zu negatives, error %.4f",
                  title.c_str(), trees.size(), people.size(), others.size(), booster.error());
    bench.observer.say(line);
  }
  model.advice.scale_step = 1.0718F;
  model.advice.stride = s.stride;
  model.advice.padding = s.padding;
  model.advice.fusion = hog::FusionKind::suppression;
  model.advice.overlap = 0.65F;
  model.advice.of_smaller = true;
  if (Status ok = hog::validate(model); !ok) return ok.error();
  return model;
}

}  // namespace kerb::train
