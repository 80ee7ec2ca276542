// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

/// Linear support vector machines with squared hinge loss. For labels y of +1 and -1 and costs c,
///   minimise  |w|^2 / 2 + sum_i c_i * max(0, 1 - y_i * (w . x_i + b))^2
/// Only IEEE 754 additions, multiplications, divisions and roots, in a fixed order: the same bits
/// on every machine.
namespace kerb::train {

/// 36 values and a free bias b: Newton's method on the primal problem, whose 37 x 37 system is
/// solved directly. Few steps, each exact in the end: there is no tolerance to choose, and no order
/// of examples that matters.
struct BlockSvm {
  float weights[36] = {};
  float bias = 0;
  int steps = 0;  ///< Newton's
  double objective = 0;
};

/// Working memory, kept between calls to save allocations.
struct BlockSvmScratch {
  std::vector<float> margins, trial, packed, scaled;
};

/// `values`: count x 36. `labels`: +1, -1. `costs`: >= 0; examples without cost do not count.
[[nodiscard]] BlockSvm solve_block_svm(const float* values, const float* labels, const float* costs,
                                       std::size_t count, BlockSvmScratch& scratch);

/// Many values: dual coordinate descent (Hsieh et al. 2008, as liblinear's L2R_L2LOSS_SVC_DUAL),
/// examples in a random order from `seed`, with shrinking. The bias is the weight of one more
/// value, `bias_value`, of every example, and so takes part in |w|^2.
struct DualSettings {
  double tolerance = 0.01;  ///< of the projected gradient, from largest to smallest
  int max_passes = 1000;
  float bias_value = 1;
  std::uint64_t seed = 1;
};
struct DualSvm {
  std::vector<float> weights;
  float bias = 0;
  int passes = 0;
  double objective = 0;  ///< primal
  double dual = 0;       ///< -primal <= dual: how far from the best, objective + dual at most
};

/// Rows of values, wherever they are.
class Rows {
 public:
  virtual ~Rows() = default;
  [[nodiscard]] virtual std::size_t count() const noexcept = 0;
  [[nodiscard]] virtual std::size_t values() const noexcept = 0;  ///< a multiple of 4
  [[nodiscard]] virtual const float* row(std::size_t i) const noexcept = 0;
};

/// `alphas`: in, where to begin (empty: zeros); out, the dual solution. A warm start from the
/// solution of a smaller problem, with zeros for what is new, saves most passes.
[[nodiscard]] DualSvm solve_dual_svm(const Rows& rows, const std::vector<std::int8_t>& labels,
                                     const std::vector<float>& costs, const DualSettings& settings,
                                     std::vector<double>& alphas);

}  // namespace kerb::train
