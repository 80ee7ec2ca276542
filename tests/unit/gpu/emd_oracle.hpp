// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/emd/ground.hpp"
#include "tests/support/random.hpp"

/// Transportation problems and a slow, plain way to solve them.
namespace kerb::test {

/// The least cost of moving as much as the lighter side has, by successive cheapest paths: nothing
/// of the solvers that are tested. costs[i * sinks + j].
template <typename Cost>
Cost cheapest_transport(std::vector<std::int64_t> supply, std::vector<std::int64_t> demand,
                        const std::vector<Cost>& costs);

struct Problem {
  int bins = 0;
  std::vector<float> costs;
  emd::Signature from, to;
};
/// What a problem is like.
enum class Likeness {
  random,        ///< any costs, any masses
  sparse,        ///< many empty bins
  equal_costs,   ///< all the same, zero on the diagonal or not
  few_costs,     ///< of three values
  one_bin,       ///< all mass in one bin on either side
  whole_metric,  ///< |x - y| of random points of a plane, whole numbers
  near,          ///< to and from differ little
  count
};
/// `mass` of both sides; 0: each its own, at random.
Problem random_problem(Random& random, int bins, int mass, Likeness likeness);
emd::Signature random_signature(Random& random, int bins, int mass);

/// By the oracle, of the whole numbers the ground distance was turned into.
std::uint32_t true_cost(const emd::Ground& ground, const emd::Signature& from,
                        const emd::Signature& to);

}  // namespace kerb::test
