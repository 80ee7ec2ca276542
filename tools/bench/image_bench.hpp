// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "gpu/memory/context.hpp"
#include "tools/bench/contest.hpp"

/// `kerblab bench image`: every operator of gpu/image, on the CPU and on CUDA.
namespace kerb::bench {

struct ImageBench {
  int repeats = 31;
  int threads = 0;  ///< of operators that use several; 0: one for each core
  bool cpu = true, cuda = false;
  bool small = false;  ///< tiny pictures: for tests
  std::function<void(const std::string& what, int done, int all)> on_progress;
};

/// What one operator took on one backend.
struct ImageRow {
  std::string name, detail;
  int width = 0, height = 0;
  std::string backend;
  int threads = 0;   ///< 0 for CUDA
  Times times;       ///< of one call; CUDA: of one in a row of 32, waited for at the end; prepare:
                     ///< each waited for
  double bytes = 0;  ///< read and written at the least
};

/// A copy of 128 MiB, the machine's limit; 1280 x 720 for the operators a frame goes through (on
/// CUDA those that read camera pictures find each in memory, not in the cache); the sizes of the
/// thesis's chapter 6 for integral images. Backends by turns. Fails with the first error.
Result<std::vector<ImageRow>> bench_image(const Clock& clock, const ImageBench& bench);

}  // namespace kerb::bench
