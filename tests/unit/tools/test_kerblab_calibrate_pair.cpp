// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate pair as a person meets it: traced boards in a visible and a thermal camera.
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "firmware/config/config.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"
#include "tests/unit/tools/pair_pictures.hpp"

namespace {

using namespace kerb::test;
using kerb::CameraPair;
using kerb::LoadResult;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}
void write(const std::string& name, const cv::Mat& picture) {
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / name).string(), picture));
}

/// v0.png ... and t0.png ... of `poses`, and both lenses.
void write_pairs(const std::vector<BoardPose>& poses) {
  static const PairTracer tracer;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    cv::Mat first, second;
    tracer.trace(poses[i], checkered, first, second);
    const std::string number = static_cast<char>('a' + i) + std::string{".png"};
    write("v" + number, first);
    write("t" + number, second);
  }
  write("visible.toml", toml_of(visible_lens()));
  write("thermal.toml", toml_of(thermal_lens()));
}

const std::string kCameras = "calibrate pair --cameras visible.toml thermal.toml ";
const std::string kNamed = kCameras + "--names front thermal ";

void expect_pair(const CameraPair& pair, double metres, double degrees, const std::string& more) {
  const CameraPair is = true_pair();
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(metres, is.ahead_m, pair.ahead_m, more.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(metres, is.left_m, pair.left_m, more.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(metres, is.up_m, pair.up_m, more.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(degrees, is.pitch_deg, pair.pitch_deg, more.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(degrees, is.yaw_deg, pair.yaw_deg, more.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(degrees, is.roll_deg, pair.roll_deg, more.c_str());
}

TEST(boards_become_a_pair) {
  write_pairs(pair_poses());
  const Outcome o = kerblab(kNamed +
                            "--size 9x6 --square 0.08 --first v?.png --second t?.png --out "
                            "pair.toml --draw pair.png");
  expect_done(o);
  std::printf("%s", o.err.c_str());
  // Appended to the car's configuration, as the documentation says.
  write("car.toml", toml_of(visible_lens()) + toml_of(thermal_lens()) +
                        "name = \"thermal\"\ndevice = \"/dev/video2\"\n" +
                        read(g_folder / "pair.toml"));
  const LoadResult loaded = kerb::load_config((g_folder / "car.toml").string());
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  TEST_ASSERT_EQUAL(1, loaded.config.camera_pairs.size());
  expect_pair(loaded.config.camera_pairs[0], 0.004, 0.06, o.err);
  const cv::Mat drawn = cv::imread((g_folder / "pair.png").string());
  TEST_ASSERT_EQUAL_INT(640, drawn.cols);
  TEST_ASSERT_EQUAL_INT(480, drawn.rows);
  // The same from that file: both cameras are in it.
  const Outcome again = kerblab(
      "calibrate pair --cameras car.toml --names front thermal --size 9x6 --square 0.08 --first "
      "v?.png --second t?.png");
  expect_done(again);
  TEST_ASSERT_EQUAL_STRING(read(g_folder / "pair.toml").c_str(), again.out.c_str());
}

TEST(points_become_a_pair) {
  write_pairs({pair_poses()[0]});
  // Places in both pictures, by hand: corners of things 3 to 9 m away.
  std::string csv = "x1,y1,x2,y2,distance\n";
  const TruePose pose = true_pose(true_pair());
  const auto shown = [](const cv::Vec3d& at, const TracedLens& lens) {
    const double x = at[0] / at[2], y = at[1] / at[2], q = x * x + y * y;
    const double radial = 1 + q * (lens.k1 + q * lens.k2);
    return std::to_string(lens.center_x + lens.focal * (x * radial + 2 * lens.p1 * x * y +
                                                        lens.p2 * (q + 2 * x * x))) +
           "," +
           std::to_string(lens.center_y + lens.focal * (y * radial + lens.p1 * (q + 2 * y * y) +
                                                        2 * lens.p2 * x * y));
  };
  for (int i = 0; i < 16; ++i) {
    const double z = 3 + 0.4 * i;
    const cv::Vec3d at{(0.25 * (i % 4) - 0.35) * z, (0.15 * (i / 4) - 0.2) * z, z};
    csv += shown(at, visible_lens()) + "," + shown(pose.of(at), thermal_lens()) + "," +
           std::to_string(cv::norm(at)) + "\n";
  }
  csv += "100,100,300,20,5\n";  // a wrong one
  write("points.csv", csv);
  const Outcome o = kerblab(kNamed +
                            "--points points.csv --first va.png --second ta.png --draw points.png "
                            "--out pair.toml");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("point 17  (dropped)") != std::string::npos, o.err.c_str());
  write("car.toml", toml_of(visible_lens()) + toml_of(thermal_lens()) +
                        "name = \"thermal\"\ndevice = \"/dev/video2\"\n" +
                        read(g_folder / "pair.toml"));
  const LoadResult loaded = kerb::load_config((g_folder / "car.toml").string());
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  expect_pair(loaded.config.camera_pairs[0], 0.001, 0.01, o.err);
  TEST_ASSERT_EQUAL_INT(640, cv::imread((g_folder / "points.png").string()).cols);
  // With the position as somebody measured it.
  const Outcome known = kerblab(kNamed + "--points points.csv --position 0.03 -0.12 0.05");
  expect_done(known);
  TEST_ASSERT_TRUE_MESSAGE(known.out.find("left_m = -0.12000") != std::string::npos,
                           known.out.c_str());
}

TEST(bad_input_gets_one_line_and_leaves_nothing) {
  write_pairs({pair_poses()[0], pair_poses()[1]});
  write_street(g_folder / "street.png", 640, 480);
  write_street(g_folder / "cold.png", 320, 256);
  write("nan.csv", "1,2,3,4\n1,nan,3,4\n");
  write("few.csv", "1,2,3,4\n5,6,7,8\n");
  write("far.csv", "1,2,3,4000\n");
  write("broken.toml", "[[camera]]\npitch_deg = 40\n");
  const long before = file_count(g_folder);
  const std::string board = "--size 9x6 --square 0.08 ";
  struct Case {
    std::string arguments;
    const char* part;
  };
  const Case cases[] = {
      {kNamed + board + "--first va.png vb.png --second ta.png tb.png --out o.toml",
       "only 2 pairs of pictures show the board in both; at least 4 are needed"},
      {kNamed + board + "--first street.png --second cold.png --out o.toml",
       "only 0 pairs of pictures show the board in both"},
      {kNamed + board + "--first va.png none.png --second ta.png tb.png", "none.png"},
      {kNamed + board + "--first va.png vb.png --second ta.png",
       "--first has 2 pictures, --second 1"},
      {kNamed + board + "--first va.png cold.png --second ta.png tb.png",
       "cold.png: 320x256 pixels, camera \"front\" has 640x480"},
      {kNamed + board + "--first ta.png --second va.png", "ta.png: 320x256 pixels"},
      {kNamed + board + "--first visible.toml --second ta.png", "visible.toml"},
      {kNamed + board + "--first va.png --second ta.png --out va.png", "va.png"},
      {kNamed + board + "--first va.png --second ta.png --out o.toml --draw o.toml", "o.toml"},
      {kNamed + "--size 9 --square 0.08 --first va.png --second ta.png", "--size 9: must be COL"},
      {kNamed + "--size 9x6 --square 0.08 --pattern dots --first va.png --second ta.png",
       "--pattern"},
      {kNamed + "--size 9x6 --square nan --first va.png --second ta.png", "--square"},
      {kNamed + "--first va.png --second ta.png", "needs --size and --square"},
      {kNamed + board, "needs --first and --second"},
      {kNamed + board + "--points few.csv", "--points and --size exclude each other"},
      {kNamed + board + "--first va.png --second ta.png --position 0 0 0", "--position needs"},
      {kNamed + "--points none.csv", "none.csv"},
      {kNamed + "--points nan.csv", "nan.csv:2: y1 must be a number"},
      {kNamed + "--points few.csv", "only 2 points; at least 6 are needed"},
      {kNamed + "--points far.csv", "far.csv:1: x2,y2 is outside the second picture (320x256)"},
      {kNamed + "--points few.csv --position 0 nan 0", "--position"},
      {kNamed + "--points few.csv --draw d.png", "--draw needs --first and --second"},
      {kCameras + "--points few.csv", "both cameras are called \"front\": give --names"},
      {"calibrate pair --cameras visible.toml --points few.csv", "needs --names"},
      {"calibrate pair --cameras visible.toml --names front thermal --points few.csv",
       "visible.toml: no camera is called \"thermal\""},
      {"calibrate pair --cameras none.toml thermal.toml --points few.csv", "none.toml"},
      {"calibrate pair --cameras broken.toml thermal.toml --points few.csv", "pitch_deg"},
      {"calibrate pair --points few.csv", "--cameras"},
  };
  for (const Case& c : cases) expect_bad_input(kerblab(c.arguments), c.part);
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
}

TEST(help_has_an_example) {
  const Outcome o = kerblab("calibrate pair --help");
  expect_done(o);
  TEST_ASSERT_TRUE(o.out.find("kerblab calibrate pair --cameras") != std::string::npos);
}

}  // namespace
