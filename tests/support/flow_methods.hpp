// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/lucas_kanade.hpp"
#include "tests/support/unity.hpp"

/// Every method of dense flow, as a table, for the tests of their common contract.
namespace kerb::test {

using MadeEstimator = Result<std::unique_ptr<flow::Estimator>>;

/// Lucas-Kanade or block matching, by its settings.
struct FlowMethod {
  const char* name;
  bool is_lk;
  flow::LucasKanadeSettings lk{};
  flow::BlockMatchingSettings bm{};

  [[nodiscard]] const char* where() const { return is_lk ? "Lucas-Kanade" : "block matching"; }
  [[nodiscard]] MadeEstimator make(const Context& context, Workers& workers, int width,
                                   int height) const {
    return is_lk ? flow::make_lucas_kanade(context, workers, lk, width, height)
                 : flow::make_block_matching(context, workers, bm, width, height);
  }
  [[nodiscard]] MadeEstimator make_tiled(const Context& context, Workers& workers, int width,
                                         int height, int tile) const {
    return is_lk ? flow::make_tiled_lucas_kanade(context, workers, lk, width, height, tile)
                 : flow::make_tiled_block_matching(context, workers, bm, width, height, tile);
  }
  /// ... that must be there.
  [[nodiscard]] std::unique_ptr<flow::Estimator> made(const Context& context, Workers& workers,
                                                      int width, int height) const {
    MadeEstimator estimator = make(context, workers, width, height);
    TEST_ASSERT_OK(estimator);
    return std::move(*estimator);
  }
};

inline FlowMethod lk_with(const char* name, int iterations, int finest, int levels = 0,
                          bool check_back = false, int reach = 500) {
  FlowMethod method{name, true};
  method.lk.iterations = iterations;
  method.lk.finest_iterations = finest;
  method.lk.pyramid.levels = levels;
  method.lk.check_back = check_back;
  method.lk.reach = reach;
  return method;
}
inline FlowMethod bm_with(const char* name, flow::Cost cost, int levels = 5, int reach = 48,
                          int steps = 2) {
  FlowMethod method{name, false};
  method.bm.cost = cost;
  method.bm.levels = levels;
  method.bm.reach = reach;
  method.bm.steps = steps;
  return method;
}

/// With the product's settings.
inline std::vector<FlowMethod> plain_methods() {
  return {{"lk", true},
          lk_with("lk, checked", 5, 2, 0, true),
          bm_with("ncc", flow::Cost::ncc),
          bm_with("ssd", flow::Cost::ssd),
          bm_with("sad", flow::Cost::sad)};
}
/// With a short reach, so that a part of the result depends only on a part of the picture.
inline std::vector<FlowMethod> near_methods() {
  return {lk_with("lk, near", 2, 2, 2, false, 4), lk_with("lk, near, checked", 2, 1, 2, true, 3),
          lk_with("lk, one level, checked", 1, 3, 1, true, 6),
          bm_with("ncc, near", flow::Cost::ncc, 2, 6)};
}
/// With a long reach and a weak prior, so that vectors may become long anywhere.
inline std::vector<FlowMethod> wild_methods() {
  std::vector<FlowMethod> methods{lk_with("lk, wild", 2, 3, 1, false, 20),
                                  lk_with("lk, wild, checked", 3, 2, 2, true, 24),
                                  bm_with("ncc, wild", flow::Cost::ncc, 2, 30)};
  for (FlowMethod& method : methods) method.lk.prior = 0.01F;
  return methods;
}
inline std::vector<FlowMethod> all_methods() {
  std::vector<FlowMethod> all = plain_methods();
  for (const FlowMethod& method : near_methods()) all.push_back(method);
  return all;
}

}  // namespace kerb::test
