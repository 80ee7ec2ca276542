// SPDX-License-Identifier: Apache-2.0
// kerblab eval detector as a person meets it.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

void write(const std::string& name, const std::string& text) {
  fs::create_directories((g_folder / name).parent_path());
  std::ofstream{g_folder / name, std::ios::binary} << text;
}
void street(const std::string& name, int width, int height) {
  fs::create_directories((g_folder / name).parent_path());
  write_street(g_folder / name, width, height);
}

/// Two pictures with a person each, and two without.
void write_pictures() {
  street("in/1.png", 96, 160);
  street("in/2.png", 80, 140);
  street("none/3.png", 70, 130);
  street("none/4.png", 70, 130);
  write("truth.csv", "image,x,y,w,h\nin/1.png,10,10,41,100\nin/2.png,20,10,41,100\n");
}

/// Finds the first person at once, then after one false alarm (of 4 pictures) the second.
void write_detections() {
  write("found.jsonl",
        R"({"image":"in/1.png","ms":2,"detections":[{"x":11,"y":10,"w":41,"h":100,"score":9}]})"
        "\n"
        R"({"image":"in/2.png","ms":4,"detections":[{"x":20,"y":12,"w":20,"h":96,"score":5}]})"
        "\n"
        R"({"image":"none/3.png","ms":6,"detections":[]})"
        "\n"
        R"({"image":"none/4.png","ms":8,"detections":[{"x":0,"y":0,"w":41,"h":100,"score":7}]})"
        "\n");
}

constexpr const char* kData = "--images in --negatives none --truth truth.csv ";

TEST(help_has_an_example) {
  for (const char* command : {"eval --help", "eval detector --help"}) {
    const Outcome o = kerblab(command);
    expect_done(o);
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("Example: kerblab eval detector") != std::string::npos,
                             o.out.c_str());
  }
}

TEST(another_detectors_json_lines_are_scored) {
  write_pictures();
  write_detections();
  const Outcome text = kerblab(
      std::string{"eval detector --detections theirs=found.jsonl --at 9 --json r.json "} + kData);
  expect_done(text);
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_INT(4, report["pictures"].get<int>());
  TEST_ASSERT_EQUAL_INT(2, report["negatives"].get<int>());
  TEST_ASSERT_EQUAL_INT(2, report["people"].get<int>());
  const Json& theirs = report["detectors"][0];
  TEST_ASSERT_EQUAL_STRING("theirs", theirs["name"].get<std::string>().c_str());
  // Half are missed at the six rates under 0.25, none at the three above: the least is 1e-10.
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, std::pow(0.5, 6.0 / 9) * std::pow(1e-10, 3.0 / 9),
                            theirs["log_average_miss_rate"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0.5, theirs["at_fppi"][0]["miss_rate"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(9, theirs["at_fppi"][0]["threshold"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0, theirs["at_fppi"][1]["miss_rate"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(9, theirs["at_threshold"][0]["threshold"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0.5, theirs["at_threshold"][0]["miss_rate"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0, theirs["at_threshold"][0]["fppi"].get<double>());
  int missed = 0;
  for (const Json& bin : theirs["by_height"]) missed += bin["missed"][2]["people"].get<int>();
  TEST_ASSERT_EQUAL_INT(1, missed);
  TEST_ASSERT_EQUAL_DOUBLE(5, theirs["ms_per_image"].get<double>());
  for (const char* word : {"theirs", "2 people in 4 pictures", "0.5000", "96 to 160"})
    TEST_ASSERT_TRUE_MESSAGE(text.out.find(word) != std::string::npos, text.out.c_str());
}

void expect_errors(const Json& got, int people, double mean, double median, double abs_median,
                   double abs_p90) {
  TEST_ASSERT_EQUAL_INT(people, got["people"].get<int>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, mean, got["mean"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, median, got["median"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, abs_median, got["abs_median"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, abs_p90, got["abs_p90"].get<double>());
}

TEST(how_well_boxes_are_placed_is_told) {
  write_pictures();
  write_detections();
  const std::string command =
      std::string{"eval detector --detections found.jsonl --at 5 --json r.json "} + kData;
  const Outcome plain = kerblab(command);
  expect_done(plain);
  TEST_ASSERT_TRUE(plain.out.find("foot point") == std::string::npos);
  const Json without = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_FALSE(without.contains("camera"));
  const Json& placement = without["detectors"][0]["placement"];
  TEST_ASSERT_EQUAL_INT(2, int(placement.size()));
  // At 0.1 FPPI only the first is found, a pixel to the right.
  TEST_ASSERT_EQUAL_DOUBLE(0.1, placement[0]["fppi"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(9, placement[0]["threshold"].get<double>());
  TEST_ASSERT_EQUAL_INT(1, placement[0]["all"]["found"].get<int>());
  expect_errors(placement[0]["all"]["foot_down_px"], 1, 0, 0, 0, 0);
  expect_errors(placement[0]["all"]["foot_right_px"], 1, 1, 1, 1, 1);
  // The second: foot points (30, 108) and (40.5, 110), heights 96 and 100.
  TEST_ASSERT_EQUAL_DOUBLE(5, placement[1]["threshold"].get<double>());
  TEST_ASSERT_FALSE(placement[1]["recommended"].get<bool>());
  const Json& all = placement[1]["all"];
  TEST_ASSERT_EQUAL_INT(2, all["found"].get<int>());
  TEST_ASSERT_EQUAL_INT(0, all["cut_off"].get<int>());
  expect_errors(all["foot_down_px"], 2, -1, -1, 1, 1.8);
  expect_errors(all["foot_right_px"], 2, -4.75, -4.75, 5.75, 9.55);
  expect_errors(all["height_percent"], 2, -2, -2, 2, 3.6);
  TEST_ASSERT_FALSE(all.contains("distance_m"));
  TEST_ASSERT_EQUAL_INT(6, int(placement[1]["by_height"].size()));
  TEST_ASSERT_EQUAL_DOUBLE(96, placement[1]["by_height"][3]["from"].get<double>());
  TEST_ASSERT_TRUE(placement[1]["by_height"][3]["foot_down_px"] == all["foot_down_px"]);
  TEST_ASSERT_TRUE(placement[1]["by_height"][0]["foot_down_px"]["mean"].is_null());

  // Both stand at 500 * 1.2 / (110 - 50) = 10 m; the second is seen at 600 / 58 m.
  const Outcome camera = kerblab(command + "--foot-camera 500,1.2,50");
  expect_done(camera);
  const Json with = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_DOUBLE(1.2, with["camera"]["height_m"].get<double>());
  const Json& metres = with["detectors"][0]["placement"][1]["all"];
  const double error = 600 / 58.0 - 10;
  expect_errors(metres["distance_m"], 2, error / 2, error / 2, error / 2, 0.9 * error);
  expect_errors(metres["distance_percent"], 2, error * 5, error * 5, error * 5, 9 * error);
  TEST_ASSERT_EQUAL_INT(0, metres["above_horizon"].get<int>());
  TEST_ASSERT_TRUE_MESSAGE(
      camera.out.find("  all                    2        0     -1.0     1.0     1.8      5.8     "
                      "-2.0     2.0     3.6     +0.2     0.2     0.3     +1.7     1.7     3.1\n") !=
          std::string::npos,
      camera.out.c_str());
  const Outcome boxes = kerblab(command + "--boxes");
  expect_done(boxes);
  TEST_ASSERT_TRUE_MESSAGE(boxes.out.find("foot point") != std::string::npos, boxes.out.c_str());
  TEST_ASSERT_TRUE(boxes.out.find("distance") == std::string::npos);

  // The second picture, whose size no line says, ends where the person does.
  write("truth.csv", "image,x,y,w,h\nin/1.png,10,10,41,100\nin/2.png,20,20,41,120\n");
  write("found.jsonl",
        R"({"image":"in/1.png","width":96,"height":160,)"
        R"("detections":[{"x":10,"y":17,"w":41,"h":100,"score":9}]})"
        "\n"
        R"({"image":"in/2.png","detections":[{"x":23,"y":20,"w":41,"h":100,"score":8}]})"
        "\n"
        R"({"image":"none/3.png","detections":[]})"
        "\n"
        R"({"image":"none/4.png","detections":[]})");
  expect_done(kerblab(command + "--foot-camera 500,1.2,50"));
  const Json cut = Json::parse(read(g_folder / "r.json"))["detectors"][0]["placement"][0]["all"];
  TEST_ASSERT_EQUAL_INT(2, cut["found"].get<int>());
  TEST_ASSERT_EQUAL_INT(1, cut["cut_off"].get<int>());
  expect_errors(cut["foot_down_px"], 1, 7, 7, 7, 7);
  expect_errors(cut["foot_right_px"], 2, 1.5, 1.5, 1.5, 2.7);
  TEST_ASSERT_EQUAL_INT(1, cut["height_percent"]["people"].get<int>());
  TEST_ASSERT_EQUAL_INT(1, cut["distance_m"]["people"].get<int>());

  for (const char* bad : {"500,1.2", "500,1.2,x", "0,1.2,50", "500,0,50", "500,1.2,1e9"})
    expect_bad_input(kerblab(command + "--foot-camera " + bad), "--foot-camera");
}

TEST(sets_are_judged_each_by_its_own_truth) {
  write_pictures();
  write_detections();
  write("classes.csv",
        "file,x,y,w,h,class,contrast\n1.png,10,10,41,100,person,9\n2.png,20,10,41,100,person,2\n"
        "4.png,0,0,41,100,bin,\n3.png,0,0,9,9,cyclist,\n");
  write("judging/one.txt", "1.png\n4.png\n");
  write("judging/sets.toml", R"(
[[set]]
name = "all"
images = ["in", "none"]
truth = ["classes.csv"]
[[set]]
name = "listed"
images = ["in", "none"]
list = "one.txt"
truth = ["classes.csv"]
resample_block = 2
camera = { focal_px = 500, height_m = 1.2, horizon_row = 50 }
[[set]]
name = "contrast"
images = ["in"]
truth = ["classes.csv"]
column = "contrast"
column_least = 5
[[set]]
name = "others"
images = ["in"]
truth = ["classes.csv"]
models = ["mine"]
)");
  const std::string command =
      "eval detector --detections theirs=found.jsonl --sets judging/sets.toml --data . ";
  const Outcome text = kerblab(command + "--plot p.svg --json r.json");
  expect_done(text);
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_INT(4, int(report["sets"].size()));
  const Json& all = report["sets"][0];
  TEST_ASSERT_EQUAL_STRING("all", all["set"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(2, all["people"].get<int>());
  TEST_ASSERT_EQUAL_INT(1, all["ignored"].get<int>());
  const Json& theirs = all["detectors"][0];
  TEST_ASSERT_EQUAL_DOUBLE(0.5, theirs["at_fppi"][0]["miss_rate"].get<double>());
  TEST_ASSERT_TRUE(theirs["at_fppi"][0]["interval"][0].get<double>() <= 0.5 &&
                   theirs["at_fppi"][0]["interval"][1].get<double>() >= 0.5);
  const Json listed = report["sets"][1];
  TEST_ASSERT_EQUAL_INT(2, listed["pictures"].get<int>());
  TEST_ASSERT_EQUAL_INT(1, listed["people"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(500, listed["camera"]["focal_px"].get<double>());
  TEST_ASSERT_TRUE(listed["detectors"][0]["placement"][0]["all"].contains("distance_m"));
  TEST_ASSERT_FALSE(theirs["placement"][0]["all"].contains("distance_m"));
  TEST_ASSERT_EQUAL_INT(1, report["sets"][2]["people"].get<int>());
  TEST_ASSERT_EQUAL_INT(0, int(report["sets"][3]["detectors"].size()));
  for (const char* word : {"== listed ==", "missed at 0.1 FPPI", "bin: 0 (of 1)"})
    TEST_ASSERT_TRUE_MESSAGE(text.out.find(word) != std::string::npos, text.out.c_str());
  TEST_ASSERT_TRUE(fs::exists(g_folder / "p-all.svg") && fs::exists(g_folder / "p-contrast.svg"));
  TEST_ASSERT_FALSE(fs::exists(g_folder / "p.svg"));

  write("judging/one.txt", "1.png\n4.png\n\n5.png\nl.png\n");
  const Outcome misspelt = kerblab(command);
  expect_done(misspelt);
  TEST_ASSERT_TRUE_MESSAGE(
      misspelt.err.find("2 names are not among the pictures, the first '5.png'") !=
          std::string::npos,
      misspelt.err.c_str());

  expect_bad_input(kerblab(command + "--images in"), "--sets replaces");
  expect_bad_input(kerblab(command + "--foot-camera 500,1.2,50"), "--sets replaces");
  expect_bad_input(kerblab("eval detector --images in"), "--images and --truth are needed");
  write("judging/bad.toml", "[[set]]\nname = 5\n");
  expect_bad_input(kerblab("eval detector --detections found.jsonl --sets judging/bad.toml"),
                   "bad.toml:2");
}

TEST(the_false_alarms_of_a_detector_are_named_by_what_they_are_on) {
  write_pictures();
  write_detections();
  write("classes.csv",
        "file,x,y,w,h,class\n1.png,10,10,41,100,person\n2.png,20,10,41,100,rider\n"
        "4.png,0,0,41,100,bin\n");
  const Outcome o = kerblab(
      "eval detector --detections found.jsonl --images in --images none --truth classes.csv "
      "--truth-person person --truth-person rider --json -");
  expect_done(o);
  const Json report = Json::parse(o.out);
  TEST_ASSERT_EQUAL_INT(2, report["people"].get<int>());
  // At 0.1 FPPI none of four pictures may have a false alarm.
  const Json& on = report["detectors"][0]["false_positives_on"];
  TEST_ASSERT_EQUAL_STRING("bin", on[0]["class"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(0, on[0]["false_positives"].get<int>());
  expect_done(kerblab("model import --opencv-people --out people.kwm"));
  const Outcome ours = kerblab(
      "eval detector --backend cpu --model people.kwm --images in --truth classes.csv "
      "--truth-ignore rider --json -");
  expect_done(ours);
  const Json of_ours = Json::parse(ours.out);
  TEST_ASSERT_TRUE(of_ours["detectors"][0]["at_threshold"][0]["recommended"].get<bool>());
}

TEST(models_of_ours_and_opencvs_own_code_are_compared_on_one_plot) {
  write_pictures();
  for (int i = 0; i < 2; ++i) street("crops/" + std::to_string(i) + ".png", 96, 160 + 2 * i);
  const Outcome o = kerblab(
      std::string{"eval detector --backend cpu --model ours=people.kwm --model opencv "
                  "--model opencv-hog --crops crops --plot p.svg --plot p.png --plot-fppw w.svg "
                  "--save said --json - "} +
      kData);
  expect_bad_input(o, "people.kwm");  // not there: known before the first search
  TEST_ASSERT_FALSE(fs::exists(g_folder / "said"));
  expect_done(kerblab("model import --opencv-people --out people.kwm"));
  const std::string models =
      "eval detector --backend cpu --threshold -3 --model ours=people.kwm --model opencv-hog ";
  const Outcome all =
      kerblab(models + "--crops crops --plot p.svg --plot p.png --plot-fppw w.svg " +
              "--save said --json - " + kData);
  expect_done(all);
  const Json report = Json::parse(all.out);
  TEST_ASSERT_EQUAL_INT(2, int(report["detectors"].size()));
  const Json& ours = report["detectors"][0];
  TEST_ASSERT_EQUAL_STRING("ours", ours["name"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_DOUBLE(105, ours["work"]["learners_per_window"].get<double>());
  TEST_ASSERT_GREATER_THAN(0, ours["fppw_windows"].get<int>());
  TEST_ASSERT_EQUAL_INT(3, int(ours["at_fppw"].size()));
  TEST_ASSERT_TRUE(ours.contains("fppi_curve") && !report["detectors"][1].contains("fppw_curve"));

  const cv::Mat png = cv::imread((g_folder / "p.png").string());
  TEST_ASSERT_EQUAL_INT(1800, png.cols);
  const std::string svg = read(g_folder / "p.svg");
  for (const char* word :
       {"ours</text>", "OpenCV HOGDescriptor</text>", "false positives per image"})
    TEST_ASSERT_TRUE_MESSAGE(svg.find(word) != std::string::npos, word);
  TEST_ASSERT_TRUE(read(g_folder / "w.svg").find("per window") != std::string::npos);

  // What was saved is judged as it was when it was made.
  const Outcome again = kerblab(std::string{"eval detector --json - --detections said/ours.jsonl "
                                            "--detections said/OpenCV-HOGDescriptor.jsonl "} +
                                kData);
  expect_done(again);
  const Json second = Json::parse(again.out);
  for (int i = 0; i < 2; ++i) {
    const Json &before = report["detectors"][i], &after = second["detectors"][i];
    TEST_ASSERT_TRUE(before["log_average_miss_rate"] == after["log_average_miss_rate"]);
    TEST_ASSERT_TRUE(before["log_average_interval"] == after["log_average_interval"]);
    for (std::size_t bin = 0; bin < before["by_height"].size(); ++bin)
      for (std::size_t rate = 0; rate < 2; ++rate)  // a model's own threshold comes after these
        TEST_ASSERT_TRUE(before["by_height"][bin]["missed"][rate] ==
                         after["by_height"][bin]["missed"][rate]);
    for (const char* key : {"false_positives", "miss_rate"})  // thresholds were floats once
      TEST_ASSERT_TRUE_MESSAGE(before["fppi_curve"][key] == after["fppi_curve"][key], key);
  }
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

TEST(what_each_detection_is_comes_as_json_lines) {
  write_pictures();
  write_detections();
  write("classes.csv",
        "file,x,y,w,h,class\n1.png,10,10,41,100,person\n2.png,20,10,41,100,cyclist\n"
        "4.png,0,0,41,100,bin\n");
  write("sets.toml", R"(
[[set]]
name = "all"
images = ["in", "none"]
truth = ["classes.csv"]
[[set]]
name = "plain"
images = ["in"]
truth = ["truth.csv"]
)");
  const std::string command =
      "eval detector --detections theirs=found.jsonl --sets sets.toml --data . ";
  expect_done(kerblab(command + "--labels l.jsonl"));
  const std::vector<Json> lines = json_lines(read(g_folder / "l.jsonl"));
  TEST_ASSERT_EQUAL_size_t(6, lines.size());
  constexpr const char* kImages[] = {"./in/1.png",   "./in/2.png", "./none/3.png",
                                     "./none/4.png", "./in/1.png", "./in/2.png"};
  for (std::size_t i = 0; i < 6; ++i) {
    TEST_ASSERT_EQUAL_STRING(i < 4 ? "all" : "plain", lines[i]["set"].get<std::string>().c_str());
    TEST_ASSERT_EQUAL_STRING("theirs", lines[i]["model"].get<std::string>().c_str());
    TEST_ASSERT_EQUAL_STRING(kImages[i], lines[i]["image"].get<std::string>().c_str());
  }
  TEST_ASSERT_EQUAL_INT(96, lines[0]["width"].get<int>());  // of the picture: the lines have none
  TEST_ASSERT_EQUAL_INT(160, lines[0]["height"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(9, lines[0]["people"][0]["found"].get<double>());
  const auto label_in = [&](std::size_t line) {
    return lines[line]["detections"][0]["label"].get<std::string>();
  };
  TEST_ASSERT_EQUAL_STRING("person", label_in(0).c_str());
  TEST_ASSERT_EQUAL_STRING("ignored", label_in(1).c_str());  // on a cyclist
  TEST_ASSERT_EQUAL_INT(1, int(lines[1]["ignored"].size()));
  TEST_ASSERT_TRUE(lines[2]["detections"].empty() && lines[2]["people"].empty());
  TEST_ASSERT_EQUAL_STRING("false", label_in(3).c_str());
  TEST_ASSERT_EQUAL_STRING("bin", lines[3]["detections"][0]["thing"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("bin", lines[3]["things"][0]["class"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("person", label_in(5).c_str());

  const Outcome to_stdout = kerblab(command + "--labels -");
  expect_done(to_stdout);
  TEST_ASSERT_TRUE(to_stdout.out == read(g_folder / "l.jsonl"));
  expect_bad_input(kerblab(command + "--labels - --json -"), "two outputs have the same name");
  expect_bad_input(kerblab(command + "--labels found.jsonl"), "would overwrite an input");
  expect_bad_input(kerblab(command + "--labels no/l.jsonl"), "no such folder");
}

TEST(labels_of_saved_detections_are_those_of_the_model) {
  write_pictures();
  expect_done(kerblab("model import --opencv-people --out people.kwm"));
  expect_done(kerblab(std::string{"eval detector --backend cpu --threshold -3 --no-work "
                                  "--model ours=people.kwm --save said --labels first.jsonl "} +
                      kData));
  expect_done(kerblab(std::string{"eval detector --detections said/ours.jsonl --labels "
                                  "second.jsonl "} +
                      kData));
  std::vector<Json> first = json_lines(read(g_folder / "first.jsonl"));
  std::vector<Json> second = json_lines(read(g_folder / "second.jsonl"));
  TEST_ASSERT_EQUAL_size_t(4, first.size());
  TEST_ASSERT_EQUAL_size_t(4, second.size());
  int detections = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    Json &ours = first[i]["detections"], &read_again = second[i]["detections"];
    TEST_ASSERT_EQUAL_size_t(ours.size(), read_again.size());
    for (std::size_t k = 0; k < ours.size(); ++k, ++detections) {  // the saved ones were floats
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, ours[k]["overlap"].get<double>(),
                                read_again[k]["overlap"].get<double>());
      ours[k].erase("overlap");
      read_again[k].erase("overlap");
    }
    TEST_ASSERT_EQUAL_STRING(first[i].dump().c_str(), second[i].dump().c_str());
  }
  TEST_ASSERT_GREATER_THAN(0, detections);
}

TEST(a_picture_that_two_sets_share_is_saved_once) {
  write_pictures();
  expect_done(kerblab("model import --opencv-people --out people.kwm"));
  const auto sets = [](const std::string& second) {
    return "[[set]]\nname = \"one\"\nimages = [\"in\"]\ntruth = [\"truth.csv\"]\n[[set]]\nname = "
           "\"two\"\n"
           "images = [\"in\", \"none\"]\ntruth = [\"truth.csv\"]\n" +
           second;
  };
  const std::string command =
      "eval detector --backend cpu --threshold -3 --no-work --model ours=people.kwm --data . ";
  write("sets.toml", sets(""));
  expect_done(kerblab(command + "--sets sets.toml --save said"));
  TEST_ASSERT_EQUAL_size_t(4, json_lines(read(g_folder / "said/ours.jsonl")).size());
  expect_done(kerblab("eval detector --detections said/ours.jsonl --sets sets.toml --data ."));
  write("other.toml", sets("search_min_height = 48\n"));
  expect_bad_input(kerblab(command + "--sets other.toml --save again"), "save one set at a time");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "again/ours.jsonl"));
}

/// How many pixels of a picture have about this colour.
int pixels_of(const cv::Mat& bgr, const cv::Scalar& colour) {
  int count = 0;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const cv::Vec3b& pixel = bgr.at<cv::Vec3b>(y, x);
      bool is_near = true;
      for (int c = 0; c < 3; ++c) is_near = is_near && std::abs(pixel[c] - colour[c]) < 12;
      if (is_near) ++count;
    }
  return count;
}

TEST(the_pictures_with_most_errors_are_drawn) {
  write_pictures();
  write("truth.csv",
        "file,x,y,w,h,class\n1.png,10,10,41,100,person\n2.png,20,10,41,100,person\n"
        "4.png,0,0,41,100,bin\n3.png,20,20,30,60,cyclist\n");
  // Of ten pictures one may have a false alarm: the threshold is that of the better one, 7.
  std::string found =
      R"({"image":"in/1.png","detections":[{"x":11,"y":10,"w":41,"h":100,"score":9}]})"
      "\n"
      R"({"image":"in/2.png","detections":[{"x":20,"y":12,"w":20,"h":96,"score":5}]})"
      "\n"
      R"({"image":"none/3.png","detections":[]})"
      "\n"
      R"({"image":"none/4.png","detections":[{"x":0,"y":0,"w":41,"h":100,"score":7}]})"
      "\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    street(std::string{"none/"} + name + ".png", 70, 130);
    const char* const boxes = *name == 'a' ? R"({"x":9,"y":9,"w":41,"h":100,"score":6})" : "";
    found += std::string{R"({"image":"none/)"} + name + R"(.png","detections":[)" + boxes + "]}\n";
  }
  write("found.jsonl", found);
  const std::string command =
      "eval detector --detections theirs=found.jsonl --images in --images none --truth truth.csv ";
  expect_done(kerblab(command + "--worst drawn"));
  TEST_ASSERT_EQUAL_INT(3, file_count(g_folder / "drawn"));
  const cv::Scalar red{60, 60, 255}, yellow{0, 230, 255}, green{80, 220, 60};
  const cv::Mat missed = cv::imread((g_folder / "drawn/theirs-01-2.png").string());
  const cv::Mat on_bin = cv::imread((g_folder / "drawn/theirs-02-4.png").string());
  TEST_ASSERT_EQUAL_INT(80, missed.cols);
  TEST_ASSERT_EQUAL_INT(140, missed.rows);
  TEST_ASSERT_GREATER_THAN(100, pixels_of(missed, red));
  TEST_ASSERT_EQUAL_INT(0, pixels_of(missed, yellow));
  TEST_ASSERT_EQUAL_INT(0, pixels_of(missed, green));  // found, but below the threshold
  TEST_ASSERT_GREATER_THAN(100, pixels_of(on_bin, yellow));
  TEST_ASSERT_EQUAL_INT(0, pixels_of(on_bin, red));
  TEST_ASSERT_EQUAL_STRING(
      "drawing,error,set,model,image,threshold,what,x,y,w,h,score,cause\n"
      "theirs-01-2.png,1,,theirs,in/2.png,7,missed,20,10,41,100,5,\n"
      "theirs-02-4.png,1,,theirs,none/4.png,7,bin,0,0,41,100,7,\n",
      read(g_folder / "drawn/ledger.csv").c_str());

  expect_done(kerblab(command + "--worst one --worst-count 1"));
  TEST_ASSERT_EQUAL_INT(2, file_count(g_folder / "one"));
  TEST_ASSERT_TRUE(fs::exists(g_folder / "one/theirs-01-2.png"));
  expect_bad_input(kerblab(command + "--worst-count 0"), "--worst-count");
  write("file", "");
  expect_bad_input(kerblab(command + "--worst file"), "file");

  // With a person found and one missed in one picture.
  write("both.csv", "in/1.png,10,10,41,100\nin/1.png,60,10,20,50\nin/2.png,20,10,41,100,1\n");
  expect_done(
      kerblab("eval detector --detections found.jsonl --images in --images none --truth "
              "both.csv --worst both"));
  const cv::Mat both = cv::imread((g_folder / "both/found-01-1.png").string());
  TEST_ASSERT_GREATER_THAN(100, pixels_of(both, green));
  TEST_ASSERT_GREATER_THAN(50, pixels_of(both, red));
}

TEST(the_worst_pictures_are_drawn_at_0_1_fppi_or_at_the_recommended_threshold) {
  write_pictures();
  expect_done(kerblab("model import --opencv-people --out people.kwm"));  // it recommends 0
  // What the model finds there is true; its scores are below 0, its false alarms lower still.
  write("truth.csv", "in/1.png,34,30,34,101\nin/2.png,27,18,32,97\n");
  const std::string command =
      std::string{"eval detector --backend cpu --threshold -3 --no-work --model people.kwm "} +
      kData;
  expect_done(kerblab(command + "--worst rate"));
  TEST_ASSERT_EQUAL_INT(1, file_count(g_folder / "rate"));  // no error: a ledger without a line
  expect_done(kerblab(command + "--worst advised --worst-advised"));
  TEST_ASSERT_EQUAL_INT(3, file_count(g_folder / "advised"));
  std::istringstream ledger{read(g_folder / "advised/ledger.csv")};
  std::string line;
  std::getline(ledger, line);
  for (const char* image : {"in/1.png", "in/2.png"}) {
    std::getline(ledger, line);
    TEST_ASSERT_TRUE_MESSAGE(line.find(std::string{image} + ",0,missed,") != std::string::npos,
                             line.c_str());
  }
}

TEST(truth_that_does_not_fit_is_one_line) {
  write_pictures();
  write_detections();
  const std::string with = "eval detector --detections found.jsonl --images in --truth ";
  write("broken.csv", "image,x,y,w,h\nin/1.png,1,2,3\n");
  expect_bad_input(kerblab(with + "broken.csv"), "broken.csv:2: expected image,x,y,w,h");
  write("other.csv", "elsewhere/9.png,1,2,3,4\n");
  expect_bad_input(kerblab(with + "other.csv"), "other.csv");
  write("nobody.csv", "in/1.png,1,2,3,4,1\n");
  expect_bad_input(kerblab(with + "nobody.csv"), "the truth has no people");
  expect_bad_input(kerblab(with + "truth.csv --truth-min-height 400"), "the truth has no people");
  expect_bad_input(kerblab(with + "truth.csv --truth truth.csv"), "named more than once");
  expect_bad_input(kerblab(with + "none.csv"), "none.csv");
  fs::create_directory(g_folder / "empty");
  expect_bad_input(kerblab(with + "empty"), "empty");
  write("more.csv", read(g_folder / "truth.csv") + "gone/7.png,1,2,3,4\n");
  const Outcome more = kerblab(with + "more.csv");
  expect_done(more);
  TEST_ASSERT_TRUE_MESSAGE(
      more.err.find("warning: truth of pictures that were not given") != std::string::npos,
      more.err.c_str());
}

TEST(pictures_and_files_that_do_not_fit_are_one_line_and_leave_nothing) {
  write_pictures();
  write_detections();
  fs::create_directory(g_folder / "empty");
  write("bad/1.png", "not a picture");
  write("few.jsonl", R"({"image":"in/1.png","detections":[]})");
  write("broken.jsonl", R"({"image":"in/1.png","detections":[]})"
                        "\n{");
  street("small/5.png", 60, 120);
  const long before = file_count(g_folder);
  const std::string start = "eval detector --backend cpu --json r.json --plot p.svg --save said ";
  expect_bad_input(kerblab(start + "--images empty --truth truth.csv"), "empty");
  expect_bad_input(kerblab(start + "--images in --images in/1.png --truth truth.csv"),
                   "picture given twice");
  expect_bad_input(kerblab(start + "--images bad --truth truth.csv --model opencv"), "bad/1.png");
  expect_bad_input(kerblab(start + kData + "--detections few.jsonl"), "no line for ");
  expect_bad_input(kerblab(start + kData + "--detections broken.jsonl"), "broken.jsonl:2: not");
  expect_bad_input(kerblab(start + kData + "--model opencv --crops small"), "small/5.png");
  expect_bad_input(kerblab(start + kData + "--detections found.jsonl --plot p.gif"),
                   ".svg or .png");
  expect_bad_input(kerblab(start + kData + "--detections found.jsonl --plot-fppw w.svg"),
                   "--crops");
  expect_bad_input(
      kerblab("eval detector --json found.jsonl --detections found.jsonl " + std::string{kData}),
      "would overwrite an input");
  expect_bad_input(kerblab("eval detector --json no/r.json " + std::string{kData}), "no");
  expect_bad_input(
      kerblab("eval detector --truth-min-height 9 --truth-max-height 9 " + std::string{kData}),
      "--truth-max-height");
  expect_bad_input(kerblab("eval detector --images in"), "--truth");
  expect_bad_input(kerblab("eval detector --at nan --detections found.jsonl " + std::string{kData}),
                   "--at");
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
  TEST_ASSERT_FALSE(fs::exists(g_folder / "said"));
}

TEST(mot_sequences_are_judged_in_place) {
  street("SEQ/img1/000001.png", 70, 130);
  street("SEQ/img1/000002.png", 70, 130);
  write("SEQ/gt/gt.txt", "1,1,10,10,41,100,1,-1,-1,-1\n2,2,10,10,41,100,0,-1,-1,-1\n");
  write("found.jsonl",
        R"({"image":"000001.png","detections":[{"x":10,"y":10,"w":41,"h":100,"score":1}]})"
        "\n"
        R"({"image":"000002.png","detections":[{"x":10,"y":10,"w":41,"h":100,"score":2}]})");
  const Outcome o =
      kerblab("eval detector --images SEQ/img1 --truth SEQ --detections found.jsonl --json -");
  expect_done(o);
  const Json report = Json::parse(o.out);
  TEST_ASSERT_EQUAL_INT(1, report["people"].get<int>());
  TEST_ASSERT_EQUAL_INT(1, report["ignored"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(0, report["detectors"][0]["at_fppi"][0]["miss_rate"].get<double>());
}

}  // namespace
