// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/dimmer_suite.hpp"

#include <limits>

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

const DimmerFixture* fx = nullptr;

void a_dimmer_starts_at_full_brightness() {
  const auto dimmer = fx->open();
  TEST_ASSERT_EQUAL_DOUBLE(1, fx->seen());
}

void it_shows_what_was_set_in_any_order() {
  const auto dimmer = fx->open();
  for (const double share : {0.5, 0.05, 1.0, 0.0, 0.33, 0.33}) {
    TEST_ASSERT_OK(dimmer->set(share));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, share, fx->seen());
  }
}

void what_is_no_share_is_refused_and_changes_nothing() {
  const auto dimmer = fx->open();
  TEST_ASSERT_OK(dimmer->set(0.4));
  for (const double bad : {-0.01, 1.01, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    TEST_ASSERT_ERROR(Errc::invalid_argument, dimmer->set(bad));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.4, fx->seen());
  }
}

void an_end_leaves_full_brightness() {
  if (!fx->seen_after_its_end) TEST_IGNORE_MESSAGE("needs a lamp that outlives its dimmer");
  auto dimmer = fx->open();
  TEST_ASSERT_OK(dimmer->set(0.1));
  dimmer.reset();
  TEST_ASSERT_EQUAL_DOUBLE(1, fx->seen());
}

void it_can_be_opened_again() {
  for (int i = 0; i < 3; ++i) {
    const auto dimmer = fx->open();
    TEST_ASSERT_OK(dimmer->set(0.2));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.2, fx->seen());
  }
}

}  // namespace

int run_dimmer_suite(const DimmerFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(a_dimmer_starts_at_full_brightness);
  RUN_TEST(it_shows_what_was_set_in_any_order);
  RUN_TEST(what_is_no_share_is_refused_and_changes_nothing);
  RUN_TEST(an_end_leaves_full_brightness);
  RUN_TEST(it_can_be_opened_again);
  return UNITY_END();
}

}  // namespace kerb
