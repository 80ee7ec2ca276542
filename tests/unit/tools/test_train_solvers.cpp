// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#ifdef KERB_LIBLINEAR
#include <linear.h>
#endif

#include "tests/support/test.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/random.hpp"
#include "tools/train/solver.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;

struct Problem {
  std::vector<float> values, labels, costs;
  [[nodiscard]] std::size_t count() const { return labels.size(); }
};

/// Two clouds on the unit sphere that overlap.
Problem make_problem(std::size_t count, std::uint64_t seed, double cost) {
  Random random{seed};
  Problem p;
  for (std::size_t i = 0; i < count; ++i) {
    const bool yes = random.below(3) == 0;
    double norm = 0;
    float x[36];
    for (int k = 0; k < 36; ++k) {
      x[k] = static_cast<float>(random.below(1000)) / 1000 + (yes && k % 5 == 0 ? 0.4F : 0);
      norm += static_cast<double>(x[k] * x[k]);
    }
    for (const float v : x) p.values.push_back(v / static_cast<float>(std::sqrt(norm)));
    p.labels.push_back(yes ? 1.0F : -1.0F);
    p.costs.push_back(static_cast<float>(cost * static_cast<double>(1 + random.below(4))));
  }
  return p;
}

double objective_of(const Problem& p, const double* w, double b) {
  double sum = 0;
  for (int k = 0; k < 36; ++k) sum += w[k] * w[k] / 2;
  for (std::size_t i = 0; i < p.count(); ++i) {
    double score = b;
    for (std::size_t k = 0; k < 36; ++k) score += w[k] * static_cast<double>(p.values[36 * i + k]);
    const double lack = std::max(0.0, 1 - static_cast<double>(p.labels[i]) * score);
    sum += static_cast<double>(p.costs[i]) * lack * lack;
  }
  return sum;
}

TEST(the_block_solver_finds_the_minimum) {
  BlockSvmScratch scratch;
  for (const double cost : {0.01, 1.0, 50.0}) {
    const Problem p = make_problem(300, 5, cost);
    const BlockSvm svm =
        solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
    double w[36];
    std::copy(svm.weights, svm.weights + 36, w);
    const double best = objective_of(p, w, static_cast<double>(svm.bias));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * best, best, svm.objective);
    TEST_ASSERT_LESS_OR_EQUAL(20, svm.steps);
    // The problem is convex: no neighbour is better, whichever way one steps.
    Random random{1};
    for (int trial = 0; trial < 200; ++trial) {
      double other[36], length = trial % 2 == 0 ? 0.01 : 0.3;
      for (int k = 0; k < 36; ++k)
        other[k] = w[k] + length * (static_cast<double>(random.below(2001)) / 1000 - 1);
      const double b = static_cast<double>(svm.bias) +
                       length * (static_cast<double>(random.below(2001)) / 1000 - 1);
      TEST_ASSERT_TRUE(objective_of(p, other, b) > best * (1 - 1e-4));
    }
  }
}

TEST(examples_without_cost_do_not_count) {
  BlockSvmScratch scratch;
  Problem p = make_problem(200, 8, 1);
  const BlockSvm all =
      solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
  for (int i = 0; i < 50; ++i) {  // wrong ones
    for (int k = 0; k < 36; ++k) p.values.push_back(static_cast<float>(k));
    p.labels.push_back(i % 2 == 0 ? 1.0F : -1.0F);
    p.costs.push_back(0);
  }
  const BlockSvm same =
      solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
  for (int k = 0; k < 36; ++k) TEST_ASSERT_FLOAT_WITHIN(1e-3F, all.weights[k], same.weights[k]);
}

class Table final : public Rows {
 public:
  explicit Table(const Problem& p) : p_{p} {}
  [[nodiscard]] std::size_t count() const noexcept override { return p_.count(); }
  [[nodiscard]] std::size_t values() const noexcept override { return 36; }
  [[nodiscard]] const float* row(std::size_t i) const noexcept override {
    return p_.values.data() + 36 * i;
  }

 private:
  const Problem& p_;
};

DualSvm solve_dual(const Problem& p, double tolerance, std::vector<double>& alphas) {
  std::vector<std::int8_t> labels;
  for (const float y : p.labels) labels.push_back(y > 0 ? 1 : -1);
  DualSettings settings;
  settings.tolerance = tolerance;
  return solve_dual_svm(Table{p}, labels, p.costs, settings, alphas);
}

TEST(the_dual_solver_closes_the_gap_between_primal_and_dual) {
  for (const double cost : {0.01, 1.0}) {
    const Problem p = make_problem(400, 6, cost);
    std::vector<double> alphas;
    const DualSvm svm = solve_dual(p, 1e-4, alphas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * svm.objective, svm.objective, -svm.dual);
    TEST_ASSERT_LESS_THAN(1000, svm.passes);
  }
}

TEST(a_warm_start_reaches_the_same_solution_in_fewer_passes) {
  const Problem p = make_problem(400, 6, 1);
  std::vector<double> alphas;
  const DualSvm cold = solve_dual(p, 1e-3, alphas);
  const DualSvm warm = solve_dual(p, 1e-3, alphas);
  TEST_ASSERT_LESS_THAN(cold.passes, warm.passes);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4 * cold.objective, cold.objective, warm.objective);
}

#ifdef KERB_LIBLINEAR
/// liblinear's primal objective: its own solution, our arithmetic. `bias` as its option -B.
double by_liblinear(const Problem& p, int solver, double bias, double* w_out, double* b_out,
                    double tolerance = 1e-6) {
  std::vector<std::vector<feature_node>> rows(p.count());
  std::vector<feature_node*> x;
  std::vector<double> y(p.labels.begin(), p.labels.end()), weights;
  for (std::size_t i = 0; i < p.count(); ++i) {
    for (int k = 0; k < 36; ++k)
      rows[i].push_back(
          {k + 1, static_cast<double>(p.values[36 * i + static_cast<std::size_t>(k)])});
    rows[i].push_back({37, bias});
    rows[i].push_back({-1, 0});
    x.push_back(rows[i].data());
  }
  ::problem prob{};
  prob.l = static_cast<int>(p.count());
  prob.n = 37;
  prob.x = x.data();
  prob.y = y.data();
  prob.bias = bias;
  ::parameter param{};
  param.solver_type = solver;
  param.C = static_cast<double>(p.costs[0]);  // all the same
  param.eps = tolerance;
  set_print_string_function([](const char*) {});
  ::model* m = ::train(&prob, &param);
  for (int k = 0; k < 36; ++k) w_out[k] = m->w[k] * (m->label[0] == 1 ? 1 : -1);
  *b_out = m->w[36] * (m->label[0] == 1 ? 1 : -1) * bias;
  free_and_destroy_model(&m);
  return objective_of(p, w_out, *b_out);
}

TEST(both_solvers_agree_with_liblinear) {
  for (const double cost : {0.02, 2.0}) {
    Problem p = make_problem(300, 12, 1);
    std::fill(p.costs.begin(), p.costs.end(), static_cast<float>(cost));
    double w[36], b = 0;
    // A large constant makes the bias all but free, as in the block solver.
    const double theirs = by_liblinear(p, L2R_L2LOSS_SVC, 100, w, &b);
    BlockSvmScratch scratch;
    const BlockSvm ours =
        solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * theirs, theirs, ours.objective);
    for (int k = 0; k < 36; ++k)
      TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(w[k]), ours.weights[k]);

    const double dual = by_liblinear(p, L2R_L2LOSS_SVC_DUAL, 1, w, &b) + b * b / 2;
    std::vector<double> alphas;
    const DualSvm mine = solve_dual(p, 1e-4, alphas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * dual, dual, mine.objective);
    for (std::size_t k = 0; k < 36; ++k)
      TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(w[k]), mine.weights[k]);
  }
}

/// How long each takes for one block of a round: `unit_train_solvers bench`.
void compare_times() {
  for (const std::size_t count : {5000, 20000}) {
    Problem p = make_problem(count, 12, 1);
    std::fill(p.costs.begin(), p.costs.end(), 30.0F / static_cast<float>(count));
    const auto time = [](const char* who, auto&& solve) {
      const auto start = std::chrono::steady_clock::now();
      const double objective = solve();
      const std::chrono::duration<double, std::milli> gone =
          std::chrono::steady_clock::now() - start;
      std::printf("  %-44s %8.2f ms, objective %.6f\n", who, gone.count(), objective);
    };
    std::printf("%zu windows\n", count);
    double w[36], b = 0;
    BlockSvmScratch scratch;
    for (int turn = 0; turn < 3; ++turn) {
      time("ours (Newton)", [&] {
        return solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch)
            .objective;
      });
      time("liblinear, L2R_L2LOSS_SVC (trust region)",
           [&] { return by_liblinear(p, L2R_L2LOSS_SVC, 100, w, &b, 1e-3); });
      time("liblinear, L2R_L2LOSS_SVC_DUAL",
           [&] { return by_liblinear(p, L2R_L2LOSS_SVC_DUAL, 1, w, &b, 0.01); });
    }
  }
}
#endif

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
#ifdef KERB_LIBLINEAR
  if (words.size() == 1 && words[0] == "bench") {
    compare_times();
    return Start::done;
  }
#endif
  return Start::run;
}
