// SPDX-License-Identifier: Apache-2.0
#include "firmware/threads/real_time.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

/// Notes what it is asked for, and may refuse.
class FakeSystem final : public ThreadSystem {
 public:
  int set_priority(int priority, bool children) override {
    calls += "priority " + std::to_string(priority) + (children ? " with children\n" : "\n");
    return priority > 0 ? priority_error : 0;
  }
  int set_cpus(const std::vector<int>& cpus) override {
    calls += "cpus";
    for (const int cpu : cpus) calls += " " + std::to_string(cpu);
    calls += "\n";
    return cpus_error;
  }
  int lock_memory() override {
    calls += "lock\n";
    return lock_error;
  }
  std::string calls;
  int priority_error = 0, cpus_error = 0, lock_error = 0;
};

RealTimeSettings some() {
  RealTimeSettings out;
  out.of = {ThreadSettings{80, "2"}, ThreadSettings{70, ""}, ThreadSettings{10, "0-1"},
            ThreadSettings{}};
  out.lock_memory = true;
  return out;
}

TEST(lists_of_cpus_are_numbers_and_ranges) {
  const auto text_of = [](std::string_view text) {
    const std::optional<std::vector<int>> cpus = parse_cpus(text);
    std::string out;
    if (!cpus) return std::string{"refused"};
    for (const int cpu : *cpus) out += std::to_string(cpu) + " ";
    return out;
  };
  TEST_ASSERT_EQUAL_STRING("", text_of("").c_str());
  TEST_ASSERT_EQUAL_STRING("0 ", text_of("0").c_str());
  TEST_ASSERT_EQUAL_STRING("1 2 3 7 ", text_of("7,1-3,2").c_str());
  TEST_ASSERT_EQUAL_STRING("1023 ", text_of("1023").c_str());
  for (const char* wrong : {"1024", "-1", "a", "1-", "3-1", "1,", ",1", "1,,2", "1 2", "1-2-3"})
    TEST_ASSERT_EQUAL_STRING_MESSAGE("refused", text_of(wrong).c_str(), wrong);
}

TEST(each_role_gets_what_the_settings_say_and_nothing_else) {
  FakeSystem system;
  FakeLog log;
  RealTime real_time{some(), system};
  real_time.set_log(log);
  real_time.begin(ThreadRole::control);
  TEST_ASSERT_EQUAL_STRING("priority 80\ncpus 2\n", system.calls.c_str());
  system.calls.clear();
  real_time.begin(ThreadRole::capture);
  TEST_ASSERT_EQUAL_STRING("priority 70\n", system.calls.c_str());
  system.calls.clear();
  real_time.begin(ThreadRole::vision);
  TEST_ASSERT_EQUAL_STRING("priority 10 with children\ncpus 0 1\n", system.calls.c_str());
  system.calls.clear();
  real_time.begin(ThreadRole::log);
  real_time.end(ThreadRole::log);
  real_time.end(ThreadRole::capture);
  TEST_ASSERT_EQUAL_STRING("priority 0\n", system.calls.c_str());
  system.calls.clear();
  real_time.lock_memory();
  TEST_ASSERT_EQUAL_STRING("lock\n", system.calls.c_str());
  TEST_ASSERT_EQUAL(0, log.size());
  // By default nothing is asked for: an installation that has no rights sees no difference.
  system.calls.clear();
  RealTime usual{RealTimeSettings{}, system};
  for (const ThreadRole role :
       {ThreadRole::control, ThreadRole::capture, ThreadRole::vision, ThreadRole::log}) {
    usual.begin(role);
    usual.end(role);
  }
  usual.lock_memory();
  TEST_ASSERT_EQUAL_STRING("", system.calls.c_str());
}

TEST(a_refusal_is_told_once_with_what_to_do) {
  FakeSystem system;
  system.priority_error = EPERM;
  system.cpus_error = EINVAL;
  system.lock_error = ENOMEM;
  RealTime real_time{some(), system};
  real_time.begin(ThreadRole::vision);  // before there is a log
  FakeLog log;
  real_time.set_log(log);
  TEST_ASSERT_EQUAL(2, log.size());
  for (int i = 0; i < 3; ++i) {
    real_time.begin(ThreadRole::control);
    real_time.begin(ThreadRole::capture);
    real_time.lock_memory();
  }
  TEST_ASSERT_EQUAL(3, log.size());
  TEST_ASSERT_TRUE(
      log.has("priority 10 of the vision thread was refused (Operation not permitted)"));
  TEST_ASSERT_TRUE(log.has("CAP_SYS_NICE, or LimitRTPRIO=99"));
  TEST_ASSERT_TRUE(log.has("CPUs 0-1 of the vision thread was refused"));
  TEST_ASSERT_TRUE(log.has("CAP_IPC_LOCK, or LimitMEMLOCK=infinity"));
  for (const FakeLog::Line& line : log.lines()) TEST_ASSERT_TRUE(line.level == LogLevel::warning);
}

/// What the machine makes of it. Where it refuses SCHED_FIFO, the thread stays as it was.
TEST(the_machine_runs_the_thread_so_or_refuses) {
  int error = -1, policy = -1, priority = -1, child = -1, after = -1;
  std::thread{[&] {
    ThreadSystem system;
    error = system.set_priority(1, false);
    policy = sched_getscheduler(0);
    sched_param param{};
    sched_getparam(0, &param);
    priority = param.sched_priority;
    std::thread{[&] { child = sched_getscheduler(0); }}.join();
    static_cast<void>(system.set_priority(0, false));
    after = sched_getscheduler(0);
  }}.join();
  const int usual = sched_getscheduler(0);
  TEST_ASSERT_EQUAL(usual, child & ~SCHED_RESET_ON_FORK);
  if (error == 0) {
    TEST_ASSERT_EQUAL(SCHED_FIFO | SCHED_RESET_ON_FORK, policy);
    TEST_ASSERT_EQUAL(1, priority);
    TEST_ASSERT_EQUAL(SCHED_OTHER | SCHED_RESET_ON_FORK, after);
  } else {
    TEST_ASSERT_EQUAL(EPERM, error);
    TEST_ASSERT_EQUAL(usual, policy);
    TEST_ASSERT_EQUAL(0, priority);
  }
}

TEST(a_thread_is_kept_to_its_cpus_and_one_that_is_not_there_is_refused) {
  cpu_set_t allowed;
  TEST_ASSERT_EQUAL(0, sched_getaffinity(0, sizeof allowed, &allowed));
  int one = 0;
  while (!CPU_ISSET(static_cast<unsigned>(one), &allowed)) ++one;
  int error = -1, count = 0, missing = 0;
  bool has = false;
  std::thread{[&] {
    ThreadSystem system;
    error = system.set_cpus({one});
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    count = CPU_COUNT(&now);
    has = CPU_ISSET(static_cast<unsigned>(one), &now);
    missing = system.set_cpus({1023});
  }}.join();
  TEST_ASSERT_EQUAL(0, error);
  TEST_ASSERT_EQUAL(1, count);
  TEST_ASSERT_TRUE(has);
  TEST_ASSERT_EQUAL(EINVAL, missing);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLocks = false;  // the sanitizers' mlockall() does nothing
#else
constexpr bool kLocks = true;
#endif

/// In a process of its own, because it is for good.
TEST(memory_is_locked_whole_or_not_at_all) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{1 << 20, 1 << 20};
    const bool limited = setrlimit(RLIMIT_MEMLOCK, &small) == 0;
    ThreadSystem system;
    const int error = system.lock_memory();
    std::ifstream status{"/proc/self/status"};
    std::string line;
    long locked_kb = -1;
    while (std::getline(status, line))
      if (line.starts_with("VmLck:")) locked_kb = std::stol(line.substr(6));
    // With CAP_IPC_LOCK all of it, whatever the limit; without, none.
    const bool good =
        limited && (error == 0 ? !kLocks || locked_kb > 1024 : error == EPERM && locked_kb == 0);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
  TEST_ASSERT_EQUAL(0, status);
}

}  // namespace
