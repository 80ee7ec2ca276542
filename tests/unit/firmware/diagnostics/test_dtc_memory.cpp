// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_memory.hpp"

#include <limits>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::diagnostics;
using namespace std::chrono_literals;

namespace {

constexpr DtcKey kHot{Cause::board_hot, 0};

/// A memory that goes through operation cycles.
struct Bench {
  explicit Bench(int cameras = 1) : memory{cameras} { memory.restore({}, "0"); }

  void report(PartState state, double number = 0, DtcKey key = kHot) {
    monitor.report(key.cause, state, number, now, key.camera);
  }
  void round(Nanos step = 10ms) {
    now += step;
    situation.now = now;
    memory.update(situation, monitor);
  }
  /// The board is switched off and on.
  void next_cycle() {
    const DtcImage image = memory.image();
    memory = DtcMemory{memory.cameras()};
    memory.restore(image, std::to_string(++cycle).c_str());
    monitor = HealthMonitor{0ns, 0ns};
  }
  void restart() {
    const DtcImage image = memory.image();
    memory = DtcMemory{memory.cameras()};
    memory.restore(image, image.cycle);
    monitor = HealthMonitor{0ns, 0ns};
  }
  [[nodiscard]] std::uint8_t status(DtcKey key = kHot) const { return memory.entry(key).status; }

  HealthMonitor monitor{0ns, 0ns};
  DtcMemory memory;
  Situation situation{.utc_s = 1000,
                      .run_s = 5,
                      .speed_mps = 8.5,
                      .readiness = Readiness::ready,
                      .health = {.state = HealthState::active}};
  Nanos now = 100s;
  int cycle = 0;
};

TEST(a_new_memory_has_completed_no_test) {
  Bench b;
  TEST_ASSERT_EQUAL_HEX8(0x50, b.status());
  b.situation.health.state = HealthState::starting;
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0x50, b.status());
  b.situation.health.state = HealthState::active;
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0x00, b.status());
}

TEST(a_fault_is_pending_at_once_and_confirmed_when_it_lasts) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0x01 | 0x02 | 0x04 | 0x20 | 0x80, b.status());
  b.round(DtcMemory::kConfirmAfter - 1ms);
  TEST_ASSERT_EQUAL_HEX8(0xA7, b.status());
  b.round(1ms);
  TEST_ASSERT_EQUAL_HEX8(0xAF, b.status());
}

TEST(a_fault_while_starting_counts) {
  Bench b;
  b.situation.health.state = HealthState::starting;
  b.report(PartState::failed);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0xA7, b.status());
}

TEST(after_its_end_the_history_stays) {
  Bench b;
  b.report(PartState::failed);
  b.round();
  b.round(3s);
  b.report(PartState::fine);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0x02 | 0x04 | 0x08 | 0x20, b.status());
  TEST_ASSERT_EQUAL(1, b.memory.entry(kHot).occurrences);
}

TEST(short_faults_do_not_add_up_to_a_confirmed_one) {
  Bench b;
  for (int i = 0; i < 5; ++i) {
    b.report(PartState::degraded);
    b.round();
    b.round(1s);
    b.report(PartState::fine);
    b.round();
  }
  TEST_ASSERT_EQUAL_HEX8(0x26, b.status());
  TEST_ASSERT_EQUAL(5, b.memory.entry(kHot).occurrences);
}

TEST(a_fault_in_two_cycles_is_confirmed) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  b.report(PartState::fine);
  b.round();
  b.next_cycle();
  TEST_ASSERT_EQUAL_HEX8(0x40 | 0x20 | 0x04, b.status());
  b.report(PartState::degraded);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0xAF, b.status());
}

TEST(a_restart_within_a_cycle_is_not_a_second_cycle) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  b.restart();
  TEST_ASSERT_EQUAL_HEX8(0x02 | 0x04 | 0x20, b.status());
  b.report(PartState::degraded);
  b.round();
  TEST_ASSERT_EQUAL_HEX8_MESSAGE(0xA7, b.status(), "not confirmed");
  TEST_ASSERT_EQUAL(2, b.memory.entry(kHot).occurrences);
}

TEST(a_good_cycle_ends_pending_but_not_confirmed) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  b.round(3s);
  b.next_cycle();
  TEST_ASSERT_EQUAL_HEX8(0x40 | 0x20 | 0x08 | 0x04, b.status());
  b.round();
  b.next_cycle();
  TEST_ASSERT_EQUAL_HEX8(0x40 | 0x20 | 0x08, b.status());
  TEST_ASSERT_EQUAL(1, b.memory.entry(kHot).cycles_healed);
}

TEST(a_cycle_in_which_nothing_was_tested_heals_nothing) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  for (int i = 0; i < 100; ++i) b.next_cycle();  // no round at all
  TEST_ASSERT_BITS_HIGH(0x04, b.status());
  TEST_ASSERT_EQUAL(0, b.memory.entry(kHot).cycles_healed);
}

TEST(a_code_heals_by_forty_good_cycles_and_a_failure_begins_again) {
  Bench b;
  b.report(PartState::degraded);
  b.round();
  b.round(3s);
  b.next_cycle();
  for (int i = 0; i < DtcMemory::kAgingCycles - 1; ++i) {
    b.round();
    b.next_cycle();
  }
  TEST_ASSERT_BITS_HIGH(0x08, b.status());
  TEST_ASSERT_EQUAL(DtcMemory::kAgingCycles - 1, b.memory.entry(kHot).cycles_healed);
  b.report(PartState::degraded);  // once more, shortly before
  b.round();
  TEST_ASSERT_EQUAL(0, b.memory.entry(kHot).cycles_healed);
  b.next_cycle();
  for (int i = 0; i < DtcMemory::kAgingCycles; ++i) {
    TEST_ASSERT_BITS_HIGH(0x08, b.status());
    b.round();
    b.next_cycle();
  }
  TEST_ASSERT_EQUAL_HEX8(0x40 | 0x20, b.status());
  TEST_ASSERT_EQUAL(0, b.memory.entry(kHot).occurrences);
}

TEST(freeze_frames_are_of_the_first_and_of_the_last_time) {
  Bench b;
  b.report(PartState::degraded, 91.25);
  b.round();
  b.report(PartState::degraded, 95);  // it gets hotter: the frame is of the moment it began
  b.round();
  b.report(PartState::fine);
  b.round();
  b.situation.utc_s = 2000;
  b.situation.run_s = 6;
  b.situation.speed_mps.reset();
  b.situation.readiness = Readiness::not_active;
  b.situation.health.state = HealthState::degraded;
  for (const double number : {92.0, 93.0}) {
    b.report(PartState::failed, number);
    b.round();
    b.report(PartState::fine);
    b.round();
  }
  const DtcEntry& e = b.memory.entry(kHot);
  TEST_ASSERT_TRUE((e.first == FreezeFrame{1000, 5, 850, 0, 1, 91250}));
  TEST_ASSERT_TRUE((e.last == FreezeFrame{2000, 6, 0x7FFF, 2, 2, 93000}));
  TEST_ASSERT_EQUAL(3, e.occurrences);
}

TEST(numbers_beyond_their_room_are_cut_off) {
  Situation s;
  s.speed_mps = 1000;
  TEST_ASSERT_EQUAL_INT16(0x7FFE, freeze(s, 0).speed);
  s.speed_mps = -1000;
  TEST_ASSERT_EQUAL_INT16(-0x8000, freeze(s, 0).speed);
  TEST_ASSERT_EQUAL_INT32(std::numeric_limits<std::int32_t>::max(), freeze(s, 1e30).number);
  TEST_ASSERT_EQUAL_INT32(0, freeze(s, std::nan("")).number);
}

TEST(cameras_have_codes_of_their_own) {
  Bench b{2};
  const DtcKey second{Cause::camera_frozen, 1};
  b.report(PartState::degraded, 500, second);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0xA7, b.status(second));
  TEST_ASSERT_EQUAL_HEX8(0x00, b.status({Cause::camera_frozen, 0}));
}

TEST(clearing_forgets_and_a_fault_that_lasts_comes_back) {
  Bench b;
  b.report(PartState::degraded, 1);
  b.round();
  b.round(3s);
  b.memory.clear();
  TEST_ASSERT_EQUAL_HEX8(0x50, b.status());
  TEST_ASSERT_EQUAL(0, b.memory.entry(kHot).occurrences);
  b.round();
  TEST_ASSERT_EQUAL_HEX8(0xA7, b.status());
  TEST_ASSERT_EQUAL(1, b.memory.entry(kHot).occurrences);
}

TEST(clearing_one_code_leaves_the_others) {
  Bench b;
  const DtcKey bus{Cause::bus_lost, 0};
  b.report(PartState::degraded);
  b.report(PartState::degraded, 0, bus);
  b.round();
  b.memory.clear(kHot);
  TEST_ASSERT_EQUAL_HEX8(0x50, b.status());
  TEST_ASSERT_EQUAL_HEX8(0xA7, b.status(bus));
}

TEST(only_changes_are_to_be_kept) {
  Bench b;
  TEST_ASSERT_TRUE_MESSAGE(b.memory.take_change(), "a new cycle");
  b.round();
  TEST_ASSERT_TRUE_MESSAGE(b.memory.take_change(), "tests are completed");
  for (int i = 0; i < 100; ++i) b.round();
  TEST_ASSERT_FALSE(b.memory.take_change());
  b.report(PartState::degraded, 1);
  b.round();
  TEST_ASSERT_TRUE(b.memory.take_change());
  b.report(PartState::degraded, 2);
  b.round();
  TEST_ASSERT_FALSE_MESSAGE(b.memory.take_change(), "the number alone changes");
  b.round(3s);
  TEST_ASSERT_TRUE_MESSAGE(b.memory.take_change(), "confirmed");
  b.memory.clear();
  TEST_ASSERT_TRUE(b.memory.take_change());
}

}  // namespace
