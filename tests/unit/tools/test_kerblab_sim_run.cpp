// SPDX-License-Identifier: Apache-2.0
// kerblab sim run and view as a person meets them.
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}

/// Small pictures, few of them: somebody crosses, and is met after 2.5 s.
constexpr const char* kCrossing =
    "title = \"Crossing\"\nseconds = 3\n[camera]\nwidth = 320\nheight = 180\nrate_hz = 10\n"
    "[car]\nkmh = 36\n[[people]]\nimpact = {percent = 50, at_s = 2.5}\n"
    "[criteria]\nimpact_expected = true\ncollision_warning_before_impact_s = 1.5\n";

TEST(the_oracle_passes_and_the_report_says_so) {
  write("crossing.toml", kCrossing);
  const Outcome o =
      kerblab("sim run crossing.toml --oracle --report r.json --html r.html --pictures all");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("1 of 1 runs passed") != std::string::npos, o.out.c_str());
  TEST_ASSERT_TRUE(o.out.find("a stand-in, oracle, not the firmware") != std::string::npos);
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_TRUE(report["passed"].get<bool>());
  TEST_ASSERT_EQUAL_STRING("oracle", report["candidate"].get<std::string>().c_str());
  const std::string page = read(g_folder / "r.html");
  TEST_ASSERT_TRUE(page.find("data:image/jpeg;base64,") != std::string::npos);
}

TEST(who_fails_is_told_why_with_exit_code_1) {
  write("crossing.toml", kCrossing);
  const Outcome never = kerblab("sim run crossing.toml --never");
  TEST_ASSERT_EQUAL_INT(1, never.code);
  TEST_ASSERT_TRUE_MESSAGE(
      never.out.find("FAILED crossing: no collision warning before the impact at 2.50 s") !=
          std::string::npos,
      never.out.c_str());
}

TEST(two_runs_of_the_firmware_leave_the_same_trace) {
  write("crossing.toml", kCrossing);
  for (const char* folder : {"a", "b"}) {
    const Outcome o =
        kerblab(std::string{"sim run crossing.toml --backend cpu --traces "} + folder);
    TEST_ASSERT_TRUE_MESSAGE(o.code == 0 || o.code == 1, o.err.c_str());
  }
  const std::string a = read(g_folder / "a" / "crossing.trace");
  TEST_ASSERT_TRUE(a.size() > 500);
  TEST_ASSERT_TRUE(a == read(g_folder / "b" / "crossing.trace"));
}

/// Without what depends on the machine.
Json results(const std::string& file) {
  Json report = Json::parse(read(g_folder / file));
  for (Json& run : report["runs"])
    for (const char* key : {"took_s", "drawing_s"}) run.erase(key);
  return report;
}

TEST(parts_that_are_merged_are_the_whole) {
  const std::string runs = "sim run --oracle --suite brief --seed 7 ";
  expect_done(kerblab(runs + "--report whole.json"));
  expect_done(kerblab(runs + "--most 4 --report a.json"));
  expect_done(kerblab(runs + "--report b.json"));  // has those of a.json too
  const Outcome o = kerblab("sim merge a.json b.json --report merged.json --html merged.html");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("4 were there twice") != std::string::npos, o.out.c_str());
  TEST_ASSERT_TRUE(results("whole.json") == results("merged.json"));
  TEST_ASSERT_TRUE(read(g_folder / "merged.html").find("dark-30kmh-v1@7") != std::string::npos);
  const Json report = results("whole.json");
  TEST_ASSERT_TRUE(report.contains("commit"));
  TEST_ASSERT_EQUAL_INT(7, report["runs"][1]["suite_seed"].get<int>());
}

TEST(what_does_not_belong_together_is_not_merged) {
  write("crossing.toml", kCrossing);
  expect_done(kerblab("sim run --oracle crossing.toml --report a.json"));
  expect_done(kerblab("sim run --oracle crossing.toml --latency 50 --report slow.json"));
  TEST_ASSERT_EQUAL_INT(1, kerblab("sim run --never crossing.toml --report n.json").code);
  write("no.json", "{\"kerblab\": \"0.1.0\", \"runs\": []}");
  write("torn.json", read(g_folder / "a.json").substr(0, 500));
  expect_bad_input(kerblab("sim merge a.json slow.json"), "another latency: 0.05 s, not 0.033 s");
  expect_bad_input(kerblab("sim merge a.json n.json"), "another candidate: never, not oracle");
  expect_bad_input(kerblab("sim merge a.json n.json --mixed"),
                   "the run crossing.toml/crossing has another result than in a.json");
  expect_bad_input(kerblab("sim merge a.json no.json"), "no.json: is a report of an older kerblab");
  expect_bad_input(kerblab("sim merge torn.json"), "torn.json: is not a report");
  expect_bad_input(kerblab("sim merge gone.json"), "gone.json: No such file");
  expect_bad_input(kerblab("sim merge a.json --report a.json"), "an input: a.json");
  expect_bad_input(kerblab("sim merge"), "required");
}

TEST(view_draws_a_sheet_and_a_moment) {
  write("crossing.toml", kCrossing);
  expect_done(kerblab("sim view crossing.toml --oracle --count 4 --columns 2 --out sheet.png"));
  const cv::Mat sheet = cv::imread((g_folder / "sheet.png").string());
  TEST_ASSERT_EQUAL_INT(2 * 320 + 4, sheet.cols);
  TEST_ASSERT_EQUAL_INT(2 * 180 + 4, sheet.rows);
  expect_done(kerblab("sim view crossing.toml --oracle --at 1.5 --width 160 --out one.jpg"));
  TEST_ASSERT_EQUAL_INT(160, cv::imread((g_folder / "one.jpg").string()).cols);
}

/// Over before there is much to draw.
std::string short_scenario(const char* seconds) {
  return std::string{"title = \"Short\"\nseconds = "} + seconds +
         "\n[car]\nkmh = 36\n[criteria]\nno_collision_warning = true\n";
}

/// A board program that does what `play` says with the folder of plays, $plays, and that of traces,
/// $traces.
void write_board(const std::string& check, const std::string& play) {
  write("board.sh", "#!/bin/sh\nif [ \"$1\" = --check ]; then " + check +
                        "; fi\nplays=$2\ntraces=$4\n" + play + "\n");
  fs::permissions(g_folder / "board.sh", fs::perms::owner_all);
}

TEST(what_comes_back_from_the_board_is_judged_like_any_other) {
  write("short.toml", short_scenario("0.4"));
  expect_done(kerblab("sim run short.toml --oracle --traces told"));
  write_board("exit 0",
              "test -s $plays/000-short.kwplay && test -s $plays/000-short.toml || exit 1\n"
              "cp told/short.trace $traces/000-short.trace\necho it said > $traces/000-short.log\n"
              "echo a story");
  const Outcome o =
      kerblab("sim run short.toml --hil ./board.sh --report r.json --html r.html --traces kept");
  expect_done(o);
  TEST_ASSERT_EQUAL_STRING("a story\n", o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      o.out.find("(on the board, 4 times slower than real time)") != std::string::npos,
      o.out.c_str());
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_STRING("board", report["candidate"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_DOUBLE(0.25, report["clock_rate"].get<double>());
  TEST_ASSERT_EQUAL_INT(12, report["runs"][0]["pictures"].get<int>());
  TEST_ASSERT_TRUE(read(g_folder / "r.html").find("4 times slower than real time") !=
                   std::string::npos);
  TEST_ASSERT_TRUE(read(g_folder / "told/short.trace") == read(g_folder / "kept/short.trace"));
  TEST_ASSERT_EQUAL_STRING("it said\n", read(g_folder / "kept/short.log").c_str());
}

TEST(a_silent_firmware_on_the_board_fails_with_exit_code_1) {
  write("short.toml", short_scenario("0.1"));
  write_board("exit 0", "echo '# nothing' > $traces/000-short.trace");
  const Outcome o = kerblab("sim run short.toml --hil ./board.sh");
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, o.code, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("FAILED short: ") != std::string::npos, o.out.c_str());
}

TEST(a_board_that_cannot_is_one_line_and_leaves_nothing) {
  write("short.toml", short_scenario("0.1"));
  write("long.toml", std::string{"seconds = 900\n[car]\nkmh = 36\n"});
  write("silent.toml", short_scenario("0.1") +
                           "[[faults]]\nkind = \"camera_silent\"\nfrom_s = 0.02\nto_s = 0.05\n");
  struct Case {
    const char *check, *play, *arguments, *part;
  };
  const char* plain = "sim run short.toml --hil ./board.sh --report r.json --traces kept";
  for (const Case& c :
       {Case{"exit 0", "", "sim run short.toml --hil ./none.sh", "./none.sh: No such file"},
        Case{"exit 0", "", "sim run short.toml --hil ./short.toml", "Permission denied"},
        Case{"echo board: no kernel >&2; exit 2", "", plain, "board: no kernel"},
        Case{"exit 1", "", plain, "the board cannot start: ./board.sh --check: exit code 1"},
        Case{"exit 0", "echo board: the disk is full >&2; exit 2", plain, "the disk is full"},
        Case{"exit 0", "exit 1", plain, "short: no trace of it from the board"},
        Case{"exit 0", "kill -9 $$", plain, "terminated by signal 9"},
        Case{"exit 0", "echo 0.1 can 7 > $traces/000-short.trace", plain, "000-short.trace"},
        Case{"exit 0", "", "sim run long.toml --hil ./board.sh", "MB of pictures"},
        Case{"exit 0", "", "sim run silent.toml --hil ./board.sh",
             "cannot simulate camera_silent"}}) {
    write_board(c.check, c.play);
    expect_bad_input(kerblab(c.arguments), c.part);
  }
  TEST_ASSERT_EQUAL_INT(4, static_cast<int>(std::distance(fs::directory_iterator{g_folder},
                                                          fs::directory_iterator{})));
}

TEST(bad_input_is_one_line_and_leaves_nothing) {
  write("crossing.toml", kCrossing);
  write("config.toml", "[clock]\nrate = -1\n");
  struct Case {
    const char* arguments;
    const char* part;
  };
  for (const Case& c :
       {Case{"sim run", "expected a SCENARIO file"},
        Case{"sim run nothing.toml --oracle", "nothing.toml"},
        Case{"sim run --suite mercury --oracle", "mercury"},
        Case{"sim run crossing.toml --oracle --never", "--never"},
        Case{"sim run crossing.toml --oracle --only xyz", "xyz"},
        Case{"sim run crossing.toml --oracle --report no/r.json", "no such folder: no"},
        Case{"sim run crossing.toml --oracle --html crossing.toml", "crossing.toml"},
        Case{"sim run crossing.toml --config config.toml", "clock.rate"},
        Case{"sim run crossing.toml --model none.kwm", "none.kwm"},
        Case{"sim run crossing.toml --oracle --hil board.sh", "--hil"},
        Case{"sim run crossing.toml --oracle --jobs -1", "--jobs"},
        Case{"sim view crossing.toml --oracle --out x.gif", ".png, .jpg or .mp4"},
        Case{"sim run crossing.toml --oracle --latency nan", "--latency"},
        Case{"sim view crossing.toml --oracle --at nan --out x.png", "--at"},
        Case{"sim view crossing.toml --oracle --at -1 --out x.png", "--at"},
        Case{"sim view crossing.toml --oracle --rate nan --out x.mp4", "--rate"},
        Case{"sim view crossing.toml --oracle --at 9 --out x.png", "--at 9"}})
    expect_bad_input(kerblab(c.arguments), c.part);
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(std::distance(fs::directory_iterator{g_folder},
                                                          fs::directory_iterator{})));
}

TEST(no_input_is_overwritten_and_no_output_either) {
  write("crossing.toml", kCrossing);
  write("same.trace", kCrossing);  // a scenario may have any name
  write("suite.toml", "title = \"Mine\"\n[[group]]\nname = \"a\"\ntemplate = \"crossing.toml\"\n");
  write("config.toml", "# as it comes\n");
  write("model.kwm", "not looked at by a stand-in\n");
  write("sheet.png", kCrossing);
  std::map<std::string, std::string> before;
  for (const fs::directory_entry& entry : fs::directory_iterator{g_folder})
    before[entry.path().filename()] = read(entry.path());
  struct Case {
    const char* arguments;
    const char* part;
  };
  for (const Case& c :
       {Case{"run --suite suite.toml --report suite.toml", "an input: suite.toml"},
        Case{"run --suite suite.toml --report crossing.toml", "an input: crossing.toml"},
        Case{"run suite.toml --html ./crossing.toml", "an input: ./crossing.toml"},
        Case{"run crossing.toml --config config.toml --html config.toml", "an input: config.toml"},
        Case{"run crossing.toml --model model.kwm --report model.kwm", "an input: model.kwm"},
        Case{"run same.trace --traces .", "an input: ./same.trace"},
        Case{"run crossing.toml --report r.x --html ./r.x", "the same name: ./r.x"},
        Case{"run crossing.toml --report - --html -", "the same name: -"},
        Case{"run crossing.toml suite.toml crossing.toml", "crossing.toml: is given twice"},
        Case{"view --suite suite.toml sheet.png --only a --out sheet.png", "an input: sheet.png"}})
    expect_bad_input(kerblab(std::string{"sim "} + c.arguments + " --oracle"), c.part);
  std::map<std::string, std::string> after;
  for (const fs::directory_entry& entry : fs::directory_iterator{g_folder})
    after[entry.path().filename()] = read(entry.path());
  TEST_ASSERT_TRUE(before == after);
}

}  // namespace
