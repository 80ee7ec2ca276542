// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/cascade_layout.hpp"

#include <cstdlib>
#include <numeric>

#include "gpu/image/gradient_math.hpp"

namespace kerb::hog {
namespace {

constexpr std::int64_t kMaxSum = 0x7FFFFFFF;

std::int16_t nodes(int pixels, int grid) { return static_cast<std::int16_t>(pixels / grid); }

bool sum_fits(int width, int height) {
  return std::int64_t{width} * height * gradient::kMaxMagnitude <= kMaxSum;
}

GridLinear on_grid(const LinearLearner& l, int grid) {
  GridLinear g{};
  for (int i = 0; i < 3; ++i) {
    g.x[i] = nodes(l.x + i * l.width / 2, grid);
    g.y[i] = nodes(l.y + i * l.height / 2, grid);
  }
  g.offset = l.offset;
  g.slope = l.slope;
  g.pass = l.pass;
  g.fail = l.fail;
  for (int cell = 0; cell < 4; ++cell) {
    const float* from = l.weights.data() + 9 * cell;
    for (int i = 0; i < 4; ++i) {
      g.weights[4 * cell + i] = from[i];
      g.weights[16 + 4 * cell + i] = from[4 + i];
    }
    g.weights[32 + cell] = from[8];
  }
  return g;
}

GridQuestion on_grid(const TreeNode& n, int grid) {
  return {nodes(n.x, grid),
          nodes(n.y, grid),
          nodes(n.x + n.width, grid),
          nodes(n.y + n.height, grid),
          nodes(n.divisor_x, grid),
          nodes(n.divisor_y, grid),
          nodes(n.divisor_x + n.divisor_width, grid),
          nodes(n.divisor_y + n.divisor_height, grid),
          n.channel,
          n.divisor,
          n.left,
          n.right,
          n.threshold};
}

/// The largest a learner's vote can be, either way.
std::int64_t reach(const CascadeModel& m, int learner) {
  if (!m.linear.empty()) {
    const LinearLearner& l = m.linear[static_cast<std::size_t>(learner)];
    const std::int64_t slope = l.slope == 0 ? 0 : static_cast<std::int64_t>(kSlopeLimit);
    return std::max(std::llabs(l.pass), std::llabs(l.fail)) + slope;
  }
  const TreeLearner& t = m.trees[static_cast<std::size_t>(learner)];
  long long most = 0;
  for (int i = 0; i < t.leaf_count; ++i)
    most = std::max(most, std::llabs(m.leaves[static_cast<std::size_t>(t.first_leaf + i)]));
  return most;
}

bool votes_fit(const CascadeModel& m) {
  std::int64_t sum = 0;
  for (const Stage& stage : m.stages) {
    if (!m.cumulative) sum = 0;
    for (int i = 0; i < stage.count; ++i) sum += reach(m, stage.first + i);
    if (sum + std::llabs(stage.threshold) > kMaxSum) return false;
  }
  return true;
}

}  // namespace

Result<CascadeLayout> lay_out(const Model& model, int stride) {
  if (Status ok = validate(model); !ok) return ok.error();
  const auto* cascade = std::get_if<CascadeModel>(&model.kind);
  if (cascade == nullptr)
    return Error{Errc::invalid_argument, 0, "cascade", "the model is not a cascade"};
  if (!votes_fit(*cascade))
    return Error{Errc::invalid_argument, 0, "cascade", "a stage's votes could overflow 32 bits"};
  CascadeLayout layout;
  const Channels& c = cascade->channels;
  layout.grid = {std::gcd(std::gcd(grid_of(*cascade), stride), 4), c.bins, c.half_shifted,
                 c.magnitude, c.colour};
  for (const LinearLearner& l : cascade->linear) {
    if (!sum_fits(l.width / 2, l.height / 2))
      return Error{Errc::invalid_argument, 0, "cascade", "a block too large to sum in 31 bits"};
    layout.linear.push_back(on_grid(l, layout.grid.grid));
  }
  for (const TreeNode& n : cascade->nodes) {
    if (!sum_fits(n.width, n.height) ||
        (n.divisor >= 0 && !sum_fits(n.divisor_width, n.divisor_height)))
      return Error{Errc::invalid_argument, 0, "cascade", "a rectangle too large to sum in 31 bits"};
    layout.questions.push_back(on_grid(n, layout.grid.grid));
  }
  return layout;
}

}  // namespace kerb::hog
