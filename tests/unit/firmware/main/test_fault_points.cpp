// SPDX-License-Identifier: Apache-2.0
// The program with faults of its own calls (KERB_FAULTS): only in a build with KERB_FAULT_POINTS.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

namespace {

struct Outcome {
  int code = -1;
  std::string log;
  std::vector<nlohmann::json> events;
};

/// `kerbwatch run` on the test pattern for so long, without bus, lamps and detector. `under` comes
/// before it: variables.
Outcome run(const std::string& faults, int seconds, const std::string& under = "") {
  const kerb::test::TempFolder folder;
  const std::string events = folder.at("events.jsonl"), log = folder.at("log");
  const std::string config = folder.write(
      "test.toml",
      "[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n[can]\nenabled = false\n"
      "[detector]\nenabled = false\n[thermal]\nenabled = false\n[record]\nenabled = false\n"
      "[events]\npath = \"" +
          events + "\"\n");
  const std::string command = "KERB_FAULTS='" + faults + "' " + under + " " + KERBWATCH +
                              " run --config " + config + " --seconds " + std::to_string(seconds) +
                              " >/dev/null 2>" + log;
  const int status = std::system(command.c_str());
  Outcome out;
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  std::stringstream text;
  text << std::ifstream{log}.rdbuf();
  out.log = text.str();
  std::ifstream lines{events};
  for (std::string line; std::getline(lines, line);)
    out.events.push_back(nlohmann::json::parse(line, nullptr, false));
  return out;
}

const char kLost[] = "vision.prepare:fail=EIO:from=13000";

TEST(a_gpu_that_fails_for_good_ends_the_program_with_4_and_an_event) {
  const Outcome o = run(kLost, 60, "NOTIFY_SOCKET=@nobody-listens-here");
  TEST_ASSERT_EQUAL_INT_MESSAGE(4, o.code, o.log.c_str());
  TEST_ASSERT_FALSE(o.events.empty());
  const nlohmann::json& last = o.events.back();
  TEST_ASSERT_TRUE(last["kind"] == "stopped" && last["data"]["exit_code"] == 4);
  TEST_ASSERT_TRUE(last["data"]["uptime_s"] > 15);
  TEST_ASSERT_TRUE(o.log.find("the GPU fails on every frame") != std::string::npos);
}

TEST(it_stays_where_nothing_would_start_it_again) {
  const Outcome o = run(kLost, 20, "env -u NOTIFY_SOCKET -u KERBWATCH_GUARD");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.log.c_str());
  TEST_ASSERT_TRUE(o.log.find("nothing would start it again") != std::string::npos);
}

TEST(an_operator_that_hangs_does_not_keep_it_from_ending) {
  const Outcome o = run("vision.prepare:hang=120000:from=1000", 10);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.log.c_str());
  TEST_ASSERT_TRUE(o.log.find("a thread of the vision hangs") != std::string::npos);
  TEST_ASSERT_FALSE(o.events.empty());
  TEST_ASSERT_TRUE(o.events.back()["kind"] == "stopped");
  TEST_ASSERT_TRUE(o.events.back()["data"]["uptime_s"] < 60);
}

TEST(memory_that_is_missing_at_the_start_is_waited_for) {
  const Outcome o = run("start.open:no_memory:calls=1-2", 5);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.log.c_str());
  TEST_ASSERT_TRUE(o.log.find("Cannot allocate memory; retrying") != std::string::npos);
  TEST_ASSERT_TRUE(o.log.find("runs") != std::string::npos);
}

TEST(a_disk_that_refuses_for_a_while_costs_no_event) {
  const Outcome o = run("events.*:fail=ENOSPC:from=1000:to=3000", 5);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.log.c_str());
  bool refused = false;
  for (std::size_t i = 0; i < o.events.size(); ++i) {
    TEST_ASSERT_FALSE(o.events[i].is_discarded());
    TEST_ASSERT_TRUE(o.events[i]["seq"] == i);
    refused = refused || o.events[i]["kind"] == "log_refused";
  }
  TEST_ASSERT_TRUE(refused);
}

TEST(rules_that_cannot_be_read_end_it) {
  TEST_ASSERT_EQUAL_INT(2, run("start.open:explode", 5).code);
}

}  // namespace
