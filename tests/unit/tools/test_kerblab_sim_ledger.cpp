// SPDX-License-Identifier: Apache-2.0
// kerblab sim ledger and sim sweep as a person meets them.
#include <filesystem>
#include <fstream>
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

constexpr const char* kEntry =
    "[[entry]]\nname = \"nobody\"\nruns = [\"crossing.toml/crossing\"]\ncandidate = \"never\"\n"
    "kind = \"miss\"\ncause = \"rule\"\nhappened = \"it never warns\"\nat_s = 1.0\n";

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(a_failure_without_an_entry_is_exit_code_1_until_it_has_one) {
  write("crossing.toml", kCrossing);
  TEST_ASSERT_EQUAL_INT(1, kerblab("sim run crossing.toml --never --report n.json").code);
  write("ledger.toml", "");
  const std::string command = "sim ledger --ledger ledger.toml --pictures pictures ";
  const Outcome unlisted = kerblab(command + "n.json");
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, unlisted.code, unlisted.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      has(unlisted.out, "not yet looked at: crossing.toml/crossing with never: no collision"),
      unlisted.out.c_str());
  TEST_ASSERT_TRUE(has(read(g_folder / "ledger.md"), "| `crossing.toml/crossing` | never |"));
  expect_done(kerblab(command + "--allow-open"));  // it is remembered without its report

  write("ledger.toml", kEntry);
  TEST_ASSERT_EQUAL_INT(1, kerblab(command + "--check").code);
  const Outcome listed = kerblab(command + "--draw");
  expect_done(listed);
  TEST_ASSERT_TRUE_MESSAGE(has(listed.out, "drew pictures/nobody.jpg"), listed.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(has(listed.out, "1 entry, 1 of them not fixed"), listed.out.c_str());
  const std::string page = read(g_folder / "ledger.md");
  TEST_ASSERT_TRUE(has(page, "](pictures/nobody.jpg)"));
  TEST_ASSERT_TRUE(has(page, "| now | **fails**: no collision warning before the impact"));
  TEST_ASSERT_EQUAL_INT(320, cv::imread((g_folder / "pictures/nobody.jpg").string()).cols);
  TEST_ASSERT_TRUE(fs::file_size(g_folder / "pictures/nobody.jpg") <= 30000);
  expect_done(kerblab(command + "--check"));
}

TEST(the_check_sees_what_is_not_as_the_ledger_says) {
  write("ledger.toml", kEntry);
  const std::string command = "sim ledger --ledger ledger.toml --pictures pictures ";
  fs::create_directory(g_folder / "pictures");
  write("pictures/nobody.jpg", "as if");
  expect_done(kerblab(command));
  expect_done(kerblab(command + "--check"));
  const std::string page = read(g_folder / "ledger.md");
  write("ledger.md", page + "by hand\n");
  const Outcome changed = kerblab(command + "--check");
  TEST_ASSERT_EQUAL_INT(1, changed.code);
  TEST_ASSERT_TRUE_MESSAGE(has(changed.out, "ledger.md: is not what ledger.toml"),
                           changed.out.c_str());
  TEST_ASSERT_TRUE(read(g_folder / "ledger.md") == page + "by hand\n");
  write("ledger.md", page);
  write("pictures/other.jpg", "x");
  TEST_ASSERT_TRUE(
      has(kerblab(command + "--check").out, "pictures/other.jpg: belongs to no entry"));
  fs::remove(g_folder / "pictures/other.jpg");
  write("pictures/nobody.jpg", std::string(30001, 'x'));
  TEST_ASSERT_TRUE(has(kerblab(command + "--check").out, "is larger than 30000 bytes"));
  fs::remove(g_folder / "pictures/nobody.jpg");
  TEST_ASSERT_TRUE(has(kerblab(command + "--check").out, "nobody.jpg: is not there"));
}

TEST(a_fix_that_fails_again_is_told) {
  write("crossing.toml", kCrossing);
  TEST_ASSERT_EQUAL_INT(1, kerblab("sim run crossing.toml --never --report n.json").code);
  std::string fixed = kEntry;
  fixed.replace(fixed.find("at_s = 1.0\n"), 11, "fix = \"it warns\"\nfixed_in = \"0.1\"\n");
  write("ledger.toml", fixed);
  const Outcome o = kerblab("sim ledger n.json --ledger ledger.toml --pictures pictures");
  TEST_ASSERT_EQUAL_INT(1, o.code);
  TEST_ASSERT_TRUE_MESSAGE(has(o.out, "fails again: nobody"), o.out.c_str());
}

TEST(a_ledger_or_a_report_that_is_none_is_one_line) {
  write("ledger.toml", "");
  write("wrong.toml", "[[entry]]\nname = 3\n");
  write("torn.json", "{");
  fs::create_directory(g_folder / "other");
  write("other/ledger.toml", "");
  write("other/ledger.json", "[]");
  for (const auto& [arguments, part] :
       {std::pair{"sim ledger --ledger none.toml", "none.toml"},
        std::pair{"sim ledger --ledger wrong.toml", "entry[0].name"},
        std::pair{"sim ledger torn.json --ledger ledger.toml", "torn.json: is not a report"},
        std::pair{"sim ledger --ledger other/ledger.toml", "other/ledger.json: is not what"},
        std::pair{"sim ledger torn.json --check --ledger ledger.toml", "takes no reports"},
        std::pair{"sim ledger --check --ledger ledger.toml", "ledger.md"}})
    expect_bad_input(kerblab(arguments), part);
  TEST_ASSERT_FALSE(fs::exists(g_folder / "ledger.md"));
}

// --- sim sweep, --set

TEST(a_sweep_is_a_table_a_report_and_two_plots) {
  write("crossing.toml", kCrossing);
  const Outcome kept = kerblab("sim run crossing.toml --backend cpu --keep-vision kept");
  TEST_ASSERT_TRUE_MESSAGE(kept.code == 0 || kept.code == 1, kept.err.c_str());
  const std::string sweep =
      "sim sweep crossing.toml --vision kept --vary decisions.warning.likelihood=0.4,0.8 ";
  const Outcome o = kerblab(sweep + "--report s.json --curve c.svg --reliability r.png");
  expect_done(o);
  TEST_ASSERT_EQUAL_INT(3, int(std::count(o.out.begin(), o.out.end(), '\n')));
  const Json report = Json::parse(read(g_folder / "s.json"));
  TEST_ASSERT_EQUAL_INT(2, int(report["points"].size()));
  TEST_ASSERT_EQUAL_STRING("decisions.warning.likelihood=0.8",
                           report["points"][1]["set"][0].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(1, report["points"][0]["before_impact_s"]["runs"].get<int>());
  TEST_ASSERT_TRUE(has(read(g_folder / "c.svg"), "By decisions.warning.likelihood"));
  TEST_ASSERT_TRUE(cv::imread((g_folder / "r.png").string()).cols > 1000);
  expect_done(kerblab(sweep + "--before s.json --reliability r.svg"));
  TEST_ASSERT_TRUE(has(read(g_folder / "r.svg"), ">before: "));
}

TEST(a_warning_is_explained_by_its_tracks_and_the_truth) {
  write("crossing.toml", kCrossing);
  const Outcome kept = kerblab("sim run crossing.toml --backend cpu --keep-vision kept");
  TEST_ASSERT_TRUE_MESSAGE(kept.code == 0 || kept.code == 1, kept.err.c_str());
  // A rule so low that there is a warning, whatever the settings are.
  const std::string explain =
      "sim explain crossing.toml --vision kept --set decisions.warning.likelihood=0.1 ";
  const Outcome o = kerblab(explain + "--least 0.05 --json e.jsonl");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(has(o.out, "crossing.toml/crossing: collision warning from "),
                           o.out.c_str());
  TEST_ASSERT_TRUE(has(o.out, ", contact at "));
  TEST_ASSERT_TRUE(has(o.out, ", hit in "));
  std::istringstream lines{read(g_folder / "e.jsonl")};
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json row = Json::parse(line);
    TEST_ASSERT_TRUE(row["likelihood"].get<double>() >= 0.05);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, row["likelihood"].get<double>(),
                              row["contact"].get<double>() * row["certainty"].get<double>());
    // There is one person alone, and tracks of them are near.
    const double off = row["ahead_m"].get<double>() - row["person_ahead_m"].get<double>();
    TEST_ASSERT_TRUE(std::abs(off) <= row["person_off_m"].get<double>() + 1e-9);
  }
  TEST_ASSERT_TRUE(count > 3);
  // Whoever asks for predictions that there are not gets none.
  expect_done(kerblab("sim explain crossing.toml --vision kept --least 1 --json none.jsonl"));
  TEST_ASSERT_EQUAL_STRING("", read(g_folder / "none.jsonl").c_str());
  expect_bad_input(kerblab("sim explain crossing.toml --vision nowhere"), "no log of vision");
  expect_bad_input(kerblab("sim explain crossing.toml --vision kept --json no/e.jsonl"),
                   "no such folder");
}

TEST(settings_that_are_none_are_one_line_and_leave_nothing) {
  write("crossing.toml", kCrossing);
  write("old.json", "{\"points\": [{}]}");
  fs::create_directories(g_folder / "kept" / "crossing.toml");
  write("kept/crossing.toml/crossing.vision", "not read");
  const auto files = file_count(g_folder);
  for (const auto& [arguments, part] :
       {std::pair{"--vary likelihood", "--vary likelihood: must be KEY=VALUE,VALUE..."},
        std::pair{"--vary =0.5", "must be KEY=VALUE"},
        std::pair{"--vary decisions.warning.likelihood=0.5,", "must be KEY=VALUE"},
        std::pair{"--vary decisions.warning.likelihod=0.5", "likelihod"},
        std::pair{"--vary decisions.warning.likelihood=7", "decisions.warning.likelihood"},
        std::pair{"--vary decisions.warning.likelihood=much", "--set"},
        std::pair{"--set decisions.warning.likelihood", "must be KEY=VALUE"},
        std::pair{"--set =1", "must be KEY=VALUE"}, std::pair{"--set nothing.at.all=1", "nothing"},
        std::pair{"--curve c.gif", "must end in .svg or .png"},
        std::pair{"--curve no/c.svg", "no such folder"},
        std::pair{"--curve c.svg --reliability ./c.svg", "the same name"},
        std::pair{"--before old.json", "is drawn into --curve"},
        std::pair{"--before old.json --curve c.svg", "is not a report of kerblab sim sweep"},
        std::pair{"--before gone.json --curve c.svg", "gone.json"}})
    expect_bad_input(kerblab("sim sweep crossing.toml --vision kept " + std::string{arguments}),
                     part);
  expect_bad_input(kerblab("sim sweep crossing.toml --vision none"), "no log of vision");
  expect_bad_input(kerblab("sim sweep crossing.toml"), "--vision");
  TEST_ASSERT_EQUAL_INT(files, file_count(g_folder));
}

}  // namespace
