// SPDX-License-Identifier: Apache-2.0
// The lamps of a process that dies or hangs: the rules on a clock of the test's own, then real
// processes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "drivers/guard/guard_link.hpp"
#include "drivers/guard/lamp_guard.hpp"
#include "drivers/guard/process_guard.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "tests/support/real_kernel.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Nanos kPatience = milliseconds{200};

TEST(the_status_lamp_is_lit_until_a_process_wants_it_dark_and_when_it_falls_silent) {
  LampGuard lamps{kPatience};
  Nanos now = seconds{100};
  const auto lit = [&] { return lamps.lit(GuardedLamp::status, now); };
  TEST_ASSERT_TRUE(lit());
  TEST_ASSERT_FALSE(lamps.deadline().has_value());
  lamps.heard(GuardedLamp::status, true, now);  // it starts
  TEST_ASSERT_TRUE(lit());
  lamps.heard(GuardedLamp::status, false, now);
  TEST_ASSERT_FALSE(lit());
  for (int beats = 0; beats < 20; ++beats) {
    now += milliseconds{100};
    lamps.heard(GuardedLamp::status, false, now);
    TEST_ASSERT_FALSE(lit());
  }
  TEST_ASSERT_TRUE(*lamps.deadline() == now + kPatience);
  now += kPatience - Nanos{1};
  TEST_ASSERT_FALSE(lit());
  now += Nanos{1};  // it hangs
  TEST_ASSERT_TRUE(lit());
  lamps.heard(GuardedLamp::status, false, now);  // it goes on
  TEST_ASSERT_FALSE(lit());
  lamps.forget();  // it is dead
  TEST_ASSERT_TRUE(lit());
}

TEST(the_warning_lamp_stays_through_a_hang_and_goes_dark_with_the_process) {
  LampGuard lamps{kPatience};
  Nanos now = seconds{100};
  TEST_ASSERT_FALSE(lamps.lit(GuardedLamp::warning, now));
  lamps.heard(GuardedLamp::warning, true, now);
  now += seconds{1};
  TEST_ASSERT_TRUE(lamps.lit(GuardedLamp::warning, now));
  TEST_ASSERT_TRUE(lamps.lit(GuardedLamp::status, now));  // it does not beat
  lamps.forget();
  TEST_ASSERT_FALSE(lamps.lit(GuardedLamp::warning, now));
}

/// A line that knows when its level changed.
class TimedLine final : public OutputLine {
 public:
  struct Change {
    bool on;
    std::chrono::steady_clock::time_point at;
  };
  Status set(bool on) override {
    if (!changes.empty() && changes.back().on == on) return Done{};
    changes.push_back({on, std::chrono::steady_clock::now()});
    if (!seen.empty()) std::ofstream{seen + std::to_string(changes.size())} << on;
    return Done{};
  }
  [[nodiscard]] Result<bool> get() const override { return stuck_at.value_or(changes.back().on); }
  [[nodiscard]] std::string levels() const {
    std::string out;
    for (const Change& change : changes) out += change.on ? '1' : '0';
    return out;
  }
  std::vector<Change> changes;
  std::optional<bool> stuck_at;  ///< its level, whatever is set
  std::string seen;  ///< a file of this name, with the number of the change, tells others of it
};

/// Guards a shell, which says the levels of its lamps with `status 0` and `warning 1`.
struct Bench {
  int guard(const std::string& script) {
    const std::string path = folder.write("script",
                                          "fds=$KERBWATCH_GUARD\n"
                                          "of=${fds#*,}\n"
                                          "status() { printf $1 > /proc/self/fd/${fds%%,*}; }\n"
                                          "warning() { printf $1 > /proc/self/fd/${of%,*}; }\n"
                                          "answers() { dd bs=1 count=$1 2>/dev/null < "
                                          "/proc/self/fd/${fds##*,}; }\n"
                                          "seen() { until [ -e amber$1 ]; do sleep 0.01; done; }\n"
                                          "cd " +
                                              folder.path().string() +
                                              "\necho >> starts\nrun=$(wc -l < starts)\n" + script);
    status.seen = folder.at("amber");
    options.command = {"/bin/sh", path};
    options.first_wait = milliseconds{1};
    return guard_process(options, &status, &warning, log);
  }
  test::TempFolder folder;
  FakeLog log;
  ProcessGuardOptions options;
  TimedLine status, warning;
};

TEST(a_process_that_is_killed_leaves_the_amber_lamp_lit_until_the_next_is_ready) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  bench.options.patience = seconds{20};  // it is the death that counts here
  bench.options.hang = seconds{40};
  const int code = bench.guard(
      "warning 1; status 0\n"
      "if [ $run = 1 ]; then seen 2; kill -9 $$; fi\n"
      "seen 4; exit 0\n");
  TEST_ASSERT_EQUAL_INT(0, code);
  // Lit, dark by the first, lit by its death, dark by the second, lit at the end.
  TEST_ASSERT_EQUAL_STRING("10101", bench.status.levels().c_str());
  TEST_ASSERT_EQUAL_STRING("01010", bench.warning.levels().c_str());
  TEST_ASSERT_TRUE(bench.log.has("was killed by signal 9"));
}

TEST(a_process_that_stands_still_lights_the_lamp_in_time_and_is_restarted) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  bench.options.patience = kPatience;
  bench.options.hang = seconds{2};
  const int code = bench.guard(
      "status 0\n"
      "if [ $run = 1 ]; then seen 2; kill -STOP $$; fi\n"
      "exit 0\n");
  TEST_ASSERT_EQUAL_INT(0, code);
  TEST_ASSERT_TRUE_MESSAGE(bench.status.levels().starts_with("101"), bench.status.levels().c_str());
  const auto silent = bench.status.changes[2].at - bench.status.changes[1].at;
  TEST_ASSERT_TRUE(silent >= kPatience - milliseconds{1});
  TEST_ASSERT_TRUE(silent < milliseconds{1900});  // by silence, before it was killed for it
  TEST_ASSERT_TRUE(bench.log.has("hangs"));
  TEST_ASSERT_TRUE(bench.status.changes.back().on);
}

TEST(a_failed_start_is_tried_again) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  const int code = bench.guard("[ $run -lt 4 ] && exit 2\nexit 0\n");
  TEST_ASSERT_EQUAL_INT(0, code);
  TEST_ASSERT_EQUAL_STRING("1", bench.status.levels().c_str());
  TEST_ASSERT_TRUE(bench.log.has("ended with 2"));
  TEST_ASSERT_EQUAL_size_t(3, bench.log.size());
}

TEST(what_ends_a_program_is_handed_on_and_the_lamp_is_lit_behind_an_orderly_end) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  for (const std::string signal : {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"}) {
    Bench bench;
    const std::string ours = std::to_string(::getpid());
    const int code =
        bench.guard("trap 'echo > ended; exit 0' " + signal + "\nstatus 0; kill -" + signal + " " +
                    ours + "\nfor i in $(seq 300); do sleep 0.1; done\nexit 1\n");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, code, signal.c_str());
    TEST_ASSERT_TRUE(std::filesystem::exists(bench.folder.path() / "ended"));
    TEST_ASSERT_TRUE(bench.status.changes.back().on);
  }
}

TEST(a_lamp_that_does_not_follow_is_told_to_the_program) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  bench.options.hang = seconds{40};
  bench.warning.stuck_at = true;
  // Whatever order they come in: the amber lamp works, the red one is lit and should not be.
  const int code = bench.guard("status 0; answers 2 > told; exit 0\n");
  TEST_ASSERT_EQUAL_INT(0, code);
  std::string told;
  std::ifstream{bench.folder.path() / "told"} >> told;
  std::ranges::sort(told);
  TEST_ASSERT_EQUAL_STRING("Ba", told.c_str());
}

TEST(a_program_that_listens_to_no_answers_does_not_end_the_guard) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  bench.options.hang = seconds{40};
  bench.warning.stuck_at = false;
  // Both ends that could read are closed before the red lamp is wanted, which fails.
  const int code = bench.guard(
      "[ $run = 2 ] && exit 0\n"
      "eval \"exec ${fds##*,}<&-\"; status 0; seen 2; warning 1; sleep 0.3; exit 3\n");
  TEST_ASSERT_EQUAL_INT(0, code);
  TEST_ASSERT_TRUE(bench.log.has("ended with 3"));
}

TEST(the_guarded_end_says_its_levels_and_notices_a_dead_guard) {
  if (!test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  std::signal(SIGPIPE, SIG_IGN);
  ::unsetenv(kGuardVariable);
  TEST_ASSERT_TRUE(GuardLink::take() == nullptr);
  ::setenv(kGuardVariable, "0,1", 1);  // a stranger's
  TEST_ASSERT_TRUE(GuardLink::take() == nullptr);
  ::setenv(kGuardVariable, "0,1,2", 1);
  TEST_ASSERT_TRUE(GuardLink::take() == nullptr);
  int status[2], warning[2], answers[2];
  TEST_ASSERT_EQUAL_INT(0, ::pipe(status) | ::pipe(warning) | ::pipe(answers));
  ::setenv(kGuardVariable,
           (std::to_string(status[1]) + "," + std::to_string(warning[1]) + "," +
            std::to_string(answers[0]))
               .c_str(),
           1);
  const std::unique_ptr<GuardLink> link = GuardLink::take();
  TEST_ASSERT_TRUE(link != nullptr);
  TEST_ASSERT_TRUE(std::getenv(kGuardVariable) == nullptr);
  const auto heard = [](int fd) {
    char text[64] = {};
    return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(0, ::read(fd, text, 64))));
  };
  TEST_ASSERT_OK(link->beat());  // before there is a lamp: lit
  {
    Result<std::unique_ptr<OutputLine>> amber = link->line(GuardedLamp::status);
    Result<std::unique_ptr<OutputLine>> red = link->line(GuardedLamp::warning);
    TEST_ASSERT_OK(amber);
    TEST_ASSERT_OK(red);
    TEST_ASSERT_OK((*amber)->set(false));
    TEST_ASSERT_FALSE(*(*amber)->get());
    const auto answer = [&](GuardedLamp lamp, bool works) {
      const char letter = answer_of(lamp, works);
      TEST_ASSERT_EQUAL_INT(1, ::write(answers[1], &letter, 1));
    };
    answer(GuardedLamp::warning, true);
    answer(GuardedLamp::status, false);
    TEST_ASSERT_TRUE(*(*amber)->get());  // not the level that was set
    TEST_ASSERT_FALSE(*(*red)->get());
    answer(GuardedLamp::status, true);
    TEST_ASSERT_FALSE(*(*amber)->get());
    TEST_ASSERT_OK(link->beat());
    TEST_ASSERT_OK((*red)->set(true));
    TEST_ASSERT_EQUAL_STRING("100", heard(status[0]).c_str());
    TEST_ASSERT_EQUAL_STRING("1", heard(warning[0]).c_str());
  }
  TEST_ASSERT_EQUAL_STRING("1", heard(status[0]).c_str());  // as a released line: lit
  TEST_ASSERT_EQUAL_STRING("0", heard(warning[0]).c_str());
  for (int i = 0; i < 100'000; ++i)
    TEST_ASSERT_OK(link->beat());  // a guard that does not read holds nobody up
  ::close(status[0]);
  ::close(warning[0]);
  TEST_ASSERT_ERROR(Errc::gone, link->say(GuardedLamp::status, true));
  TEST_ASSERT_ERROR(Errc::gone, link->beat());
  TEST_ASSERT_ERROR(Errc::gone, link->line(GuardedLamp::status));
}

}  // namespace
