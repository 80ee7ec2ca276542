// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/outputs_line_suite.hpp"

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

const OutputLineFixture* fx = nullptr;

void assert_level(bool expected, const OutputLine& line) {
  const Result<bool> level = line.get();
  TEST_ASSERT_OK(level);
  TEST_ASSERT_EQUAL(expected, *level);
  if (fx->seen) TEST_ASSERT_EQUAL(expected, fx->seen());
}

void a_line_starts_off() {
  const auto line = fx->open();
  assert_level(false, *line);
}

void a_line_drives_what_it_is_told() {
  const auto line = fx->open();
  for (const bool on : {true, false, true, true, false, false, true}) {
    TEST_ASSERT_OK(line->set(on));
    assert_level(on, *line);
  }
}

void a_line_goes_off_when_destroyed() {
  {
    const auto line = fx->open();
    TEST_ASSERT_OK(line->set(true));
  }
  if (fx->seen) TEST_ASSERT_FALSE(fx->seen());
  const auto again = fx->open();  // the line is free again
  assert_level(false, *again);
}

void a_line_whose_chip_left_is_gone() {
  if (!fx->unplug) TEST_IGNORE_MESSAGE("needs a chip that can be unplugged");
  const auto line = fx->open();
  TEST_ASSERT_OK(line->set(true));
  fx->unplug(*line);
  TEST_ASSERT_ERROR(Errc::gone, line->set(false));
  TEST_ASSERT_ERROR(Errc::gone, line->get());
}

}  // namespace

int run_output_line_suite(const OutputLineFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(a_line_starts_off);
  RUN_TEST(a_line_drives_what_it_is_told);
  RUN_TEST(a_line_goes_off_when_destroyed);
  RUN_TEST(a_line_whose_chip_left_is_gone);
  return UNITY_END();
}

}  // namespace kerb
