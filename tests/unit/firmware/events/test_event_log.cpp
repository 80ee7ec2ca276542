// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/event_log.hpp"
#include "tests/support/test.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "firmware/events/events.hpp"
#include "hal/fake/clock.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using kerb::Event;
using kerb::EventKind;
using kerb::EventLog;
using kerb::EventLogOptions;
using kerb::Severity;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

EventLogOptions options_for(const std::string& path) {
  EventLogOptions options;
  options.path = path;
  options.first_retry = milliseconds{1};
  options.last_retry = milliseconds{10};
  return options;
}

Event numbered(int n, EventKind kind = EventKind::service_request) {
  return Event{std::chrono::nanoseconds{n}, kind, Severity::info}.with("n", n);
}

std::unique_ptr<EventLog> open(const EventLogOptions& options, const kerb::Clock& clock) {
  auto log = EventLog::open(options, clock);
  TEST_ASSERT_TRUE(static_cast<bool>(log));
  return std::move(*log);
}

std::vector<json> read(const std::string& path) {
  std::vector<json> lines;
  for (const std::string& line : lines_of(slurp(path))) lines.push_back(json::parse(line));
  return lines;
}

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 5000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds{2});
  }
  return false;
}

TEST(what_was_posted_is_there_after_destruction) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  const auto before = std::chrono::system_clock::now();
  std::string run;
  {
    const auto log = open(options_for(scratch.path("new/folder/events.jsonl")), clock);
    run = log->run_id();
    for (int i = 0; i < 100; ++i) log->post(numbered(i));
  }
  const auto lines = read(scratch.path("new/folder/events.jsonl"));
  TEST_ASSERT_EQUAL_INT(100, lines.size());
  TEST_ASSERT_EQUAL_INT(16, run.size());
  for (int i = 0; i < 100; ++i) {
    const json& line = lines[static_cast<std::size_t>(i)];
    TEST_ASSERT_TRUE(line["seq"] == i && line["data"]["n"] == i && line["time_ns"] == i &&
                     line["run"] == run);
  }
  const std::time_t seconds_before = std::chrono::system_clock::to_time_t(before);
  std::tm parts{};
  ::gmtime_r(&seconds_before, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  TEST_ASSERT_TRUE(lines[0]["utc"].get<std::string>() >= text);
}

TEST(runs_follow_each_other_in_one_file_with_ids_of_their_own) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  for (int i = 0; i < 3; ++i) open(options_for(scratch.path()), clock)->post(numbered(i));
  const auto lines = read(scratch.path());
  TEST_ASSERT_EQUAL_INT(3, lines.size());
  TEST_ASSERT_TRUE(lines[0]["run"] != lines[1]["run"] && lines[1]["run"] != lines[2]["run"]);
  TEST_ASSERT_TRUE(lines[2]["seq"] == 0);
}

TEST(flush_waits_until_all_is_on_the_disk) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  const auto log = open(options_for(scratch.path()), clock);
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  for (int i = 1; i <= 20; ++i) {
    log->post(numbered(i));
    TEST_ASSERT_TRUE(log->flush(seconds{20}));
    TEST_ASSERT_EQUAL_INT(i, read(scratch.path()).size());
    TEST_ASSERT_EQUAL_INT(i, log->status().written);
  }
}

TEST(events_of_many_threads_all_arrive_in_the_order_of_each) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  constexpr int kThreads = 4, kEach = 500;
  EventLogOptions options = options_for(scratch.path());
  options.queue = 4096;
  {
    const auto log = open(options, clock);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&log, t] {
        for (int i = 0; i < kEach; ++i) {
          log->post(numbered(t * kEach + i,
                             i % 100 == 0 ? EventKind::health_changed : EventKind::bus_state));
          if (i % 50 == 0) (void)log->status();
        }
      });
    for (std::thread& thread : threads) thread.join();
    TEST_ASSERT_EQUAL_INT(0, log->status().lost);
  }
  std::vector<int> next(kThreads, 0);
  const auto lines = read(scratch.path());
  TEST_ASSERT_EQUAL_INT(kThreads * kEach, lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int n = lines[i]["data"]["n"];
    TEST_ASSERT_TRUE(lines[i]["seq"] == i);
    TEST_ASSERT_EQUAL_INT(next[static_cast<std::size_t>(n / kEach)]++, n % kEach);
  }
}

TEST(a_full_queue_counts_what_it_loses_and_says_so_where_it_was) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  spit(scratch.path("way"), "a file where the folder should be");
  EventLogOptions options = options_for(scratch.path("way/events.jsonl"));
  options.queue = 16;
  const auto log = open(options, clock);
  for (int i = 0; i < 20; ++i) log->post(numbered(i));
  TEST_ASSERT_EQUAL_INT(8, log->status().lost);  // 12 of 16 places are for everybody ...
  for (int i = 20; i < 30; ++i) log->post(numbered(i, EventKind::warning_changed));
  TEST_ASSERT_EQUAL_INT(8 + 6, log->status().lost);  // ... and 4 for what matters most
  TEST_ASSERT_EQUAL_INT(16, log->status().waiting);
  TEST_ASSERT_TRUE(eventually([&] { return log->status().refusals > 1; }));
  TEST_ASSERT_EQUAL_INT(ENOTDIR, log->status().error);
  TEST_ASSERT_FALSE(log->flush(milliseconds{20}));

  std::filesystem::remove(scratch.path("way"));
  TEST_ASSERT_TRUE(eventually([&] { return log->status().error == 0; }));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  log->post(numbered(99));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  const auto lines = read(scratch.path("way/events.jsonl"));
  TEST_ASSERT_EQUAL_INT(19, lines.size());
  const int expected[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23};
  for (std::size_t i = 0; i < 16; ++i)
    TEST_ASSERT_TRUE(lines[i]["seq"] == i && lines[i]["data"]["n"] == expected[i]);
  TEST_ASSERT_TRUE(lines[16]["kind"] == "events_lost" && lines[16]["data"]["count"] == 14);
  TEST_ASSERT_TRUE(lines[16]["seq"] == 16 + 14);  // the gap is as wide as the loss
  TEST_ASSERT_TRUE(lines[17]["kind"] == "log_refused" && lines[17]["data"]["error"] == ENOTDIR);
  TEST_ASSERT_TRUE(lines[17]["data"]["refusals"] == log->status().refusals);
  TEST_ASSERT_TRUE(lines[18]["data"]["n"] == 99 && lines[18]["seq"] == 32);
}

TEST(losses_under_a_storm_add_up) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  EventLogOptions options = options_for(scratch.path());
  options.queue = 8;
  options.max_file_bytes = 64 << 20;
  std::uint64_t lost = 0;
  {
    const auto log = open(options, clock);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&log] {
        for (int i = 0; i < 2000; ++i) log->post(numbered(i));
      });
    for (std::thread& thread : threads) thread.join();
    lost = log->status().lost;
  }
  std::uint64_t there = 0, told = 0, next = 0;
  for (const json& line : read(scratch.path())) {
    if (line["kind"] == "events_lost") {
      told += line["data"]["count"].get<std::uint64_t>();
      next += line["data"]["count"].get<std::uint64_t>();
    } else {
      ++there;
    }
    TEST_ASSERT_TRUE(line["seq"] == next);
    ++next;
  }
  TEST_ASSERT_EQUAL_INT(6000, there + told);
  TEST_ASSERT_EQUAL_INT(lost, told);
}

TEST(a_full_disk_is_reported_and_survived) {
  if (!std::filesystem::exists("/dev/full")) TEST_IGNORE_MESSAGE("no /dev/full here");
  const Scratch scratch;
  const kerb::FakeClock clock;
  std::filesystem::create_symlink("/dev/full", scratch.path());
  const auto log = open(options_for(scratch.path()), clock);
  log->post(numbered(1));
  TEST_ASSERT_TRUE(
      eventually([&] { return log->status().error == ENOSPC && log->status().refusals > 2; }));
  TEST_ASSERT_EQUAL_INT(0, log->status().written);
  std::filesystem::remove(scratch.path());
  TEST_ASSERT_TRUE(eventually([&] { return log->status().error == 0; }));
  TEST_ASSERT_TRUE(log->flush(seconds{20}));
  const auto lines = read(scratch.path());
  TEST_ASSERT_EQUAL_INT(2, lines.size());
  TEST_ASSERT_TRUE(lines[0]["data"]["n"] == 1 && lines[1]["data"]["error"] == ENOSPC);
}

TEST(a_read_only_place_is_reported_before_anything_is_posted) {
  const kerb::FakeClock clock;
  const auto log = open(options_for("/proc/kerbwatch/events.jsonl"), clock);
  TEST_ASSERT_TRUE(eventually([&] { return log->status().error != 0; }));
}

TEST(a_disk_that_refuses_does_not_hold_up_the_end) {
  const kerb::FakeClock clock;
  EventLogOptions options = options_for("/proc/kerbwatch/events.jsonl");
  options.first_retry = options.last_retry = seconds{100};
  auto log = open(options, clock);
  log->post(numbered(1));
  TEST_ASSERT_TRUE(eventually([&] { return log->status().refusals > 0; }));
  const auto start = std::chrono::steady_clock::now();
  log.reset();
  TEST_ASSERT_TRUE(std::chrono::steady_clock::now() - start < seconds{20});
}

TEST(the_bounds_on_disk_hold_while_running) {
  const Scratch scratch;
  const kerb::FakeClock clock;
  EventLogOptions options = options_for(scratch.path());
  options.max_file_bytes = 16 << 10;
  options.files = 3;
  {
    const auto log = open(options, clock);
    for (int i = 0; i < 1000; ++i) {
      log->post(kerb::events::detector_missing(kerb::Nanos{i}, "why: " + std::string(80, 'x')));
      if (i % 25 != 0) continue;
      TEST_ASSERT_TRUE(log->flush(seconds{20}));
      TEST_ASSERT_TRUE(scratch.bytes() <= 3 * options.max_file_bytes);
    }
  }
  TEST_ASSERT_EQUAL_INT(3, scratch.files());
  std::vector<json> lines;
  for (const char* age : {".2", ".1", ""})
    for (json& line : read(scratch.path() + age)) lines.push_back(std::move(line));
  for (std::size_t i = 1; i < lines.size(); ++i)
    TEST_ASSERT_TRUE(lines[i]["seq"].get<int>() == lines[i - 1]["seq"].get<int>() + 1);
  TEST_ASSERT_TRUE(lines.back()["seq"] == 999);
}

TEST(a_torn_tail_is_repaired_and_told) {
  const Scratch scratch;
  const kerb::FakeClock clock{seconds{9}};
  open(options_for(scratch.path()), clock)->post(numbered(1));
  const std::string whole = slurp(scratch.path());
  spit(scratch.path(), whole + whole.substr(0, 33));
  open(options_for(scratch.path()), clock)->post(numbered(2));
  const auto lines = read(scratch.path());
  TEST_ASSERT_EQUAL_INT(3, lines.size());
  TEST_ASSERT_TRUE(lines[1]["kind"] == "log_repaired" && lines[1]["data"]["bytes_cut"] == 33);
  TEST_ASSERT_TRUE(lines[1]["time_ns"] == 9'000'000'000 && lines[2]["data"]["n"] == 2);
}

TEST(a_kill_leaves_what_was_durable) {
  const Scratch scratch;
  for (int round = 0; round < 5; ++round) {
    int pipe_fds[2];
    TEST_ASSERT_EQUAL_INT(0, ::pipe(pipe_fds));
    const pid_t child = ::fork();
    if (child == 0) {
      const kerb::FakeClock clock;
      auto log = EventLog::open(options_for(scratch.path()), clock);
      for (int i = 0;; ++i) {
        (*log)->post(numbered(i, EventKind::health_changed));
        if (i == 50) {
          (*log)->flush(seconds{20});
          (void)!::write(pipe_fds[1], "x", 1);
        }
      }
    }
    char ready = 0;
    TEST_ASSERT_EQUAL_INT(1, ::read(pipe_fds[0], &ready, 1));
    std::this_thread::sleep_for(milliseconds{3 * round});
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe_fds[0]);
    ::close(pipe_fds[1]);
    const kerb::FakeClock clock;
    EventLogOptions options = options_for(scratch.path());
    options.files = 100;
    open(options, clock)->post(numbered(7));
    const auto lines = read(scratch.path());  // parses every line
    TEST_ASSERT_TRUE(lines.back()["data"]["n"] == 7);
    std::filesystem::remove(scratch.path());
  }
}

TEST(options_that_make_no_sense_are_refused) {
  const kerb::FakeClock clock;
  const std::function<void(EventLogOptions&)> faults[] = {
      [](EventLogOptions& o) { o.path = ""; },
      [](EventLogOptions& o) { o.path = "/tmp/"; },
      [](EventLogOptions& o) { o.max_file_bytes = 100; },
      [](EventLogOptions& o) { o.max_file_bytes = 1ULL << 40; },
      [](EventLogOptions& o) { o.files = 0; },
      [](EventLogOptions& o) { o.files = 101; },
      [](EventLogOptions& o) { o.queue = 1; },
      [](EventLogOptions& o) { o.queue = 1 << 20; },
      [](EventLogOptions& o) { o.first_retry = kerb::Nanos::zero(); },
      [](EventLogOptions& o) { o.last_retry = kerb::Nanos{1}; },
      [](EventLogOptions& o) { o.shutdown_limit = seconds{-1}; },
  };
  for (const auto& fault : faults) {
    EventLogOptions options;
    fault(options);
    const auto log = EventLog::open(options, clock);
    TEST_ASSERT_FALSE(static_cast<bool>(log));
    TEST_ASSERT_TRUE(log.error().code == kerb::Errc::invalid_argument);
  }
}

}  // namespace
