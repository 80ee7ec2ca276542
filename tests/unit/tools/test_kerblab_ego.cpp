// SPDX-License-Identifier: Apache-2.0
// kerblab ego as a person meets it, on a street rendered here, so that the motion is known.
#include <array>
#include <cmath>
#include <cstdint>
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

constexpr int kWidth = 320, kHeight = 200, kFrames = 5;
constexpr double kFocal = 300, kCenterX = (kWidth - 1) / 2.0, kCenterY = (kHeight - 1) / 2.0;
constexpr double kEyes = 1.4, kRate = 10;

double lattice(int x, int y, int surface) {
  auto h = static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U ^
           static_cast<std::uint32_t>(surface) * 83492791U;
  h = (h ^ (h >> 13)) * 1274126177U;
  return static_cast<double>((h ^ (h >> 16)) & 0xFFFFU) / 65535.0;
}
double noise(double x, double y, int surface) {
  const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
  const double u = x - ix, v = y - iy;
  return (lattice(ix, iy, surface) * (1 - u) + lattice(ix + 1, iy, surface) * u) * (1 - v) +
         (lattice(ix, iy + 1, surface) * (1 - u) + lattice(ix + 1, iy + 1, surface) * u) * v;
}
/// Metres on a surface; coarse and fine, as streets are.
double paint(double a, double b, int surface) {
  return 30 + 110 * noise(a * 1.3, b * 1.3, surface) + 90 * noise(a * 5, b * 5, surface + 7);
}

/// Somebody 1.7 m tall and 0.6 m wide, who faces the camera: x to the right, z ahead of where it
/// starts.
struct Person {
  double x, z, speed;  // speed to the right
};
/// Where the camera is, and how far to the left it looks.
struct Pose {
  double x = 0, z = 0, heading = 0;
};
struct Drive {
  double speed = 0, yaw_rate = 0;
};

Pose pose_at(const Drive& drive, int frame) {
  Pose pose;
  for (int i = 0; i < frame; ++i) {
    const double middle = pose.heading + drive.yaw_rate / kRate / 2;
    pose.x -= std::sin(middle) * drive.speed / kRate;
    pose.z += std::cos(middle) * drive.speed / kRate;
    pose.heading += drive.yaw_rate / kRate;
  }
  return pose;
}

/// A road between two rows of houses, with a wall at its end.
double seen(const Pose& pose, const std::vector<Person>& people, int frame, double px, double py) {
  const double u = (px - kCenterX) / kFocal, down = (py - kCenterY) / kFocal;
  const double c = std::cos(pose.heading), s = std::sin(pose.heading);
  const double right = u * c - s, ahead = u * s + c;  // of the ray
  double nearest = (60 - pose.z) / ahead;
  double colour = paint(pose.x + right * nearest, down * nearest, 1);
  const auto meets = [&](double t) { return t > 0.05 && t < nearest; };
  if (const double t = kEyes / down; down > 0 && meets(t)) {
    nearest = t;
    colour = paint(pose.x + right * t, pose.z + ahead * t, 2);
  }
  for (const double wall : {-6.0, 6.0})
    if (const double t = (wall - pose.x) / right; right != 0 && meets(t)) {
      nearest = t;
      colour = paint(pose.z + ahead * t, down * t, wall < 0 ? 3 : 4);
    }
  for (const Person& p : people) {
    const double t = (p.z - pose.z) / ahead;
    const double across = pose.x + right * t - p.x - p.speed * frame / kRate;
    const double up = kEyes - down * t;
    if (!meets(t) || std::abs(across) > 0.3 || up < 0 || up > 1.7) continue;
    nearest = t;
    colour = paint(across * 3, up * 3, 5);
  }
  return colour;
}

std::string name_of_frame(int number) {
  std::ostringstream name;
  name.width(6);
  name.fill('0');
  name << number;
  return name.str() + ".png";
}

/// Frames first, first + 1 ... and where people are in them, as MOT text.
void write_drive(const std::string& folder, const Drive& drive, const std::vector<Person>& people,
                 int first = 1) {
  fs::create_directories(g_folder / folder);
  std::ofstream boxes{g_folder / folder / "gt.txt"};
  for (int frame = 0; frame < kFrames; ++frame) {
    const Pose pose = pose_at(drive, frame);
    cv::Mat picture(kHeight, kWidth, CV_8UC1);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        double sum = 0;  // what lies far has less than a pixel: four looks at each
        for (const double i : {-0.25, 0.25})
          for (const double j : {-0.25, 0.25}) sum += seen(pose, people, frame, x + i, y + j);
        picture.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(std::lround(sum / 4));
      }
    TEST_ASSERT_TRUE(
        cv::imwrite((g_folder / folder / name_of_frame(first + frame)).string(), picture));
    for (std::size_t i = 0; i < people.size(); ++i) {
      const Person& p = people[i];
      const double dx = p.x + p.speed * frame / kRate - pose.x, dz = p.z - pose.z;
      const double depth = dz * std::cos(pose.heading) - dx * std::sin(pose.heading);
      const double side = dx * std::cos(pose.heading) + dz * std::sin(pose.heading);
      const double scale = kFocal / depth;
      boxes << first + frame << ',' << i + 1 << ',' << kCenterX + (side - 0.3) * scale << ','
            << kCenterY + (kEyes - 1.7) * scale << ',' << 0.6 * scale << ',' << 1.7 * scale
            << ",1\n";
    }
  }
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

constexpr const char* kEgo = "ego --focal 300 --rate 10 --backend cpu --threads 1 ";

TEST(driving_in_a_bend_is_measured_and_the_walker_told_from_who_stands) {
  const Drive drive{6, 0.06};
  write_drive("d", drive, {{-1.8, 11, 1.6}, {1.8, 12, 0}});
  for (const std::string method : {"auto", "lk", "ncc", "points"}) {
    const Outcome o = kerblab(kEgo + ("--method " + method) +
                              " --speed 6 --boxes d/gt.txt --json o.jsonl d/*.png");
    expect_done(o);
    const std::vector<Json> lines = lines_of(read(g_folder / "o.jsonl"));
    TEST_ASSERT_EQUAL_size_t(kFrames, lines.size());
    TEST_ASSERT_EQUAL_STRING("no_previous", lines[0]["state"].get<std::string>().c_str());
    int moving = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const Json& line = lines[i];
      TEST_ASSERT_EQUAL_INT(static_cast<int>(i) + 1, line["frame"].get<int>());
      TEST_ASSERT_EQUAL_STRING("valid", line["state"].get<std::string>().c_str());
      TEST_ASSERT_EQUAL_STRING("forward", line["travel"].get<std::string>().c_str());
      TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.06, line["yaw_rate_radps"].get<double>());
      TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, line["pitch_rate_radps"].get<double>());
      TEST_ASSERT_DOUBLE_WITHIN(20, kCenterX, line["foe"][0].get<double>());
      TEST_ASSERT_DOUBLE_WITHIN(12, kCenterY, line["foe"][1].get<double>());
      TEST_ASSERT_DOUBLE_WITHIN(12, kCenterY, line["horizon_row"].get<double>());
      const Json& regions = line["regions"];
      TEST_ASSERT_EQUAL_size_t(2, regions.size());
      TEST_ASSERT_EQUAL_INT(1, regions[0]["id"].get<int>());
      moving += regions[0]["verdict"] == "moving" ? 1 : 0;
      TEST_ASSERT_TRUE(regions[1]["verdict"] != "moving");
    }
    TEST_ASSERT_GREATER_OR_EQUAL_INT(kFrames - 2, moving);
  }
}

TEST(a_standing_camera_has_no_focus_of_expansion) {
  write_drive("d", {}, {{-1, 9, 1.4}});
  expect_done(kerblab(kEgo + std::string{"--boxes d/gt.txt --json o.jsonl d/*.png"}));
  const std::vector<Json> lines = lines_of(read(g_folder / "o.jsonl"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    TEST_ASSERT_EQUAL_STRING("none", lines[i]["travel"].get<std::string>().c_str());
    TEST_ASSERT_TRUE(lines[i]["foe"].is_null());
    TEST_ASSERT_TRUE(lines[i]["regions"][0]["verdict"] == "moving");
  }
}

TEST(boxes_are_those_of_the_number_in_the_name_or_of_first) {
  write_drive("d", {}, {{-1, 9, 1.4}}, 20);
  fs::create_directories(g_folder / "named");
  for (int i = 0; i < kFrames; ++i)
    fs::copy_file(g_folder / "d" / name_of_frame(20 + i),
                  g_folder / "named" / (std::string(1, static_cast<char>('a' + i)) + ".png"));
  struct Case {
    const char* arguments;
    int first;
    std::size_t people;
  };
  for (const Case& c : {Case{"d/*.png", 20, 1}, Case{"named/*.png", 1, 0},
                        Case{"--first 20 named/*.png", 20, 1}, Case{"--first 1 d/*.png", 1, 0}}) {
    expect_done(kerblab(kEgo + std::string{"--boxes d/gt.txt --json o.jsonl "} + c.arguments));
    const std::vector<Json> lines = lines_of(read(g_folder / "o.jsonl"));
    TEST_ASSERT_EQUAL_size_t(kFrames, lines.size());
    for (int i = 0; i < kFrames; ++i) {
      const Json& line = lines[static_cast<std::size_t>(i)];
      TEST_ASSERT_EQUAL_INT(c.first + i, line["frame"].get<int>());
      TEST_ASSERT_EQUAL_size_t(c.people, line["regions"].size());
    }
  }
}

TEST(settings_change_the_verdict) {
  write_drive("d", {}, {{-1, 9, 1.4}});
  const auto verdict = [](const std::string& settings) {
    expect_done(kerblab(kEgo + settings + " --boxes d/gt.txt --json o.jsonl d/*.png"));
    return lines_of(read(g_folder / "o.jsonl"))[2]["regions"][0]["verdict"].get<std::string>();
  };
  TEST_ASSERT_EQUAL_STRING("moving", verdict("").c_str());
  TEST_ASSERT_TRUE(verdict("--noise 5 --significance 20 --walking 3") != "moving");
  for (const char* wrong : {"--significance 1", "--walking 9", "--noise 0", "--nearest 0",
                            "--slope 20", "--method bm", "--first -1"})
    expect_bad_input(kerblab(kEgo + std::string{wrong} + " d/000001.png d/000002.png --json x"),
                     "--");
}

TEST(drawings_are_new_files_and_inputs_stay) {
  write_drive("d", {3, 0}, {{-1, 9, 1.4}});
  const std::string before = read(g_folder / "d" / name_of_frame(1));
  const long files = file_count(g_folder);
  expect_bad_input(kerblab(kEgo + std::string{"--draw d --json o.jsonl d/*.png"}), "overwrite");
  expect_bad_input(kerblab(kEgo + std::string{"--boxes d/gt.txt --json d/gt.txt d/*.png"}),
                   "overwrite");
  expect_bad_input(kerblab(kEgo + std::string{"--json o.jsonl d/000002.png d/000001.png"}),
                   "in order");
  TEST_ASSERT_EQUAL_INT(files, file_count(g_folder));
  expect_done(kerblab(
      kEgo + std::string{"--draw drawn --every 2 --boxes d/gt.txt --json o.jsonl d/*.png"}));
  TEST_ASSERT_EQUAL_STRING(before.c_str(), read(g_folder / "d" / name_of_frame(1)).c_str());
  TEST_ASSERT_EQUAL_INT(2, file_count(g_folder / "drawn"));
  for (const int frame : {2, 4}) {
    const cv::Mat drawn =
        cv::imread((g_folder / "drawn" / name_of_frame(frame)).string(), cv::IMREAD_COLOR);
    TEST_ASSERT_TRUE(drawn.cols == kWidth && drawn.rows == kHeight);
    int coloured = 0;  // the street is grey, what is drawn is not
    for (int y = 0; y < drawn.rows; ++y)
      for (int x = 0; x < drawn.cols; ++x) {
        const auto& p = drawn.at<cv::Vec3b>(y, x);
        coloured += p[0] != p[1] || p[1] != p[2] ? 1 : 0;
      }
    TEST_ASSERT_GREATER_THAN_INT(kWidth, coloured);
  }
}

}  // namespace
