// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/hog/full_trees.hpp"

/// A cascade of trees on the CPU, a row of windows at a time. For gpu/hog alone.
///
/// Nodes are stored in planes (NodeLayout::planes), so that a corner of a test's rectangle is a run
/// of numbers for neighbouring windows. Windows are processed in blocks of four (eight with AVX2),
/// one per lane: all tests of a tree are evaluated for the whole block, without a branch, and a
/// block is dropped when its last window is rejected. A block costs about as much as the path of
/// one window.
namespace kerb::hog {

class CascadeTrees {
 public:
  /// Where nodes are: `plane` numbers to a channel, `pitch` to a row; `step` nodes to a stride.
  struct Shape {
    std::ptrdiff_t plane = 0, pitch = 0, step = 0;
  };
  /// Of the model, which must outlive it; `grid` is its layout's.
  CascadeTrees(const CascadeModel& model, const CascadeLayout& layout, const Shape& shape);

  /// Numbers behind the last node that may be read.
  [[nodiscard]] static std::size_t slack(std::ptrdiff_t step) noexcept {
    return static_cast<std::size_t>(kMaxTreeBlock * step) + 8;
  }

  /// What a search of one row needs; made once for the longest.
  struct Scratch {
    explicit Scratch(int columns, int rows);
    struct Passed {
      std::int32_t column;
      std::int64_t score;  ///< in vote units
    };
    std::vector<std::int32_t> votes;     // whole blocks
    std::vector<std::uint32_t> alive;    // all ones or zeros
    std::vector<std::int64_t> scores;    // not cumulative only
    std::vector<std::int32_t> blocks;    // that are left
    std::vector<std::ptrdiff_t> row_at;  // of the window's rows of nodes
    std::vector<Passed> passed;
  };
  /// Searches `columns` windows, the first of which begins at column 0 of the nodes at `first`;
  /// row_at[i] is where the i-th row of the windows' nodes is. Those that pass every stage are in
  /// scratch.passed, by column. Allocates nothing.
  void search(const std::uint32_t* first, int columns, Scratch& scratch, Work* work) const;

 private:
  struct Tree {
    AskTree ask = nullptr;        // of a full tree; none: a linked one
    std::int32_t first = 0;       // of asked_ or, for a linked tree, of layout's questions
    std::int32_t first_leaf = 0;  // of leaves_ or, for a linked tree, of the model's
    bool divided = false;
  };

  int add_linked(const Tree& tree, const WindowBlocks& windows, int count, bool last,
                 std::int32_t threshold) const;
  int add(const Tree& tree, const WindowBlocks& windows, int count, bool last,
          std::int32_t threshold) const;
  [[nodiscard]] TreeQuestion asked_of(const GridQuestion& question) const;
  [[nodiscard]] int depth_of(int index) const;
  void place(int index, int node, int at, int depth, std::size_t first, std::size_t first_leaf);

  const CascadeModel& model_;
  Shape shape_;
  TreeLanes lanes_ = tree_lanes();
  std::vector<Tree> trees_;
  std::vector<TreeQuestion> asked_;   // of full trees
  std::vector<std::int32_t> leaves_;  // of full trees
  std::vector<TreeQuestion> linked_;  // of all nodes, where there is a linked tree
};

}  // namespace kerb::hog
