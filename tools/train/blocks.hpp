// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/train/patches.hpp"

/// The 36 values of blocks, as the cascade's engines see them.
namespace kerb::train {

/// A block of a window, pixels: 2 x 2 cells.
struct Block {
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// Sides from 12 pixels up to the window's, even, in the ratios 1:1, 1:2 and 2:1; places in steps
/// of 4 pixels where the shorter side is under 16, of 6 where it is under 24, else of 8. In a
/// window of 64 x 128 these are the thesis's 5029 for grid 1. For grid 2 and 4, those whose cells
/// begin and end on multiples of so many pixels, and for 4 steps of 8 instead of 6: 2719 and 746.
/// For grid 4 `fine` halves the steps of 8: 2521.
[[nodiscard]] std::vector<Block> block_pool(int window_width, int window_height, int grid,
                                            bool fine = false);

inline constexpr int kBlockValues = 36;

/// The integral histograms of windows, made by the product's own operator: all windows, one behind
/// the other.
class Histograms {
 public:
  /// grid: 1, 2 or 4 pixels. Windows in colour (Planes::luv) have the strongest plane's gradients.
  Histograms(int window_width, int window_height, int grid, Planes planes);

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size() / window_size_; }
  [[nodiscard]] const std::uint32_t* window(std::size_t i) const noexcept {
    return nodes_.data() + i * window_size_;
  }
  [[nodiscard]] int grid() const noexcept { return grid_; }
  /// Appends patches [from, ...). They have this window's size and planes.
  void add(const Patches& patches, std::size_t from, Workers& workers);
  /// Keeps the first `count`.
  void keep(std::size_t count);
  void keep(const std::vector<std::size_t>& rising);  ///< and the others go

  /// Where a block's nodes are in a window.
  struct Corners {
    std::ptrdiff_t at[9];
  };
  [[nodiscard]] Corners corners(const Block& block) const noexcept;

  /// The 36 sums divided by their norm plus 1, in the arithmetic's order (k, lane) of
  /// cascade_layout.hpp.
  static void values(const std::uint32_t* window, const Corners& corners, float* out) noexcept;
  /// v of the learner, bit for bit the engines'. `weights` in the arithmetic's order.
  static float value(const std::uint32_t* window, const Corners& corners, const float* weights,
                     float offset) noexcept;

 private:
  int width_, height_, grid_, lanes_, row_;
  Planes planes_;
  std::size_t window_size_;
  std::vector<std::uint32_t> nodes_;
};

/// Weights in the arithmetic's order as LinearLearner has them, and back.
void to_learner_order(const float* weights, float* out) noexcept;
void to_arithmetic_order(const float* weights, float* out) noexcept;

/// The vote a learner gives for its v, as the engines'.
[[nodiscard]] std::int32_t vote_of(const hog::LinearLearner& learner, float v) noexcept;

}  // namespace kerb::train
