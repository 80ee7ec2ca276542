// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "gpu/hog/shipped_models.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/tools/kerblab_program.hpp"

namespace fs = std::filesystem;

namespace {

fs::path g_folder, g_models;

}  // namespace

SET_UP() { g_folder = kerb::test::make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

using Json = nlohmann::json;

using kerb::test::expect_bad_input;
using kerb::test::Outcome;
using kerb::test::read;

Outcome kerblab(const std::string& arguments) {
  return kerb::test::run_kerblab(g_folder, arguments);
}
void street(const std::string& name, int width, int height) {
  kerb::test::write_street(g_folder / name, width, height);
}
long file_count() { return kerb::test::file_count(g_folder); }

TEST(help_and_version_are_no_errors) {
  const Outcome help = kerblab("--help");
  TEST_ASSERT_EQUAL_INT(0, help.code);
  for (const char* word : {"detect", "model", "eval", "bench", "Exit codes"})
    TEST_ASSERT_TRUE_MESSAGE(help.out.find(word) != std::string::npos, word);
  for (const char* command :
       {"detect", "model", "model info", "model import", "model advise", "model join", "bench",
        "bench hog", "bench flow", "bench image", "bench night", "night", "visibility", "train",
        "train cascade", "train svm", "train channels"}) {
    const Outcome o = kerblab(std::string{command} + " --help");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, command);
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("Example") != std::string::npos, command);
  }
  const Outcome version = kerblab("--version");
  TEST_ASSERT_EQUAL_INT(0, version.code);
  TEST_ASSERT_TRUE(version.out.find("kerblab 0.") != std::string::npos);
}

TEST(a_wrong_command_line_is_bad_input) {
  for (const char* arguments : {"", "fly", "detect", "model info", "bench sky",
                                "detect --backend tpu a.png", "detect --scale x a.png"})
    expect_bad_input(kerblab(arguments), "");
  expect_bad_input(kerblab("fly"), "unknown sub-command 'fly'");
  expect_bad_input(kerblab("model fly"), "unknown sub-command 'fly'");
  // With those there are, and whatever follows it.
  expect_bad_input(kerblab("fly --help"),
                   "unknown sub-command 'fly'; there are detect, model, eval");
  expect_bad_input(kerblab("sim fly --help"), "'fly'; there are list, check");
  expect_bad_input(kerblab("fly --version"), "'fly'");
  expect_bad_input(kerblab("--fast detect a.png"), "unknown option '--fast'");
  expect_bad_input(kerblab("detect -dash.jpg"), "unknown option '-dash.jpg'");
  expect_bad_input(kerblab("detect --version"), "unknown option '--version'");
  expect_bad_input(kerblab("model info a b"), "unexpected argument 'b'");
}

/// The lines of a help page between two headings.
std::vector<std::string> lines_of(const std::string& page, const std::string& heading) {
  std::vector<std::string> out;
  std::istringstream in{page};
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == heading) {
      inside = true;
    } else if (line.empty() || line.front() != ' ') {
      inside = false;
    } else if (inside) {
      out.push_back(line);
    }
  }
  return out;
}

std::string first_word(const std::string& line) {
  std::istringstream in{line};
  std::string word;
  in >> word;
  return word;
}

/// What is no number is refused by every option of a number with limits, of every command.
int expect_numbers(const std::string& command) {
  const std::string page = kerblab(command + " --help").out;
  int count = 0;
  for (const std::string& line : lines_of(page, "Subcommands:"))
    if (line.size() > 2 && line[2] != ' ')
      count += expect_numbers(command + " " + first_word(line));
  for (const std::string& line : lines_of(page, "Options:")) {
    if (line.find(" FLOAT:") == std::string::npos) continue;
    const std::string option = first_word(line).substr(0, first_word(line).find(','));
    for (const char* value : {"nan", "-inf"})
      expect_bad_input(kerblab(command + " " + option + "=" + value), option.c_str());
    ++count;
  }
  return count;
}

TEST(what_is_no_number_is_refused_by_every_command) {
  TEST_ASSERT_GREATER_THAN_INT(40, expect_numbers(""));
}

/// As when the disk that a log goes to is full.
TEST(a_result_that_cannot_be_written_is_no_success) {
  street("a.png", 96, 160);
  street("b.png", 96, 160);
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import --opencv-people --out m.kwm").code);
  std::ofstream{g_folder / "way.toml"} << "seconds = 0.2\n[car]\nkmh = 30\n";
  for (const std::string arguments :
       {"--help", "--version", "sim run --help", "model info m.kwm", "model info --json - m.kwm",
        "model import --opencv-people --out n.kwm", "detect --backend cpu a.png",
        "detect --backend cpu --json - a.png", "flow --method lk a.png b.png --json - --out f.flo",
        "emd 3,1,0,4 0,4,2,2", "emd --json - 3,1,0,4 0,4,2,2", "sim check way.toml",
        "sim list --suite brief", "sim list --suite brief --json -", "visibility --json - a.png",
        "night a.png --out drawn"}) {
    const Outcome full = kerb::test::run_program(
        g_folder, "sh -c '" + std::string{KERBLAB} + " " + arguments + " >/dev/full'", "");
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, full.code, (arguments + "\n" + full.err).c_str());
    TEST_ASSERT_TRUE_MESSAGE(full.err.find("write: stdout") != std::string::npos,
                             (arguments + "\n" + full.err).c_str());
  }
}

TEST(settings_that_make_no_sense_are_one_line) {
  street("a.png", 64, 128);
  expect_bad_input(kerblab("detect --scale 1 a.png"), "scale");
  expect_bad_input(kerblab("detect --region 1,2,3 a.png"), "--region");
  expect_bad_input(kerblab("detect --ground 100 a.png"), "--ground");
  for (const char* height : {"1", "15", "-3", "nan"})
    expect_bad_input(kerblab(std::string{"detect --min-height "} + height + " a.png"),
                     "--min-height");
  expect_bad_input(kerblab("model import --out m.kwm"), "FILE");
  expect_bad_input(kerblab("model import --opencv-people --out -"), "--out");
  for (const char* value : {"nan", "-nan", "inf", "low", "1,2", "2e9", "''"})
    expect_bad_input(kerblab(std::string{"detect --threshold "} + value + " a.png"), "--threshold");
  expect_bad_input(kerblab("detect --region 0,0,1e30,9 a.png"), "--region");
}

TEST(the_demo_as_a_program_has_the_options_of_kerblab_sim_demo) {
  const Outcome alone = kerb::test::run_program(g_folder, KERB_DEMO, "--help");
  const Outcome command = kerblab("sim demo --help");
  expect_done(alone);
  expect_done(command);
  // From the first option on that CLI11 prints the same way every time.
  const auto options = [](const std::string& text) { return text.substr(text.find("--config ")); };
  TEST_ASSERT_EQUAL_STRING(options(command.out).c_str(), options(alone.out).c_str());
  expect_bad_input(kerb::test::run_program(g_folder, KERB_DEMO, "--config none.toml"), "none.toml");
  expect_bad_input(kerb::test::run_program(g_folder, KERB_DEMO, "--fast"), "--fast");
}

TEST(an_empty_value_is_not_the_default) {
  street("a.png", 64, 128);
  for (const std::string option : {"--model", "--region", "--ground", "--draw", "--json"})
    expect_bad_input(kerblab("detect --backend cpu " + option + " '' a.png"), option.c_str());
  expect_bad_input(kerblab("bench hog --quick --picture ''"), "--picture");
  expect_bad_input(kerblab("model import --opencv-people --name '' --out m.kwm"), "--name");
  TEST_ASSERT_EQUAL_INT(1, file_count());
}

TEST(no_input_is_overwritten) {
  street("a.png", 64, 128);
  street("b.jpg", 64, 128);
  fs::create_directory(g_folder / "sub");
  fs::create_hard_link(g_folder / "a.png", g_folder / "sub/other.png");
  fs::create_symlink("../b.jpg", g_folder / "sub/b.png");
  std::ofstream{g_folder / "list.txt"} << "a.png\n";
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import --opencv-people --out m.kwm").code);
  const std::string a = read(g_folder / "a.png"), b = read(g_folder / "b.jpg");
  const std::string list = read(g_folder / "list.txt"), model = read(g_folder / "m.kwm");
  const long before = file_count();
  const std::string detect = "detect --backend cpu ";
  expect_bad_input(kerblab(detect + "--draw . a.png"), "a.png");
  expect_bad_input(kerblab(detect + "--draw sub/.. b.jpg @list.txt"), "a.png");
  expect_bad_input(kerblab(detect + "--draw sub b.jpg"), "b.png");
  expect_bad_input(kerblab(detect + "--json b.jpg b.jpg"), "b.jpg");
  expect_bad_input(kerblab(detect + "--json sub/other.png a.png"), "other.png");
  expect_bad_input(kerblab(detect + "--json list.txt @list.txt"), "list.txt");
  expect_bad_input(kerblab(detect + "--json m.kwm --model m.kwm a.png"), "m.kwm");
  expect_bad_input(kerblab("model info --json m.kwm m.kwm"), "m.kwm");
  expect_bad_input(kerblab("model import m.kwm --out ./m.kwm"), "m.kwm");
  expect_bad_input(kerblab("bench hog --quick --picture a.png --json a.png"), "a.png");
  TEST_ASSERT_TRUE(a == read(g_folder / "a.png") && b == read(g_folder / "b.jpg"));
  TEST_ASSERT_TRUE(list == read(g_folder / "list.txt") && model == read(g_folder / "m.kwm"));
  TEST_ASSERT_EQUAL_INT(before, file_count());
  // A drawing of another picture's name is no input of this run.
  TEST_ASSERT_EQUAL_INT(0, kerblab(detect + "--json /dev/null --draw . b.jpg").code);
}

TEST(advice_can_be_changed) {
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import --opencv-people --out m.kwm").code);
  TEST_ASSERT_EQUAL_INT(
      0, kerblab("model advise m.kwm --threshold 1.5 --scale 1.2 --stride 4 --padding 8 "
                 "--tracking-margin 2.5 --tracking-even -0.25 --tracking-sure 3 --out n.kwm")
             .code);
  const std::string info = kerblab("model info n.kwm").out;
  for (const char* word : {"threshold 1.5", "scale 1.2", "stride 4", "padding 8", "margin 2.5",
                           "even -0.25", "sure 3"})
    TEST_ASSERT_TRUE_MESSAGE(info.find(word) != std::string::npos, info.c_str());
  expect_bad_input(kerblab("model advise m.kwm --stride 0 --out o.kwm"), "stride");
  expect_bad_input(kerblab("model advise m.kwm --tracking-margin -1 --out o.kwm"), "margin");
  expect_bad_input(kerblab("model advise m.kwm --stride 4 --out m.kwm"), "m.kwm");
  expect_bad_input(kerblab("model join m.kwm n.kwm --out j.kwm"), "both must be cascades of trees");
  expect_bad_input(kerblab("model join m.kwm n.kwm --out n.kwm"), "n.kwm");
}

TEST(pipes_and_devices_do_not_hang_it) {
  street("a.png", 64, 128);
  TEST_ASSERT_EQUAL_INT(0, ::mkfifo((g_folder / "pipe").c_str(), 0600));
  for (const std::string name : {"pipe", "/dev/zero"}) {
    for (const std::string before :
         {"detect ", "detect a.png @", "detect a.png --model ", "detect a.png --json ",
          "bench hog --quick --picture ", "model info ", "model import --opencv-people --out "})
      expect_bad_input(kerblab(before + name), "regular file");
  }
  const std::string detect = "detect --backend cpu a.png --json ";
  TEST_ASSERT_EQUAL_INT(0, kerblab(detect + "/dev/null").code);
  TEST_ASSERT_EQUAL_STRING(
      "a.png",
      Json::parse(kerblab(detect + "/dev/stdout").out)["image"].get<std::string>().c_str());
}

TEST(a_search_left_without_windows_says_why) {
  street("a.png", 96, 160);
  street("small.png", 20, 10);
  const std::string detect = "detect --backend cpu small.png a.png a.png ";
  struct {
    const char *options, *named;
  } const cases[] = {{"--max-height 50", "--max-height"},
                     {"--min-height 500", "--min-height"},
                     {"--region 0,0,10,10", "--region"},
                     {"--ground 1000,1.4", "--ground"},
                     {"--max-height 50 --region 0,0,10,10", "--max-height with --region"}};
  for (const auto& one : cases) {
    const Outcome o = kerblab(detect + one.options);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, o.lines_of_error(), o.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.err.find("kerblab: warning: a.png: ") == 0, o.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.err.find(one.named) != std::string::npos, o.err.c_str());
    TEST_ASSERT_EQUAL_INT(3, std::count(o.out.begin(), o.out.end(), '\n'));
  }
  TEST_ASSERT_EQUAL_STRING("",
                           kerblab("detect --backend cpu --region 0,0,9,9 small.png").err.c_str());
}

TEST(a_damaged_beginning_of_our_model_is_called_so) {
  for (const char* text : {"", "KWM", "KWMODEX-------------------------"}) {
    std::ofstream{g_folder / "m.kwm", std::ios::binary} << text;
    expect_bad_input(kerblab("model info m.kwm"), "does not begin with KWMODEL");
  }
}

TEST(a_model_of_ours_keeps_its_name) {
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import --opencv-people --name first --out a.kwm").code);
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import a.kwm --out b.kwm").code);
  TEST_ASSERT_TRUE(read(g_folder / "a.kwm") == read(g_folder / "b.kwm"));
  TEST_ASSERT_EQUAL_INT(0, kerblab("model import a.kwm --name second --out c.kwm").code);
  TEST_ASSERT_TRUE(kerblab("model info c.kwm").out.find("second") != std::string::npos);
}

TEST(a_picture_gives_a_line) {
  street("a.png", 200, 150);
  street("small.png", 20, 10);
  std::ofstream{g_folder / "list.txt"} << "small.png\na.png\n";
  const Outcome o = kerblab("detect --backend cpu --scale 1.2 --json found.jsonl a.png @list.txt");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_STRING("", o.err.c_str());
  std::istringstream lines{read(g_folder / "found.jsonl")};
  std::vector<Json> found;
  for (std::string line; std::getline(lines, line);) found.push_back(Json::parse(line));
  TEST_ASSERT_EQUAL_size_t(3, found.size());
  TEST_ASSERT_EQUAL_STRING("a.png", found[0]["image"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(200, found[0]["width"].get<int>());
  TEST_ASSERT_EQUAL_INT(150, found[0]["height"].get<int>());
  TEST_ASSERT_TRUE(found[0]["ms"].get<double>() >= 0);
  TEST_ASSERT_TRUE(found[0]["detections"].is_array());
  TEST_ASSERT_EQUAL_size_t(5, found[0].size());
  TEST_ASSERT_TRUE(found[1]["detections"].empty());  // smaller than any window
  TEST_ASSERT_TRUE(found[0]["detections"] == found[2]["detections"]);
}

TEST(stdout_is_the_default_and_detections_have_a_box_and_a_score) {
  street("a.png", 128, 160);
  // So low a threshold that every window is a hit.
  const Outcome o = kerblab("detect --backend cpu --threshold -100 --fusion none a.png");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  const Json line = Json::parse(o.out);
  TEST_ASSERT_GREATER_THAN(10, line["detections"].size());
  double last = 1e9;
  for (const Json& one : line["detections"]) {
    TEST_ASSERT_EQUAL_size_t(5, one.size());
    for (const char* key : {"x", "y", "w", "h", "score"})
      TEST_ASSERT_TRUE_MESSAGE(one[key].is_number(), key);
    TEST_ASSERT_TRUE(one["score"].get<double>() <= last);
    last = one["score"].get<double>();
    TEST_ASSERT_TRUE(one["x"].get<double>() >= 0 && one["h"].get<double>() >= 95);
    TEST_ASSERT_TRUE(one["x"].get<double>() + one["w"].get<double>() <= 128);
  }
}

TEST(drawing_writes_a_png_a_picture) {
  street("a.png", 128, 160);
  fs::create_directory(g_folder / "b");
  street("b/a.jpg", 64, 128);
  const Outcome o = kerblab(
      "detect --backend cpu --threshold -100 --fusion none --draw new/drawn --json found.jsonl "
      "a.png b/a.jpg");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  const cv::Mat first = cv::imread((g_folder / "new/drawn/a.png").string());
  const cv::Mat second = cv::imread((g_folder / "new/drawn/a-2.png").string());
  TEST_ASSERT_EQUAL_INT(128, first.cols);
  TEST_ASSERT_EQUAL_INT(160, first.rows);
  TEST_ASSERT_EQUAL_INT(64, second.cols);
  std::vector<cv::Mat> planes(3);
  cv::split(first, planes);  // the street is grey, boxes are not
  TEST_ASSERT_GREATER_THAN(100, cv::countNonZero(planes[0] != planes[2]));
  TEST_ASSERT_EQUAL_INT(5, file_count());
}

TEST(an_unreadable_picture_is_one_line_and_leaves_nothing) {
  street("a.png", 64, 128);
  std::ofstream{g_folder / "bad.png"} << "not a picture";
  std::ofstream{g_folder / "cut.png"} << read(g_folder / "a.png").substr(0, 2000);
  const long before = file_count();
  expect_bad_input(kerblab("detect --backend cpu --draw drawn --json found.jsonl a.png bad.png"),
                   "bad.png");
  expect_bad_input(kerblab("detect --backend cpu --draw drawn a.png cut.png"), "cut.png");
  expect_bad_input(kerblab("detect --backend cpu --draw drawn a.png none.png"), "none.png");
  expect_bad_input(kerblab("detect --backend cpu a.png @none.txt"), "none.txt");
  expect_bad_input(kerblab("detect --backend cpu --json no/found.jsonl a.png"), "no");
  expect_bad_input(kerblab("detect --backend cpu --model bad.png a.png"), "");
  TEST_ASSERT_EQUAL_INT(before, file_count());
  TEST_ASSERT_FALSE(fs::exists(g_folder / "drawn"));
}

TEST(a_model_goes_through_our_file_and_finds_the_same) {
  const Outcome made = kerblab("model import --opencv-people --name people --out m.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, made.code, made.err.c_str());
  const Outcome info = kerblab("model info m.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, info.code, info.err.c_str());
  for (const char* word : {"people", "64", "128", "rhog", "3780"})
    TEST_ASSERT_TRUE_MESSAGE(info.out.find(word) != std::string::npos, info.out.c_str());
  const Outcome json = kerblab("model info --json - m.kwm");
  TEST_ASSERT_EQUAL_STRING("people", Json::parse(json.out)["name"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(105, Json::parse(json.out)["blocks"].get<int>());

  street("a.png", 96, 160);
  const std::string common = "detect --backend cpu --threshold -100 --scale 1.1 a.png";
  const Outcome a = kerblab(common), b = kerblab(common + " --model m.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, b.code, b.err.c_str());
  TEST_ASSERT_TRUE(Json::parse(a.out)["detections"] == Json::parse(b.out)["detections"]);

  // Any 3781 numbers are coefficients to OpenCV.
  std::ofstream list{g_folder / "list.txt"};
  for (int i = 0; i < 3781; ++i) list << (i % 7 - 3) * 0.01 << (i % 9 == 8 ? "\n" : " ");
  list.close();
  const Outcome imported = kerblab("model import list.txt --out list.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, imported.code, imported.err.c_str());
  const std::string low = "detect --backend cpu --threshold -100 --scale 1.5 --fusion none a.png";
  const Outcome c = kerblab(low + " --model list.txt"), d = kerblab(low + " --model list.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, c.code, c.err.c_str());
  TEST_ASSERT_TRUE(Json::parse(c.out)["detections"] == Json::parse(d.out)["detections"]);
  TEST_ASSERT_FALSE(Json::parse(c.out)["detections"].empty());

  std::ofstream{g_folder / "cut.kwm"} << read(g_folder / "m.kwm").substr(0, 1000);
  expect_bad_input(kerblab("model info cut.kwm"), "cut.kwm");
  expect_bad_input(kerblab("model import none.xml --out new.kwm"), "none.xml");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "new.kwm"));
}

/// A network that takes everything for a person with this score.
void write_network(const fs::path& path, int score) {
  Json layer = {
      {"inputs", 1}, {"outputs", 4}, {"kernel_width", 2},        {"kernel_height", 2},
      {"stride", 1}, {"padding", 0}, {"bias", {score, 0, 0, 0}}, {"factor", {1, 1, 1, 1}}};
  for (int i = 0; i < 16; ++i) layer["weights"].push_back(0);
  std::ofstream{path} << Json{
      {"crop", {{"width", 2}, {"height", 2}, {"planes", 1}, {"person_height", 2}}},
      {"layers", {layer}}};
}

TEST(a_network_is_added_and_scores_what_is_found) {
  kerb::hog::Model model = kerb::hog::test::bar_model();
  model.advice.fusion = kerb::hog::FusionKind::suppression;
  TEST_ASSERT_OK(kerb::hog::save(model, (g_folder / "bar.kwm").string()));
  write_network(g_folder / "seven.json", 7);
  cv::Mat picture{240, 320, CV_8UC3, cv::Scalar{40, 40, 40}};
  cv::rectangle(picture, {80, 72, 32, 96}, cv::Scalar{230, 230, 230}, cv::FILLED);
  cv::imwrite((g_folder / "bar.png").string(), picture);

  const Outcome made = kerblab(
      "model look-again bar.kwm seven.json --most 9 --threshold 6 --name both --out both.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, made.code, made.err.c_str());
  const Json info = Json::parse(kerblab("model info --json - both.kwm").out);
  TEST_ASSERT_EQUAL_INT(9, info["looks again"]["most"].get<int>());
  TEST_ASSERT_EQUAL_INT(16, info["network"]["products"].get<int>());
  TEST_ASSERT_TRUE(info["advice"]["threshold"].get<double>() == 6);
  const auto found = [](const std::string& options) {
    const Outcome o = kerblab("detect --backend cpu --scale 1.1 --stride 8 bar.png " + options);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
    return Json::parse(o.out)["detections"];
  };
  const Json before = found("--model bar.kwm"), after = found("--model both.kwm");
  TEST_ASSERT_FALSE(before.empty());
  TEST_ASSERT_EQUAL_size_t(before.size(), after.size());
  TEST_ASSERT_TRUE(after[0]["score"].get<double>() == 7);
  TEST_ASSERT_TRUE(before[0]["x"] == after[0]["x"]);
  TEST_ASSERT_TRUE(found("--model both.kwm --threshold 8").empty());

  std::ofstream{g_folder / "broken.json"} << "{";
  expect_bad_input(kerblab("model look-again bar.kwm broken.json --out new.kwm"), "broken.json");
  expect_bad_input(kerblab("model look-again bar.kwm seven.json --most 500 --out new.kwm"), "128");
  expect_bad_input(kerblab("model look-again bar.kwm seven.json --out seven.json"), "seven.json");
  expect_bad_input(kerblab("detect bar.png --model both.kwm --fusion mean-shift"), "suppression");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "new.kwm"));
}

TEST(without_a_model_the_installed_one_is_used) {
  street("a.png", 96, 160);
  const auto detect = [](const std::string& models) {
    setenv(kerb::hog::kModelsVariable, models.c_str(), 1);
    const Outcome o = kerblab("detect --backend cpu --threshold -100 --scale 1.1 a.png");
    setenv(kerb::hog::kModelsVariable, g_models.c_str(), 1);
    return o;
  };
  const Outcome none = detect("/nowhere/models");  // OpenCV's, and it says so
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, none.code, none.err.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, none.lines_of_error(), none.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      none.err.find("warning: no default.kwm in /nowhere/models") != std::string::npos,
      none.err.c_str());
  const Outcome people = detect(g_models);  // the same, installed
  TEST_ASSERT_EQUAL_STRING("", people.err.c_str());
  TEST_ASSERT_TRUE(Json::parse(none.out)["detections"] == Json::parse(people.out)["detections"]);

  TEST_ASSERT_OK(kerb::hog::save(kerb::hog::test::red_bar_model(), g_folder / "default.kwm"));
  const kerb::hog::test::ColourStreet red =
      kerb::hog::test::ColourStreet{96, 160}.bar(32, 32, 220, 30, 30);
  std::vector<std::uint8_t> pixels = red.interleaved();
  cv::Mat picture{160, 96, CV_8UC3, pixels.data()}, bgr;
  cv::cvtColor(picture, bgr, cv::COLOR_RGB2BGR);
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "a.png").string(), bgr));
  const Outcome bar = detect(g_folder);
  TEST_ASSERT_EQUAL_STRING("", bar.err.c_str());
  TEST_ASSERT_EQUAL_size_t(1, Json::parse(bar.out)["detections"].size());
  fs::resize_file(g_folder / "default.kwm", 50);
  expect_bad_input(detect(g_folder), "default.kwm");
}

TEST(cuda_is_there_or_said_not_to_be) {
  street("a.png", 64, 128);
  const Outcome o = kerblab("detect --backend cuda --json found.jsonl a.png");
  if (o.code != 0) expect_bad_input(o, "");
  TEST_ASSERT_EQUAL_INT(o.code == 0 ? 2 : 1, file_count());
}

TEST(the_benchmarks_print_a_table_and_json) {
  const Outcome image =
      kerblab("bench image --quick --repeat 1 --backend cpu --threads 1 --json image.json");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, image.code, image.err.c_str());
  TEST_ASSERT_TRUE(image.out.find("to_grey") != std::string::npos);
  const Json rows = Json::parse(read(g_folder / "image.json"))["results"];
  TEST_ASSERT_TRUE(rows[0]["ms"]["median"].get<double>() >= 0);
  expect_bad_input(kerblab("bench hog --quick --backend cpu --picture none.png"), "none.png");
  expect_bad_input(kerblab("bench hog --quick --backend cpu --model none.kwm"), "none.kwm");
  expect_bad_input(kerblab("bench image --quick --backend cpu --model none.kwm"), "--model");
  TEST_ASSERT_OK(kerb::hog::save(kerb::hog::test::red_bar_model(), g_folder / "red.kwm"));
  const Outcome own =
      kerblab("bench hog --quick --repeat 1 --backend cpu --model red.kwm --json -");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, own.code, own.err.c_str());
  const Json timed = Json::parse(own.out);
  TEST_ASSERT_EQUAL_size_t(3, timed["results"].size());  // OpenCV's twice, and ours
  TEST_ASSERT_EQUAL_STRING("red-bar", timed["results"][2]["detector"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(timed["results"][2]["times_as_fast_as_opencv"].get<double>() > 0);
  const Outcome night =
      kerblab("bench night --quick --repeat 1 --backend cpu --model red.kwm --json -");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, night.code, night.err.c_str());
  const Json shares = Json::parse(night.out)["results"];
  TEST_ASSERT_EQUAL_size_t(6, shares.size());  // the detector is the last
  TEST_ASSERT_EQUAL_DOUBLE(1, shares[5]["of_detector"].get<double>());
  expect_bad_input(kerblab("bench image --quick --backend cpu --json no/b.json"), "no");
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  g_models = kerb::test::make_temp_folder();
  setenv(kerb::hog::kModelsVariable, g_models.c_str(), 1);
  const std::string import = std::string{KERBLAB} + " model import --opencv-people --out " +
                             (g_models / "default.kwm").string() + " > /dev/null";
  if (std::system(import.c_str()) != 0) return Start::fail;
  return Start::run;
}

AFTER_SUITE() { fs::remove_all(g_models); }
