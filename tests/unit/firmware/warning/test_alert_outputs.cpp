// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_outputs.hpp"

#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "tests/support/unity.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

void setUp() {}
void tearDown() {}

namespace {

struct Desk {
  FakeOutputLine warning, status;
  FakeTone tone;
  TonePattern pattern{900, 7, 0.4, 0.5};
  AlertOutputs outputs{&warning, &status, &tone, pattern};
};

void test_a_collision_is_a_steady_lamp_and_the_configured_sound() {
  Desk d;
  for (int ms = 0; ms < 2000; ms += 10)
    d.outputs.show(WarningLevel::collision, true, false, milliseconds{ms});
  TEST_ASSERT_EQUAL_size_t(1, d.warning.history.size());
  TEST_ASSERT_TRUE(d.warning.on());
  TEST_ASSERT_TRUE(d.tone.sounding().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(900, d.tone.sounding()->frequency_hz);
  d.outputs.show(WarningLevel::none, false, false, seconds{3});
  TEST_ASSERT_FALSE(d.warning.on());
  TEST_ASSERT_FALSE(d.tone.sounding().has_value());
}

void test_information_blinks_twice_a_second_and_makes_no_sound() {
  Desk d;
  for (int ms = 0; ms < 2000; ms += 10)
    d.outputs.show(WarningLevel::information, false, false, seconds{7} + milliseconds{ms});
  TEST_ASSERT_EQUAL_size_t(8, d.warning.history.size());  // four times on, four times off
  TEST_ASSERT_TRUE(d.warning.history.front());
  TEST_ASSERT_FALSE(d.tone.sounding().has_value());
}

void test_the_status_lamp_follows_what_it_is_told() {
  Desk d;
  d.outputs.show(WarningLevel::none, false, true, seconds{1});
  TEST_ASSERT_TRUE(d.status.on());
  d.outputs.show(WarningLevel::none, false, true, seconds{2});
  TEST_ASSERT_EQUAL_size_t(1, d.status.history.size());
  d.outputs.show(WarningLevel::none, false, false, seconds{3});
  TEST_ASSERT_FALSE(d.status.on());
}

void test_a_refused_lamp_is_told_and_tried_again() {
  Desk d;
  d.outputs.show(WarningLevel::none, false, false, seconds{1});
  d.warning.fail_next = Error{Errc::io, 5, "set line"};
  d.outputs.show(WarningLevel::collision, false, false, seconds{2});
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
  TEST_ASSERT_EQUAL_INT(5, d.outputs.refusal()->native);
  TEST_ASSERT_FALSE(d.warning.on());
  d.outputs.show(WarningLevel::collision, false, false, seconds{2} + milliseconds{10});
  TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  TEST_ASSERT_TRUE(d.warning.on());
}

void test_a_refused_sound_does_not_keep_the_lamp_dark() {
  Desk d;
  d.tone.unplugged = true;
  d.outputs.show(WarningLevel::collision, true, true, seconds{1});
  TEST_ASSERT_TRUE(d.warning.on());
  TEST_ASSERT_TRUE(d.status.on());
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
  d.tone.unplugged = false;
  d.outputs.show(WarningLevel::collision, true, true, seconds{2});
  TEST_ASSERT_TRUE(d.tone.sounding().has_value());
}

void test_missing_outputs_are_left_alone() {
  AlertOutputs none{nullptr, nullptr, nullptr, TonePattern{}};
  none.show(WarningLevel::collision, true, true, seconds{1});
  TEST_ASSERT_FALSE(none.refusal().has_value());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_a_collision_is_a_steady_lamp_and_the_configured_sound);
  RUN_TEST(test_information_blinks_twice_a_second_and_makes_no_sound);
  RUN_TEST(test_the_status_lamp_follows_what_it_is_told);
  RUN_TEST(test_a_refused_lamp_is_told_and_tried_again);
  RUN_TEST(test_a_refused_sound_does_not_keep_the_lamp_dark);
  RUN_TEST(test_missing_outputs_are_left_alone);
  return UNITY_END();
}
