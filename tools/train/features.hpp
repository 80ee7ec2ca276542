// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/train/patches.hpp"

/// What trees ask about: sums of channels over rectangles of the window, as they are or divided by
/// another sum.
namespace kerb::train {

/// A TreeNode's question without its threshold, in cells of the grid.
struct Feature {
  std::int16_t x = 0, y = 0, width = 0, height = 0;
  std::int16_t divisor_x = 0, divisor_y = 0, divisor_width = 0, divisor_height = 0;
  std::int16_t channel = 0, divisor = -1;
  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Relative shares of the kinds of features.
struct FeatureMix {
  int plain = 1;      ///< a sum alone
  int local = 1;      ///< a gradient channel over the magnitude, a colour over itself, of a larger
                      ///< rectangle around: contrast does not matter then
  int neighbour = 1;  ///< over the same channel of a rectangle of the same size beside it
};

/// `count` different features drawn at random for a window of columns x rows cells. Rectangles are
/// 1 to 8 cells a side, small ones more often. Fewer if the window does not have that many.
[[nodiscard]] std::vector<Feature> draw_features(const hog::Channels& channels, int columns,
                                                 int rows, const FeatureMix& mix, std::size_t count,
                                                 std::uint64_t seed);

/// The question in pixels; threshold and branches are the caller's.
[[nodiscard]] hog::TreeNode node_of(const Feature& feature, int grid);
/// A node's question in cells of a grid on which its rectangles begin and end.
[[nodiscard]] Feature feature_of(const hog::TreeNode& node, int grid);

/// Features of many windows, each value as one of 256 steps: step s of a feature is a value v with
/// cut[s - 1] <= v < cut[s]. A cut is thus a TreeNode's threshold: v < cut[s] is step <= s. Values
/// are the product's, bit for bit: the same operators make them, the same comparisons sort them.
class FeatureTable {
 public:
  static constexpr int kSteps = 256;

  /// Cuts are quantiles of the values of the first `sampled` windows of a random order. All
  /// patches are taken, those of `first` before those of `second`.
  static FeatureTable build(const std::vector<Feature>& features, const hog::Channels& channels,
                            int grid, const Patches& first, const Patches& second,
                            std::size_t sampled, std::uint64_t seed, Workers& workers);

  [[nodiscard]] std::size_t windows() const noexcept { return windows_; }
  [[nodiscard]] std::size_t features() const noexcept { return features_; }
  /// A feature's steps, window by window.
  [[nodiscard]] const std::uint8_t* column(std::size_t feature) const noexcept {
    return steps_.data() + feature * windows_;
  }
  /// A feature's threshold between steps `step` and `step` + 1.
  [[nodiscard]] float cut(std::size_t feature, int step) const noexcept {
    return cuts_[feature * (kSteps - 1) + static_cast<std::size_t>(step)];
  }

 private:
  std::size_t windows_ = 0, features_ = 0;
  std::vector<std::uint8_t> steps_;  // [feature][window]
  std::vector<float> cuts_;          // [feature][kSteps - 1], rising
};

}  // namespace kerb::train
