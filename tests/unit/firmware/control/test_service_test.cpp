// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/service_test.hpp"

#include "tests/support/test.hpp"

using namespace kerb;
using can::ServiceRequest;
using std::chrono::seconds;

namespace {

can::ServiceMessage ask(ServiceRequest request, double duration_s = 2,
                        WarningLevel level = WarningLevel::none) {
  can::ServiceMessage m;
  m.request = request;
  m.duration_s = duration_s;
  m.level = level;
  return m;
}

TEST(nothing_is_obeyed_where_the_configuration_does_not_allow_it) {
  ServiceTest t{false};
  TEST_ASSERT_FALSE(t.request(ask(ServiceRequest::lamp_test), 0.0, seconds{1}));
  TEST_ASSERT_FALSE(t.running());
}

TEST(only_a_known_standstill_will_do) {
  struct Case {
    std::optional<double> speed;
    bool taken;
  };
  for (const Case& c : {Case{0.0, true}, Case{0.4, true}, Case{-0.4, true}, Case{0.6, false},
                        Case{-3.0, false}, Case{std::nullopt, false}}) {
    ServiceTest t{true};
    TEST_ASSERT_EQUAL(c.taken, t.request(ask(ServiceRequest::lamp_test), c.speed, seconds{1}));
    TEST_ASSERT_EQUAL(c.taken, t.running());
  }
}

TEST(each_request_drives_what_it_names) {
  struct Case {
    can::ServiceMessage request;
    WarningLevel lamp;
    bool sound;
    WarningLevel message;
  };
  const Case cases[] = {
      {ask(ServiceRequest::lamp_test), WarningLevel::collision, false, WarningLevel::none},
      {ask(ServiceRequest::sound_test), WarningLevel::none, true, WarningLevel::none},
      {ask(ServiceRequest::warning_test, 2, WarningLevel::information), WarningLevel::information,
       false, WarningLevel::information},
      {ask(ServiceRequest::warning_test, 2, WarningLevel::collision), WarningLevel::collision, true,
       WarningLevel::collision}};
  for (const Case& c : cases) {
    ServiceTest t{true};
    TEST_ASSERT_TRUE(t.request(c.request, 0.0, seconds{1}));
    TEST_ASSERT_EQUAL_STRING(name_of(c.lamp), name_of(t.lamp()));
    TEST_ASSERT_EQUAL(c.sound, t.sound());
    TEST_ASSERT_EQUAL_STRING(name_of(c.message), name_of(t.message()));
  }
}

TEST(it_ends_when_its_time_is_up_and_never_lasts_over_five_seconds) {
  ServiceTest t{true};
  TEST_ASSERT_TRUE(t.request(ask(ServiceRequest::lamp_test, 25), 0.0, seconds{1}));
  t.update(0.0, seconds{6} - Nanos{1});
  TEST_ASSERT_TRUE(t.running());
  t.update(0.0, seconds{6});
  TEST_ASSERT_FALSE(t.running());
  TEST_ASSERT_EQUAL_STRING("none", name_of(t.lamp()));
}

TEST(it_ends_when_the_car_moves_or_its_speed_is_lost) {
  for (const std::optional<double> speed : {std::optional<double>{1.0}, std::optional<double>{}}) {
    ServiceTest t{true};
    TEST_ASSERT_TRUE(t.request(ask(ServiceRequest::lamp_test), 0.0, seconds{1}));
    t.update(speed, seconds{1} + Nanos{1});
    TEST_ASSERT_FALSE(t.running());
  }
}

TEST(a_stop_ends_it_even_while_moving) {
  ServiceTest t{true};
  TEST_ASSERT_TRUE(t.request(ask(ServiceRequest::lamp_test), 0.0, seconds{1}));
  TEST_ASSERT_TRUE(t.request(ask(ServiceRequest::stop), 5.0, seconds{1}));
  TEST_ASSERT_FALSE(t.running());
}

TEST(a_tester_holds_outputs_until_it_lets_go) {
  using diagnostics::Output;
  ServiceTest t{true};
  TEST_ASSERT_TRUE(t.hold(Output::warning_lamp, true, 0.0));
  TEST_ASSERT_TRUE(t.hold(Output::status_lamp, false, 0.0));
  TEST_ASSERT_TRUE(t.hold(Output::tone, true, 0.0));
  t.update(0.0, seconds{1000});  // no five seconds: its session ends it
  TEST_ASSERT_EQUAL_STRING("collision", name_of(t.lamp()));
  TEST_ASSERT_TRUE(t.sound());
  TEST_ASSERT_TRUE(t.status_lamp() == std::optional{false});
  TEST_ASSERT_EQUAL_STRING("none", name_of(t.message()));
  t.let_go(Output::warning_lamp);
  t.let_go(Output::tone);
  TEST_ASSERT_EQUAL_STRING("none", name_of(t.lamp()));
  TEST_ASSERT_FALSE(t.sound());
  TEST_ASSERT_TRUE(t.held(Output::status_lamp).has_value());
}

TEST(a_tester_holds_nothing_in_a_car_that_moves_or_may_move) {
  using diagnostics::Output;
  for (const std::optional<double> speed : {std::optional<double>{1.0}, std::optional<double>{}}) {
    ServiceTest t{true};
    TEST_ASSERT_FALSE(t.hold(Output::tone, true, speed));
    TEST_ASSERT_TRUE(t.hold(Output::tone, true, 0.0));
    t.update(speed, seconds{1});
    TEST_ASSERT_FALSE(t.sound());
    t.update(0.0, seconds{2});
    TEST_ASSERT_FALSE(t.sound());
  }
  ServiceTest forbidden{false};
  TEST_ASSERT_FALSE(forbidden.hold(Output::tone, true, 0.0));
}

TEST(an_output_held_off_stays_off_in_a_test) {
  ServiceTest t{true};
  TEST_ASSERT_TRUE(t.hold(diagnostics::Output::warning_lamp, false, 0.0));
  TEST_ASSERT_TRUE(t.request(ask(ServiceRequest::lamp_test), 0.0, seconds{1}));
  TEST_ASSERT_EQUAL_STRING("none", name_of(t.lamp()));
}

TEST(a_test_of_no_length_is_refused) {
  ServiceTest t{true};
  TEST_ASSERT_FALSE(t.request(ask(ServiceRequest::lamp_test, 0), 0.0, seconds{1}));
}

}  // namespace
