// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/publisher.hpp"

#include <algorithm>
#include <array>
#include <span>
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

TEST(no_warning_is_said_ten_times_a_second) {
  WarningPublisher publisher;
  int sent = 0;
  for (Nanos now = kStart; now < kStart + 100s; now += 7ms) {
    const std::optional<CanFrame> frame = publisher.poll(now, {});
    if (!frame) continue;
    const Nanos entry = kStart + sent * kWarningIdlePeriod;
    TEST_ASSERT_TRUE(now >= entry && now - entry < 7ms);  // it does not drift
    const Result<WarningMessage> message = decode_warning(*frame);
    TEST_ASSERT_OK(message);
    TEST_ASSERT_EQUAL(WarningLevel::none, message->level);
    TEST_ASSERT_EQUAL(sent % 16, message->counter);
    ++sent;
  }
  TEST_ASSERT_EQUAL(1000, sent);
}

TEST(a_warning_starts_at_once_repeats_and_ends_three_times) {
  WarningPublisher publisher;
  std::vector<int> at_ms, levels, counters;
  for (int ms = 0; ms < 700; ++ms) {
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
  const int expected_ms[] = {0, 100, 110, 160, 210, 260, 270, 320, 330, 380, 430, 480, 580, 680};
  const int expected_levels[] = {0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0};
  TEST_ASSERT_EQUAL(14, at_ms.size());
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_ms, at_ms.data(), 14);
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_levels, levels.data(), 14);
  for (int i = 0; i < 14; ++i) TEST_ASSERT_EQUAL(i, counters[static_cast<std::size_t>(i)]);
}

TEST(a_warning_that_the_bus_refused_is_tried_again_at_once) {
  WarningPublisher publisher;
  WarningMessage collision;
  collision.level = WarningLevel::collision;
  std::vector<int> at_ms;
  for (int ms = 0; ms < 200; ++ms) {
    if (!publisher.poll(kStart + ms * 1ms, ms < 25 ? WarningMessage{} : collision)) continue;
    at_ms.push_back(ms);
    if (ms >= 25 && ms < 50) publisher.refused();  // the queue is full for so long
  }
  const int expected_ms[] = {0, 25, 35, 45, 55, 105, 155};
  TEST_ASSERT_EQUAL(7, at_ms.size());
  TEST_ASSERT_EQUAL_INT_ARRAY(expected_ms, at_ms.data(), 7);
}

TEST(the_last_message_of_a_run_goes_on_counting) {
  WarningPublisher publisher;
  WarningMessage collision;
  collision.level = WarningLevel::collision;
  for (int i = 0; i < 3; ++i)
    TEST_ASSERT_TRUE(publisher.poll(kStart + i * kWarningPeriod, collision).has_value());
  const Result<WarningMessage> last = decode_warning(publisher.end());
  TEST_ASSERT_OK(last);
  TEST_ASSERT_EQUAL(WarningLevel::none, last->level);
  TEST_ASSERT_EQUAL(3, last->counter);
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

/// The rounds, 10 ms apart, in which a list of `count` people goes out: how many frames in each.
std::vector<int> frames_in_rounds(FramePacer& pacer, int count, int rounds, Nanos& now) {
  const std::array<ObjectMessage, kMaxObjects> people{};
  pacer.start(
      encode_objects(std::span{people}.first(static_cast<std::size_t>(count)), 7, pacer.room()),
      now);
  std::vector<int> sent;
  int index = 0;
  for (int round = 0; round < rounds; ++round, now += 10ms) {
    sent.push_back(0);
    while (const CanFrame* frame = pacer.next(now)) {
      const Result<ObjectFrame> got = decode_objects(*frame);
      TEST_ASSERT_OK(got);
      TEST_ASSERT_EQUAL(index / 2, got->index);  // in order, none twice
      TEST_ASSERT_EQUAL(index % 2, static_cast<int>(got->part));
      pacer.sent(now);
      ++index;
      ++sent.back();
    }
  }
  TEST_ASSERT_EQUAL(count == 0 ? 1 : 2 * count, index);
  TEST_ASSERT_TRUE(pacer.idle());
  return sent;
}

TEST(a_long_list_is_spread_over_rounds_and_is_out_before_the_next) {
  FramePacer pacer;
  Nanos now = kStart;
  for (int list = 0; list < 3; ++list) {
    const std::vector<int> sent = frames_in_rounds(pacer, kMaxObjects, 10, now);
    const int expected[] = {6, 4, 4, 4, 4, 4, 4, 0, 0, 0};
    TEST_ASSERT_EQUAL_INT_ARRAY(expected, sent.data(), 10);
  }
}

TEST(a_short_list_goes_out_at_once) {
  FramePacer pacer;
  Nanos now = kStart;
  for (const int people : {0, 1, 3}) {
    const std::vector<int> sent = frames_in_rounds(pacer, people, 10, now);
    TEST_ASSERT_EQUAL(std::max(1, 2 * people), sent[0]);
  }
}

TEST(what_is_dropped_of_a_list_is_not_sent) {
  FramePacer pacer;
  TEST_ASSERT_TRUE(pacer.idle());
  TEST_ASSERT_NULL(pacer.next(kStart));
  const std::array<ObjectMessage, 2> people{};
  pacer.start(encode_objects(people, 0, pacer.room()), kStart);
  const CanFrame* first = pacer.next(kStart);
  TEST_ASSERT_NOT_NULL(first);
  TEST_ASSERT_TRUE(first == pacer.next(kStart));  // until it is sent
  pacer.sent(kStart);
  TEST_ASSERT_FALSE(pacer.idle());
  pacer.drop();
  TEST_ASSERT_TRUE(pacer.idle());
  TEST_ASSERT_NULL(pacer.next(kStart + 1s));
}

}  // namespace
