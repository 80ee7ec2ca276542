// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/exposure_control_suite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/unity.hpp"

namespace kerb::contract {
namespace {

const ExposureControlFixture* fx = nullptr;

struct Opened {
  std::unique_ptr<FrameSource> source;
  ExposureControl* control = nullptr;
};

Opened open() {
  Result<std::unique_ptr<FrameSource>> source = fx->open();
  TEST_ASSERT_OK(source);
  Opened out{*std::move(source), nullptr};
  out.control = out.source->exposure_control();
  TEST_ASSERT_NOT_NULL_MESSAGE(out.control, "offers no exposure control");
  return out;
}

/// Settings over the whole range, and some beyond.
std::vector<Exposure> wanted_of(const ExposureRange& range) {
  std::vector<Exposure> out;
  for (const double share : {-0.5, 0.0, 0.013, 0.1, 0.37, 0.5, 0.81, 1.0, 1.7}) {
    const auto span = static_cast<double>((range.longest - range.shortest).count());
    const Nanos time = range.shortest + Nanos{std::llround(share * span)};
    out.push_back({time, std::pow(std::max(range.gain.most(), 1.0), share)});
  }
  return out;
}

void test_the_range_makes_sense() {
  const Opened camera = open();
  const ExposureRange range = camera.control->range();
  TEST_ASSERT_TRUE(range.has_time() || range.gain.adjustable());
  if (range.has_time()) {
    TEST_ASSERT_TRUE(range.shortest > Nanos::zero());
    TEST_ASSERT_TRUE(range.shortest <= range.longest);
    TEST_ASSERT_TRUE(range.step > Nanos::zero());
  } else {
    TEST_ASSERT_TRUE(range.shortest == Nanos::zero());
  }
  TEST_ASSERT_TRUE(range.gain.unit > 0);
  TEST_ASSERT_TRUE(range.gain.minimum <= range.gain.maximum);
  TEST_ASSERT_EQUAL_DOUBLE(1, range.gain.gain_of(range.gain.minimum));
}

void test_what_is_set_is_the_nearest_step_and_is_read_back() {
  const Opened camera = open();
  const ExposureRange range = camera.control->range();
  for (const Exposure& wanted : wanted_of(range)) {
    const Result<Exposure> set = camera.control->set(wanted);
    TEST_ASSERT_OK(set);
    const double gain = range.gain.gain_of(range.gain.steps_for(wanted.gain));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * gain, gain, set->gain);
    if (range.has_time())
      TEST_ASSERT_INT64_WITHIN(2, range.nearest(wanted.time).count(), set->time.count());
    else
      TEST_ASSERT_EQUAL_INT64(0, set->time.count());
    const Result<Exposure> read = camera.control->read();
    TEST_ASSERT_OK(read);
    TEST_ASSERT_INT64_WITHIN(2, set->time.count(), read->time.count());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * gain, set->gain, read->gain);
  }
}

void test_the_same_again_changes_nothing() {
  const Opened camera = open();
  const ExposureRange range = camera.control->range();
  for (const Exposure& wanted : wanted_of(range)) {
    const Result<Exposure> once = camera.control->set(wanted);
    TEST_ASSERT_OK(once);
    const Result<Exposure> again = camera.control->set(*once);
    TEST_ASSERT_OK(again);
    TEST_ASSERT_INT64_WITHIN(2, once->time.count(), again->time.count());
    TEST_ASSERT_EQUAL_DOUBLE(once->gain, again->gain);
  }
}

void test_it_is_given_back_and_taken_over_again() {
  const Opened camera = open();
  const ExposureRange range = camera.control->range();
  const Exposure wanted{(range.shortest + range.longest) / 2, 1};
  const Result<Exposure> first = camera.control->set(wanted);
  TEST_ASSERT_OK(first);
  const Status automatic = camera.control->set_automatic();
  if (!automatic) TEST_ASSERT_ERROR(Errc::unsupported, automatic);
  const Result<Exposure> second = camera.control->set(wanted);
  TEST_ASSERT_OK(second);
  TEST_ASSERT_EQUAL_INT64(first->time.count(), second->time.count());
  const Result<Exposure> read = camera.control->read();
  TEST_ASSERT_OK(read);
  TEST_ASSERT_INT64_WITHIN(2, second->time.count(), read->time.count());
  TEST_ASSERT_EQUAL_DOUBLE(second->gain, read->gain);
}

}  // namespace

int run_exposure_control_suite(const ExposureControlFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  std::printf("-- %s\n", fixture.name);
  RUN_TEST(test_the_range_makes_sense);
  RUN_TEST(test_what_is_set_is_the_nearest_step_and_is_read_back);
  RUN_TEST(test_the_same_again_changes_nothing);
  RUN_TEST(test_it_is_given_back_and_taken_over_again);
  return UNITY_END();
}

}  // namespace kerb::contract
