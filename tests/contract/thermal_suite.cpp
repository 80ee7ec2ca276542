// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/thermal_suite.hpp"

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

const ThermalFixture* fx = nullptr;

void assert_reading(double celsius, const char* zone, Thermal& thermal) {
  const Result<ThermalReading> reading = thermal.hottest();
  TEST_ASSERT_OK(reading);
  TEST_ASSERT_EQUAL_DOUBLE(celsius, reading->celsius);
  TEST_ASSERT_EQUAL_STRING(zone, reading->zone.c_str());
}

void the_hottest_sensor_speaks() {
  const auto thermal =
      fx->open({{"cpu-thermal", 41.5}, {"gpu-thermal", 67.25}, {"soc0-thermal", 50.0}});
  assert_reading(67.25, "gpu-thermal", *thermal);
}

void one_that_does_not_answer_is_passed_over() {
  const auto thermal =
      fx->open({{"cpu-thermal", 41.5}, {"gpu-thermal", std::nullopt}, {"tj-thermal", 43.0}});
  assert_reading(43.0, "tj-thermal", *thermal);
}

void frost_is_a_temperature() {
  const auto thermal = fx->open({{"cpu-thermal", -20.0}, {"gpu-thermal", -12.5}});
  assert_reading(-12.5, "gpu-thermal", *thermal);
}

void readings_follow_the_sensors() {
  const auto thermal = fx->open({{"cpu-thermal", 40.0}, {"gpu-thermal", 50.0}});
  assert_reading(50.0, "gpu-thermal", *thermal);
  fx->change(*thermal, {{"cpu-thermal", 60.0}, {"gpu-thermal", 55.0}});
  assert_reading(60.0, "cpu-thermal", *thermal);
  fx->change(*thermal, {{"cpu-thermal", 104.5}, {"gpu-thermal", std::nullopt}});
  assert_reading(104.5, "cpu-thermal", *thermal);
}

void when_none_answers_it_fails_and_recovers() {
  const auto thermal = fx->open({{"cpu-thermal", std::nullopt}, {"gpu-thermal", std::nullopt}});
  TEST_ASSERT_ERROR(Errc::io, thermal->hottest());
  TEST_ASSERT_ERROR(Errc::io, thermal->hottest());
  fx->change(*thermal, {{"cpu-thermal", std::nullopt}, {"gpu-thermal", 70.0}});
  assert_reading(70.0, "gpu-thermal", *thermal);
}

}  // namespace

int run_thermal_suite(const ThermalFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(the_hottest_sensor_speaks);
  RUN_TEST(one_that_does_not_answer_is_passed_over);
  RUN_TEST(frost_is_a_temperature);
  RUN_TEST(readings_follow_the_sensors);
  RUN_TEST(when_none_answers_it_fails_and_recovers);
  return UNITY_END();
}

}  // namespace kerb
