// SPDX-License-Identifier: Apache-2.0
#include <opencv2/core.hpp>
#include <string>

#include "firmware/config/config.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/board_pictures.hpp"
#include "tools/calibrate/board.hpp"

using namespace kerb;
using namespace kerb::calibrate;
using namespace kerb::test;

namespace {

const Board kBoard{9, 6, 0.03};
const TracedLens kLens;

const BoardTracer& tracer() {
  static const BoardTracer one{kLens};
  return one;
}

/// The views of good_poses(), found in traced pictures once for all tests.
const std::vector<BoardView>& views() {
  static const std::vector<BoardView> all = [] {
    std::vector<BoardView> out;
    for (const BoardPose& pose : good_poses()) {
      const cv::Mat picture = tracer().picture(pose, kBoard.columns, kBoard.rows, kBoard.square_m);
      const auto corners = find_board(picture, kBoard);
      if (!corners) continue;
      BoardView& view = out.emplace_back();
      view.name = "view " + std::to_string(out.size());
      view.found = *corners;
    }
    return out;
  }();
  return all;
}

cv::Size size() { return {kLens.width, kLens.height}; }

void expect_lens(const BoardCalibration& c) {
  TEST_ASSERT_DOUBLE_WITHIN(0.003 * kLens.focal, kLens.focal, c.lens.focal_px);
  TEST_ASSERT_DOUBLE_WITHIN(2, kLens.center_x, c.lens.center_x);
  TEST_ASSERT_DOUBLE_WITHIN(2, kLens.center_y, c.lens.center_y);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, kLens.k1, c.lens.k1);
  TEST_ASSERT_DOUBLE_WITHIN(0.04, kLens.k2, c.lens.k2);
  TEST_ASSERT_DOUBLE_WITHIN(0.002, kLens.p1, c.lens.p1);
  TEST_ASSERT_DOUBLE_WITHIN(0.002, kLens.p2, c.lens.p2);
}

TEST(a_known_lens_is_found) {
  TEST_ASSERT_GREATER_OR_EQUAL(11, views().size());
  const Result<BoardCalibration> c = calibrate_board(views(), size(), kBoard, {});
  TEST_ASSERT_TRUE(c);
  expect_lens(*c);
  TEST_ASSERT_TRUE(c->rms_px < 0.15);
  TEST_ASSERT_DOUBLE_WITHIN(0.003, 1, c->pixel_aspect);
  TEST_ASSERT_TRUE(c->coverage > 0.7);
  TEST_ASSERT_EQUAL_INT(views().size(), c->views_used);
  TEST_ASSERT_EQUAL_MESSAGE(0, c->notes.size(), c->notes.empty() ? "" : c->notes[0].c_str());
  // What it says of its own certainty is of the size of its error.
  TEST_ASSERT_TRUE(std::abs(c->lens.focal_px - kLens.focal) < 6 * c->focal_sigma_px + 0.5);
  std::printf("focal %.2f of %.2f, centre %.2f %.2f of %.2f %.2f, k1 %.4f of %.4f, rms %.3f px\n",
              c->lens.focal_px, kLens.focal, c->lens.center_x, c->lens.center_y, kLens.center_x,
              kLens.center_y, c->lens.k1, kLens.k1, c->rms_px);
}

TEST(a_view_that_is_wrong_is_dropped_and_named) {
  std::vector<BoardView> all = views();
  for (std::size_t i = 0; i < all[3].found.size(); ++i)  // a bent board
    all[3].found[i].x +=
        0.03F * static_cast<float>((i % 9) * (i % 9)) + 4 * static_cast<float>(i % 2);
  const std::string name = all[3].name;
  const Result<BoardCalibration> c = calibrate_board(all, size(), kBoard, {});
  TEST_ASSERT_TRUE(c);
  expect_lens(*c);
  TEST_ASSERT_EQUAL_INT(all.size() - 1, c->views_used);
  TEST_ASSERT_FALSE(c->views[3].used);
  TEST_ASSERT_TRUE(c->notes.front().find(name + ": dropped") == 0);
}

TEST(what_is_missing_is_said) {
  const auto has = [](const BoardCalibration& c, const char* part) {
    for (const std::string& note : c.notes)
      if (note.find(part) != std::string::npos) return true;
    return false;
  };
  // A board held in the middle of the picture, hardly tilted, five times.
  std::vector<BoardView> poor;
  for (int i = 0; i < 5; ++i) {
    const cv::Mat picture =
        tracer().picture({0.01 * i, 0.005 * i, 0.8 + 0.1 * i, 0.03 * i, -0.04 * i, 0},
                         kBoard.columns, kBoard.rows, kBoard.square_m);
    const auto corners = find_board(picture, kBoard);
    TEST_ASSERT_TRUE(corners.has_value());
    poor.emplace_back().found = *corners;
  }
  const Result<BoardCalibration> c = calibrate_board(poor, size(), kBoard, {});
  if (c) {  // or the lens is so wild that it is refused
    TEST_ASSERT_TRUE(has(*c, "are recommended"));
    TEST_ASSERT_TRUE(has(*c, "edges and corners"));
    TEST_ASSERT_TRUE(has(*c, "tilted views"));
  } else {
    const std::string why = c.error().what.c_str();
    TEST_ASSERT_TRUE_MESSAGE(
        why.find("edges") != std::string::npos || why.find("too alike") != std::string::npos,
        why.c_str());
  }
  poor.resize(3);
  TEST_ASSERT_FALSE(calibrate_board(poor, size(), kBoard, {}));
  TEST_ASSERT_FALSE(calibrate_board({}, size(), kBoard, {}));
}

std::string why_not(const std::vector<BoardView>& some) {
  const Result<BoardCalibration> c = calibrate_board(some, size(), kBoard, {});
  return c ? std::string{} : std::string{c.error().what.c_str()};
}

TEST(one_picture_given_four_times_is_one_view) {
  const std::vector<BoardView> same(4, views()[1]);
  TEST_ASSERT_EQUAL_STRING("different views of the board: 1, at least 4 are needed",
                           why_not(same).c_str());
  // Nor does a hand that trembles make another view of it.
  std::vector<BoardView> nearly = same;
  for (std::size_t i = 0; i < nearly.size(); ++i)
    for (cv::Point2f& p : nearly[i].found)
      p += cv::Point2f{0.9F * static_cast<float>(i), -0.6F * static_cast<float>(i)};
  TEST_ASSERT_EQUAL_STRING("different views of the board: 1, at least 4 are needed",
                           why_not(nearly).c_str());
  // Among good ones it counts once, and it is said.
  std::vector<BoardView> all = views();
  all.push_back(all[2]);
  all.back().name = "again";
  const Result<BoardCalibration> c = calibrate_board(all, size(), kBoard, {});
  TEST_ASSERT_TRUE(c);
  expect_lens(*c);
  TEST_ASSERT_EQUAL_INT(views().size(), c->views_used);
  TEST_ASSERT_FALSE(c->views.back().used);
  TEST_ASSERT_EQUAL_STRING(all[2].name.c_str(), c->views.back().same_as.c_str());
  TEST_ASSERT_EQUAL(1, c->notes.size());
  TEST_ASSERT_TRUE_MESSAGE(c->notes[0].find("again: does not count") == 0, c->notes[0].c_str());
}

/// Corners of boards as this lens shows them, without error.
std::vector<BoardView> exact(const std::vector<BoardPose>& poses) {
  std::vector<BoardView> out;
  for (const BoardPose& pose : poses) {
    BoardView& view = out.emplace_back();
    view.name = "view " + std::to_string(out.size());
    const BoardFrame frame = frame_of(pose);
    for (const cv::Point3f& place : places_of(kBoard)) {
      const double right = double{place.x} - 4 * kBoard.square_m;
      const double down = double{place.y} - 2.5 * kBoard.square_m;
      const cv::Vec3d at = frame.place + right * frame.right + down * frame.down;
      const double x = at[0] / at[2], y = at[1] / at[2], r2 = x * x + y * y;
      const double radial = 1 + r2 * (kLens.k1 + r2 * kLens.k2);
      const double xd = x * radial + 2 * kLens.p1 * x * y + kLens.p2 * (r2 + 2 * x * x);
      const double yd = y * radial + kLens.p1 * (r2 + 2 * y * y) + 2 * kLens.p2 * x * y;
      view.found.emplace_back(static_cast<float>(kLens.center_x + kLens.focal * xd),
                              static_cast<float>(kLens.center_y + kLens.focal * yd));
    }
  }
  return out;
}

TEST(views_too_alike_to_tell_the_focal_length_are_refused) {
  // Never tilted, at one distance: a longer lens farther away looks the same. However well the
  // corners fit.
  std::vector<BoardPose> flat;
  for (int i = 0; i < 8; ++i)
    flat.push_back({0.03 * (i % 4) - 0.045, 0.04 * (i / 4) - 0.02, 0.55, 0.002 * i, -0.002 * i, 0});
  const std::string why = why_not(exact(flat));
  TEST_ASSERT_TRUE_MESSAGE(why.find("too alike to tell the focal length") != std::string::npos,
                           why.c_str());
  // The same places with tilts tell it.
  std::vector<BoardPose> tilted = flat;
  for (std::size_t i = 0; i < tilted.size(); ++i) {
    tilted[i].nod = i % 2 == 0 ? 0.4 : -0.3;
    tilted[i].turn = i % 3 == 0 ? 0.4 : -0.35;
  }
  const Result<BoardCalibration> c = calibrate_board(exact(tilted), size(), kBoard, {});
  TEST_ASSERT_TRUE_MESSAGE(c, c ? "" : c.error().what.c_str());
  TEST_ASSERT_DOUBLE_WITHIN(0.01 * kLens.focal, kLens.focal, c->lens.focal_px);
  for (const std::string& note : c->notes)
    TEST_ASSERT_TRUE_MESSAGE(note.find("too alike") == std::string::npos, note.c_str());
}

TEST(a_picture_without_a_board_has_none) {
  const cv::Mat grey{size(), CV_8UC1, cv::Scalar{128}};
  TEST_ASSERT_FALSE(find_board(grey, kBoard).has_value());
  const cv::Mat cut = tracer().picture({0.4, 0, 0.5}, kBoard.columns, kBoard.rows, kBoard.square_m);
  TEST_ASSERT_FALSE(find_board(cut, kBoard).has_value());  // half of it is outside
}

TEST(the_snippet_is_a_configuration) {
  const Result<BoardCalibration> c = calibrate_board(views(), size(), kBoard, {});
  TEST_ASSERT_TRUE(c);
  const LoadResult loaded = parse_config(snippet_of(*c), "snippet");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  const CameraSettings& camera = loaded.config.cameras[0];
  TEST_ASSERT_EQUAL_INT(kLens.width, camera.width);
  TEST_ASSERT_DOUBLE_WITHIN(0.001, c->lens.focal_px, *camera.focal_px);
  TEST_ASSERT_DOUBLE_WITHIN(0.001, c->lens.center_y, *camera.center_y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, c->lens.k1, camera.k1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, c->lens.p2, camera.p2);
}

TEST(the_picture_shows_every_corner) {
  const Result<BoardCalibration> c = calibrate_board(views(), size(), kBoard, {});
  TEST_ASSERT_TRUE(c);
  const cv::Mat black{size(), CV_8UC3, cv::Scalar::all(0)};
  const cv::Mat drawn = draw_board(*c, black);
  TEST_ASSERT_TRUE(drawn.size() == size());
  int dots = 0, all = 0;
  for (const BoardView& view : c->views)
    for (const cv::Point2f& p : view.found) {
      ++all;
      const cv::Vec3b pixel = drawn.at<cv::Vec3b>(static_cast<int>(std::lround(p.y)),
                                                  static_cast<int>(std::lround(p.x)));
      if (pixel[0] + pixel[1] + pixel[2] > 100) ++dots;
    }
  TEST_ASSERT_TRUE(dots > 0.95 * all);
}

}  // namespace
