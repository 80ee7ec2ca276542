// SPDX-License-Identifier: Apache-2.0
// post() for the frame loop: counts what it allocates, and how long it may take while the disk
// refuses.
#include <chrono>
#include <cstdlib>
#include <new>

#include <unity.h>
#include "firmware/events/event_log.hpp"
#include "firmware/events/events.hpp"
#include "hal/fake/clock.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

namespace {
thread_local long allocations = 0;  // of this thread: the writer may

void* count_and_allocate(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
}  // namespace

void* operator new(std::size_t size) { return count_and_allocate(size); }
void* operator new[](std::size_t size) { return count_and_allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

void expect_no_allocation(const char* path) {
  const kerb::FakeClock clock;
  kerb::EventLogOptions options;
  options.path = path;
  options.queue = 64;
  auto log = kerb::EventLog::open(options, clock);
  TEST_ASSERT_TRUE(static_cast<bool>(log));
  const long before = allocations;
  for (int i = 0; i < 2000; ++i) {
    (*log)->post(
        kerb::events::health_changed(kerb::Nanos{i}, kerb::HealthState::active,
                                     {kerb::HealthState::failed, kerb::Cause::board_hot, 97.5}));
    (*log)->post(kerb::events::warning_changed(kerb::Nanos{i}, "none", "collision", "track 7"));
    (void)(*log)->status();
  }
  TEST_ASSERT_EQUAL_INT(0, allocations - before);
}

void test_counting_works() {
  const long before = allocations;
  int* volatile number = new int{1};  // volatile: or the compiler drops the pair
  delete number;
  TEST_ASSERT_EQUAL_INT(1, allocations - before);
}

void test_posting_allocates_nothing() {
  const Scratch scratch;
  expect_no_allocation(scratch.path().c_str());
}

void test_posting_allocates_nothing_while_the_disk_refuses() {
  expect_no_allocation("/proc/kerbwatch/events.jsonl");
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_counting_works);
  RUN_TEST(test_posting_allocates_nothing);
  RUN_TEST(test_posting_allocates_nothing_while_the_disk_refuses);
  return UNITY_END();
}
