// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/cascade_layout.hpp"

#include <numeric>

#include "gpu/image/gradient_math.hpp"

namespace kerb::hog {
namespace {

// Sums fit: a cell of a block in 31 bits, any rectangle of a window in 32.
static_assert(std::int64_t{kMaxWindowSide / 2} * (kMaxWindowSide / 2) * gradient::kMaxMagnitude <
              (std::int64_t{1} << 31));
static_assert(std::int64_t{kMaxWindowSide} * kMaxWindowSide * gradient::kMaxMagnitude <
              (std::int64_t{1} << 32));

std::int16_t nodes(int pixels, int grid) { return static_cast<std::int16_t>(pixels / grid); }

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

}  // namespace

Result<CascadeLayout> lay_out(const Model& model, int stride) {
  if (Status ok = validate(model); !ok) return ok.error();
  const auto* cascade = std::get_if<CascadeModel>(&model.kind);
  if (cascade == nullptr)
    return Error{Errc::invalid_argument, 0, "cascade", "the model is not a cascade"};
  CascadeLayout layout;
  const Channels& c = cascade->channels;
  layout.grid = {std::gcd(std::gcd(grid_of(*cascade), stride), 4), c.bins, c.half_shifted,
                 c.magnitude, c.colour};
  for (const LinearLearner& l : cascade->linear)
    layout.linear.push_back(on_grid(l, layout.grid.grid));
  for (const TreeNode& n : cascade->nodes) layout.questions.push_back(on_grid(n, layout.grid.grid));
  return layout;
}

}  // namespace kerb::hog
