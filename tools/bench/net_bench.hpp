// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/net/network.hpp"
#include "hal/base/clock.hpp"
#include "tools/bench/contest.hpp"

/// The program bench_net: a network that looks at a frame's candidates again.
namespace kerb::bench {

struct NetBench {
  int width = 1280, height = 960;     ///< of the picture
  int crops = 30;                     ///< a frame; people of 40 to 400 pixels
  std::vector<int> threads = {1, 2};  ///< of the CPU
  int repeats = 101;
  bool cpu = true, cuda = false;
};

/// What one step took for all crops of a frame.
struct NetRow {
  /// "cut": the crops alone; "look": crops and network; "upload and look": the picture comes from
  /// the host.
  std::string name;
  std::string backend;  ///< "cpu", "cuda"
  int threads = 0;      ///< 0 for CUDA
  int blocks = 0;       ///< that share a crop, forced; 0: chosen, as in the product; and on the CPU
  Times times;
  double products_per_s = 0;  ///< multiplications and additions a second at the median; 0: none
};

/// A network as the detectors' are, 48 x 96 x 3, with random weights.
[[nodiscard]] net::Network typical_network();

/// Fails with the first error.
Result<std::vector<NetRow>> bench_net(const Clock& clock, const NetBench& bench);

}  // namespace kerb::bench
