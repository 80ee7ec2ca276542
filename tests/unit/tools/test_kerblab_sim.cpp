// SPDX-License-Identifier: Apache-2.0
// kerblab sim list, check and render as a person meets them.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}

constexpr const char* kCrossing =
    "title = \"Crossing\"\n[car]\nkmh = 36\n[[people]]\nimpact = {percent = 25, at_s = 3.0}\n";

TEST(list_names_the_suites) {
  const Outcome text = kerblab("sim list");
  expect_done(text);
  for (const char* name : {"euroncap", "r159", "quiet", "faults", "brief", "camouflage", "night",
                           "weather", "turns", "hiccups", "hours"})
    TEST_ASSERT_TRUE(text.out.find(name) != std::string::npos);
  const Outcome json = kerblab("sim list --json -");
  expect_done(json);
  const Json suites = Json::parse(json.out);
  TEST_ASSERT_EQUAL(11, suites.size());
  TEST_ASSERT_EQUAL_STRING("euroncap", suites[0]["suite"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(200, suites[0]["runs"].get<int>());
}

TEST(list_shows_what_a_scenario_comes_to) {
  write("crossing.toml", kCrossing);
  const Outcome text = kerblab("sim list crossing.toml");
  expect_done(text);
  TEST_ASSERT_TRUE_MESSAGE(text.out.find("3.00 s at 25 %") != std::string::npos, text.out.c_str());
  expect_done(kerblab("sim list --json runs.json crossing.toml"));
  const Json runs = Json::parse(read(g_folder / "runs.json"));
  TEST_ASSERT_EQUAL(1, runs.size());
  TEST_ASSERT_EQUAL_STRING("crossing", runs[0]["name"].get<std::string>().c_str());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, runs[0]["contact"]["s"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 25, runs[0]["contact"]["percent"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 36, runs[0]["kmh"].get<double>());
}

std::vector<std::string> names_of(const std::string& arguments) {
  const Outcome o = kerblab("sim list --json - " + arguments);
  expect_done(o);
  std::vector<std::string> out;
  for (const Json& run : Json::parse(o.out)) out.push_back(run["name"].get<std::string>());
  return out;
}

TEST(list_draws_from_seeds_and_names_the_runs_by_them) {
  const std::string cpfa = "--suite euroncap --only CPFA-50-10kmh ";
  const std::vector<std::string> own{"CPFA-50-10kmh", "CPFA-50-10kmh-v1", "CPFA-50-10kmh-v2",
                                     "CPFA-50-10kmh-v3"};
  TEST_ASSERT_TRUE(names_of(cpfa) == own);
  TEST_ASSERT_TRUE(names_of(cpfa + "--seed 0") == own);
  const std::vector<std::string> two{"CPFA-50-10kmh-v1@7", "CPFA-50-10kmh-v2@7",
                                     "CPFA-50-10kmh-v3@7", "CPFA-50-10kmh-v1@8",
                                     "CPFA-50-10kmh-v2@8", "CPFA-50-10kmh-v3@8"};
  TEST_ASSERT_TRUE(names_of(cpfa + "--seed 7 --seed 8 --variations") == two);
  TEST_ASSERT_TRUE(names_of(cpfa + "--seeds 7..8 --variations") == two);
  const std::vector<std::string> all = names_of(cpfa + "--seed 7");
  TEST_ASSERT_EQUAL(4, all.size());
  TEST_ASSERT_EQUAL_STRING("CPFA-50-10kmh", all[0].c_str());
  TEST_ASSERT_TRUE(names_of("--suite euroncap --seed 7 --only CPFA-50-10kmh-v2@7") ==
                   std::vector<std::string>{two[1]});
}

TEST(a_run_is_repeated_by_its_name_alone) {
  const Outcome all = kerblab("sim list --json - --suite euroncap --seed 7 --left-hand");
  const Outcome one = kerblab("sim list --json - --run euroncap/CPFA-50-10kmh-v2@7@lht");
  expect_done(all);
  expect_done(one);
  const Json run = Json::parse(one.out).at(0);
  TEST_ASSERT_EQUAL_INT(7, run["suite_seed"].get<int>());
  TEST_ASSERT_TRUE(run["left_hand"].get<bool>());
  int found = 0;
  for (const Json& other : Json::parse(all.out)) found += other == run ? 1 : 0;
  TEST_ASSERT_EQUAL_INT(1, found);
  write("crossing.toml", kCrossing);
  TEST_ASSERT_TRUE(names_of("--run crossing.toml/crossing-v1@5 --run crossing.toml/crossing") ==
                   (std::vector<std::string>{"crossing-v1@5", "crossing"}));
}

TEST(drives_of_hours_are_chosen_like_other_variations) {
  TEST_ASSERT_TRUE(
      names_of("--suite hours --drives 2 --seed 7..8 --variations") ==
      (std::vector<std::string>{"drive-0000@7", "drive-0001@7", "drive-0000@8", "drive-0001@8"}));
  const Outcome o =
      kerblab("sim list --json - --run hours/drive-0023@7 --run hours/hit-0004-crossing@7@lht");
  expect_done(o);
  const Json runs = Json::parse(o.out);
  TEST_ASSERT_EQUAL(2, runs.size());
  for (const Json& run : runs) {
    TEST_ASSERT_TRUE(run["variation"].get<bool>());
    TEST_ASSERT_EQUAL_INT(7, run["suite_seed"].get<int>());
  }
  TEST_ASSERT_EQUAL_STRING("hit-0004-crossing@7@lht", runs[1]["name"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(runs[1]["left_hand"].get<bool>() && !runs[1]["contact"].is_null());
  // What keeps to the left already stays as it is.
  TEST_ASSERT_TRUE(names_of("--suite hours --drives 6 --left-hand --only 0000 --only 0005") ==
                   (std::vector<std::string>{"drive-0000@lht", "drive-0005"}));
  expect_bad_input(kerblab("sim list --run hours/drive-0005@lht"), "in left-hand traffic as it is");
  expect_bad_input(kerblab("sim list --run hours/drive-0004@7"), "has no run drive-0004@7");
}

TEST(left_hand_traffic_is_met_on_the_other_side) {
  write("crossing.toml", kCrossing);
  const Outcome o = kerblab("sim list --left-hand --json - crossing.toml");
  expect_done(o);
  const Json run = Json::parse(o.out).at(0);
  TEST_ASSERT_EQUAL_STRING("crossing@lht", run["name"].get<std::string>().c_str());
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 75, run["contact"]["percent"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, run["contact"]["s"].get<double>());
}

TEST(a_wrong_seed_or_run_is_one_line) {
  for (const char* seed : {"-1", "x", "4294967296", "9..7", "1..", "..", "7.5", "0..1000"})
    expect_bad_input(kerblab(std::string{"sim list --suite brief --seed "} + seed), "--seed");
  expect_bad_input(kerblab("sim list --run euroncap"), "SUITE/RUN");
  expect_bad_input(kerblab("sim list --run euroncap/CPXX@7"), "has no run CPXX@7");
  expect_bad_input(kerblab("sim list --run mercury/CPXX@7"), "mercury");
  expect_bad_input(kerblab("sim list --run euroncap/CPFA-50-10kmh-v2@x"), "SUITE/RUN");
  expect_bad_input(kerblab("sim list --run brief/dark-30kmh --run brief/dark-30kmh"), "twice");
  expect_bad_input(kerblab("sim list --run brief/dark-30kmh --suite brief"), "--run");
}

TEST(list_takes_some_runs_of_a_suite) {
  const Outcome o = kerblab("sim list --suite euroncap --only CPFA --only CPNCO --most 5 --json -");
  expect_done(o);
  const Json runs = Json::parse(o.out);
  TEST_ASSERT_EQUAL(5, runs.size());
  for (const Json& run : runs) {
    TEST_ASSERT_TRUE(run["name"].get<std::string>().starts_with("CPFA"));
    TEST_ASSERT_EQUAL_STRING("crossing", run["group"].get<std::string>().c_str());
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 4, run["contact"]["s"].get<double>());
  }
}

TEST(list_takes_a_run_without_its_variations) {
  const Outcome o = kerblab("sim list --suite euroncap --only 'CPNA-50-30kmh$' --json -");
  expect_done(o);
  const Json runs = Json::parse(o.out);
  TEST_ASSERT_EQUAL(1, runs.size());
  TEST_ASSERT_EQUAL_STRING("CPNA-50-30kmh", runs[0]["name"].get<std::string>().c_str());
}

TEST(check_says_all_that_is_wrong_a_line_each) {
  write("good.toml", kCrossing);
  const Outcome good = kerblab("sim check good.toml");
  expect_done(good);
  TEST_ASSERT_EQUAL_STRING("good.toml: ok, 1 run\n", good.out.c_str());
  write("bad.toml", "[car]\nkmh = 400\nwidht_m = 2\n[[people]]\nstart = [3, 0]\nheight_m = 4\n");
  const Outcome bad = kerblab("sim check good.toml bad.toml");
  TEST_ASSERT_EQUAL_INT(2, bad.code);
  TEST_ASSERT_EQUAL_STRING(
      "kerblab: error: bad.toml:2:1: car.kmh = 400: must be -30..250 (km/h)\n"
      "kerblab: error: bad.toml:3:1: car.widht_m = 2: unknown key; did you mean 'width_m'?\n"
      "kerblab: error: bad.toml:6:1: people[0].height_m = 4: must be 0.6..2.3 (m)\n",
      bad.err.c_str());
}

TEST(check_knows_a_suite_and_its_templates) {
  write("street.toml", kCrossing);
  write("mine.toml",
        "title = \"Mine\"\n[[group]]\nname = \"a\"\ntemplate = \"street.toml\"\n"
        "axes = [{key = \"car.kmh\", values = [10, 20, 30]}]\n");
  const Outcome o = kerblab("sim check mine.toml");
  expect_done(o);
  TEST_ASSERT_EQUAL_STRING("mine.toml: ok, 3 runs\n", o.out.c_str());
  const Outcome listed = kerblab("sim list --suite mine.toml");
  expect_done(listed);
  TEST_ASSERT_TRUE(listed.out.find("a-30") != std::string::npos);
}

/// The cells of a CSV file's line, as RFC 4180 has them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

TEST(render_says_what_is_true_of_people_without_what_they_carry) {
  write("rain.toml",
        "seconds = 1\n[camera]\nwidth = 640\nheight = 360\n[car]\nkmh = 0\n[[people]]\n"
        "name = 'Smith, \"Jo\"'\nstart = [7, 0]\ncarries = \"umbrella\"\n");
  expect_done(kerblab("sim render rain.toml --out pictures --boxes --frames 1"));
  std::ifstream file{g_folder / "pictures/rain/truth.csv"};
  std::string head, line;
  std::getline(file, head);
  std::getline(file, line);
  const std::vector<std::string> cells = cells_of(line);
  TEST_ASSERT_EQUAL_INT_MESSAGE(cells_of(head).size(), cells.size(), line.c_str());
  TEST_ASSERT_EQUAL_STRING("Smith, \"Jo\"", cells[3].c_str());
  const auto at = [&](std::size_t i) { return std::stod(cells[i]); };
  // Nothing is in front: what is seen fills the whole box, but for what the umbrella hides.
  TEST_ASSERT_DOUBLE_WITHIN(1.5, at(4), at(9));
  TEST_ASSERT_TRUE(at(10) > at(5) - 1.5);
  TEST_ASSERT_DOUBLE_WITHIN(2.5, at(4) + at(6), at(9) + at(11));
  TEST_ASSERT_DOUBLE_WITHIN(2.5, at(5) + at(7), at(10) + at(12));
  TEST_ASSERT_TRUE(at(8) > 0.7 && at(8) <= 1);
}

/// kerblab on a machine without a GPU, also where there is one: CUDA finds none by this variable.
Outcome kerblab_without_gpu(const std::string& arguments) {
  return run_program(g_folder, std::string{"CUDA_VISIBLE_DEVICES= "} + KERBLAB, arguments);
}

constexpr const char* kSmallStreet =
    "seconds = 1\n[camera]\nwidth = 320\nheight = 180\nrate_hz = 10\n[car]\nkmh = 36\n"
    "[[people]]\nstart = [9, 0]\n";

TEST(a_wrong_place_to_draw_is_one_line) {
  write("street.toml", kSmallStreet);
  for (const char* command :
       {"run street.toml --oracle", "view street.toml --oracle --out x.png", "demo --out x",
        "render street.toml --out x", "sweep street.toml --vision x --vary decisions.a=1"})
    for (const char* wrong : {"gpu", "CUDA", "''"})
      expect_bad_input(kerblab(std::string{"sim "} + command + " --draw " + wrong), "--draw");
  TEST_ASSERT_EQUAL_INT(1, file_count(g_folder));
}

TEST(drawing_with_cuda_without_a_device_is_one_line_and_leaves_nothing) {
  write("street.toml", kSmallStreet);
  for (const char* command :
       {"run street.toml --oracle --traces x", "view street.toml --oracle --out x.png",
        "demo --out y", "render street.toml --out x"}) {
    expect_bad_input(kerblab_without_gpu(std::string{"sim "} + command + " --draw cuda"),
                     "--draw cuda: ");
    TEST_ASSERT_FALSE_MESSAGE(fs::exists(g_folder / "x"), command);
  }
  TEST_ASSERT_EQUAL_INT(1, file_count(g_folder));
}

TEST(drawing_where_it_can_without_a_device_is_drawing_on_the_cpu) {
  write("street.toml", kSmallStreet);
  for (const char* draw : {"", "auto", "cpu"}) {
    const std::string option = *draw == '\0' ? "" : std::string{" --draw "} + draw;
    const Outcome o = kerblab_without_gpu("sim render street.toml --frames 1 --out drawn-" +
                                          std::string{draw} + option);
    expect_done(o);
    TEST_ASSERT_EQUAL_STRING("", o.err.c_str());
  }
  const auto picture = [](const char* draw) {
    return read(g_folder / (std::string{"drawn-"} + draw) / "street/img1/000001.png");
  };
  TEST_ASSERT_TRUE(picture("cpu").size() > 10000);
  TEST_ASSERT_TRUE(picture("cpu") == picture("auto"));
  TEST_ASSERT_TRUE(picture("cpu") == picture(""));
}

TEST(no_input_is_overwritten_and_none_taken_twice) {
  write("street.toml", kCrossing);
  const std::string suite =
      "title = \"Mine\"\n[[group]]\nname = \"a\"\ntemplate = \"street.toml\"\n";
  write("mine.toml", suite);
  expect_bad_input(kerblab("sim list --suite mine.toml --json mine.toml"), "an input: mine.toml");
  expect_bad_input(kerblab("sim list mine.toml --json ./street.toml"), "an input: ./street.toml");
  TEST_ASSERT_EQUAL_STRING(kCrossing, read(g_folder / "street.toml").c_str());
  TEST_ASSERT_EQUAL_STRING(suite.c_str(), read(g_folder / "mine.toml").c_str());
  for (const char* twice : {"street.toml street.toml", "street.toml ./street.toml",
                            "--suite mine.toml mine.toml", "--suite r159 --suite r159"})
    expect_bad_input(kerblab(std::string{"sim list "} + twice), "is given twice");
}

TEST(bad_input_is_one_line) {
  write("street.toml", kCrossing);
  expect_bad_input(kerblab("sim"), "subcommand is required");
  expect_bad_input(kerblab("sim lisst"), "unknown sub-command 'lisst'");
  expect_bad_input(kerblab("sim list --suite eurocap"), "did you mean 'euroncap'?");
  expect_bad_input(kerblab("sim list --suite street.toml"), "must be a suite");
  expect_bad_input(kerblab("sim list nowhere.toml"), "nowhere.toml: no such file");
  expect_bad_input(kerblab("sim list ."), "is a directory");
  expect_bad_input(kerblab("sim list --suite euroncap --only CPXX"), "'CPXX' in its name");
  expect_bad_input(kerblab("sim list --json missing/x.json street.toml"), "missing");
  expect_bad_input(kerblab("sim list --most -1 street.toml"), "--most");
  for (const char* from : {"nan", "-nan", "inf", "-1", "1x"})
    expect_bad_input(
        kerblab(std::string{"sim render street.toml --out x --frames 1 --from "} + from), "--from");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "x"));
  expect_bad_input(kerblab("sim check"), "file is required");
}

}  // namespace
