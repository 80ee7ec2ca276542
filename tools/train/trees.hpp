// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/train/features.hpp"

/// Boosting of small decision trees over a FeatureTable.
namespace kerb::train {

/// A question or a leaf of a tree under construction.
struct Branch {
  std::int32_t feature = -1;         ///< -1: a leaf
  std::int32_t step = 0;             ///< steps up to this one go left
  std::int32_t left = 0, right = 0;  ///< branches of the same tree, later ones
  std::int32_t vote = 0;             ///< of a leaf, in hog::kVoteUnit
};
/// The first branch is the root.
using Tree = std::vector<Branch>;

struct BoostSettings {
  int depth = 2;              ///< questions between root and leaf; 1..6
  std::size_t sample = 1000;  ///< features tried for each tree, drawn at random
  double trim = 0.01;         ///< windows that weigh least, up to this share of all weight, do not
                              ///< help to find questions; they do count for votes
  bool discrete = true;       ///< a tree's leaves all vote the same, for or against; else each as
                              ///< sure as it is (Schapire and Singer's real AdaBoost)
  double shrink = 1;          ///< votes are multiplied by this
};

/// AdaBoost. Weights are whole numbers (shares of 2^31), so that sums do not depend on the order:
/// the same trees whatever the number of workers, on every machine.
class Booster {
 public:
  /// The first `positives` windows of the table are people; both classes weigh the same at first.
  /// The table and the workers must outlive it.
  Booster(const FeatureTable& table, std::size_t positives, const BoostSettings& settings,
          std::uint64_t seed, Workers& workers);

  /// Adds the next tree.
  void grow();
  /// Adds trees that were grown before, as if they had been grown now.
  void take(const std::vector<Tree>& trees);

  [[nodiscard]] const std::vector<Tree>& trees() const noexcept { return trees_; }
  /// Sum of votes so far, window by window.
  [[nodiscard]] const std::vector<std::int32_t>& scores() const noexcept { return scores_; }
  /// Share of windows on the wrong side of 0, each class counting half.
  [[nodiscard]] double error() const;
  /// The leaf vote of each window by one tree.
  void votes_of(const Tree& tree, std::vector<std::int32_t>& votes) const;

 private:
  struct Split;
  struct Group;
  void weigh();
  [[nodiscard]] Split best_split(const Group& group, const std::vector<std::size_t>& drawn) const;
  void set_votes(Tree& tree, std::vector<std::int32_t>& leaf_of);
  void leaves_of(const Tree& tree, std::vector<std::int32_t>& leaves) const;

  const FeatureTable& table_;
  std::size_t positives_;
  BoostSettings settings_;
  std::uint64_t seed_;
  Workers& workers_;
  std::vector<Tree> trees_;
  std::vector<std::int32_t> scores_;
  std::vector<std::uint32_t> weights_;  // shares of 2^31
};

}  // namespace kerb::train
