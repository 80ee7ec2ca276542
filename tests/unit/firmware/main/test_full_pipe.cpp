// SPDX-License-Identifier: Apache-2.0
// The program where nobody reads what it says: its standard error and output are pipes that are
// full, as under a supervisor that hangs.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

/// Nobody reads it, and it has no room for one byte more.
class FullPipe {
 public:
  FullPipe() {
    TEST_ASSERT_EQUAL_INT(0, ::pipe2(ends_, O_CLOEXEC));
    ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    while (::write(ends_[1], "#", 1) == 1) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);  // as a program's standard error is
  }
  ~FullPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  [[nodiscard]] int end() const { return ends_[1]; }

 private:
  int ends_[2];
};

/// `kerbwatch run` with its output and its errors in these; killed where it is still there at the
/// end.
class Running {
 public:
  Running(const std::string& config, int out, int error) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::dup2(out, STDOUT_FILENO);
    ::dup2(error, STDERR_FILENO);
    const std::string command = std::string{"exec "} + KERBWATCH + " run --config " + config;
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ~Running() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Its exit code; -1 when it is not over within `limit`.
  int end(int signal, SteadyClock::duration limit) {
    ::kill(pid_, signal);
    const auto deadline = SteadyClock::now() + limit;
    for (int status = 0; SteadyClock::now() < deadline;
         std::this_thread::sleep_for(milliseconds{5})) {
      if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    return -1;
  }

 private:
  pid_t pid_ = -1;
};

bool has(const std::string& file, const char* part) {
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  return text.str().find(part) != std::string::npos;
}

/// A camera and no more. The debug level is the talkative one.
std::string desk_config(const kerb::test::TempFolder& folder) {
  return folder.write("test.toml",
                      "[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n"
                      "[can]\nenabled = false\n[thermal]\nenabled = false\n"
                      "[record]\nenabled = false\n[log]\nlevel = \"debug\"\n[events]\npath = \"" +
                          folder.at("events.jsonl") + "\"\n");
}

/// `code`: 2 where the report at the end cannot be written.
void expect_an_orderly_end(const kerb::test::TempFolder& folder, Running& running, int code) {
  const std::string events = folder.at("events.jsonl");
  // Its rounds go on although nobody reads: the camera that opened is a finding of a round.
  for (int i = 0; i < 1200 && !has(events, "camera_opened"); ++i)
    std::this_thread::sleep_for(milliseconds{50});
  TEST_ASSERT_TRUE_MESSAGE(has(events, "camera_opened"), "no round within a minute");
  TEST_ASSERT_EQUAL_INT_MESSAGE(code, running.end(SIGTERM, seconds{10}),
                                "SIGTERM does not end it in time");
  TEST_ASSERT_TRUE(has(events, R"("kind":"stopped")"));
  TEST_ASSERT_TRUE(has(events, R"("reason":"SIGTERM")"));
}

TEST(sigterm_ends_it_in_time_while_nobody_reads_its_errors) {
  const kerb::test::TempFolder folder;
  const FullPipe errors;
  const int out = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Running running{desk_config(folder), out, errors.end()};
  ::close(out);
  expect_an_orderly_end(folder, running, 0);
}

TEST(sigterm_ends_it_in_time_while_nobody_reads_anything) {
  const kerb::test::TempFolder folder;
  const FullPipe all;
  Running running{desk_config(folder), all.end(), all.end()};
  expect_an_orderly_end(folder, running, 2);
}

TEST(a_start_that_fails_ends_while_nobody_reads_why) {
  const kerb::test::TempFolder folder;
  const FullPipe all;
  const std::string config =
      folder.write("test.toml",
                   "[[camera]]\ndevice = \"/nowhere/video\"\n[can]\nenabled = false\n"
                   "[events]\nenabled = false\n[record]\nenabled = false\n");
  Running running{config + " --strict", all.end(), all.end()};
  TEST_ASSERT_EQUAL_INT(2, running.end(0, seconds{30}));
}

}  // namespace
