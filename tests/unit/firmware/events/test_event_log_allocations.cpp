// SPDX-License-Identifier: Apache-2.0
// post() for the frame loop: counts what it allocates, and how long it may take while the disk
// refuses.
#include <chrono>

#include "firmware/events/event_log.hpp"
#include "firmware/events/events.hpp"
#include "hal/fake/clock.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

namespace {

void expect_no_allocation(const char* path) {
  const kerb::FakeClock clock;
  kerb::EventLogOptions options;
  options.path = path;
  options.queue = 64;
  auto log = kerb::EventLog::open(options, clock);
  TEST_ASSERT_TRUE(static_cast<bool>(log));
  const std::uint64_t before = kerb::test::thread_allocations();  // the writer may
  for (int i = 0; i < 2000; ++i) {
    (*log)->post(
        kerb::events::health_changed(kerb::Nanos{i}, kerb::HealthState::active,
                                     {kerb::HealthState::failed, kerb::Cause::board_hot, 97.5}));
    (*log)->post(kerb::events::warning_changed(kerb::Nanos{i}, "none", "collision", "track 7"));
    (void)(*log)->status();
  }
  TEST_ASSERT_EQUAL_INT(0, kerb::test::thread_allocations() - before);
}

TEST(counting_works) {
  const std::uint64_t before = kerb::test::thread_allocations();  // the writer may
  int* volatile number = new int{1};  // volatile: or the compiler drops the pair
  delete number;
  TEST_ASSERT_EQUAL_INT(1, kerb::test::thread_allocations() - before);
}

TEST(posting_allocates_nothing) {
  const Scratch scratch;
  expect_no_allocation(scratch.path().c_str());
}

TEST(posting_allocates_nothing_while_the_disk_refuses) {
  expect_no_allocation("/proc/kerbwatch/events.jsonl");
}

}  // namespace
