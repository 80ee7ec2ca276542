// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/off_switch.hpp"

#include "tests/support/test.hpp"

using namespace kerb;
using State = OffSwitch::State;
using std::chrono::milliseconds;

namespace {

struct Desk {
  OffSwitch button;
  Nanos now = std::chrono::seconds{5};
  /// Holds the buttons like this for so long, looked at every 10 ms.
  State hold(bool off, bool confirm, int ms) {
    for (int t = 0; t < ms; t += 10) {
      now += milliseconds{10};
      button.step(now, OffSwitch::Buttons{off, confirm});
    }
    return button.state();
  }
  State unheard(int ms) {
    for (int t = 0; t < ms; t += 10) button.step(now += milliseconds{10}, std::nullopt);
    return button.state();
  }
};

void expect(State expected, State actual) {
  TEST_ASSERT_EQUAL_STRING(name_of(expected), name_of(actual));
}

void switch_off(Desk& d) {
  d.hold(false, false, 100);
  expect(State::asking, d.hold(true, false, 1100));
  d.hold(false, false, 200);
  expect(State::off, d.hold(false, true, 50));
  expect(State::off, d.hold(false, false, 100));
}

TEST(it_is_on_at_the_start) { expect(State::on, Desk{}.button.state()); }

TEST(off_takes_a_held_button_and_a_confirmation) {
  Desk d;
  switch_off(d);
  TEST_ASSERT_TRUE(d.button.off());
}

TEST(another_ignition_switches_it_on_again) {
  Desk d;
  d.button.ignition(7);
  switch_off(d);
  d.button.ignition(7);
  d.button.ignition(0);  // not told for a while
  expect(State::off, d.hold(false, false, 100));
  d.button.ignition(8);
  expect(State::on, d.hold(false, false, 100));
}

TEST(what_an_earlier_run_left_holds_within_the_same_ignition_only) {
  Desk same;
  same.button.remember(true, 7);
  expect(State::on, same.hold(false, false, 100));  // until it is known
  same.button.ignition(7);
  expect(State::off, same.hold(false, false, 100));
  Desk next;
  next.button.remember(true, 7);
  next.button.ignition(8);
  expect(State::on, next.hold(false, false, 100));
  next.button.ignition(7);  // whatever comes then
  expect(State::on, next.hold(false, false, 100));
  Desk was_on;
  was_on.button.remember(false, 7);
  was_on.button.ignition(7);
  expect(State::on, was_on.hold(false, false, 100));
  Desk not_counted;
  not_counted.button.remember(true, 0);
  not_counted.button.ignition(0);
  expect(State::on, not_counted.hold(false, false, 100));
}

TEST(a_short_press_does_nothing) {
  Desk d;
  d.hold(false, false, 100);
  expect(State::on, d.hold(true, false, 900));
  d.hold(false, false, 100);
  expect(State::on, d.hold(false, true, 500));
  for (int i = 0; i < 10; ++i) {  // nor do many: they do not add up
    d.hold(true, false, 500);
    expect(State::on, d.hold(false, false, 100));
  }
}

TEST(confirming_alone_does_nothing) {
  Desk d;
  d.hold(false, false, 100);
  expect(State::on, d.hold(false, true, 3000));
}

TEST(both_at_once_are_not_two_actions) {
  Desk d;
  d.hold(false, false, 100);
  d.hold(true, true, 3000);  // the confirmation was pressed before it was asked for
  expect(State::asking, d.button.state());
  expect(State::on, d.hold(false, false, 5000));
}

TEST(the_confirmation_must_come_within_five_seconds) {
  Desk d;
  d.hold(false, false, 100);
  d.hold(true, false, 1010);
  expect(State::asking, d.hold(false, false, 4900));
  expect(State::on, d.hold(false, false, 200));
  expect(State::on, d.hold(false, true, 100));
}

TEST(a_button_that_stays_down_asks_once) {
  Desk d;
  d.hold(false, false, 100);
  expect(State::asking, d.hold(true, false, 3000));
  expect(State::on, d.hold(true, false, 20000));
  expect(State::on, d.hold(true, true, 500));
}

TEST(one_press_of_either_switches_on) {
  for (const bool off : {true, false}) {
    Desk d;
    switch_off(d);
    expect(State::on, d.hold(off, !off, 20));
    expect(State::on, d.hold(off, !off, 3000));  // and the same press does not ask again
    expect(State::on, d.hold(false, false, 100));
  }
}

TEST(the_press_that_confirmed_does_not_switch_on) {
  Desk d;
  d.hold(false, false, 100);
  d.hold(true, false, 1100);
  expect(State::off, d.hold(true, true, 5000));  // both still down
  expect(State::off, d.hold(false, false, 500));
  expect(State::on, d.hold(false, true, 20));
}

TEST(a_button_that_is_stuck_at_the_start_does_nothing) {
  Desk d;
  expect(State::on, d.hold(true, false, 5000));
  expect(State::on, d.hold(true, true, 500));
}

TEST(buttons_that_are_not_heard_are_released_and_what_was_begun_is_forgotten) {
  Desk d;
  d.hold(false, false, 100);
  d.hold(true, false, 900);
  d.unheard(50);
  expect(State::on, d.hold(true, false, 5000));  // not pressed again since
  d.hold(false, false, 100);
  expect(State::asking, d.hold(true, false, 1100));
  expect(State::on, d.unheard(50));
  expect(State::on, d.hold(false, true, 100));
}

TEST(off_stays_off_when_the_buttons_are_not_heard) {
  Desk d;
  switch_off(d);
  expect(State::off, d.unheard(60000));
  expect(State::off, d.hold(false, true, 100));  // it may have been down all the time
  d.hold(false, false, 100);
  expect(State::on, d.hold(false, true, 20));
}

}  // namespace
