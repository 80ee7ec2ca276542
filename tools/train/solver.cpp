// SPDX-License-Identifier: Apache-2.0
#include "tools/train/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/image/simd.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

using namespace simd;

constexpr int kValues = 36, kUnknowns = kValues + 1;
constexpr std::size_t kChunk = 256;  // examples whose sums stay in float

KERB_INLINE float sum_of(F32x4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

KERB_INLINE float dot36(const float* a, const float* b) {
  F32x4 sum{};
  for (int k = 0; k < kValues; k += 4) sum += load<F32x4>(a + k) * load<F32x4>(b + k);
  return sum_of(sum);
}

/// y * (w . x + b) of all examples.
void find_margins(const float* values, const float* labels, std::size_t count, const float* w,
                  float b, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = labels[i] * (dot36(values + i * kValues, w) + b);
}

double objective_of(const float* margins, const float* costs, std::size_t count, const float* w) {
  double loss = 0, norm = 0;
  for (std::size_t from = 0; from < count; from += kChunk) {
    float part = 0;
    for (std::size_t i = from; i < std::min(from + kChunk, count); ++i) {
      const float lack = std::max(0.0F, 1.0F - margins[i]);
      part += costs[i] * lack * lack;
    }
    loss += static_cast<double>(part);
  }
  for (int k = 0; k < kValues; ++k) norm += static_cast<double>(w[k]) * static_cast<double>(w[k]);
  return norm / 2 + loss;
}

struct System {
  double matrix[kUnknowns][kUnknowns];
  double right[kUnknowns];
};

/// Adds x x^T of `count` packed examples, `scaled` being cost times x, to the upper triangle of
/// 4 x 4 tiles.
void add_products(const float* packed, const float* scaled, std::size_t count,
                  double (&matrix)[kUnknowns][kUnknowns]) {
  constexpr int kTiles = kValues / 4;
  for (int r = 0; r < kTiles; ++r)
    for (int s0 = r; s0 < kTiles; s0 += 3) {
      const int tiles = std::min(3, kTiles - s0);
      F32x4 sum[3][4] = {};
      const auto run = [&](auto n) {
        for (std::size_t i = 0; i < count; ++i) {
          const F32x4 a = load<F32x4>(scaled + i * kValues + 4 * r);
          const float* x = packed + i * kValues + 4 * s0;
          for (int t = 0; t < n(); ++t) {
            const F32x4 v = load<F32x4>(x + 4 * t);
            for (int lane = 0; lane < 4; ++lane) sum[t][lane] += v * a[lane];
          }
        }
      };
      if (tiles == 3) {
        run([] { return 3; });
      } else if (tiles == 2) {
        run([] { return 2; });
      } else {
        run([] { return 1; });
      }
      for (int t = 0; t < tiles; ++t)
        for (int lane = 0; lane < 4; ++lane)
          for (int k = 0; k < 4; ++k)
            matrix[4 * r + lane][4 * (s0 + t) + k] += static_cast<double>(sum[t][lane][k]);
    }
}

/// The second derivatives and minus the gradient, halved both, over the examples that lack margin.
void make_system(const float* values, const float* labels, const float* costs, const float* margins,
                 std::size_t count, const float* w, BlockSvmScratch& scratch, System& system) {
  system = {};
  scratch.packed.resize(kChunk * kValues);
  scratch.scaled.resize(kChunk * kValues);
  for (std::size_t from = 0; from < count; from += kChunk) {
    std::size_t active = 0;
    F32x4 sums[9] = {}, pull[9] = {};
    float cost = 0, push = 0;
    for (std::size_t i = from; i < std::min(from + kChunk, count); ++i) {
      if (!(margins[i] < 1.0F) || costs[i] == 0) continue;
      const float* x = values + i * kValues;
      const float c = costs[i], lack = c * (1.0F - margins[i]) * labels[i];
      for (int k = 0; k < 9; ++k) {
        const F32x4 v = load<F32x4>(x + 4 * k), scaled = v * c;
        store(scratch.packed.data() + active * kValues + 4 * static_cast<std::size_t>(k), v);
        store(scratch.scaled.data() + active * kValues + 4 * static_cast<std::size_t>(k), scaled);
        sums[k] += scaled;
        pull[k] += v * lack;
      }
      cost += c;
      push += lack;
      ++active;
    }
    add_products(scratch.packed.data(), scratch.scaled.data(), active, system.matrix);
    for (int k = 0; k < kValues; ++k) {
      system.matrix[k][kValues] += static_cast<double>(sums[k / 4][k % 4]);
      system.right[k] += static_cast<double>(pull[k / 4][k % 4]);
    }
    system.matrix[kValues][kValues] += static_cast<double>(cost);
    system.right[kValues] += static_cast<double>(push);
  }
  for (int k = 0; k < kValues; ++k) {
    system.matrix[k][k] += 0.5;
    system.right[k] -= 0.5 * static_cast<double>(w[k]);
  }
  // Should no example lack margin, the bias is free: it stays.
  system.matrix[kValues][kValues] += 1e-12;
}

/// Cholesky's, of the upper triangle.
void solve(System& s, double (&x)[kUnknowns]) {
  for (int j = 0; j < kUnknowns; ++j) {
    double pivot = s.matrix[j][j];
    for (int k = 0; k < j; ++k) pivot -= s.matrix[k][j] * s.matrix[k][j];
    pivot = std::sqrt(std::max(pivot, 1e-30));
    s.matrix[j][j] = pivot;
    for (int i = j + 1; i < kUnknowns; ++i) {
      double sum = s.matrix[j][i];
      for (int k = 0; k < j; ++k) sum -= s.matrix[k][j] * s.matrix[k][i];
      s.matrix[j][i] = sum / pivot;
    }
  }
  for (int j = 0; j < kUnknowns; ++j) {
    double sum = s.right[j];
    for (int k = 0; k < j; ++k) sum -= s.matrix[k][j] * x[k];
    x[j] = sum / s.matrix[j][j];
  }
  for (int j = kUnknowns - 1; j >= 0; --j) {
    double sum = x[j];
    for (int k = j + 1; k < kUnknowns; ++k) sum -= s.matrix[j][k] * x[k];
    x[j] = sum / s.matrix[j][j];
  }
}

}  // namespace

BlockSvm solve_block_svm(const float* values, const float* labels, const float* costs,
                         std::size_t count, BlockSvmScratch& scratch) {
  constexpr int kMaxSteps = 30, kMaxHalvings = 12;
  constexpr double kEnough = 1e-5;  // of the objective: less is float's rounding
  BlockSvm svm;
  scratch.margins.assign(count, 0.0F);
  scratch.trial.resize(count);
  svm.objective = objective_of(scratch.margins.data(), costs, count, svm.weights);
  System system;
  for (; svm.steps < kMaxSteps; ++svm.steps) {
    make_system(values, labels, costs, scratch.margins.data(), count, svm.weights, scratch, system);
    double step[kUnknowns];
    solve(system, step);
    double part = 1;
    bool better = false;
    double gain = 0;
    for (int halving = 0; halving <= kMaxHalvings && !better; ++halving, part /= 2) {
      BlockSvm trial = svm;
      for (int k = 0; k < kValues; ++k)
        trial.weights[k] = static_cast<float>(static_cast<double>(svm.weights[k]) + part * step[k]);
      trial.bias = static_cast<float>(static_cast<double>(svm.bias) + part * step[kValues]);
      find_margins(values, labels, count, trial.weights, trial.bias, scratch.trial.data());
      trial.objective = objective_of(scratch.trial.data(), costs, count, trial.weights);
      if (!(trial.objective < svm.objective)) continue;
      gain = svm.objective - trial.objective;
      better = true;
      svm = trial;
      std::swap(scratch.margins, scratch.trial);
    }
    if (!better || gain <= kEnough * svm.objective) {
      svm.steps += better ? 1 : 0;
      break;
    }
  }
  return svm;
}

namespace {

KERB_INLINE float dot_of(const float* a, const float* b, std::size_t n) {
  F32x4 sum[4] = {};
  std::size_t k = 0;
  for (; k + 16 <= n; k += 16)
    for (std::size_t j = 0; j < 4; ++j)
      sum[j] += load<F32x4>(a + k + 4 * j) * load<F32x4>(b + k + 4 * j);
  for (; k < n; k += 4) sum[0] += load<F32x4>(a + k) * load<F32x4>(b + k);
  return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

KERB_INLINE void add_scaled(float* to, const float* x, float scale, std::size_t n) {
  for (std::size_t k = 0; k < n; k += 4)
    store(to + k, load<F32x4>(to + k) + load<F32x4>(x + k) * scale);
}

}  // namespace

DualSvm solve_dual_svm(const Rows& rows, const std::vector<std::int8_t>& labels,
                       const std::vector<float>& costs, const DualSettings& settings,
                       std::vector<double>& alphas) {
  const std::size_t count = rows.count(), values = rows.values();
  DualSvm svm;
  svm.weights.assign(values, 0.0F);
  alphas.resize(count, 0.0);
  const auto bias_value = static_cast<double>(settings.bias_value);
  std::vector<double> diagonal(count), curvature(count);
  double bias = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // In liblinear's terms: C sum max(0, .)^2 gives D_ii = 1 / (2 C).
    diagonal[i] = costs[i] > 0 ? 0.5 / static_cast<double>(costs[i]) : 0;
    curvature[i] = static_cast<double>(dot_of(rows.row(i), rows.row(i), values)) +
                   bias_value * bias_value + diagonal[i];
    if (costs[i] <= 0) alphas[i] = 0;
    if (alphas[i] == 0) continue;
    const double y = labels[i];
    add_scaled(svm.weights.data(), rows.row(i), static_cast<float>(y * alphas[i]), values);
    bias += y * alphas[i] * bias_value;
  }
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < count; ++i)
    if (costs[i] > 0) active.push_back(i);
  const std::size_t all = active.size();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Random random{settings.seed};
  std::size_t left = all;
  double bound = kInfinity;
  while (svm.passes < settings.max_passes && all > 0) {
    ++svm.passes;
    for (std::size_t i = 0; i < left; ++i) std::swap(active[i], active[i + random.below(left - i)]);
    double highest = -kInfinity, lowest = kInfinity;
    for (std::size_t s = 0; s < left; ++s) {
      const std::size_t i = active[s];
      const double y = labels[i];
      const double score =
          static_cast<double>(dot_of(svm.weights.data(), rows.row(i), values)) + bias * bias_value;
      const double gradient = y * score - 1 + diagonal[i] * alphas[i];
      double projected = gradient;
      if (alphas[i] == 0) {
        if (gradient > bound) {  // it will stay at 0: leave it out
          --left;
          std::swap(active[s], active[left]);
          --s;
          continue;
        }
        projected = std::min(gradient, 0.0);
      }
      highest = std::max(highest, projected);
      lowest = std::min(lowest, projected);
      if (std::abs(projected) < 1e-12) continue;
      const double old = alphas[i];
      alphas[i] = std::max(old - gradient / curvature[i], 0.0);
      const double step = y * (alphas[i] - old);
      add_scaled(svm.weights.data(), rows.row(i), static_cast<float>(step), values);
      bias += step * bias_value;
    }
    if (highest - lowest <= settings.tolerance) {
      if (left == all) break;
      left = all;  // once more over all
      bound = kInfinity;
      continue;
    }
    bound = highest <= 0 ? kInfinity : highest;
  }
  svm.bias = static_cast<float>(bias * bias_value);
  double norm = bias * bias;
  for (const float w : svm.weights) norm += static_cast<double>(w) * static_cast<double>(w);
  svm.objective = norm / 2;
  svm.dual = norm / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const double score =
        static_cast<double>(dot_of(svm.weights.data(), rows.row(i), values)) + bias * bias_value;
    const double lack = std::max(0.0, 1 - labels[i] * score);
    svm.objective += static_cast<double>(costs[i]) * lack * lack;
    svm.dual += alphas[i] * (0.5 * alphas[i] * diagonal[i] - 1);
  }
  return svm;
}

}  // namespace kerb::train
