// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Full binary trees with a depth of one to three tests, evaluated for a row of windows: part of
/// CascadeTrees, which explains it.
namespace kerb::hog {

/// Corners of a rectangle: columns with their channel's plane, and rows.
struct NodeRectangle {
  std::int32_t left = 0, right = 0;
  std::int16_t top = 0, bottom = 0;
};

/// The test at each node of a full binary tree; 2 i + 1 and 2 i + 2 are the children of i.
struct TreeQuestion {
  NodeRectangle sum, divisor;  ///< without a divisor its rectangle is empty ...
  float floor = 1;             ///< ... and this is 1: added to it, it changes no quotient
  float threshold = 0;
};

struct FullTree {
  const TreeQuestion* asked;   ///< 2^depth - 1
  const std::int32_t* leaves;  ///< 2^depth
};

/// A row of windows in blocks, and their state.
struct WindowBlocks {
  const std::uint32_t* first;    ///< the first window's first column of nodes
  const std::ptrdiff_t* row_at;  ///< where each of the windows' rows of nodes is
  std::ptrdiff_t step;           ///< nodes from a window to the next
  std::int32_t* votes;           ///< of each window
  std::uint32_t* alive;          ///< all ones or zeros
  std::int32_t* blocks;          ///< that are left
};

/// Adds the tree's votes to every window of the first `count` remaining blocks. After the `last`
/// tree of a stage, windows below its threshold are rejected, and blocks without others are
/// dropped. Returns the number of blocks left.
using AskTree = int (*)(const FullTree& tree, const WindowBlocks& windows, int count, bool last,
                        std::int32_t threshold);

/// The evaluators for this machine; `depth` 1 to kMaxTreeDepth.
struct TreeLanes {
  int block;  ///< windows in one
  AskTree (*ask)(int depth, bool divided, std::ptrdiff_t step) noexcept;
};
constexpr int kMaxTreeDepth = 3;
constexpr int kMaxTreeBlock = 8;

[[nodiscard]] TreeLanes tree_lanes() noexcept;

namespace base {  // those every machine of this kind has
[[nodiscard]] TreeLanes tree_lanes() noexcept;
}
namespace avx2 {  // on x86 alone
[[nodiscard]] TreeLanes tree_lanes() noexcept;
}

}  // namespace kerb::hog
