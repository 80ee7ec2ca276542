// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/memory/context.hpp"
#include "tools/bench/contest.hpp"

/// `kerblab bench night`: the operators of gpu/night, beside the detector that they prepare for.
namespace kerb::bench {

struct NightCase {
  int width = 0, height = 0;
};

struct NightBench {
  std::vector<NightCase> cases = {{640, 480}, {1280, 960}};
  int repeats = 31;
  int threads = 0;  ///< 0: one for each core
  bool cpu = true, cuda = false;
  /// Searched by turns with the operators, as the product does on the CPU: people of 40 pixels and
  /// more, everywhere. None: not measured.
  std::optional<hog::Model> model;
  std::function<void(int done, int all)> on_progress;
};

/// What one operator took for one picture.
struct NightRow {
  NightCase size;
  std::string name, detail;
  std::string backend;  ///< "cpu"; "cuda": pictures and result on the device, waited for each time
  int threads = 0;      ///< 0 for CUDA
  Times times;
  double of_detector = 0;  ///< its median over that of the detector on this backend; 0: none
};

/// Fails with the first error.
Result<std::vector<NightRow>> bench_night(const Clock& clock, const NightBench& bench);

}  // namespace kerb::bench
