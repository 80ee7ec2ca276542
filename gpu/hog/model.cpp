// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace kerb::hog {
namespace {

Error bad(const char* text) { return {Errc::invalid_argument, 0, "model", text}; }
/// "learner 17: its block must lie within the window"
Error bad(const char* thing, std::size_t index, const char* text) {
  char line[112];
  std::snprintf(line, sizeof line, "%s %zu: %s", thing, index, text);
  return bad(line);
}

constexpr std::size_t kMaxName = 255;

/// A name becomes part of a path and of log lines.
bool is_harmless(const std::string& name) {
  return (name.empty() || name[0] != '.') && std::all_of(name.begin(), name.end(), [](char c) {
           return c >= ' ' && c <= '~' && c != '/' && c != '\\';
         });
}

/// Sums of these times sums of pixels stay far from infinity. NaN answers no.
bool is_usable(float value) { return std::abs(value) <= kMaxWeight; }
bool are_usable(const float* values, std::size_t count) {
  return std::all_of(values, values + count, is_usable);
}

std::size_t at(int first, int index) {
  return static_cast<std::size_t>(first) + static_cast<std::size_t>(index);
}

bool lies_within(int x, int y, int width, int height, const Geometry& g) {
  return x >= 0 && y >= 0 && width >= 1 && height >= 1 && x + width <= g.window_width &&
         y + height <= g.window_height;
}

Status check(const Geometry& g) {
  if (g.window_width < 1 || g.window_width > kMaxWindowSide || g.window_height < 1 ||
      g.window_height > kMaxWindowSide)
    return bad("the window's sides must be 1..1024");
  // NaN answers no to each.
  if (!(g.person_x >= 0 && g.person_y >= 0 && g.person_width >= 1 && g.person_height >= 1 &&
        g.person_x + g.person_width <= static_cast<float>(g.window_width) &&
        g.person_y + g.person_height <= static_cast<float>(g.window_height)))
    return bad("the person must lie within the window, and be a pixel wide and high");
  if (g.scaling != Scaling::plain && g.scaling != Scaling::octaves)
    return bad("no such kind of scaling");
  return Done{};
}

Status check(const DenseModel& m) {
  if (Status ok = check(m.geometry); !ok) return ok;
  const Geometry& g = m.geometry;
  if (g.window_width % DenseModel::kCell != 0 || g.window_height % DenseModel::kCell != 0 ||
      g.window_width < DenseModel::kBlock || g.window_height < DenseModel::kBlock)
    return bad("a dense window must be whole cells of 8 pixels, and a block of 16 at least");
  if (m.kind != DenseKind::rhog && m.kind != DenseKind::cells && m.kind != DenseKind::integral)
    return bad("no such kind of dense model");
  if (m.colour && m.kind != DenseKind::rhog) return bad("colour: only for rhog");
  if (!(m.sigma > 0 && m.sigma <= 1024)) return bad("sigma: more than 0, up to 1024");
  if (!(m.clip > 0 && m.clip <= 1)) return bad("clip: more than 0, up to 1");
  if (!is_usable(m.bias)) return bad("the bias must be a number, up to 1e9");
  const auto blocks =
      static_cast<std::size_t>(m.blocks_x()) * static_cast<std::size_t>(m.blocks_y());
  if (m.weights.size() != blocks * DenseModel::kBlockValues)
    return bad("a dense model needs 36 weights for each block of its window");
  if (!are_usable(m.weights.data(), m.weights.size()))
    return bad("a weight is not a number, or over 1e9");
  return Done{};
}

Status check_linear(const CascadeModel& m) {
  for (std::size_t i = 0; i < m.linear.size(); ++i) {
    const LinearLearner& l = m.linear[i];
    if (!lies_within(l.x, l.y, l.width, l.height, m.geometry))
      return bad("learner", i, "its block must lie within the window");
    if (l.width % 2 != 0 || l.height % 2 != 0)
      return bad("learner", i, "its block's sides must be even");
    if (!is_usable(l.offset) || !is_usable(l.slope) ||
        !are_usable(l.weights.data(), l.weights.size()))
      return bad("learner", i, "a weight is not a number, or over 1e9");
  }
  return Done{};
}

/// `next` of node `index` of a tree: a later node, or a leaf there is.
bool leads_on(int next, int index, const TreeLearner& tree) {
  return next >= 0 ? next > index && next < tree.node_count : ~next < tree.leaf_count;
}

Status check_trees(const CascadeModel& m) {
  const int channels = m.channels.count();
  for (std::size_t i = 0; i < m.trees.size(); ++i) {
    const TreeLearner& tree = m.trees[i];
    if (tree.node_count < 1 || tree.node_count > kMaxTreeNodes || tree.first_node < 0 ||
        static_cast<std::size_t>(tree.first_node) + static_cast<std::size_t>(tree.node_count) >
            m.nodes.size())
      return bad("tree", i, "its nodes must be 1..255 of those there are");
    if (tree.leaf_count < 1 || tree.leaf_count > kMaxTreeNodes + 1 || tree.first_leaf < 0 ||
        static_cast<std::size_t>(tree.first_leaf) + static_cast<std::size_t>(tree.leaf_count) >
            m.leaves.size())
      return bad("tree", i, "its leaves must be 1..256 of those there are");
    for (int k = 0; k < tree.node_count; ++k) {
      const TreeNode& node = m.nodes[at(tree.first_node, k)];
      if (!lies_within(node.x, node.y, node.width, node.height, m.geometry))
        return bad("tree", i, "a rectangle must lie within the window");
      if (node.channel < 0 || node.channel >= channels || node.divisor < -1 ||
          node.divisor >= channels)
        return bad("tree", i, "no such channel");
      if (node.divisor >= 0 && !lies_within(node.divisor_x, node.divisor_y, node.divisor_width,
                                            node.divisor_height, m.geometry))
        return bad("tree", i, "a divisor's rectangle must lie within the window");
      if (!leads_on(node.left, k, tree) || !leads_on(node.right, k, tree))
        return bad("tree", i, "a branch must lead to a later node or a leaf");
      if (!std::isfinite(node.threshold)) return bad("tree", i, "a threshold is not a number");
    }
  }
  return Done{};
}

/// The largest vote of a learner, whatever the picture. A linear one's v is at most the length of
/// its weights (Cauchy and Schwarz), plus its offset; a little more for rounding.
double largest_vote(const CascadeModel&, const LinearLearner& l) {
  double length = 0;
  for (const float w : l.weights) length += static_cast<double>(w) * static_cast<double>(w);
  const double v = std::sqrt(length) + std::abs(static_cast<double>(l.offset));
  return std::max(std::abs(static_cast<double>(l.pass)), std::abs(static_cast<double>(l.fail))) +
         v * std::abs(static_cast<double>(l.slope)) * 1.001 + 1;
}
double largest_vote(const CascadeModel& m, const TreeLearner& tree) {
  double most = 0;
  for (int i = 0; i < tree.leaf_count; ++i)
    most = std::max(most, std::abs(static_cast<double>(m.leaves[at(tree.first_leaf, i)])));
  return most;
}

/// Engines add in 32 bits.
Status check_sums(const CascadeModel& m) {
  double votes = 0, thresholds = 0;
  for (const LinearLearner& l : m.linear) votes += largest_vote(m, l);
  for (const TreeLearner& tree : m.trees) votes += largest_vote(m, tree);
  for (const Stage& stage : m.stages) {
    const double threshold = std::abs(static_cast<double>(stage.threshold));
    thresholds = m.cumulative ? std::max(thresholds, threshold) : thresholds + threshold;
  }
  if (!(votes + thresholds <= std::numeric_limits<std::int32_t>::max()))
    return bad("its votes and thresholds, added up, do not fit 32 bits");
  return Done{};
}

Status check(const CascadeModel& m) {
  if (Status ok = check(m.geometry); !ok) return ok;
  if (m.channels.bins != 9 && m.channels.bins != 6) return bad("bins must be 9 or 6");
  if (m.linear.empty() == m.trees.empty())
    return bad("a cascade needs learners, all linear or all trees");
  if (!m.linear.empty() && m.channels.bins != 9) return bad("linear learners need 9 bins");
  if (!m.linear.empty() && (!m.nodes.empty() || !m.leaves.empty()))
    return bad("linear learners have neither nodes nor leaves");
  const std::size_t learners = m.linear.empty() ? m.trees.size() : m.linear.size();
  if (learners > kMaxLearners) return bad("more than 65536 learners");
  if (m.stages.empty() || m.stages.size() > kMaxStages) return bad("stages: 1..65536");
  std::int64_t next = 0;
  for (std::size_t i = 0; i < m.stages.size(); ++i) {
    const Stage& stage = m.stages[i];
    if (stage.first != next || stage.count < 1)
      return bad("stage", i, "its learners must follow those of the stage before, one at least");
    next += stage.count;
  }
  if (next != static_cast<std::int64_t>(learners))
    return bad("the stages must use every learner once");
  if (Status ok = m.linear.empty() ? check_trees(m) : check_linear(m); !ok) return ok;
  return check_sums(m);
}

/// As validate() of SearchSettings and FusionSettings have it.
Status check(const Advice& a) {
  if (!is_usable(a.threshold)) return bad("the advised threshold must be a number, up to 1e9");
  if (!(a.scale_step >= 1.001F && a.scale_step <= 16)) return bad("advised scale: 1.001..16");
  if (a.stride < 1 || a.stride > 256) return bad("advised stride: 1..256");
  if (a.padding < 0 || a.padding > 1024) return bad("advised padding: 0..1024");
  if (a.fusion != FusionKind::mean_shift && a.fusion != FusionKind::suppression &&
      a.fusion != FusionKind::none)
    return bad("no such kind of fusion");
  if (!(a.overlap >= 0 && a.overlap <= 1)) return bad("advised overlap: 0..1");
  if (!(a.tracking_margin >= 0 && a.tracking_margin <= kMaxWeight))
    return bad("advised tracking margin: 0..1e9");
  for (const double score : {a.tracking.even, a.tracking.sure})
    if (!(std::abs(score) <= double{kMaxWeight}))
      return bad("advised tracking scores must be numbers, up to 1e9");
  return Done{};
}

bool looks_at_colour(const DenseModel& m) { return m.colour; }
bool looks_at_colour(const CascadeModel& m) { return m.channels.colour; }

Status check(const LookAgain& look) {
  if (!is_usable(look.threshold)) return bad("the candidates' threshold must be a number, to 1e9");
  if (!(look.overlap >= 0 && look.overlap <= 1)) return bad("the candidates' overlap: 0..1");
  if (look.most < 1 || look.most > net::kMaxCandidates) return bad("candidates: 1..128");
  if (!is_usable(look.cascade_share)) return bad("the cascade's share must be a number, to 1e9");
  return net::validate(look.network);
}

}  // namespace

const char* wrong_with_name(const std::string& name) noexcept {
  if (name.size() > kMaxName) return "its name is longer than 255 bytes";
  if (!is_harmless(name)) return "its name has characters a file's name may not have";
  return nullptr;
}

Status validate(const Model& model) {
  if (const char* wrong = wrong_with_name(model.name); wrong != nullptr) return bad(wrong);
  if (Status ok = check(model.advice); !ok) return ok;
  if (model.look_again) {
    if (Status ok = check(*model.look_again); !ok) return ok;
    const bool colour = std::visit([](const auto& m) { return looks_at_colour(m); }, model.kind);
    if (model.look_again->network.crop.planes != (colour ? 3 : 1))
      return bad("a network has as many planes as its model looks at: 3 with colour, else 1");
    if (model.advice.fusion == FusionKind::mean_shift)
      return bad("a model that looks again needs suppression, or no fusion");
  }
  return std::visit([](const auto& m) { return check(m); }, model.kind);
}

int grid_of(const CascadeModel& m) noexcept {
  int side = 0;  // what divides them all; 0 is divided by everything
  const auto take = [&side](int n) { side = std::gcd(side, n); };
  for (const LinearLearner& l : m.linear) {
    for (const int n : {int{l.x}, int{l.y}, l.width / 2, l.height / 2}) take(n);
  }
  for (const TreeNode& n : m.nodes) {
    for (const std::int16_t v : {n.x, n.y, n.width, n.height}) take(v);
    if (n.divisor < 0) continue;
    for (const std::int16_t v : {n.divisor_x, n.divisor_y, n.divisor_width, n.divisor_height})
      take(v);
  }
  return std::gcd(side, 8);
}

}  // namespace kerb::hog
