// SPDX-License-Identifier: Apache-2.0
#include "tools/train/trees.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "gpu/hog/deterministic_math.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

constexpr double kWhole = 2147483648.0;  // all weight together
constexpr double kUnits = 65536;         // votes to 1

struct Sums {
  std::uint64_t positive = 0, negative = 0;
};

/// What is left to gain: 0 when a side holds one class only.
double confusion(std::uint64_t positive, std::uint64_t negative) {
  return std::sqrt(static_cast<double>(positive) * static_cast<double>(negative));
}

}  // namespace

/// Windows that reach the same place of a tree: positives, then negatives.
struct Booster::Group {
  std::vector<std::uint32_t> positive, negative;
};

struct Booster::Split {
  std::int32_t feature = -1, step = 0;
  double confusion = 0;
};

Booster::Booster(const FeatureTable& table, std::size_t positives, const BoostSettings& settings,
                 std::uint64_t seed, Workers& workers)
    : table_{table},
      positives_{positives},
      settings_{settings},
      seed_{seed},
      workers_{workers},
      scores_(table.windows()),
      weights_(table.windows()) {}

void Booster::weigh() {
  const std::size_t n = scores_.size();
  std::vector<double> weights(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool person = i < positives_;
    const double share = 0.5 / static_cast<double>(person ? positives_ : n - positives_);
    const double margin = static_cast<double>(person ? scores_[i] : -scores_[i]) / kUnits;
    weights[i] = share * hog::exact_exp(std::clamp(-margin, -500.0, 500.0));
    sum += weights[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    weights_[i] = static_cast<std::uint32_t>(std::lround(weights[i] / sum * kWhole));
}

Booster::Split Booster::best_split(const Group& group,
                                   const std::vector<std::size_t>& drawn) const {
  std::vector<Split> best(drawn.size());
  constexpr std::size_t kChunk = 16;
  workers_.run(static_cast<int>((drawn.size() + kChunk - 1) / kChunk), [&](int task, int) {
    const std::size_t from = static_cast<std::size_t>(task) * kChunk;
    for (std::size_t k = from; k < std::min(from + kChunk, drawn.size()); ++k) {
      const std::uint8_t* column = table_.column(drawn[k]);
      std::array<std::uint32_t, FeatureTable::kSteps> positive{}, negative{};
      for (const std::uint32_t i : group.positive) positive[column[i]] += weights_[i];
      for (const std::uint32_t i : group.negative) negative[column[i]] += weights_[i];
      Sums all;
      for (std::size_t s = 0; s < FeatureTable::kSteps; ++s) {
        all.positive += positive[s];
        all.negative += negative[s];
      }
      Split& split = best[k];
      split.confusion = confusion(all.positive, all.negative);
      Sums left;
      for (std::size_t s = 0; s + 1 < FeatureTable::kSteps; ++s) {
        if (positive[s] == 0 && negative[s] == 0) continue;
        left.positive += positive[s];
        left.negative += negative[s];
        const double c = confusion(left.positive, left.negative) +
                         confusion(all.positive - left.positive, all.negative - left.negative);
        if (c < split.confusion)
          split = {static_cast<std::int32_t>(drawn[k]), static_cast<std::int32_t>(s), c};
      }
    }
  });
  Split found = best.front();
  for (const Split& split : best)
    if (split.feature >= 0 && (found.feature < 0 || split.confusion < found.confusion))
      found = split;
  return found;
}

void Booster::grow() {
  weigh();
  const std::size_t n = scores_.size();
  // The lightest windows are left out: under the largest power of two that keeps the share.
  std::array<std::uint64_t, 33> by_size{};
  for (const std::uint32_t w : weights_) by_size[static_cast<std::size_t>(std::bit_width(w))] += w;
  std::uint64_t dropped = 0;
  std::size_t size = 0;
  while (size < 32 && static_cast<double>(dropped + by_size[size]) <= settings_.trim * kWhole)
    dropped += by_size[size++];
  const std::uint32_t least = size == 0 ? 0 : 1U << (size - 1);

  Group all;
  for (std::size_t i = 0; i < n; ++i)
    if (weights_[i] >= least)
      (i < positives_ ? all.positive : all.negative).push_back(static_cast<std::uint32_t>(i));
  Random random{key_of({seed_, trees_.size()})};
  const std::vector<std::size_t> drawn = draw(random, table_.features(), settings_.sample);

  struct Open {
    std::size_t branch;
    Group group;
  };
  Tree tree(1);
  std::vector<Open> level;
  level.push_back({0, std::move(all)});
  for (int depth = 0; depth < settings_.depth; ++depth) {
    std::vector<Open> next;
    for (const Open& open : level) {
      const Split split = best_split(open.group, drawn);
      if (split.feature < 0) continue;  // nothing to gain: a leaf
      Open left{tree.size(), {}}, right{tree.size() + 1, {}};
      Branch& branch = tree[open.branch];
      branch.feature = split.feature;
      branch.step = split.step;
      branch.left = static_cast<std::int32_t>(left.branch);
      branch.right = static_cast<std::int32_t>(right.branch);
      tree.resize(tree.size() + 2);
      const std::uint8_t* column = table_.column(static_cast<std::size_t>(split.feature));
      for (const std::uint32_t i : open.group.positive)
        (column[i] <= split.step ? left : right).group.positive.push_back(i);
      for (const std::uint32_t i : open.group.negative)
        (column[i] <= split.step ? left : right).group.negative.push_back(i);
      next.push_back(std::move(left));
      next.push_back(std::move(right));
    }
    level = std::move(next);
  }
  std::vector<std::int32_t> leaf_of;
  set_votes(tree, leaf_of);
  for (std::size_t i = 0; i < n; ++i) scores_[i] += tree[static_cast<std::size_t>(leaf_of[i])].vote;
  trees_.push_back(std::move(tree));
}

/// From all windows, the light ones too.
void Booster::set_votes(Tree& tree, std::vector<std::int32_t>& leaf_of) {
  leaves_of(tree, leaf_of);
  std::vector<Sums> sums(tree.size());
  for (std::size_t i = 0; i < leaf_of.size(); ++i) {
    Sums& s = sums[static_cast<std::size_t>(leaf_of[i])];
    (i < positives_ ? s.positive : s.negative) += weights_[i];
  }
  // As if each leaf had seen a quarter of a window more of each class.
  const double prior = kWhole / static_cast<double>(leaf_of.size()) / 4;
  const auto vote_of = [&](double positive, double negative) {
    const double vote = 0.5 * hog::exact_log((positive + prior) / (negative + prior));
    return static_cast<std::int32_t>(
        std::nearbyint(std::clamp(vote, -4.0, 4.0) * settings_.shrink * kUnits));
  };
  double right = 0, wrong = 0;
  for (std::size_t b = 0; b < tree.size(); ++b) {
    if (tree[b].feature >= 0) continue;
    const auto positive = static_cast<double>(sums[b].positive);
    const auto negative = static_cast<double>(sums[b].negative);
    tree[b].vote = vote_of(positive, negative);
    right += std::max(positive, negative);
    wrong += std::min(positive, negative);
  }
  if (!settings_.discrete) return;
  const std::int32_t vote = vote_of(right, wrong);
  for (Branch& branch : tree)
    if (branch.feature < 0) branch.vote = branch.vote >= 0 ? vote : -vote;
}

void Booster::leaves_of(const Tree& tree, std::vector<std::int32_t>& leaves) const {
  leaves.assign(table_.windows(), 0);
  for (std::size_t b = 0; b < tree.size(); ++b) {
    const Branch& branch = tree[b];
    if (branch.feature < 0) continue;
    const std::uint8_t* column = table_.column(static_cast<std::size_t>(branch.feature));
    for (std::size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i] == static_cast<std::int32_t>(b))
        leaves[i] = column[i] <= branch.step ? branch.left : branch.right;
  }
}

void Booster::votes_of(const Tree& tree, std::vector<std::int32_t>& votes) const {
  leaves_of(tree, votes);
  for (std::int32_t& v : votes) v = tree[static_cast<std::size_t>(v)].vote;
}

void Booster::take(const std::vector<Tree>& trees) {
  std::vector<std::int32_t> votes;
  for (const Tree& tree : trees) {
    votes_of(tree, votes);
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += votes[i];
    trees_.push_back(tree);
  }
}

double Booster::error() const {
  double wrong[2] = {};
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const bool person = i < positives_;
    if ((scores_[i] >= 0) != person) wrong[person ? 1 : 0] += 1;
  }
  return 0.5 * (wrong[1] / static_cast<double>(positives_) +
                wrong[0] / static_cast<double>(scores_.size() - positives_));
}

}  // namespace kerb::train
