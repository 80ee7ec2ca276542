// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/cascade_trees.hpp"

#include <algorithm>

#include "gpu/image/gradient_math.hpp"

namespace kerb::hog {

CascadeTrees::Scratch::Scratch(int columns, int rows) {
  const auto whole = static_cast<std::size_t>(columns + kMaxTreeBlock - 1);  // blocks of any size
  votes.resize(whole);
  alive.resize(whole);
  scores.resize(whole);
  blocks.resize(whole);
  row_at.resize(static_cast<std::size_t>(rows));
  passed.reserve(whole);
}

TreeQuestion CascadeTrees::asked_of(const GridQuestion& q) const {
  const auto rectangle = [&](int channel, int x0, int y0, int x1, int y1) -> NodeRectangle {
    const auto plane = static_cast<std::int32_t>(channel * shape_.plane);
    return {plane + x0, plane + x1, static_cast<std::int16_t>(y0), static_cast<std::int16_t>(y1)};
  };
  TreeQuestion asked;
  asked.sum = rectangle(q.channel, q.x0, q.y0, q.x1, q.y1);
  if (q.divisor >= 0) {
    asked.divisor = rectangle(q.divisor, q.dx0, q.dy0, q.dx1, q.dy1);
    asked.floor = kDivisorFloor;
  }
  asked.threshold = q.threshold;
  return asked;
}

/// Questions on the longest way through a tree.
int CascadeTrees::depth_of(int index) const {
  const TreeLearner& tree = model_.trees[static_cast<std::size_t>(index)];
  const TreeNode* nodes = model_.nodes.data() + tree.first_node;
  int depth[kMaxTreeNodes] = {};  // of what hangs on a node, itself included; children come later
  for (int n = tree.node_count - 1; n >= 0; --n) {
    const auto below = [&](int child) { return child < 0 ? 0 : depth[child]; };
    depth[n] = 1 + std::max(below(nodes[n].left), below(nodes[n].right));
  }
  return depth[0];
}

/// Puts what hangs on a node (or the leaf ~node) at place `at` of a full tree, `depth` questions
/// above its leaves. A leaf that comes early is followed by questions that do not matter.
void CascadeTrees::place(int index, int node, int at, int depth, std::size_t first,
                         std::size_t first_leaf) {
  const TreeLearner& tree = model_.trees[static_cast<std::size_t>(index)];
  if (depth == 0) {
    const std::size_t leaf =
        first_leaf + static_cast<std::size_t>(at) - (leaves_.size() - first_leaf - 1);
    leaves_[leaf] = (model_.leaves.data() + tree.first_leaf)[~node];
    return;
  }
  int left = node, right = node;
  if (node >= 0) {
    const TreeNode& from = (model_.nodes.data() + tree.first_node)[node];
    asked_[first + static_cast<std::size_t>(at)] = (linked_.data() + tree.first_node)[node];
    left = from.left;
    right = from.right;
  }
  place(index, left, 2 * at + 1, depth - 1, first, first_leaf);
  place(index, right, 2 * at + 2, depth - 1, first, first_leaf);
}

CascadeTrees::CascadeTrees(const CascadeModel& model, const CascadeLayout& layout,
                           const Shape& shape)
    : model_{model}, shape_{shape} {
  for (const GridQuestion& question : layout.questions) linked_.push_back(asked_of(question));
  // Lanes turn signed numbers into floats.
  const bool fits = std::int64_t{model.geometry.window_width} * model.geometry.window_height *
                        gradient::kMaxMagnitude <
                    (std::int64_t{1} << 31);
  bool all_full = true;
  for (int i = 0; i < static_cast<int>(model.trees.size()); ++i) {
    const TreeLearner& learner = model.trees[static_cast<std::size_t>(i)];
    Tree tree;
    const int depth = depth_of(i);
    for (int n = learner.first_node; n < learner.first_node + learner.node_count; ++n)
      tree.divided |= model.nodes[static_cast<std::size_t>(n)].divisor >= 0;
    if (fits && depth <= kMaxTreeDepth) {
      const std::size_t first = asked_.size(), first_leaf = leaves_.size();
      tree.ask = lanes_.ask(depth, tree.divided, shape_.step);
      tree.first = static_cast<std::int32_t>(first);
      tree.first_leaf = static_cast<std::int32_t>(first_leaf);
      asked_.resize(first + (std::size_t{1} << depth) - 1);
      leaves_.resize(first_leaf + (std::size_t{1} << depth));
      place(i, 0, 0, depth, first, first_leaf);
    } else {
      all_full = false;
      tree.first = learner.first_node;
      tree.first_leaf = learner.first_leaf;
    }
    trees_.push_back(tree);
  }
  if (all_full) {
    linked_.clear();
    linked_.shrink_to_fit();
  }
}

/// Deep trees, question by question for every window that is left.
int CascadeTrees::add_linked(const Tree& tree, const WindowBlocks& windows, int count, bool last,
                             std::int32_t threshold) const {
  const TreeNode* nodes = model_.nodes.data() + tree.first;
  const TreeQuestion* asked = linked_.data() + tree.first;
  const std::int32_t* leaves = model_.leaves.data() + tree.first_leaf;
  const auto sum_of = [&](const NodeRectangle& r, const std::uint32_t* at) {
    const std::uint32_t *upper = at + windows.row_at[r.top], *lower = at + windows.row_at[r.bottom];
    return static_cast<float>((lower[r.right] - lower[r.left]) - (upper[r.right] - upper[r.left]));
  };
  int left = 0;
  for (int i = 0; i < count; ++i) {
    bool any = false;
    const std::ptrdiff_t first = std::ptrdiff_t{windows.blocks[i]} * lanes_.block;
    for (std::ptrdiff_t window = first; window < first + lanes_.block; ++window) {
      if (windows.alive[window] == 0) continue;
      const std::uint32_t* at = windows.first + window * windows.step;
      int next = 0;
      do {
        const TreeQuestion& q = asked[next];
        float value = sum_of(q.sum, at);
        if (tree.divided) value /= sum_of(q.divisor, at) + q.floor;
        next = value < q.threshold ? nodes[next].left : nodes[next].right;
      } while (next >= 0);
      windows.votes[window] += leaves[~next];
      if (!last) continue;
      if (windows.votes[window] < threshold)
        windows.alive[window] = 0;
      else
        any = true;
    }
    if (!last) continue;
    windows.blocks[left] = windows.blocks[i];
    left += any ? 1 : 0;
  }
  return last ? left : count;
}

int CascadeTrees::add(const Tree& tree, const WindowBlocks& windows, int count, bool last,
                      std::int32_t threshold) const {
  if (tree.ask == nullptr) return add_linked(tree, windows, count, last, threshold);
  return tree.ask({asked_.data() + tree.first, leaves_.data() + tree.first_leaf}, windows, count,
                  last, threshold);
}

void CascadeTrees::search(const std::uint32_t* first, int columns, Scratch& s, Work* work) const {
  int count = (columns + lanes_.block - 1) / lanes_.block;
  const std::size_t lanes =
      static_cast<std::size_t>(count) * static_cast<std::size_t>(lanes_.block);
  std::fill_n(s.votes.begin(), lanes, 0);
  std::fill_n(s.scores.begin(), lanes, 0);
  for (std::size_t i = 0; i < lanes; ++i)
    s.alive[i] = i < static_cast<std::size_t>(columns) ? ~std::uint32_t{0} : 0;
  for (int i = 0; i < count; ++i) s.blocks[static_cast<std::size_t>(i)] = i;
  s.passed.clear();

  const WindowBlocks windows{first,          s.row_at.data(), shape_.step,
                             s.votes.data(), s.alive.data(),  s.blocks.data()};
  const auto each_left = [&](const auto& body) {
    for (int i = 0; i < count; ++i)
      for (int lane = 0; lane < lanes_.block; ++lane) {
        const int window = s.blocks[static_cast<std::size_t>(i)] * lanes_.block + lane;
        if (s.alive[static_cast<std::size_t>(window)] != 0) body(static_cast<std::size_t>(window));
      }
  };
  for (std::size_t stage_index = 0; stage_index < model_.stages.size() && count > 0;
       ++stage_index) {
    const Stage& stage = model_.stages[stage_index];
    if (work != nullptr) each_left([&](std::size_t) { ++work->windows_at_stage[stage_index]; });
    for (int t = stage.first; t < stage.first + stage.count; ++t)
      count = add(trees_[static_cast<std::size_t>(t)], windows, count,
                  t + 1 == stage.first + stage.count, stage.threshold);
    if (!model_.cumulative)
      each_left([&](std::size_t window) {
        s.scores[window] += std::int64_t{s.votes[window]} - stage.threshold;
        s.votes[window] = 0;
      });
  }
  each_left([&](std::size_t window) {
    s.passed.push_back({static_cast<std::int32_t>(window),
                        model_.cumulative
                            ? std::int64_t{s.votes[window]} - model_.stages.back().threshold
                            : s.scores[window]});
  });
}

}  // namespace kerb::hog
