// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/contest.hpp"

#include <algorithm>

namespace kerb::bench {

Result<std::vector<Times>> contest(const Clock& clock, const std::vector<Contestant>& contestants,
                                   int repeats, const std::function<void(int, int)>& on_round) {
  constexpr int kWarmUp = 2;
  repeats = std::max(1, repeats);
  std::vector<std::vector<double>> took(contestants.size());
  for (int round = 0; round < kWarmUp + repeats; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const Nanos start = clock.now();
      if (Status done = contestants[i].frame(); !done) return done.error();
      const Nanos end = clock.now();
      if (round >= kWarmUp)
        took[i].push_back(std::chrono::duration<double, std::milli>{end - start}.count());
    }
    if (on_round) on_round(round + 1, kWarmUp + repeats);
  }
  std::vector<Times> all;
  for (std::vector<double>& times : took) {
    std::sort(times.begin(), times.end());
    const std::size_t n = times.size();
    all.push_back({(times[(n - 1) / 2] + times[n / 2]) / 2, times.front(), times.back()});
  }
  return all;
}

}  // namespace kerb::bench
