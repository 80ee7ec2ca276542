// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firmware/log/write_some.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using kerb::Log;
using kerb::LogLevel;
using kerb::LogOptions;
using kerb::make_log;

namespace {

/// A file without a name, that a log writes and we read.
class Paper {
 public:
  ~Paper() { std::fclose(stream); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::rewind(stream);
    std::string all;
    for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) all += static_cast<char>(c);
    std::vector<std::string> result;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('\n', at);
      TEST_ASSERT_TRUE_MESSAGE(end != std::string::npos, "the last line has no end");
      result.push_back(all.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }
  std::FILE* stream = std::tmpfile();
};

TEST(lines_for_people_have_time_level_category_and_text) {
  const Paper paper;
  auto log = make_log({.level = LogLevel::debug, .stream = paper.stream});
  log->debug("v4l2", "1");
  log->info("pipeline", "30 frames/s {} {0} %s");
  log->warning("health", "hot");
  log->error("can", "down");
  log.reset();
  const auto lines = paper.lines();
  const char* expected[] = {"debug v4l2: 1", "info  pipeline: 30 frames/s {} {0} %s",
                            "warn  health: hot", "error can: down"};
  TEST_ASSERT_EQUAL_INT(4, lines.size());
  const std::regex time{R"(\d\d:\d\d:\d\d\.\d\d\d )"};
  for (std::size_t i = 0; i < 4; ++i) {
    TEST_ASSERT_TRUE(std::regex_match(lines[i].substr(0, 13), time));
    TEST_ASSERT_EQUAL_STRING(expected[i], lines[i].substr(13).c_str());
  }
}

TEST(json_lines_carry_hostile_text_unharmed) {
  const Paper paper;
  auto log = make_log({.json = true, .stream = paper.stream});
  const std::string hostile = "\"}\n{\"level\":\"error\"} \x1b[31m {} \xFF \\";
  log->warning("replay", hostile);
  log.reset();
  const auto lines = paper.lines();
  TEST_ASSERT_EQUAL_INT(1, lines.size());
  const auto line = nlohmann::json::parse(lines[0]);
  TEST_ASSERT_EQUAL_INT(4, line.size());
  TEST_ASSERT_EQUAL_STRING("warning", line["level"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("replay", line["category"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("\"}\n{\"level\":\"error\"} \x1b[31m {} \xEF\xBF\xBD \\",
                           line["text"].get<std::string>().c_str());
  const std::regex utc{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"};
  TEST_ASSERT_TRUE(std::regex_match(line["time"].get<std::string>(), utc));
}

TEST(what_is_below_the_level_is_not_written) {
  const Paper paper;
  auto log = make_log({.level = LogLevel::warning, .json = true, .stream = paper.stream});
  log->debug("a", "no");
  log->info("a", "no");
  log->warning("a", "yes");
  log->error(nullptr, "");  // no category is no crash
  log.reset();
  TEST_ASSERT_EQUAL_INT(2, paper.lines().size());
}

TEST(lines_of_many_threads_do_not_mix) {
  const Paper paper;
  auto log = make_log({.json = true, .stream = paper.stream, .queue = 2048});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 250; ++i) log->info("t", std::to_string(1000 * t + i));
    });
  for (std::thread& thread : threads) thread.join();
  log.reset();
  std::set<std::string> texts;
  for (const std::string& line : paper.lines())
    texts.insert(nlohmann::json::parse(line)["text"].get<std::string>());
  TEST_ASSERT_EQUAL_INT(1000, texts.size());
}

TEST(the_thread_that_writes_says_so_first) {
  const Paper paper;
  std::thread::id writer;
  LogOptions options;
  options.stream = paper.stream;
  options.thread_start = [&] { writer = std::this_thread::get_id(); };
  auto log = make_log(options);
  log->info("main", "one");
  log.reset();
  TEST_ASSERT_EQUAL_INT(1, paper.lines().size());
  TEST_ASSERT_TRUE(writer != std::thread::id{} && writer != std::this_thread::get_id());
}

TEST(a_stream_that_refuses_is_survived) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) TEST_IGNORE_MESSAGE("no /dev/full here");
  {
    const auto log = make_log({.stream = full});
    for (int i = 0; i < 100; ++i) log->info("a", std::string(1000, 'x'));
  }
  std::fclose(full);
}

TEST(a_long_text_is_cut_and_says_so) {
  const Paper paper;
  auto log = make_log({.json = true, .stream = paper.stream});
  log->info("a", std::string(960, 'x'));
  log->info("a", std::string(961, 'x'));
  log.reset();
  const auto lines = paper.lines();
  TEST_ASSERT_EQUAL_INT(2, lines.size());
  const auto text_of = [](const std::string& line) {
    return nlohmann::json::parse(line)["text"].get<std::string>();
  };
  TEST_ASSERT_TRUE(text_of(lines[0]) == std::string(960, 'x'));
  TEST_ASSERT_TRUE(text_of(lines[1]) == std::string(957, 'x') + "...");
}

/// A pipe as standard error is one: it blocks its writer, and nobody reads until a test does.
class Pipe {
 public:
  Pipe() {
    int ends[2];
    TEST_ASSERT_EQUAL_INT(0, ::pipe2(ends, O_CLOEXEC));
    from_ = ends[0];
    stream = ::fdopen(ends[1], "w");
  }
  ~Pipe() {
    if (from_ >= 0) ::close(from_);
    std::fclose(stream);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  /// To the last byte; the number of bytes.
  std::size_t fill() const {
    const int to = ::fileno(stream);
    ::fcntl(to, F_SETFL, O_NONBLOCK);
    std::size_t bytes = 0;
    while (::write(to, "#", 1) == 1) ++bytes;
    ::fcntl(to, F_SETFL, 0);
    return bytes;
  }
  void read(std::size_t bytes) const {
    std::string all(bytes, ' ');
    for (std::size_t at = 0; at < bytes;) {
      const ssize_t n = ::read(from_, all.data() + at, bytes - at);
      TEST_ASSERT_TRUE(n > 0);
      at += static_cast<std::size_t>(n);
    }
  }
  /// Reads lines until one has `part`: that one.
  std::string read_until(const char* part) const {
    std::string line;
    for (char c = 0; ::read(from_, &c, 1) == 1;) {
      if (c != '\n') {
        line += c;
      } else if (line.find(part) != std::string::npos) {
        return line;
      } else {
        line.clear();
      }
    }
    return "";
  }
  void close_other_end() { ::close(std::exchange(from_, -1)); }
  std::FILE* stream = nullptr;

 private:
  int from_ = -1;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(a_full_pipe_holds_nobody_up_and_the_log_ends_in_time) {
  const Pipe pipe;
  pipe.fill();
  auto log = make_log({.stream = pipe.stream});
  const std::uint64_t allocations = kerb::test::thread_allocations();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) log->info("a", "a line of no great length, and some more");
  TEST_ASSERT_TRUE(seconds_since(start) < 30);
  TEST_ASSERT_EQUAL_UINT64(0, kerb::test::thread_allocations() - allocations);
  const auto end = std::chrono::steady_clock::now();
  log.reset();
  TEST_ASSERT_TRUE(seconds_since(end) < 10);  // 0.4 s, on a machine that is not busy
}

TEST(lines_that_a_full_pipe_cost_are_counted_and_told) {
  const Pipe pipe;
  const std::size_t filled = pipe.fill();
  auto log = make_log({.stream = pipe.stream, .queue = 16});
  for (int i = 0; i < 100; ++i) log->info("a", "line " + std::to_string(i));
  log->error("a", "the last quarter is for such");
  pipe.read(filled);
  // 12 find room: the one being written is still in the queue. The error follows them.
  const std::string first = pipe.read_until("line");
  TEST_ASSERT_TRUE_MESSAGE(first.ends_with("line 0"), first.c_str());
  const std::string error = pipe.read_until("the last quarter");
  TEST_ASSERT_TRUE(error.find("error a:") != std::string::npos);
  const std::string told = pipe.read_until("dropped");
  TEST_ASSERT_TRUE_MESSAGE(told.ends_with("warn  log: 88 lines dropped"), told.c_str());
  log->info("a", "all is well");  // and nothing more was lost
  const std::string next = pipe.read_until("");
  TEST_ASSERT_TRUE_MESSAGE(next.ends_with("all is well"), next.c_str());
}

TEST(a_reader_that_left_is_survived) {
  Pipe pipe;
  pipe.close_other_end();
  auto log = make_log({.stream = pipe.stream});
  for (int i = 0; i < 100; ++i) log->info("a", "nobody");
  const auto end = std::chrono::steady_clock::now();
  log.reset();
  TEST_ASSERT_TRUE(seconds_since(end) < 10);
}

TEST(writing_with_a_limit_keeps_it) {
  const Pipe pipe;
  const std::size_t filled = pipe.fill();
  const int to = ::fileno(pipe.stream);
  const auto start = std::chrono::steady_clock::now();
  TEST_ASSERT_EQUAL_INT(ETIMEDOUT, kerb::write_within(to, "more", std::chrono::milliseconds{50}));
  TEST_ASSERT_TRUE(seconds_since(start) >= 0.04);
  TEST_ASSERT_TRUE(seconds_since(start) < 30);
  pipe.read(filled);
  TEST_ASSERT_EQUAL_INT(0, kerb::write_within(to, "some more\n", std::chrono::seconds{5}));
  TEST_ASSERT_EQUAL_STRING("some more", pipe.read_until("more").c_str());
  TEST_ASSERT_EQUAL_INT(EBADF, kerb::write_within(1 << 20, "more", std::chrono::seconds{5}));
}

}  // namespace
