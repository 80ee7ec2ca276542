// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/cascade_trees.hpp"

#include <algorithm>

#include "gpu/image/gradient_math.hpp"

namespace kerb::hog {
namespace {

using namespace simd;

using U64x2 = std::uint64_t __attribute__((vector_size(16)));

KERB_INLINE bool any_of(U32x4 mask) {
  const U64x2 halves = bits<U64x2>(mask);
  return (halves[0] | halves[1]) != 0;
}
KERB_INLINE S32x4 choose(S32x4 mask, S32x4 yes, S32x4 no) { return (mask & yes) | (~mask & no); }

/// Of four windows, `step` numbers apart; kStep 0: whatever it is.
template <int kStep>
KERB_INLINE U32x4 four(const std::uint32_t* from, std::ptrdiff_t step) {
  if constexpr (kStep == 1) {
    return load<U32x4>(from);
  } else if constexpr (kStep == 2) {
    return __builtin_shufflevector(load<U32x4>(from), load<U32x4>(from + 4), 0, 2, 4, 6);
  } else {
    return U32x4{from[0], from[step], from[2 * step], from[3 * step]};
  }
}

/// A rectangle's corners, the first window's.
struct Corners {
  const std::uint32_t *upper_left, *upper_right, *lower_left, *lower_right;

  template <int kStep>
  KERB_INLINE F32x4 sum(std::ptrdiff_t at, std::ptrdiff_t step) const {
    return to_float((four<kStep>(lower_right + at, step) - four<kStep>(lower_left + at, step)) -
                    (four<kStep>(upper_right + at, step) - four<kStep>(upper_left + at, step)));
  }
};

}  // namespace

/// What a row's search works on.
struct CascadeTrees::Rows {
  const std::uint32_t* first;
  const std::ptrdiff_t* at;
  Scratch& scratch;

  [[nodiscard]] Corners corners(const Rectangle& r) const {
    const std::uint32_t *upper = first + at[r.top], *lower = first + at[r.bottom];
    return {upper + r.left, upper + r.right, lower + r.left, lower + r.right};
  }
};

CascadeTrees::Scratch::Scratch(int columns, int rows) {
  const auto blocks_of = static_cast<std::size_t>((columns + kBlock - 1) / kBlock);
  votes.resize(blocks_of * kBlock);
  alive.resize(blocks_of * kBlock);
  scores.resize(blocks_of * kBlock);
  blocks.resize(blocks_of);
  row_at.resize(static_cast<std::size_t>(rows));
  passed.reserve(blocks_of * kBlock);
}

CascadeTrees::Asked CascadeTrees::asked_of(const GridQuestion& q) const {
  const auto rectangle = [&](int channel, int x0, int y0, int x1, int y1) -> Rectangle {
    const auto plane = static_cast<std::int32_t>(channel * shape_.plane);
    return {plane + x0, plane + x1, static_cast<std::int16_t>(y0), static_cast<std::int16_t>(y1)};
  };
  Asked asked;
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
    if (fits && depth <= kMaxDepth) {
      const std::size_t first = asked_.size(), first_leaf = leaves_.size();
      tree.depth = static_cast<std::int8_t>(depth);
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

template <int kDepth, bool kDivided, int kStep>
int CascadeTrees::add_full(const Tree& tree, const Rows& rows, int count, bool last,
                           std::int32_t threshold) const {
  constexpr int kAsked = (1 << kDepth) - 1;
  const Asked* asked = asked_.data() + tree.first;
  Corners sums[kAsked], divisors[kAsked];
  F32x4 thresholds[kAsked], floors[kAsked];
  S32x4 leaves[kAsked + 1];
  for (int q = 0; q < kAsked; ++q) {
    sums[q] = rows.corners(asked[q].sum);
    thresholds[q] = F32x4{} + asked[q].threshold;
    if constexpr (kDivided) {
      divisors[q] = rows.corners(asked[q].divisor);
      floors[q] = F32x4{} + asked[q].floor;
    }
  }
  for (int l = 0; l <= kAsked; ++l) leaves[l] = S32x4{} + (leaves_.data() + tree.first_leaf)[l];
  const std::ptrdiff_t step = shape_.step;
  std::int32_t* votes = rows.scratch.votes.data();
  std::uint32_t* alive = rows.scratch.alive.data();
  std::int32_t* blocks = rows.scratch.blocks.data();
  int left = 0;
  for (int i = 0; i < count; ++i) {
    const std::ptrdiff_t window = std::ptrdiff_t{blocks[i]} * kBlock, at = window * step;
    S32x4 goes_left[kAsked];
    for (int q = 0; q < kAsked; ++q) {
      F32x4 value = sums[q].template sum<kStep>(at, step);
      if constexpr (kDivided) value /= divisors[q].template sum<kStep>(at, step) + floors[q];
      goes_left[q] = value < thresholds[q];
    }
    S32x4 vote[kAsked];  // of what hangs on each question
    const auto below = [&](int child) {
      return child < kAsked ? vote[child] : leaves[child - kAsked];
    };
    for (int q = kAsked - 1; q >= 0; --q)
      vote[q] = choose(goes_left[q], below(2 * q + 1), below(2 * q + 2));
    const S32x4 sum = load<S32x4>(votes + window) + vote[0];
    store(votes + window, sum);
    if (!last) continue;
    const U32x4 mask = load<U32x4>(alive + window) & bits<U32x4>(sum >= threshold);
    store(alive + window, mask);
    blocks[left] = blocks[i];
    left += any_of(mask) ? 1 : 0;
  }
  return last ? left : count;
}

template <int kDepth, bool kDivided>
int CascadeTrees::add_full(const Tree& tree, const Rows& rows, int count, bool last,
                           std::int32_t threshold) const {
  if (shape_.step == 1) return add_full<kDepth, kDivided, 1>(tree, rows, count, last, threshold);
  if (shape_.step == 2) return add_full<kDepth, kDivided, 2>(tree, rows, count, last, threshold);
  return add_full<kDepth, kDivided, 0>(tree, rows, count, last, threshold);
}

float CascadeTrees::sum_of(const Rectangle& r, const std::uint32_t* at, const Rows& rows) const {
  const std::uint32_t *upper = at + rows.at[r.top], *lower = at + rows.at[r.bottom];
  return static_cast<float>((lower[r.right] - lower[r.left]) - (upper[r.right] - upper[r.left]));
}

/// Deep trees, question by question for every window that is left.
int CascadeTrees::add_linked(const Tree& tree, const Rows& rows, int count, bool last,
                             std::int32_t threshold) const {
  const TreeNode* nodes = model_.nodes.data() + tree.first;
  const Asked* asked = linked_.data() + tree.first;
  const std::int32_t* leaves = model_.leaves.data() + tree.first_leaf;
  Scratch& s = rows.scratch;
  int left = 0;
  for (int i = 0; i < count; ++i) {
    bool any = false;
    const auto block = static_cast<std::size_t>(s.blocks[static_cast<std::size_t>(i)]);
    for (std::size_t window = block * kBlock; window < (block + 1) * kBlock; ++window) {
      if (s.alive[window] == 0) continue;
      const std::uint32_t* at = rows.first + static_cast<std::ptrdiff_t>(window) * shape_.step;
      int next = 0;
      do {
        const Asked& q = asked[next];
        float value = sum_of(q.sum, at, rows);
        if (tree.divided) value /= sum_of(q.divisor, at, rows) + q.floor;
        next = value < q.threshold ? nodes[next].left : nodes[next].right;
      } while (next >= 0);
      s.votes[window] += leaves[~next];
      if (!last) continue;
      if (s.votes[window] < threshold)
        s.alive[window] = 0;
      else
        any = true;
    }
    if (!last) continue;
    s.blocks[static_cast<std::size_t>(left)] = s.blocks[static_cast<std::size_t>(i)];
    left += any ? 1 : 0;
  }
  return last ? left : count;
}

int CascadeTrees::add(const Tree& tree, const Rows& rows, int count, bool last,
                      std::int32_t threshold) const {
  switch (tree.depth) {
    case 1:
      return tree.divided ? add_full<1, true>(tree, rows, count, last, threshold)
                          : add_full<1, false>(tree, rows, count, last, threshold);
    case 2:
      return tree.divided ? add_full<2, true>(tree, rows, count, last, threshold)
                          : add_full<2, false>(tree, rows, count, last, threshold);
    case 3:
      return tree.divided ? add_full<3, true>(tree, rows, count, last, threshold)
                          : add_full<3, false>(tree, rows, count, last, threshold);
    default:
      return add_linked(tree, rows, count, last, threshold);
  }
}

void CascadeTrees::search(const std::uint32_t* first, int columns, Scratch& s, Work* work) const {
  int count = (columns + kBlock - 1) / kBlock;
  const std::size_t lanes = static_cast<std::size_t>(count) * kBlock;
  std::fill_n(s.votes.begin(), lanes, 0);
  std::fill_n(s.scores.begin(), lanes, 0);
  for (std::size_t i = 0; i < lanes; ++i)
    s.alive[i] = i < static_cast<std::size_t>(columns) ? ~std::uint32_t{0} : 0;
  for (int i = 0; i < count; ++i) s.blocks[static_cast<std::size_t>(i)] = i;
  s.passed.clear();

  const Rows rows{first, s.row_at.data(), s};
  const auto each_left = [&](const auto& body) {
    for (int i = 0; i < count; ++i)
      for (int lane = 0; lane < kBlock; ++lane) {
        const int window = s.blocks[static_cast<std::size_t>(i)] * kBlock + lane;
        if (s.alive[static_cast<std::size_t>(window)] != 0) body(static_cast<std::size_t>(window));
      }
  };
  for (std::size_t stage_index = 0; stage_index < model_.stages.size() && count > 0;
       ++stage_index) {
    const Stage& stage = model_.stages[stage_index];
    if (work != nullptr) each_left([&](std::size_t) { ++work->windows_at_stage[stage_index]; });
    for (int t = stage.first; t < stage.first + stage.count; ++t)
      count = add(trees_[static_cast<std::size_t>(t)], rows, count,
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
