// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb::bench {

/// Something to time. `frame` does the whole of it once, and is done on return.
struct Contestant {
  std::string name;
  std::string backend;  ///< "cpu", "cuda", "cuda, on device"
  std::function<Status()> frame;
};

/// Of one call of `frame`.
struct Times {
  double median_ms = 0, best_ms = 0, worst_ms = 0;
};

/// Every contestant `repeats` times by turns, so that a machine that slows down slows all of them,
/// after two rounds that warm up and do not count. `on_round` is called after each round with its
/// number and theirs in all. Fails with the first error of a contestant.
Result<std::vector<Times>> contest(const Clock& clock, const std::vector<Contestant>& contestants,
                                   int repeats, const std::function<void(int, int)>& on_round = {});

}  // namespace kerb::bench
