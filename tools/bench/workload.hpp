// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/engine.hpp"

/// A cascade that finds nothing but takes as much time as the thesis's: for benchmarks without a
/// trained model, and to compare with one.
namespace kerb::bench {

struct WorkloadSettings {
  int grid = 4;  ///< 2 or 4: how finely the blocks lie
  /// Learners of each of the 23 stages: 16 in the first four, as the thesis has it, then growing as
  /// its Figure 5-5a does.
  std::vector<int> stage_sizes = {2,  3,  5,  6,  6,  7,  8,  9,  11, 13, 15, 18,
                                  21, 24, 27, 31, 35, 39, 43, 48, 52, 56, 60};
  /// Of the windows that reach one of the first `early_stages`, the part it rejects; and a later
  /// one. 0.513 and 0.35 give 6.7 blocks a window (the thesis's average), 94 % of the windows gone
  /// after four stages ("more than 90 %" there), and its 35 % a stage from there on.
  int early_stages = 4;
  double early_reject = 0.513, late_reject = 0.35;
  std::uint64_t seed = 1;
};

/// Random blocks of the thesis's pool (train::block_pool() of a window of 64 x 128) with random
/// weights, and thresholds so chosen that in a search of `picture` every stage rejects its part.
/// Ties (windows without any gradient) can make it miss. The same model on every machine. Searches
/// the picture once a stage on the CPU: seconds for a large one. Fails: invalid_argument (settings;
/// no window in the picture), and as the engine.
Result<hog::Model> make_workload(Workers& workers, const WorkloadSettings& settings,
                                 const hog::SearchSettings& search,
                                 const ImageView<Space::host, const std::uint8_t>& picture);

/// Learners evaluated for each window looked at: 6.7 is the thesis's.
[[nodiscard]] inline double per_window(const hog::Work& work) noexcept {
  return work.windows == 0 ? 0
                           : static_cast<double>(work.learners) / static_cast<double>(work.windows);
}

}  // namespace kerb::bench
