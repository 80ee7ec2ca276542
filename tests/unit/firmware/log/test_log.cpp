// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/log.hpp"
#include "tests/support/test.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

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
  const auto log = make_log({LogLevel::debug, false, paper.stream});
  log->debug("v4l2", "1");
  log->info("pipeline", "30 frames/s {} {0} %s");
  log->warning("health", "hot");
  log->error("can", "down");
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
  const auto log = make_log({LogLevel::info, true, paper.stream});
  const std::string hostile = "\"}\n{\"level\":\"error\"} \x1b[31m {} \xFF \\";
  log->warning("replay", hostile);
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
  const auto log = make_log({LogLevel::warning, true, paper.stream});
  log->debug("a", "no");
  log->info("a", "no");
  log->warning("a", "yes");
  log->error(nullptr, "");  // no category is no crash
  TEST_ASSERT_EQUAL_INT(2, paper.lines().size());
}

TEST(lines_of_many_threads_do_not_mix) {
  const Paper paper;
  const auto log = make_log({LogLevel::info, true, paper.stream});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 250; ++i) log->info("t", std::to_string(1000 * t + i));
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> texts;
  for (const std::string& line : paper.lines())
    texts.insert(nlohmann::json::parse(line)["text"].get<std::string>());
  TEST_ASSERT_EQUAL_INT(1000, texts.size());
}

TEST(a_stream_that_refuses_is_survived) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) TEST_IGNORE_MESSAGE("no /dev/full here");
  {
    const auto log = make_log({LogLevel::info, false, full});
    for (int i = 0; i < 100; ++i) log->info("a", std::string(1000, 'x'));
  }
  std::fclose(full);
}

}  // namespace
