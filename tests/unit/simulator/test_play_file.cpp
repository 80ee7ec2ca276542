// SPDX-License-Identifier: Apache-2.0
// A scenario made ready for the board, and its file.
#include "tools/simulator/hil/play_file.hpp"

#include "firmware/can/codec.hpp"
#include "tests/support/plain_painter.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/hil/make_play.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

Scenario drive() {
  Scenario s;
  s.name = "drive";
  s.seconds = 0.5;
  s.car.speeds = {{0, 10, 3}};
  return s;
}

TEST(a_play_has_every_picture_and_message) {
  const Result<Play> play = make_play(drive(), test::make_plain_painter, 1);
  TEST_ASSERT_OK(play);
  TEST_ASSERT_EQUAL_INT(15, static_cast<int>(play->pictures.size()));
  TEST_ASSERT_EQUAL_INT(1280 * 720, static_cast<int>(play->pictures[3].pixels.size()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, play->pictures[3].at);
  int motions = 0, bodies = 0;
  for (const Play::Message& message : play->messages) {
    if (const auto motion = can::decode_vehicle_motion(message.frame)) {
      TEST_ASSERT_DOUBLE_WITHIN(0.01, 10, *motion->speed_mps);
      ++motions;
    }
    if (can::decode_vehicle_body(message.frame)) ++bodies;
  }
  TEST_ASSERT_EQUAL_INT(26, motions);
  TEST_ASSERT_EQUAL_INT(6, bodies);
}

TEST(a_play_survives_its_file) {
  const Result<Play> play = make_play(drive(), test::make_plain_painter, 1, 2);
  TEST_ASSERT_OK(play);
  TEST_ASSERT_EQUAL_INT(640 * 360, static_cast<int>(play->pictures[3].pixels.size()));
  const std::string bytes = render_play(*play);
  const Result<Play> again = parse_play(bytes);
  TEST_ASSERT_OK(again);
  TEST_ASSERT_TRUE(bytes == render_play(*again));
  TEST_ASSERT_EQUAL_STRING("drive", again->name.c_str());
}

TEST(a_broken_file_is_refused) {
  const Result<Play> play = make_play(drive(), test::make_plain_painter, 1, 2);
  TEST_ASSERT_OK(play);
  const std::string bytes = render_play(*play);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{20}, std::size_t{60},
                                 std::size_t{400}, bytes.size() - 1})
    TEST_ASSERT_ERROR(Errc::damaged, parse_play(std::string_view{bytes}.substr(0, size)));
  TEST_ASSERT_ERROR(Errc::damaged, parse_play(bytes + "x"));
  std::string wide = bytes;
  wide[8 + 4 + 5 + 8 + 2] = 1;  // a width of over 65536
  TEST_ASSERT_ERROR(Errc::damaged, parse_play(wide));
  std::string endless = bytes;
  endless[8 + 4 + 5 + 7] = 1;  // seconds: over two thousand years
  TEST_ASSERT_ERROR(Errc::damaged, parse_play(endless));
}

TEST(a_picture_is_shown_as_large_as_the_cameras) {
  Play play;
  play.width = 3;
  play.height = 2;
  play.enlarge = 2;
  play.pictures = {{0, {9, 9, 9, 9, 9, 9}}, {0.1, {1, 2, 3, 4, 5, 6}}};
  std::vector<std::uint8_t> out(4 * 8, 77);
  enlarge(play, 1, 8, out);
  const std::vector<std::uint8_t> wanted{1, 1, 2, 2, 3, 3, 77, 77, 1, 1, 2, 2, 3, 3, 77, 77,
                                         4, 4, 5, 5, 6, 6, 77, 77, 4, 4, 5, 5, 6, 6, 77, 77};
  TEST_ASSERT_EQUAL_UINT8_ARRAY(wanted.data(), out.data(), wanted.size());
}

TEST(a_camera_that_falls_silent_cannot_be_played) {
  Scenario s = drive();
  s.faults = {{FaultSpec::Kind::camera_silent, 0.1, 0.2, 1}};
  TEST_ASSERT_ERROR(Errc::unsupported, make_play(s, test::make_plain_painter, 1));
}

/// Each band as bright as its number says.
class BandPainter final : public Painter {
 public:
  explicit BandPainter(const CameraSpec& camera) : camera_{camera} {}
  void paint(const World&, double, std::vector<std::uint8_t>& bytes) override {
    const int n = mosaic_side(camera_);
    bytes.clear();
    for (int y = 0; y < camera_.height; ++y)
      for (int x = 0; x < camera_.width; ++x)
        bytes.push_back(static_cast<std::uint8_t>(20 + (n > 0 ? y % n * n + x % n : 100)));
  }

 private:
  CameraSpec camera_;
};

TEST(a_mosaic_is_played_as_it_is_and_told_to_the_firmware) {
  Scenario s = drive();
  s.camera.sensor = Sensor::mosaic;
  s.camera.bands.resize(9);
  for (std::size_t i = 0; i < 9; ++i) s.camera.bands[i].centre_nm = 450 + 50 * static_cast<int>(i);
  const PainterMaker painter = [](const Scenario& scenario, int) {
    return std::make_unique<BandPainter>(scenario.camera);
  };
  const Result<Play> play = make_play(s, painter, 1);
  TEST_ASSERT_OK(play);
  const std::vector<std::uint8_t>& pixels = play->pictures[2].pixels;
  TEST_ASSERT_EQUAL_size_t(1280 * 720, pixels.size());
  TEST_ASSERT_EQUAL_INT(20 + 5, pixels[1280 * 4 + 8]);  // row 1, column 2 of the pattern
  const LoadResult loaded = parse_config(render_config(board_config({}, s)), "board");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  TEST_ASSERT_EQUAL_INT(3, loaded.config.cameras[0].mosaic);
  TEST_ASSERT_EQUAL_STRING("450,500,550,600,650,700,750,800,850",
                           loaded.config.cameras[0].bands_nm.c_str());
  TEST_ASSERT_ERROR(Errc::unsupported, make_play(s, painter, 1, 2));
  // Others are grey there.
  TEST_ASSERT_EQUAL_INT(0, board_config({}, drive()).cameras[0].mosaic);
}

TEST(the_boards_configuration_is_a_good_one) {
  Scenario s = drive();
  s.camera.pitch_deg = 2;
  const LoadResult loaded = parse_config(render_config(board_config({}, s)), "board");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  TEST_ASSERT_EQUAL_STRING("/dev/video0", loaded.config.cameras[0].device.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(-2, loaded.config.cameras[0].pitch_deg);
  TEST_ASSERT_EQUAL_DOUBLE(kBoardRate, loaded.config.clock_rate);
  // Looks, follows and warns as it ships.
  const Config shipped;
  TEST_ASSERT_TRUE(loaded.config.flow.enabled);
  TEST_ASSERT_FALSE(loaded.config.detector.stride.has_value());
  TEST_ASSERT_FALSE(loaded.config.detector.scale_step.has_value());
  TEST_ASSERT_FALSE(loaded.config.detector.min_height.has_value());
  TEST_ASSERT_TRUE(loaded.config.warning.sensitivity == shipped.warning.sensitivity);
  TEST_ASSERT_TRUE(loaded.config.lamp.enabled);
}

}  // namespace
