// SPDX-License-Identifier: Apache-2.0
// The distance in doubles against an oracle, and NumPy's files against their description.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"
#include "tools/emd/exact_emd.hpp"
#include "tools/files/npy.hpp"

namespace {

using namespace kerb;
using test::Random;

int pick(Random& random, int below) {
  return static_cast<int>(random.next() % static_cast<std::uint64_t>(below));
}

struct Problem {
  std::vector<std::int64_t> from, to;
  std::vector<double> costs;

  /// Every `sparse`th bin or so has mass; costs of `levels` values, or any.
  Problem(Random& random, int bins, int sparse, int levels) {
    for (int i = 0; i < bins; ++i) {
      from.push_back(pick(random, sparse) == 0 ? pick(random, 1000) : 0);
      to.push_back(pick(random, sparse) == 0 ? pick(random, 1000) : 0);
    }
    from[static_cast<std::size_t>(pick(random, bins))] += 1 + pick(random, 100);
    to[static_cast<std::size_t>(pick(random, bins))] += 1 + pick(random, 100);
    for (int i = 0; i < bins * bins; ++i)
      costs.push_back(levels > 0 ? pick(random, levels)
                                 : static_cast<double>(random.next() >> 11) * 0x1p-53);
  }

  /// By the oracle: of each side the same mass, or in part.
  [[nodiscard]] double truth(bool partial) const {
    const std::int64_t f = std::accumulate(from.begin(), from.end(), std::int64_t{0}),
                       t = std::accumulate(to.begin(), to.end(), std::int64_t{0});
    std::vector<std::int64_t> supply = from, demand = to;
    if (!partial) {
      for (std::int64_t& mass : supply) mass *= t;
      for (std::int64_t& mass : demand) mass *= f;
    }
    return test::cheapest_transport(supply, demand, costs) /
           static_cast<double>(partial ? std::min(f, t) : f * t);
  }
  [[nodiscard]] double ours(emd::ExactEmd& solver, bool partial) const {
    const std::vector<double> a(from.begin(), from.end()), b(to.begin(), to.end());
    return solver.distance(a.data(), b.data(), partial);
  }
};

TEST(distances_are_those_of_the_oracle) {
  Random random{5};
  for (const int bins : {2, 3, 5, 8, 11, 16, 20})
    for (const int sparse : {1, 3})
      for (const int levels : {0, 1, 3, 50})
        for (int repeat = 0; repeat < 8; ++repeat) {
          const Problem problem{random, bins, sparse, levels};
          emd::ExactEmd solver{bins, problem.costs.data()};
          for (const bool partial : {false, true}) {
            const double truth = problem.truth(partial);
            // The oracle itself is right to 1e-12 of any path's cost.
            const double within = levels > 0 ? 1e-14 * levels : 1e-11;
            TEST_ASSERT_TRUE(std::abs(problem.ours(solver, partial) - truth) <= within);
          }
        }
}

TEST(a_tree_for_rounded_masses_does_for_most) {
  Random random{6};
  long scratch = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Problem problem{random, 11, 1, 0};
    emd::ExactEmd solver{11, problem.costs.data()};
    TEST_ASSERT_TRUE(problem.ours(solver, false) > 0);
    scratch += solver.from_scratch();
  }
  TEST_ASSERT_TRUE(scratch < 20);
}

TEST(a_mass_too_small_to_round_counts) {
  const std::vector<double> costs = {0, 1e6, 3, 1e6, 0, 2, 3, 2, 0};
  emd::ExactEmd solver{3, costs.data()};
  const double from[] = {1, 1e-9, 0}, to[] = {1, 0, 0};
  // A billionth of the mass, at 1e6.
  TEST_ASSERT_TRUE(std::abs(solver.distance(from, to, false) - 1e-3) < 1e-11);
  TEST_ASSERT_EQUAL_INT(1, solver.from_scratch());
}

TEST(masses_may_be_as_large_or_small_as_numbers_are) {
  const std::vector<double> costs = {0, 1, 2, 1, 0, 1, 2, 1, 0};
  emd::ExactEmd solver{3, costs.data()};
  const double one[] = {0, 0, 1};
  for (const double mass : {1e308, 1.0, 1e-320}) {
    const double two[] = {mass, mass, 0};
    TEST_ASSERT_TRUE(std::abs(solver.distance(one, two, false) - 1.5) < 1e-12);
  }
  const double much[] = {1e300, 1e300, 0};  // all that moves goes to the nearer one
  TEST_ASSERT_TRUE(std::abs(solver.distance(one, much, true) - 1) < 1e-12);
  TEST_ASSERT_TRUE(std::abs(solver.distance(much, one, true) - 1) < 1e-12);
}

std::string npy(const std::string& version, const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY" + version;
  out += static_cast<char>(header.size());
  out += std::string(version[0] == '\x01' ? 1 : 3, '\0');
  return out + header + data;
}
const std::string kOne{"\x01\x00", 2}, kTwo{"\x02\x00", 2};

void expect_table(const std::string& bytes, std::size_t rows, const std::vector<double>& values) {
  TEST_ASSERT_TRUE(files::is_npy(bytes));
  const Result<files::NpyTable> table = files::parse_npy("test", "a.npy", bytes);
  TEST_ASSERT_TRUE_MESSAGE(bool{table}, table ? "" : describe(table.error()).c_str());
  TEST_ASSERT_EQUAL_size_t(rows, table->rows);
  TEST_ASSERT_EQUAL_size_t(values.size() / rows, table->columns);
  TEST_ASSERT_TRUE(table->values == values);
}

TEST(arrays_are_read_as_their_header_says) {
  expect_table(npy(kOne, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n",
                   {"\x01\x02\x03\x04\x05\xff", 6}),
               2, {1, 2, 3, 4, 5, 255});
  expect_table(npy(kTwo, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n",
                   {"\x01\x04\x02\x05\x03\xff", 6}),
               2, {1, 2, 3, 4, 5, -1});
  expect_table(npy(kOne, "{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}",
                   {"\x00\x00\x80\x3f\x00\x00\x20\x40", 8}),
               1, {1, 2.5});
  expect_table(
      npy(kOne, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", {"\x01\x02\xff\xfe", 4}),
      1, {258, -2});
  expect_table(npy(kOne, "{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (1, 1)}",
                   {"\x00\x00\x00\x00\x00\x00\xf8\xbf", 8}),
               1, {-1.5});
}

void expect_refused(const std::string& bytes, const char* why) {
  const Result<files::NpyTable> table = files::parse_npy("test", "a.npy", bytes);
  TEST_ASSERT_FALSE(bool{table});
  const std::string said = describe(table.error());
  TEST_ASSERT_TRUE_MESSAGE(said.find(why) != std::string::npos, said.c_str());
  TEST_ASSERT_TRUE_MESSAGE(said.find("a.npy") != std::string::npos, said.c_str());
}

TEST(what_is_no_table_is_refused) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
  expect_refused("1 2 3", "no NumPy array");
  expect_refused("\x93NUMPY", "no NumPy array");
  expect_refused(npy({"\x04\x00", 2}, header, "123456"), "format 4");
  expect_refused(npy(kOne, header, "123456").substr(0, 40), "cut off");
  expect_refused(npy(kOne, header, "12345"), "5 bytes of values for 2 x 3");
  expect_refused(npy(kOne, header, "1234567"), "7 bytes");
  expect_refused(npy(kOne, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "12345678"),
                 "<c8");
  expect_refused(npy(kOne, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1"),
                 "kind");
  expect_refused(npy(kOne, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "1"),
                 "0 dimensions");
  expect_refused(npy(kOne, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1)}", "1"),
                 "3 dimensions");
  expect_refused(npy(kOne, "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", "1"),
                 "header");
  expect_refused(npy(kOne, "{'descr': '|u1', 'fortran_order': False}", "1"), "header");
  expect_refused(npy(kOne,
                     "{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (4294967296, 4294967296)}",
                     "12345678"),
                 "4294967296 x 4294967296");
}

TEST(what_is_written_is_read) {
  const std::vector<double> values = {0.1, -2, std::numeric_limits<double>::max(), 4, 5, 6};
  expect_table(files::to_npy(values, {3, 2}), 3, values);
  expect_table(files::to_npy(values, {6}), 1, values);
  expect_table(files::to_npy(std::vector<float>{0.5F, 3}, {1, 2}), 1, {0.5, 3});
  const std::string bytes = files::to_npy(values, {3, 2});
  TEST_ASSERT_EQUAL_size_t(0, (bytes.size() - values.size() * sizeof(double)) % 64);
  TEST_ASSERT_TRUE(bytes.find("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }") == 10);
}

}  // namespace
