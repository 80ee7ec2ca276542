// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using kerb::test::Random;
using kerb::track::Assignment;

namespace {

/// The sum that is to be smallest, by trying everything: each row takes a free column or none.
double best_by_trying(const Assignment& a, double limit, int row, unsigned used) {
  if (row == a.rows()) return 0;
  double best = limit + best_by_trying(a, limit, row + 1, used);
  for (int c = 0; c < a.columns(); ++c)
    if ((used >> static_cast<unsigned>(c) & 1U) == 0 && a.cost(row, c) < limit)
      best = std::min(best, a.cost(row, c) + best_by_trying(a, limit, row + 1,
                                                            used | 1U << static_cast<unsigned>(c)));
  return best;
}

/// The same sum of what solve() chose; also that no column is taken twice.
double chosen(const Assignment& a, double limit) {
  double sum = 0;
  std::vector<bool> taken(Assignment::kMost, false);
  for (int r = 0; r < a.rows(); ++r) {
    const int c = a.column_of(r);
    if (c == Assignment::kNone) {
      sum += limit;
      continue;
    }
    TEST_ASSERT_TRUE(c >= 0 && c < a.columns());
    TEST_ASSERT_FALSE(taken[static_cast<std::size_t>(c)]);
    taken[static_cast<std::size_t>(c)] = true;
    TEST_ASSERT_TRUE(a.cost(r, c) < limit);
    sum += a.cost(r, c);
  }
  return sum;
}

struct Case {
  const char* name;
  int rows, columns, steps;  // costs are whole numbers below this: few of them make ties
  int gated;                 // per cent of the pairs not allowed
  double limit;
};
constexpr Case kCases[] = {{"one pair", 1, 1, 100, 0, 60},
                           {"square", 6, 6, 1000, 0, 2000},
                           {"wide", 4, 8, 1000, 0, 2000},
                           {"tall", 8, 4, 1000, 0, 2000},
                           {"ties", 6, 6, 3, 0, 10},
                           {"all the same", 5, 5, 1, 0, 10},
                           {"some too dear", 6, 6, 1000, 0, 400},
                           {"gated", 6, 7, 1000, 60, 2000},
                           {"nearly all gated", 7, 6, 5, 90, 100},
                           {"ties, tall, gated", 8, 5, 3, 50, 2.5},
                           {"a row alone", 1, 7, 1000, 30, 500},
                           {"a column alone", 7, 1, 1000, 30, 500}};

TEST(nothing_is_cheaper_than_what_it_finds) {
  const auto a = std::make_unique<Assignment>();
  Random random{7};
  for (const Case& c : kCases)
    for (int round = 0; round < 60; ++round) {
      a->reset(c.rows, c.columns, c.limit);
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < c.columns; ++k)
          if (static_cast<int>(random.next() % 100) >= c.gated)
            a->set(r, k, static_cast<double>(random.next() % static_cast<unsigned>(c.steps)));
      a->solve();
      TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(best_by_trying(*a, c.limit, 0, 0), chosen(*a, c.limit),
                                       c.name);
    }
}

TEST(nobody_and_nothing) {
  const auto a = std::make_unique<Assignment>();
  a->reset(0, 5, 1);
  a->solve();
  a->reset(5, 0, 1);
  a->solve();
  for (int r = 0; r < 5; ++r) TEST_ASSERT_EQUAL(Assignment::kNone, a->column_of(r));
}

TEST(a_cost_that_is_no_number_is_not_allowed) {
  const auto a = std::make_unique<Assignment>();
  a->reset(2, 2, 10);
  a->set(0, 0, std::numeric_limits<double>::quiet_NaN());
  a->set(0, 1, std::numeric_limits<double>::infinity());
  a->set(1, 0, 3);
  a->solve();
  TEST_ASSERT_EQUAL(Assignment::kNone, a->column_of(0));
  TEST_ASSERT_EQUAL(0, a->column_of(1));
}

/// With prices that add up to the whole (duality), at the size where trying everything is hopeless:
/// a hidden pairing that is the cheapest by construction is found.
TEST(full_size_finds_a_hidden_pairing) {
  const auto a = std::make_unique<Assignment>();
  Random random{11};
  constexpr int n = Assignment::kMost;
  std::vector<int> hidden(n);
  std::iota(hidden.begin(), hidden.end(), 0);
  for (std::size_t i = n - 1; i > 0; --i) std::swap(hidden[i], hidden[random.next() % (i + 1)]);
  std::vector<double> row(n), column(n);
  for (double& p : row) p = static_cast<double>(random.next() % 500);
  for (double& p : column) p = static_cast<double>(random.next() % 500);
  a->reset(n, n, 1e6);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const bool pair = hidden[static_cast<std::size_t>(r)] == c;
      a->set(r, c,
             row[static_cast<std::size_t>(r)] + column[static_cast<std::size_t>(c)] +
                 (pair ? 0 : 1 + static_cast<double>(random.next() % 50)));
    }
  a->solve();
  for (int r = 0; r < n; ++r)
    TEST_ASSERT_EQUAL(hidden[static_cast<std::size_t>(r)], a->column_of(r));
}

}  // namespace
