// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/emd_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kerb::test {
namespace {

int pick(Random& random, int below) {
  return static_cast<int>(random.next() % static_cast<std::uint64_t>(below));
}
float unit(Random& random) { return static_cast<float>(random.next() >> 40) / 16777216.0F; }

}  // namespace

// Nodes: 0 is where all comes from, then the sources, then the sinks, then where all goes to.
// Cheapest paths by Bellman and Ford, since what flows may flow back at negative cost.
template <typename Cost>
Cost cheapest_transport(std::vector<std::int64_t> supply, std::vector<std::int64_t> demand,
                        const std::vector<Cost>& costs) {
  const std::size_t n = supply.size(), m = demand.size();
  std::vector<std::int64_t> flow(n * m, 0);
  const Cost kFar = std::numeric_limits<Cost>::max() / 4;
  // Roundings of doubles must not look like a cheaper way.
  const Cost least_gain = std::is_floating_point_v<Cost> ? static_cast<Cost>(1e-12) : Cost{0};
  Cost total{};
  for (;;) {
    std::vector<Cost> to_source(n, kFar), to_sink(m, kFar);
    std::vector<std::size_t> source_from(n, m), sink_from(m, n);
    for (std::size_t i = 0; i < n; ++i)
      if (supply[i] > 0) to_source[i] = Cost{};
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          const Cost c = costs[i * m + j];
          if (to_source[i] < kFar && to_source[i] + c < to_sink[j] - least_gain) {
            to_sink[j] = to_source[i] + c;
            sink_from[j] = i;
            changed = true;
          }
          if (flow[i * m + j] > 0 && to_sink[j] < kFar &&
              to_sink[j] - c < to_source[i] - least_gain) {
            to_source[i] = to_sink[j] - c;
            source_from[i] = j;
            changed = true;
          }
        }
    }
    std::size_t end = m;
    for (std::size_t j = 0; j < m; ++j)
      if (demand[j] > 0 && to_sink[j] < kFar && (end == m || to_sink[j] < to_sink[end])) end = j;
    if (end == m) return total;
    std::int64_t amount = demand[end];
    std::size_t first = 0;
    for (std::size_t j = end;;) {
      const std::size_t i = sink_from[j];
      if (source_from[i] == m) {
        first = i;
        break;
      }
      j = source_from[i];
      amount = std::min(amount, flow[i * m + j]);
    }
    amount = std::min(amount, supply[first]);
    for (std::size_t j = end;;) {
      const std::size_t i = sink_from[j];
      flow[i * m + j] += amount;
      total += static_cast<Cost>(amount) * costs[i * m + j];
      if (source_from[i] == m) break;
      j = source_from[i];
      flow[i * m + j] -= amount;
      total -= static_cast<Cost>(amount) * costs[i * m + j];
    }
    supply[first] -= amount;
    demand[end] -= amount;
  }
}
template std::int64_t cheapest_transport(std::vector<std::int64_t>, std::vector<std::int64_t>,
                                         const std::vector<std::int64_t>&);
template double cheapest_transport(std::vector<std::int64_t>, std::vector<std::int64_t>,
                                   const std::vector<double>&);

emd::Signature random_signature(Random& random, int bins, int mass) {
  std::vector<int> cuts(static_cast<std::size_t>(bins - 1));
  for (int& cut : cuts) cut = pick(random, mass + 1);
  std::sort(cuts.begin(), cuts.end());
  emd::Signature made;
  int before = 0;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    made.bins[k] = static_cast<std::uint8_t>(cuts[k] - before);
    before = cuts[k];
  }
  made.bins[cuts.size()] = static_cast<std::uint8_t>(mass - before);
  return made;
}

Problem random_problem(Random& random, int bins, int mass, Likeness likeness) {
  Problem made;
  made.bins = bins;
  const auto n = static_cast<std::size_t>(bins);
  const int mass_from = mass > 0 ? mass : 1 + pick(random, 255);
  const int mass_to = mass > 0 ? mass : 1 + pick(random, 255);
  made.from = random_signature(random, bins, mass_from);
  made.to = random_signature(random, bins, mass_to);
  std::vector<int> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = pick(random, 100);
    y[i] = pick(random, 100);
  }
  const bool zero_diagonal = pick(random, 2) == 0;
  const float same = unit(random) + 0.5F;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float cost = unit(random);
      if (likeness == Likeness::equal_costs) cost = same;
      if (likeness == Likeness::few_costs) cost = static_cast<float>(pick(random, 3));
      if (likeness == Likeness::whole_metric)
        cost = static_cast<float>(std::abs(x[i] - x[j]) + std::abs(y[i] - y[j]));
      if (i == j && zero_diagonal) cost = 0;
      made.costs.push_back(cost);
    }
  if (likeness == Likeness::sparse)
    for (emd::Signature* s : {&made.from, &made.to})
      for (std::size_t k = 0; k < n; ++k)
        if (pick(random, 2) == 0) {
          const std::size_t other = static_cast<std::size_t>(pick(random, bins));
          const int moved = other == k ? 0 : s->bins[k];
          s->bins[k] = static_cast<std::uint8_t>(s->bins[k] - moved);
          s->bins[other] = static_cast<std::uint8_t>(s->bins[other] + moved);
        }
  if (likeness == Likeness::one_bin) {
    if (pick(random, 2) == 0) {
      made.from = {};
      made.from.bins[static_cast<std::size_t>(pick(random, bins))] =
          static_cast<std::uint8_t>(mass_from);
    }
    if (pick(random, 2) == 0) {
      made.to = {};
      made.to.bins[static_cast<std::size_t>(pick(random, bins))] =
          static_cast<std::uint8_t>(mass_to);
    }
  }
  if (likeness == Likeness::near && mass > 0) {
    made.to = made.from;
    for (int k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(pick(random, bins));
      const auto b = static_cast<std::size_t>(pick(random, bins));
      if (made.to.bins[a] == 0 || made.to.bins[b] == 255) continue;
      --made.to.bins[a];
      ++made.to.bins[b];
    }
  }
  return made;
}

std::uint32_t true_cost(const emd::Ground& ground, const emd::Signature& from,
                        const emd::Signature& to) {
  const auto n = static_cast<std::size_t>(ground.bins());
  std::vector<std::int64_t> costs;
  for (int i = 0; i < ground.bins(); ++i)
    for (int j = 0; j < ground.bins(); ++j) costs.push_back(ground.cost(i, j));
  const std::vector<std::int64_t> supply{from.bins.begin(), from.bins.begin() + n};
  const std::vector<std::int64_t> demand{to.bins.begin(), to.bins.begin() + n};
  return static_cast<std::uint32_t>(cheapest_transport(supply, demand, costs));
}

}  // namespace kerb::test
