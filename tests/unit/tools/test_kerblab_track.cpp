// SPDX-License-Identifier: Apache-2.0
// kerblab track and kerblab eval track as a person meets them, on a street and a walker made here.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"
#include "tools/bench/street.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

constexpr int kWidth = 320, kHeight = 200, kFrames = 16;
constexpr double kFocal = 300, kEyes = 1.4, kRate = 10;

void write(const fs::path& path, const std::string& text) { std::ofstream{path} << text; }

std::string name_of_frame(int number) {
  char name[16];
  std::snprintf(name, sizeof name, "%06d.png", number);
  return name;
}

/// Somebody of 1.7 m who crosses 10 m ahead, to the right with 1.2 m/s: the box in the picture.
std::array<double, 4> walker(int frame) {
  const double scale = kFocal / 10, x = -2 + 1.2 * (frame - 1) / kRate;
  return {(kWidth - 1) / 2.0 + (x - 0.35) * scale, (kHeight - 1) / 2.0 + (kEyes - 1.7) * scale,
          0.7 * scale, 1.7 * scale};
}

/// Somebody who stands 24 m before a car that comes with 10 m/s.
std::array<double, 4> in_the_way(int frame) {
  const double scale = kFocal / (24 - 10 * (frame - 1) / kRate);
  return {(kWidth - 1) / 2.0 - 0.35 * scale, (kHeight - 1) / 2.0 + (kEyes - 1.7) * scale,
          0.7 * scale, 1.7 * scale};
}

std::string mot_line(int frame, int id, const std::array<double, 4>& b, double conf) {
  std::ostringstream line;
  line << frame << ',' << id << ',' << b[0] << ',' << b[1] << ',' << b[2] << ',' << b[3] << ','
       << conf << ",-1,-1,-1\n";
  return line.str();
}

/// SEQ/img1, a street that stands with a walker before it, SEQ/gt/gt.txt, and what a detector found
/// of her: nothing in `missed`.
void write_sequence(const std::string& folder, int missed = 0, int frames = kFrames,
                    std::array<double, 4> (*box_of)(int) = walker) {
  fs::create_directories(g_folder / folder / "img1");
  fs::create_directories(g_folder / folder / "gt");
  const std::vector<std::uint8_t> street = kerb::bench::street_picture(kWidth, kHeight);
  std::string truth, found;
  for (int frame = 1; frame <= frames; ++frame) {
    cv::Mat picture(kHeight, kWidth, CV_8UC1);
    std::copy(street.begin(), street.end(), picture.data);
    const std::array<double, 4> b = box_of(frame);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const double u = (x - b[0]) / b[2], v = (y - b[1]) / b[3];
        if (u < 0.2 || u > 0.8 || v < 0 || v > 1) continue;
        // Clothes with something to hold on to.
        picture.at<std::uint8_t>(y, x) =
            static_cast<std::uint8_t>(128 + 60 * std::sin(u * 19) * std::cos(v * 31));
      }
    TEST_ASSERT_TRUE(
        cv::imwrite((g_folder / folder / "img1" / name_of_frame(frame)).string(), picture));
    truth += mot_line(frame, 1, b, 1);
    if (frame != missed) found += mot_line(frame, -1, b, 14);
  }
  write(g_folder / folder / "gt" / "gt.txt", truth);
  write(g_folder / "found.txt", found);
}

constexpr const char* kTrack =
    "track --sequence s --fps 10 --focal 300 --backend cpu --threads 1 --out tracks.txt ";

Json scores() {
  const Outcome o = kerblab("eval track --truth s --tracks tracks.txt --json -");
  expect_done(o);
  return Json::parse(o.out);
}

TEST(somebody_is_followed_through_a_frame_in_which_nobody_saw_her) {
  write_sequence("s", 9);
  for (const bool is_ours : {true, false}) {
    expect_done(kerblab(kTrack + std::string{"--detections found.txt --method "} +
                        (is_ours ? "kerbwatch" : "sort")));
    const Json one = scores()["sequences"][0];
    TEST_ASSERT_EQUAL_STRING("s", one["name"].get<std::string>().c_str());
    TEST_ASSERT_EQUAL_INT(kFrames, one["people"].get<int>());
    TEST_ASSERT_EQUAL_INT(1, one["tracks"].get<int>());
    TEST_ASSERT_EQUAL_INT(0, one["id_switches"].get<int>());
    TEST_ASSERT_EQUAL_INT(0, one["false_positives"].get<int>());
    if (is_ours) {  // a few frames until she is confirmed, and none missed after
      TEST_ASSERT_LESS_OR_EQUAL_INT(4, one["misses"].get<int>());
      TEST_ASSERT_EQUAL_INT(0, one["fragmentations"].get<int>());
    } else {  // told from the first frame; hidden, and then told when seen thrice again
      TEST_ASSERT_EQUAL_INT(3, one["misses"].get<int>());
      TEST_ASSERT_EQUAL_INT(1, one["fragmentations"].get<int>());
    }
  }
}

/// The columns of the last line.
std::vector<double> last_columns(const std::string& text) {
  std::istringstream lines{text};
  std::string line, last;
  while (std::getline(lines, line)) last = line;
  std::vector<double> columns;
  std::istringstream parts{last};
  for (std::string part; std::getline(parts, part, ',');) columns.push_back(std::stod(part));
  return columns;
}

TEST(frames_in_which_the_detector_does_not_look_lose_nobody) {
  write_sequence("s");
  expect_done(kerblab(kTrack + std::string{"--look-every 2 --detections found.txt"}));
  const Json one = scores()["sequences"][0];
  TEST_ASSERT_EQUAL_INT(1, one["tracks"].get<int>());
  TEST_ASSERT_EQUAL_INT(0, one["fragmentations"].get<int>());
  TEST_ASSERT_LESS_OR_EQUAL_INT(8, one["misses"].get<int>());
}

TEST(saved_detections_give_the_same_tracks) {
  write_sequence("s", 0, 4);
  expect_done(kerblab("model import --opencv-people --out people.kwm"));
  expect_done(kerblab(kTrack + std::string{"--model people.kwm --stride 16 --threshold -2 "
                                           "--save-detections saved.txt"}));
  const std::string tracks = read(g_folder / "tracks.txt"), saved = read(g_folder / "saved.txt");
  TEST_ASSERT_TRUE(saved.find("1,-1,") == 0);
  TEST_ASSERT_TRUE(saved.find("\n4,-1,") != std::string::npos);
  expect_done(kerblab(kTrack + std::string{"--detections saved.txt --save-detections again.txt"}));
  TEST_ASSERT_EQUAL_STRING(tracks.c_str(), read(g_folder / "tracks.txt").c_str());
  TEST_ASSERT_EQUAL_STRING(saved.c_str(), read(g_folder / "again.txt").c_str());
}

TEST(drawings_show_boxes_in_colour) {
  write_sequence("s");
  for (const std::string method : {"kerbwatch", "sort", "bytetrack"}) {
    const std::string folder = "drawn_" + method;
    expect_done(kerblab(kTrack + std::string{"--detections found.txt --every 10 --draw "} + folder +
                        " --method " + method));
    TEST_ASSERT_EQUAL_INT(1, file_count(g_folder / folder));
    const cv::Mat drawn = cv::imread((g_folder / folder / name_of_frame(10)).string());
    // Ours has the plan beside the picture.
    TEST_ASSERT_TRUE((method != "kerbwatch" ? drawn.cols == kWidth : drawn.cols > kWidth + 100) &&
                     drawn.rows == kHeight);
    const std::array<double, 4> b = walker(10);
    int coloured = 0;  // at the box's left edge: the street is grey
    for (int y = static_cast<int>(b[1]); y < b[1] + b[3]; ++y)
      for (int x = static_cast<int>(b[0]) - 6; x < b[0] + 6; ++x) {
        const auto& p = drawn.at<cv::Vec3b>(y, x);
        coloured += p[0] != p[1] || p[1] != p[2] ? 1 : 0;
      }
    TEST_ASSERT_GREATER_THAN_INT(20, coloured);
  }
}

TEST(places_are_in_metres_by_the_configurations_camera_and_options_win) {
  write_sequence("s");
  write(g_folder / "k.toml", "[[camera]]\nfocal_px = 300.0\nheight_m = 1.4\nahead_m = 1.0\n");
  const std::string without =
      "track --sequence s --fps 10 --backend cpu --threads 1 --out tracks.txt --detections "
      "found.txt ";
  expect_done(kerblab(without + "--focal 300 --height 1.4 --ahead 1"));
  const std::string expected = read(g_folder / "tracks.txt");
  const std::vector<double> columns = last_columns(expected);
  TEST_ASSERT_EQUAL_size_t(10, columns.size());
  TEST_ASSERT_EQUAL_DOUBLE(kFrames, columns[0]);
  TEST_ASSERT_TRUE(columns[6] > 0.5 && columns[6] <= 1);
  TEST_ASSERT_DOUBLE_WITHIN(1.5, 11, columns[7]);  // 10 m from the camera, 1 m before the axle
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 2 - 1.2 * (kFrames - 1) / kRate, columns[8]);  // to the left
  expect_done(kerblab(without + "--config k.toml"));
  TEST_ASSERT_EQUAL_STRING(expected.c_str(), read(g_folder / "tracks.txt").c_str());
  expect_done(kerblab(without + "--config k.toml --ahead 3"));
  TEST_ASSERT_DOUBLE_WITHIN(0.01, columns[7] + 2, last_columns(read(g_folder / "tracks.txt"))[7]);
  write(g_folder / "bad.toml", "[[camera]]\nheight_m = -1.0\n");
  expect_bad_input(kerblab(without + "--config bad.toml"), "height_m");
  expect_bad_input(kerblab(without + "--pitch 45"), "pitch_deg 45 must show the road");
  expect_bad_input(kerblab(without + "--focal 1"), "focal_px 1 makes an angle of view of 17");
  expect_bad_input(kerblab(without + "--center -50 20"), "center");
  expect_bad_input(kerblab(without + "--center 5000 20"), "center_x");
}

TEST(warnings_are_what_the_driver_would_be_told) {
  const std::string warn = kTrack + std::string{"--detections found.txt --height 1.4 --pitch 0 "};
  const std::string header =
      "frame,seconds,kind,person,ahead_m,beside_m,speed_kmh,contact_in_s,likelihood\n";
  write_sequence("s");  // who crosses before a car that stands is nobody to warn of
  expect_done(kerblab(warn + "--speed 0 --warnings none.csv"));
  TEST_ASSERT_EQUAL_STRING(header.c_str(), read(g_folder / "none.csv").c_str());
  write_sequence("s", 0, kFrames, in_the_way);
  expect_done(kerblab(warn + "--speed 36 --warnings some.csv --draw warned"));
  const std::string told = read(g_folder / "some.csv");
  TEST_ASSERT_EQUAL_STRING(header.c_str(), told.substr(0, header.size()).c_str());
  TEST_ASSERT_TRUE_MESSAGE(told.find(",collision,") != std::string::npos, told.c_str());
  int frame = 0;
  TEST_ASSERT_EQUAL_INT(1, std::sscanf(told.c_str() + header.size(), "%d,", &frame));
  const cv::Mat drawn = cv::imread((g_folder / "warned" / name_of_frame(frame)).string());
  TEST_ASSERT_TRUE(drawn.at<cv::Vec3b>(kHeight / 2, 2) == cv::Vec3b(0, 0, 255));
  const cv::Mat before = cv::imread((g_folder / "warned" / name_of_frame(1)).string());
  TEST_ASSERT_TRUE(before.at<cv::Vec3b>(kHeight / 2, 2) != cv::Vec3b(0, 0, 255));
  // Without a speed or a mounting nobody knows.
  expect_bad_input(kerblab(warn + "--warnings none.csv"), "--speed");
  expect_bad_input(kerblab(warn + "--warnings none.csv --speed fast"), "--speed");
  expect_bad_input(kerblab(kTrack + std::string{"--warnings none.csv --speed 10"}), "--height");
}

TEST(the_rate_is_seqinfos_where_none_is_given) {
  write_sequence("s");
  const std::string without =
      "track --sequence s --focal 300 --backend cpu --threads 1 --out tracks.txt --detections "
      "found.txt";
  write(g_folder / "s" / "seqinfo.ini", "[Sequence]\nname=s\nframeRate=10\n");
  const Outcome told = kerblab(without);
  expect_done(told);
  TEST_ASSERT_TRUE_MESSAGE(told.err.find("at 10 per second") != std::string::npos,
                           told.err.c_str());
  write(g_folder / "s" / "seqinfo.ini", "frameRate=fast\n");
  expect_bad_input(kerblab(without), "seqinfo.ini:1: frameRate");
}

TEST(bad_input_of_track_is_one_line_and_leaves_nothing) {
  write_sequence("s");
  write(g_folder / "short.txt", "1,-1,10,20,30,60,9\n\n2,-1,10,20\n");
  const long files = file_count(g_folder);
  const std::string found = "--detections found.txt ";
  expect_bad_input(kerblab("track --sequence none --out t.txt"), "none");
  expect_bad_input(kerblab(kTrack + std::string{"--detections none.txt"}), "none.txt");
  expect_bad_input(kerblab(kTrack + std::string{"--detections short.txt"}), "short.txt:3: must be");
  for (const char* wrong : {"--fps nan", "--height 0"})
    expect_bad_input(kerblab(kTrack + found + wrong), "--");
  expect_bad_input(kerblab("track --sequence s --out found.txt " + found), "overwrite");
  expect_bad_input(kerblab("track --sequence s --out t.txt --save-detections t.txt " + found),
                   "two outputs have the same name");
  expect_bad_input(kerblab(kTrack + found + "--draw s/img1"), "overwrite");
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "s" / "img1" / "000017.png").string(),
                               cv::Mat::zeros(100, 100, CV_8UC1)));
  expect_bad_input(kerblab(kTrack + found), "size differs from the first picture");
  write(g_folder / "s" / "img1" / "000017.png", "no picture");
  expect_bad_input(kerblab(kTrack + found), "000017.png");
  TEST_ASSERT_EQUAL_INT(files + 1, file_count(g_folder));
}

// --- eval track --------------------------------------------------------------------------------

TEST(scores_are_a_table_and_json) {
  fs::create_directories(g_folder / "a" / "gt");
  // Two people for four frames; one to ignore; a car.
  std::string truth, tracks;
  for (int frame = 1; frame <= 4; ++frame) {
    const std::string f = std::to_string(frame);
    truth += f + ",1,10,10,40,100,1,1,1\n" + f + ",2,200,10,40,100,1,1,1\n" + f +
             ",3,300,10,40,100,0,8,1\n" + f + ",4,400,10,90,60,1,3,1\n";
    tracks += f + ",7,10,10,40,100\n" + f + ",9,300,10,40,100,0.5\n";
  }
  write(g_folder / "a" / "gt" / "gt.txt", truth);
  write(g_folder / "t.txt", tracks);
  write(g_folder / "b.txt", "1,1,10,10,40,100,1\n");
  write(g_folder / "u.txt", "1,1,10,10,40,100,1\n2,1,10,10,40,100,1\n");
  const Outcome o = kerblab(
      "eval track --truth a/gt/gt.txt --tracks t.txt --truth b.txt --tracks u.txt --json s.json");
  expect_done(o);
  TEST_ASSERT_EQUAL_STRING("", o.err.c_str());
  for (const char* part : {"MOTA", "IDF1", "HOTA", "Frag", "\na  ", "\nb  ", "\nall "})
    TEST_ASSERT_TRUE_MESSAGE(o.out.find(part) != std::string::npos, o.out.c_str());
  const Json report = Json::parse(read(g_folder / "s.json"));
  const Json &a = report["sequences"][0], &b = report["sequences"][1], &all = report["all"];
  TEST_ASSERT_EQUAL_INT(8, a["people"].get<int>());
  TEST_ASSERT_EQUAL_INT(4, a["ignored"].get<int>());
  TEST_ASSERT_EQUAL_INT(0, a["false_positives"].get<int>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, a["mota"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, b["mota"].get<double>());  // one hit, one false alarm
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 - 5.0 / 9, all["mota"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 10 / 15.0, all["idf1"].get<double>());
  TEST_ASSERT_EQUAL_size_t(19, all["by_alpha"].size());
  const Outcome quiet = kerblab("eval track --truth a --tracks t.txt --json -");
  expect_done(quiet);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, Json::parse(quiet.out)["all"]["mota"].get<double>());
}

TEST(bad_input_of_eval_track_is_one_line) {
  write(g_folder / "g.txt", "1,1,10,10,40,100,1\n");
  write(g_folder / "t.txt", "1,1,10,10,40,100\n");
  write(g_folder / "x.txt", "1,1,10,10,40,100\n1,1,50,10,40,100\n");
  expect_bad_input(kerblab("eval track --truth g.txt --tracks x.txt"),
                   "x.txt:2: id 1 occurs twice in frame 1");
  expect_bad_input(kerblab("eval track --truth t.txt --tracks t.txt"), "t.txt:1: must be");
  expect_bad_input(kerblab("eval track --truth g.txt --truth g.txt --tracks t.txt"), "--tracks");
  expect_bad_input(kerblab("eval track --truth g.txt --tracks t.txt --json g.txt"), "overwrite");
}

TEST(help_has_an_example) {
  for (const std::string command : {"track", "eval track"}) {
    const Outcome o = kerblab(command + " --help");
    expect_done(o);
    TEST_ASSERT_TRUE(o.out.find("Example: kerblab " + command) != std::string::npos);
  }
}

}  // namespace
