// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/hog/engine.hpp"

namespace kerb::bench {

/// A soft cascade of trees that finds nothing but takes as much time as a trained one: for
/// benchmarks without a trained model, and to compare with one.
struct TreeWorkloadSettings {
  int grid = 4;  ///< 1, 2 or 4: how finely the rectangles lie
  int trees = 2048;
  int depth = 2;  ///< every tree is a full binary one; 1..6
  bool colour = true;
  double divided = 0;  ///< share of the questions with a divisor; 0..1
  /// A window is looked at after every one of the first 32 trees, then after 2, 4, 8 and from tree
  /// 256 on 16, as the trained ones do; else after every tree.
  bool grouped = true;
  /// Of all windows, (1 + i / mean)^-2 are left after i trees, so that a window meets about `mean`
  /// trees on average, most of them fewer, some of them all. 1..1000
  double mean = 15;
  std::uint64_t seed = 1;
};

/// Random rectangles of random channels (6 bins, magnitude, L, U, V), asked for their median over
/// some windows of `picture`; thresholds of stages so chosen that in a search of it the windows
/// leave as described. The same model on every machine. Takes seconds for a large picture. Fails:
/// invalid_argument (settings; no window in the picture; no colour for it), and as the operators.
Result<hog::Model> make_tree_workload(Workers& workers, const TreeWorkloadSettings& settings,
                                      const hog::SearchSettings& search,
                                      const hog::Picture<Space::host>& picture);

}  // namespace kerb::bench
