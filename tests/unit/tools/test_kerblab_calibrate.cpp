// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate as a person meets it: a traced checkerboard, and a drive on the proving ground.
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "firmware/config/config.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/board_pictures.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

bool g_some = false;  // of all that is slow, nothing

using namespace kerb::test;
using kerb::CameraSettings;
using kerb::LoadResult;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}

CameraSettings camera_in(const std::string& name) {
  const LoadResult loaded = kerb::load_config((g_folder / name).string());
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  return loaded.config.cameras[0];
}

TEST(a_board_becomes_a_lens) {
  const BoardTracer tracer{TracedLens{}};
  int number = 0;
  for (const BoardPose& pose : good_poses())
    cv::imwrite((g_folder / ("b" + std::to_string(number++) + ".png")).string(),
                tracer.picture(pose, 9, 6, 0.03));
  write_street(g_folder / "c.png", 640, 400);  // no board in it: said, and left out
  const Outcome o = kerblab(
      "calibrate board --size 9x6 --square 0.03 --out lens.toml --draw lens.png b*.png c.png");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("c.png: no complete board of 9x6") != std::string::npos,
                           o.err.c_str());
  const CameraSettings camera = camera_in("lens.toml");
  TEST_ASSERT_DOUBLE_WITHIN(1.6, 520, *camera.focal_px);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, -0.28, camera.k1);
  const cv::Mat drawn = cv::imread((g_folder / "lens.png").string());
  TEST_ASSERT_EQUAL_INT(640, drawn.cols);
  TEST_ASSERT_EQUAL_INT(400, drawn.rows);
  // Another number of corners: no board, nothing written.
  const Outcome wrong = kerblab("calibrate board --size 8x5 --square 0.03 --out no.toml b0.png");
  TEST_ASSERT_EQUAL_INT(2, wrong.code);
  TEST_ASSERT_FALSE(fs::exists(g_folder / "no.toml"));
}

TEST(a_drive_becomes_a_mounting) {
  if (g_some) TEST_IGNORE_MESSAGE("--some: too slow here");
  write("straight.toml",
        "title = \"Straight\"\nseconds = 2\n[camera]\nwidth = 400\nheight = 240\nrate_hz = 12\n"
        "fov_deg = 60\nheight_m = 1.35\npitch_deg = 3\nyaw_deg = -2\nnoise = 0.3\n"
        "[car]\nkmh = 36\n[street]\nparked_cars = true\nclutter = 1\nseed = 5\n");
  expect_done(kerblab("sim render straight.toml --out drawn"));
  std::string speeds = "seconds,speed\n";
  for (int i = 0; i <= 6; ++i) speeds += std::to_string(0.5 * i) + ",10\n";
  write("speeds.csv", speeds);
  const Outcome o = kerblab(
      "calibrate drive --fov 60 --height 1.35 --rate 12 --speeds speeds.csv --out camera.toml "
      "--draw drive.png drawn/*/img1/*.png");
  expect_done(o);
  const CameraSettings camera = camera_in("camera.toml");
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2, -3, camera.pitch_deg, o.err.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2, -2, camera.yaw_deg, o.err.c_str());
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1, 0, camera.roll_deg, o.err.c_str());
  TEST_ASSERT_TRUE(camera.pitch_sigma_deg < 0.3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.35, camera.height_m);
  TEST_ASSERT_EQUAL_INT(400, cv::imread((g_folder / "drive.png").string()).cols);
  std::printf("%s", o.err.c_str());
}

TEST(bad_input_gets_one_line_and_leaves_nothing) {
  write_street(g_folder / "a.png", 640, 400);
  write_street(g_folder / "b.png", 320, 200);
  write("broken.toml", "[[camera]]\npitch_deg = 40\n");
  write("speeds.csv", "0,ten\n");
  const long before = file_count(g_folder);
  struct Case {
    const char *arguments, *part;
  };
  for (const Case& c : {
           Case{"board --size 9 --square 0.03 a.png", "--size 9: must be COLUMNSxROWS"},
           Case{"board --size 9x2 --square 0.03 a.png", "must be COLUMNSxROWS"},
           Case{"board --size 9x6 --square 0 a.png", "--square"},
           Case{"board --size 9x6 --square 0.03 none.png", "none.png"},
           Case{"board --size 9x6 --square 0.03 --out a.png a.png", "a.png"},
           Case{"drive --height 1.4 none.mp4", "none.mp4"},
           Case{"drive --height 1.4 a.png b.png", "size differs from the first frame"},
           Case{"drive --height 1.4 a.png", "straight ahead in 0 of 1 frames"},
           Case{"drive --camera broken.toml a.png", "pitch_deg"},
           Case{"drive --speeds speeds.csv a.png", "speeds.csv:1: the speed must be a number"},
           Case{"drive --height 0 a.png", "--height"},
       })
    expect_bad_input(kerblab(std::string{"calibrate "} + c.arguments), c.part);
  const Outcome sizes = kerblab("calibrate board --size 9x6 --square 0.03 a.png b.png");
  TEST_ASSERT_EQUAL_INT(2, sizes.code);
  TEST_ASSERT_TRUE(sizes.err.find("320x200 pixels, the first picture has 640x400") !=
                   std::string::npos);
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
}

TEST(help_has_an_example) {
  for (const char* command : {"calibrate", "calibrate board", "calibrate drive"}) {
    const Outcome o = kerblab(std::string{command} + " --help");
    expect_done(o);
    TEST_ASSERT_TRUE(o.out.find("kerblab calibrate ") != std::string::npos);
  }
}

}  // namespace

// With --some it does not render a drive, which takes long under a sanitizer.
BEFORE_SUITE(words) {
  using kerb::test::Start;
  g_some = !words.empty() && words[0] == "--some";
  return Start::run;
}
