// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/publisher.hpp"

#include <array>
#include <vector>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::can;
using namespace std::chrono_literals;

namespace {

constexpr Nanos kStart = 5s;

StatusMessage in(HealthState state) {
  StatusMessage message;
  message.health.state = state;
  return message;
}

TEST(status_goes_out_ten_times_a_second_without_drift) {
  StatusPublisher publisher{kStart};
  int sent = 0;
  Nanos last{};
  for (Nanos now = kStart; now < kStart + 100s; now += 7ms) {  // a loop that never hits 100 ms
    if (!publisher.poll(now, in(HealthState::active))) continue;
    const Nanos entry = kStart + sent * kStatusPeriod;
    TEST_ASSERT_TRUE(now >= entry && now - entry < 7ms);
    last = now;
    ++sent;
  }
  TEST_ASSERT_EQUAL(1000, sent);
  TEST_ASSERT_TRUE(last > kStart + 99s);
}

TEST(status_counter_runs_and_the_crc_is_good) {
  StatusPublisher publisher{kStart};
  for (int i = 0; i < 40; ++i) {
    const std::optional<CanFrame> frame =
        publisher.poll(kStart + i * kStatusPeriod, in(HealthState::active));
    TEST_ASSERT_TRUE(frame.has_value());
    const Result<StatusMessage> message = decode_status(*frame);
    TEST_ASSERT_OK(message);
    TEST_ASSERT_EQUAL(i % 16, message->counter);
  }
}

TEST(a_late_loop_gets_one_status_not_a_burst) {
  StatusPublisher publisher{kStart};
  TEST_ASSERT_TRUE(publisher.poll(kStart, in(HealthState::active)).has_value());
  TEST_ASSERT_TRUE(publisher.poll(kStart + 1037ms, in(HealthState::active)).has_value());
  TEST_ASSERT_FALSE(publisher.poll(kStart + 1038ms, in(HealthState::active)).has_value());
  TEST_ASSERT_EQUAL_INT64((kStart + 1100ms).count(), publisher.next().count());
}

TEST(a_change_of_state_does_not_wait_for_its_turn) {
  StatusPublisher publisher{kStart};
  TEST_ASSERT_TRUE(publisher.poll(kStart, in(HealthState::active)).has_value());
  // Within the minimum gap it waits, but is not forgotten.
  TEST_ASSERT_FALSE(publisher.poll(kStart + 4ms, in(HealthState::degraded)).has_value());
  const std::optional<CanFrame> frame = publisher.poll(kStart + 12ms, in(HealthState::degraded));
  TEST_ASSERT_TRUE(frame.has_value());
  const Result<StatusMessage> message = decode_status(*frame);
  TEST_ASSERT_OK(message);
  TEST_ASSERT_EQUAL(HealthState::degraded, message->health.state);
  TEST_ASSERT_EQUAL(1, message->counter);
  TEST_ASSERT_FALSE(publisher.poll(kStart + 99ms, in(HealthState::degraded)).has_value());
  // The timetable stays.
  TEST_ASSERT_TRUE(publisher.poll(kStart + 100ms, in(HealthState::degraded)).has_value());
}

TEST(no_warning_means_no_message) {
  WarningPublisher publisher;
  for (Nanos now = kStart; now < kStart + 1s; now += 1ms)
    TEST_ASSERT_FALSE(publisher.poll(now, {}).has_value());
}

TEST(a_warning_starts_at_once_repeats_and_ends_three_times) {
  WarningPublisher publisher;
  std::vector<int> at_ms, levels, counters;
  for (int ms = 0; ms < 1000; ++ms) {
    WarningMessage message;
    if (ms >= 103 && ms < 263) message.level = WarningLevel::information;
    if (ms >= 263 && ms < 330) message.level = WarningLevel::collision;
    if (const auto frame = publisher.poll(kStart + ms * 1ms, message)) {
      const Result<WarningMessage> got = decode_warning(*frame);
      TEST_ASSERT_OK(got);
      at_ms.push_back(ms);
      levels.push_back(static_cast<int>(got->level));
      counters.push_back(got->counter);
    }
  }
  const int expected_ms[] = {103, 153, 203, 253, 263, 313, 330, 380, 430, 480};
  const int expected_levels[] = {1, 1, 1, 1, 2, 2, 0, 0, 0, 0};
  TEST_ASSERT_EQUAL(10, at_ms.size());
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_ms, at_ms.data(), 10);
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_levels, levels.data(), 10);
  for (int i = 0; i < 10; ++i) TEST_ASSERT_EQUAL(i, counters[static_cast<std::size_t>(i)]);
}

TEST(a_flickering_warning_cannot_flood_the_bus) {
  WarningPublisher publisher;
  int sent = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    WarningMessage message;
    message.level = ms % 2 == 0 ? WarningLevel::collision : WarningLevel::none;
    sent += publisher.poll(kStart + ms * 1ms, message) ? 1 : 0;
  }
  TEST_ASSERT_LESS_OR_EQUAL(100, sent);
}

TEST(readiness_goes_out_twice_a_second_and_at_once_when_it_changes) {
  ReadyPublisher publisher{kStart};
  std::vector<int> at_ms, told, counters;
  for (int ms = 0; ms < 1800; ++ms) {
    ReadyMessage message;
    message.readiness = ms < 703 ? Readiness::ready : Readiness::too_fast;
    if (ms == 705) message.readiness = Readiness::ready;  // too soon after: not told, nor kept
    if (const auto frame = publisher.poll(kStart + ms * 1ms, message)) {
      const Result<ReadyMessage> got = decode_ready(*frame);
      TEST_ASSERT_OK(got);
      at_ms.push_back(ms);
      told.push_back(static_cast<int>(got->readiness));
      counters.push_back(got->counter);
    }
  }
  const int expected_ms[] = {0, 500, 703, 1000, 1500}, expected[] = {0, 0, 4, 4, 4};
  TEST_ASSERT_EQUAL(5, at_ms.size());
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_ms, at_ms.data(), 5);
  TEST_ASSERT_EQUAL_INT_ARRAY(expected, told.data(), 5);
  for (int i = 0; i < 5; ++i) TEST_ASSERT_EQUAL(i, counters[static_cast<std::size_t>(i)]);
}

TEST(an_object_list_shares_one_counter_and_the_next_has_another) {
  ObjectPublisher publisher{kStart};
  std::array<CanFrame, kMaxObjectFrames> frames;
  const std::array<ObjectMessage, 2> people{};
  for (int list = 0; list < 20; ++list) {
    const Nanos now = kStart + list * kObjectsPeriod;
    TEST_ASSERT_EQUAL(4, publisher.poll(now, people, frames));
    TEST_ASSERT_EQUAL(0, publisher.poll(now + 50ms, people, frames));
    for (std::size_t i = 0; i < 4; ++i) {
      const Result<ObjectFrame> got = decode_objects(frames[i]);
      TEST_ASSERT_OK(got);
      TEST_ASSERT_EQUAL(list % 16, got->counter);
    }
  }
}

}  // namespace
