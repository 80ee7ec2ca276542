// SPDX-License-Identifier: Apache-2.0
#include "firmware/exact/exact_math.hpp"

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "tests/support/test.hpp"

using namespace kerb;

namespace {

using Function = double (*)(double);

/// Arguments between two limits, the same on every machine.
struct Arguments {
  double low, high;
  int count;
  [[nodiscard]] double at(int i) const { return low + (high - low) * i / (count - 1); }
};

/// The largest difference from the standard library's, as a share of the value, or of `floor` where
/// that is larger.
double worst(Function ours, Function theirs, Arguments arguments, double floor) {
  double most = 0;
  for (int i = 0; i < arguments.count; ++i) {
    const double x = arguments.at(i), expected = theirs(x);
    const double off = std::abs(ours(x) - expected) / std::fmax(std::abs(expected), floor);
    if (!(off <= most)) most = off;
  }
  return most;
}

struct Case {
  const char* name;
  Function ours, theirs;
  Arguments arguments;
  double floor, allowed;
};
constexpr int kMany = 20001;
const Case kCases[] = {
    {"sin", exact::sin, std::sin, {-10, 10, kMany}, 1e-2, 1e-14},
    {"sin far out", exact::sin, std::sin, {-1e6, 1e6, kMany}, 1, 1e-13},
    {"cos", exact::cos, std::cos, {-10, 10, kMany}, 1e-2, 1e-14},
    {"tan", exact::tan, std::tan, {-1.5, 1.5, kMany}, 1e-300, 1e-14},
    {"atan", exact::atan, std::atan, {-5, 5, kMany}, 1e-300, 1e-14},
    {"atan far out", exact::atan, std::atan, {-1e6, 1e6, kMany}, 1e-300, 1e-14},
    {"exp", exact::exp, std::exp, {-700, 700, kMany}, 1e-300, 2e-14},
    {"exp near 0", exact::exp, std::exp, {-1, 1, kMany}, 1e-300, 1e-15},
    {"log", exact::log, std::log, {1e-9, 100, kMany}, 1e-3, 1e-14},
    {"log near 1", exact::log, std::log, {0.9, 1.1, kMany}, 1e-300, 1e-14},
};

TEST(each_agrees_with_the_standard_library) {
  for (const Case& c : kCases) {
    const double off = worst(c.ours, c.theirs, c.arguments, c.floor);
    char text[80];
    std::snprintf(text, sizeof text, "%s: %.2g", c.name, off);
    TEST_ASSERT_TRUE_MESSAGE(off <= c.allowed, text);
  }
}

TEST(all_four_quadrants_and_the_axes_have_their_angle) {
  for (const double y : {-2.0, -0.5, 0.0, 0.5, 2.0})
    for (const double x : {-2.0, -0.5, 0.0, 0.5, 2.0})
      TEST_ASSERT_DOUBLE_WITHIN(1e-15, std::atan2(y, x), exact::atan2(y, x));
}

TEST(what_has_no_value_says_so) {
  TEST_ASSERT_DOUBLE_IS_NAN(exact::log(-1));
  TEST_ASSERT_DOUBLE_IS_NEG_INF(exact::log(0));
  TEST_ASSERT_DOUBLE_IS_INF(exact::exp(1000));
  TEST_ASSERT_EQUAL_DOUBLE(0, exact::exp(-1000));
  TEST_ASSERT_EQUAL_DOUBLE(1, exact::exp(0));
  TEST_ASSERT_DOUBLE_IS_NAN(exact::exp(std::numeric_limits<double>::quiet_NaN()));
  TEST_ASSERT_DOUBLE_IS_NAN(exact::sin(std::numeric_limits<double>::quiet_NaN()));
}

/// FNV-1a over the bits of all results.
std::uint64_t digest() {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const Case& c : kCases)
    for (int i = 0; i < c.arguments.count; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(c.ours(c.arguments.at(i)));
      for (int byte = 0; byte < 8; ++byte)
        hash = (hash ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001b3U;
    }
  return hash;
}

/// Taken on x86-64; the tests run on arm64, too.
constexpr std::uint64_t kDigest = 0xb672df6d08f8481cU;

TEST(the_bits_are_the_same_on_every_machine) {
  char text[40];
  std::snprintf(text, sizeof text, "0x%" PRIx64, digest());
  TEST_ASSERT_TRUE_MESSAGE(digest() == kDigest, text);
}

}  // namespace
