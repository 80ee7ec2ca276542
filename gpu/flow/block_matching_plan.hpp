// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "gpu/image/both.hpp"

/// Where block matching keeps what. For gpu/flow and its tests.
namespace kerb::flow::bm {

inline constexpr int kBlock = 8;   ///< side of a block
inline constexpr int kCell = 4;    ///< blocks lie this far apart; a block's cell is its middle
inline constexpr int kBefore = 2;  ///< a block begins this far before its cell
inline constexpr int kRim = 16;    ///< pixels around each level, copies of the nearest one
/// A block may be shifted out of the picture, but stays this far inside the rim: a refined shift
/// may be a pixel longer, and interpolation looks one further.
inline constexpr int kSpare = 2;
inline constexpr int kNeighbours = 2;  ///< how far from the block above its neighbours are taken
inline constexpr int kMedian = 2;      ///< radius of the median
inline constexpr int kAlign = 64;

struct Shift {
  int x, y;
};

/// One level. Offsets are in elements: of the pictures' samples (to pixel (0, 0), the rim lies
/// before), of the sums, of the blocks.
struct Level {
  int width = 0, height = 0;
  int columns = 0, rows = 0;  ///< of blocks
  int limit = 0;              ///< no component of a shift is longer
  int row_stride = 0;         ///< samples
  std::size_t image = 0, sums = 0, block = 0;
  int sums_stride = 0;  ///< of the blocks at x >= kSpare - kRim, y likewise
};
inline constexpr int kFirst = kSpare - kRim;  ///< the least place a block may begin at

/// How many places a block may begin at, of a side this long.
KERB_BOTH int places(int side) { return side - 2 * kFirst - kBlock + 1; }

struct Plan {
  BlockMatchingSettings settings;
  int width = 0, height = 0;
  std::vector<Level> levels;  ///< 0 is the picture
  std::vector<Shift> shifts;  ///< what the smallest level tries: short ones first
  std::size_t samples = 0, sums = 0, blocks = 0;  ///< room for all levels of one picture
};

/// The number of levels for a picture of this size.
[[nodiscard]] int levels_for(const BlockMatchingSettings& settings, int width, int height) noexcept;
/// `levels` is a number that levels_for() gives for this picture or a larger one.
[[nodiscard]] Plan make_plan(const BlockMatchingSettings& settings, int width, int height,
                             int levels);
/// How far from a pixel its vector's causes may lie.
[[nodiscard]] int dependence(const BlockMatchingSettings& settings, int levels) noexcept;

/// The makers that make_block_matching() chooses from.
Result<std::unique_ptr<Estimator>> make_cpu(Workers& workers, Plan plan);
Result<std::unique_ptr<Estimator>> make_cuda(const Context& context, Plan plan);

}  // namespace kerb::flow::bm
