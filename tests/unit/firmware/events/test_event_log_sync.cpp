// SPDX-License-Identifier: Apache-2.0
// When the event log forces its lines onto the disk, and what it does when the disk fails or hangs
// at that. This program's fdatasync() takes the place of the C library's.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include "firmware/events/event_log.hpp"
#include "hal/fake/clock.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using kerb::Event;
using kerb::EventKind;
using kerb::EventLog;
using kerb::EventLogOptions;
using kerb::Severity;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::atomic<int> syncs{0};
std::atomic<int> sync_error{0};
std::atomic<bool> hang{false}, hanging{false};

}  // namespace

extern "C" int fdatasync(int) {
  ++syncs;
  hanging = hang.load();
  while (hang) std::this_thread::sleep_for(milliseconds{1});
  hanging = false;
  errno = sync_error;
  return sync_error == 0 ? 0 : -1;
}

namespace {

EventLogOptions options_for(const std::string& path) {
  EventLogOptions options;
  options.path = path;
  options.first_retry = options.last_retry = milliseconds{5};
  options.sync_interval = std::chrono::hours{1};
  return options;
}

std::unique_ptr<EventLog> open(const EventLogOptions& options, const kerb::Clock& clock) {
  auto log = EventLog::open(options, clock);
  TEST_ASSERT_TRUE(static_cast<bool>(log));
  return std::move(*log);
}

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 5000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds{2});
  }
  return false;
}

Event of(EventKind kind) { return Event{kerb::Nanos{1}, kind, Severity::info}; }

TEST(durable_events_are_synced_at_once_and_others_are_not) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  const auto log = open(options_for(scratch.path()), clock);
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < kerb::kEventKinds; ++i) {
    const auto kind = static_cast<EventKind>(i);
    const int before = syncs;
    log->post(of(kind));
    ++written;
    TEST_ASSERT_TRUE(eventually([&] { return log->status().written == written; }));
    if (kerb::is_durable(kind)) {
      TEST_ASSERT_TRUE_MESSAGE(eventually([&] { return syncs > before; }), kerb::name_of(kind));
    } else {
      std::this_thread::sleep_for(milliseconds{5});
      TEST_ASSERT_EQUAL_INT_MESSAGE(before, syncs, kerb::name_of(kind));
    }
  }
}

TEST(the_rest_is_synced_within_the_interval) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  EventLogOptions options = options_for(scratch.path());
  options.sync_interval = milliseconds{30};
  const auto log = open(options, clock);
  const int before = syncs;
  log->post(of(EventKind::frames_summary));
  TEST_ASSERT_TRUE(eventually([&] { return syncs > before; }));
}

TEST(a_disk_that_fails_to_sync_is_reported_until_it_works) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  const auto log = open(options_for(scratch.path()), clock);
  sync_error = EIO;
  log->post(of(EventKind::health_changed));
  const bool reported =
      eventually([&] { return log->status().error == EIO && log->status().refusals > 2; });
  const std::uint64_t written = log->status().written;
  sync_error = 0;
  TEST_ASSERT_TRUE(reported);
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, written, "each attempt wrote a line");
  TEST_ASSERT_TRUE(eventually([&] { return log->status().error == 0; }));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  TEST_ASSERT_EQUAL_INT(2, lines_of(slurp(scratch.path())).size());  // and log_refused
}

TEST(a_disk_that_hangs_is_reported_until_it_goes_on) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  EventLogOptions options = options_for(scratch.path());
  options.hang_limit = milliseconds{50};
  const auto log = open(options, clock);
  log->post(of(EventKind::health_changed));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  TEST_ASSERT_EQUAL_INT(0, log->status().error);
  hang = true;
  log->post(of(EventKind::health_changed));
  const bool told = eventually([&] { return log->status().error == ETIMEDOUT; });
  const bool held = hanging;
  hang = false;
  TEST_ASSERT_TRUE(told);
  TEST_ASSERT_TRUE(held);
  TEST_ASSERT_TRUE(eventually([&] { return log->status().error == 0; }));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  std::this_thread::sleep_for(milliseconds{100});  // asleep for longer than the limit: no hang
  TEST_ASSERT_EQUAL_INT(0, log->status().error);
}

TEST(a_disk_that_hangs_delays_neither_post_nor_the_end) {
  const Scratch scratch;
  auto clock = std::make_unique<kerb::FakeClock>();
  EventLogOptions options = options_for(scratch.path());
  options.queue = 8;
  options.shutdown_limit = milliseconds{50};
  auto log = open(options, *clock);
  hang = true;
  log->post(of(EventKind::warning_changed));
  TEST_ASSERT_TRUE(eventually([] { return hanging.load(); }));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) log->post(of(EventKind::warning_changed));
  TEST_ASSERT_EQUAL_INT(1000 - 8, log->status().lost);
  log.reset();
  const auto took = std::chrono::steady_clock::now() - start;
  clock.reset();  // the writer left behind must not ask it for the time of its events_lost
  hang = false;
  TEST_ASSERT_TRUE(took < seconds{5});
  TEST_ASSERT_TRUE(eventually([&] { return lines_of(slurp(scratch.path())).size() == 10; }));
}

}  // namespace
