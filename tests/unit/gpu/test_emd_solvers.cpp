// SPDX-License-Identifier: Apache-2.0
// Every solver against cheapest paths, on problems of all sizes and kinds. The number of problems
// of each kind and size may be given: `unit_gpu emd_solvers 2400` are a million.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gpu/emd/atlas.hpp"
#include "gpu/emd/atlas_walk.hpp"
#include "gpu/emd/closed_form.hpp"
#include "gpu/emd/packed_simplex.hpp"
#include "gpu/emd/transport.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

int problems_of_each = 6;

std::string describe_problem(const Problem& problem, const char* solver) {
  std::string text = std::string{solver} + ", " + std::to_string(problem.bins) + " bins, from";
  for (int k = 0; k < problem.bins; ++k)
    text += " " + std::to_string(problem.from.bins[static_cast<std::size_t>(k)]);
  text += " to";
  for (int k = 0; k < problem.bins; ++k)
    text += " " + std::to_string(problem.to.bins[static_cast<std::size_t>(k)]);
  return text;
}

Ground ground_of(const Problem& problem) {
  const Result<Ground> made =
      Ground::create(problem.bins, problem.costs.data(), problem.costs.size());
  TEST_ASSERT_OK(made);
  return *made;
}

template <typename Check>
void for_all_problems(int mass, const Check& check) {
  Random random{static_cast<std::uint64_t>(mass) + 7};
  for (int bins = kMinBins; bins <= kMaxBins; ++bins)
    for (int kind = 0; kind < static_cast<int>(Likeness::count); ++kind)
      for (int k = 0; k < problems_of_each; ++k)
        check(random_problem(random, bins, mass, static_cast<Likeness>(kind)));
}

void assert_all_agree(int mass) {
  Transport transport;
  PackedSimplex packed;
  long count = 0;
  for_all_problems(mass, [&](const Problem& problem) {
    const Ground ground = ground_of(problem);
    const std::uint32_t expected = true_cost(ground, problem.from, problem.to);
    const std::uint32_t by_transport = transport.solve(ground, problem.from, problem.to);
    const std::uint32_t by_packed = packed.solve(ground, problem.from, problem.to);
    if (by_transport != expected)
      TEST_FAIL_MESSAGE(describe_problem(problem, "network simplex").c_str());
    if (by_packed != expected)
      TEST_FAIL_MESSAGE(describe_problem(problem, "packed simplex").c_str());
    ++count;
  });
  std::printf("%ld problems of mass %d\n", count, mass);
}

TEST(equal_masses_give_the_oracles_cost) {
  assert_all_agree(255);
  assert_all_agree(121);
  assert_all_agree(1);
}

TEST(unequal_masses_move_what_the_lighter_side_has) { assert_all_agree(0); }

/// Whole numbers stand for the costs that were given: to 6e-8 of the largest for each unit of mass.
/// The solution found with them is that of the given ones: to 1e-5 of the distance itself.
TEST(distances_are_those_of_the_given_costs) {
  Transport transport;
  for (const int mass : {255, 0})
    for_all_problems(mass, [&](const Problem& problem) {
      const Ground ground = ground_of(problem);
      const auto n = static_cast<std::size_t>(problem.bins);
      const double expected = cheapest_transport<double>(
          {problem.from.bins.begin(), problem.from.bins.begin() + n},
          {problem.to.bins.begin(), problem.to.bins.begin() + n},
          std::vector<double>{problem.costs.begin(), problem.costs.end()});
      const double whole = transport.solve(ground, problem.from, problem.to) * ground.unit();
      const double given = transport.cost_by(problem.costs.data(), problem.bins);
      const double largest = *std::max_element(problem.costs.begin(), problem.costs.end());
      TEST_ASSERT_TRUE_MESSAGE(std::abs(whole - expected) <= 255 * 6.1e-8 * largest,
                               describe_problem(problem, "whole numbers").c_str());
      TEST_ASSERT_TRUE_MESSAGE(std::abs(given - expected) <= 1e-5 * expected,
                               describe_problem(problem, "given costs").c_str());
    });
}

TEST(walks_through_the_atlas_end_at_the_oracles_cost) {
  Random random{11};
  long count = 0;
  std::uint64_t steps = 0;
  for (int bins = kMinBins; bins <= Atlas::kMaxAtlasBins; ++bins)
    for (int kind = 0; kind < static_cast<int>(Likeness::count); ++kind) {
      const auto likeness = static_cast<Likeness>(kind);
      // Many bins take a while: one atlas of each.
      if (bins > 8 && likeness != Likeness::random && problems_of_each <= 100) continue;
      Problem problem = random_problem(random, bins, 200, likeness);
      const Ground ground = ground_of(problem);
      const Result<Atlas> atlas = Atlas::build(ground);
      TEST_ASSERT_OK(atlas);
      WalkStarts starts{bins, atlas->trees(), 200};
      for (int round = 0; round < 3; ++round) {
        const Signature target = random_problem(random, bins, 200, likeness).to;
        const TargetSums sums{bins, target};
        std::vector<Signature> signatures{target};
        for (int k = 0; k < 3 * problems_of_each; ++k)
          signatures.push_back(random_problem(random, bins, 200, likeness).from);
        std::vector<std::uint32_t> costs(signatures.size());
        walk(*atlas, ground, sums, starts, signatures.data(), nullptr, signatures.size(),
             costs.data(), &steps);
        for (std::size_t k = 0; k < signatures.size(); ++k) {
          problem.from = signatures[k];
          problem.to = target;
          if (costs[k] != true_cost(ground, signatures[k], target))
            TEST_FAIL_MESSAGE(describe_problem(problem, "atlas").c_str());
          ++count;
        }
      }
    }
  std::printf("%ld walks, %.2f steps each\n", count,
              static_cast<double>(steps) / static_cast<double>(count));
}

TEST(every_tree_of_an_atlas_is_a_solution_and_its_neighbours_lead_back) {
  Random random{5};
  const Problem problem = random_problem(random, 6, 100, Likeness::few_costs);
  const Ground ground = ground_of(problem);
  const Result<Atlas> atlas = Atlas::build(ground);
  TEST_ASSERT_OK(atlas);
  TEST_ASSERT_EQUAL_UINT32(252, atlas->trees());
  for (std::uint32_t t = 0; t < atlas->trees(); ++t) {
    // One unit along every edge: masses for which this tree must be the solution.
    Signature from, to;
    std::uint32_t cost = 0;
    for (int e = 0; e < atlas->edges(); ++e) {
      const AtlasEdge edge = atlas->tree(t)[e];
      ++from.bins[static_cast<std::size_t>(source_of(edge))];
      ++to.bins[static_cast<std::size_t>(sink_of(edge))];
      cost += static_cast<std::uint32_t>(ground.cost(source_of(edge), sink_of(edge)));
      const std::uint32_t next = next_of(edge);
      if (next == t) continue;
      bool back = false;
      for (int f = 0; f < atlas->edges(); ++f) back |= next_of(atlas->tree(next)[f]) == t;
      TEST_ASSERT_TRUE(back);
    }
    TEST_ASSERT_EQUAL_UINT32(true_cost(ground, from, to), cost);
  }
}

TEST(closed_forms_are_found_and_give_the_oracles_cost) {
  Random random{13};
  for (int bins = kMinBins; bins <= kMaxBins; ++bins) {
    std::vector<float> uneven, flat, tenths;
    std::vector<float> place{0};
    for (int k = 1; k < bins; ++k)
      place.push_back(place.back() + static_cast<float>(1 + random.next() % 9));
    for (int i = 0; i < bins; ++i)
      for (int j = 0; j < bins; ++j) {
        uneven.push_back(
            std::abs(place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)]));
        flat.push_back(i == j ? 0.0F : 0.37F);
        tenths.push_back(0.1F * static_cast<float>(std::abs(i - j)));
      }
    const auto size = uneven.size();
    const Result<Ground> grounds[] = {
        Ground::line(bins), Ground::circle(bins), Ground::create(bins, uneven.data(), size),
        Ground::create(bins, flat.data(), size), Ground::create(bins, tenths.data(), size)};
    const GroundKind kinds[] = {GroundKind::line, GroundKind::circle, GroundKind::line,
                                GroundKind::flat, GroundKind::line};
    for (std::size_t g = 0; g < std::size(grounds); ++g) {
      TEST_ASSERT_OK(grounds[g]);
      if (bins > 3) TEST_ASSERT_EQUAL_STRING(name_of(kinds[g]), name_of(grounds[g]->kind()));
      TEST_ASSERT_TRUE(grounds[g]->is_metric());
      const ClosedForm form = closed_form(*grounds[g]);
      for (int k = 0; k < 4 * problems_of_each; ++k) {
        const Problem problem =
            random_problem(random, bins, 255, k % 2 == 0 ? Likeness::random : Likeness::sparse);
        TEST_ASSERT_EQUAL_UINT32(true_cost(*grounds[g], problem.from, problem.to),
                                 closed_form_cost(form, problem.from, problem.to));
      }
    }
  }
}

TEST(a_metric_ground_makes_a_metric) {
  Random random{17};
  Transport transport;
  for (int bins = kMinBins; bins <= kMaxBins; ++bins)
    for (int k = 0; k < 4 * problems_of_each; ++k) {
      Problem problem = random_problem(random, bins, 255, Likeness::whole_metric);
      for (int i = 0; i < bins; ++i)
        for (int j = 0; j < bins; ++j)
          if (i != j) problem.costs[static_cast<std::size_t>(i * bins + j)] += 1;
      for (int i = 0; i < bins; ++i) problem.costs[static_cast<std::size_t>(i * bins + i)] = 0;
      const Ground ground = ground_of(problem);
      TEST_ASSERT_TRUE(ground.is_metric());
      const Signature a = problem.from, b = problem.to, c = random_signature(random, bins, 255);
      const std::uint32_t ab = transport.solve(ground, a, b), ba = transport.solve(ground, b, a);
      TEST_ASSERT_EQUAL_UINT32(ab, ba);
      TEST_ASSERT_EQUAL_UINT32(0, transport.solve(ground, a, a));
      TEST_ASSERT_EQUAL(a.bins == b.bins, ab == 0);
      TEST_ASSERT_TRUE(transport.solve(ground, a, c) <= ab + transport.solve(ground, b, c));
    }
}

TEST(grounds_that_make_no_sense_are_refused) {
  const std::vector<float> good(9, 1.0F);
  std::vector<float> negative = good, infinite = good, none = good;
  negative[4] = -1e-6F;
  infinite[3] = INFINITY;
  none[8] = NAN;
  TEST_ASSERT_OK(Ground::create(3, good.data(), 9));
  TEST_ASSERT_FALSE(Ground::create(3, good.data(), 9)->is_metric());
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(3, negative.data(), 9));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(3, infinite.data(), 9));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(3, none.data(), 9));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(3, good.data(), 8));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(3, nullptr, 9));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(1, good.data(), 1));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::create(17, good.data(), 289));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::line(1));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Ground::circle(17));
  const std::vector<float> large(169, 1.0F);
  const Result<Ground> thirteen = Ground::create(13, large.data(), large.size());
  TEST_ASSERT_OK(thirteen);
  TEST_ASSERT_ERROR(Errc::unsupported, Atlas::build(*thirteen));
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty()) problems_of_each = std::atoi(words[0].c_str());
  return Start::run;
}
