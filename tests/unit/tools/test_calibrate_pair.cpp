// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/pair.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <sstream>
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/lens/pair_geometry.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/pair_pictures.hpp"

using namespace kerb;
using namespace kerb::calibrate;
using namespace kerb::test;

namespace {

namespace fs = std::filesystem;

bool g_some = false;  // fewer draws of the noise: they take long under a sanitizer

const Board kBoard{9, 6, kPairSquare};
const Camera kVisible = test::camera_of(visible_lens()), kThermal = test::camera_of(thermal_lens());

const PairTracer& tracer() {
  static const PairTracer one;
  return one;
}

/// Traced checkerboards, found in both pictures; once for all tests.
const std::vector<PairView>& traced_views() {
  static const std::vector<PairView> all = [] {
    std::vector<PairView> out;
    for (const BoardPose& pose : pair_poses()) {
      cv::Mat first, second;
      tracer().trace(pose, checkered, first, second);
      const auto one = find_board(first, kBoard), two = find_board(second, kBoard);
      if (!one || !two) continue;
      PairView& view = out.emplace_back();
      view.name = "view " + std::to_string(out.size());
      view.first = *one;
      view.second = *two;
    }
    return out;
  }();
  return all;
}

cv::Matx33d matrix_of(const TracedLens& lens) {
  return {lens.focal, 0, lens.center_x, 0, lens.focal, lens.center_y, 0, 0, 1};
}
std::vector<double> distortion_of(const TracedLens& lens) {
  return {lens.k1, lens.k2, lens.p1, lens.p2};
}

/// Corners by OpenCV's own projection, with noise: no pictures.
std::vector<PairView> projected_views(const std::vector<BoardPose>& poses, double first_noise,
                                      double second_noise, std::uint32_t seed) {
  std::mt19937 random{seed};
  const auto shown = [&](const BoardFrame& frame, const TracedLens& lens, double sigma) {
    std::normal_distribution<double> noise{0, std::max(sigma, 1e-12)};
    std::vector<cv::Point3d> places;
    for (const cv::Point3f& p : places_of(kBoard)) {
      const cv::Vec3d at = (double{p.x} - 4 * kPairSquare) * frame.right +
                           (double{p.y} - 2.5 * kPairSquare) * frame.down + frame.place;
      places.emplace_back(at);
    }
    std::vector<cv::Point2d> pixels;
    cv::projectPoints(places, cv::Vec3d{}, cv::Vec3d{}, matrix_of(lens), distortion_of(lens),
                      pixels);
    std::vector<cv::Point2f> out;
    for (const cv::Point2d& p : pixels)
      out.emplace_back(static_cast<float>(p.x + noise(random)),
                       static_cast<float>(p.y + noise(random)));
    return out;
  };
  const TruePose pose = true_pose(true_pair());
  std::vector<PairView> out;
  for (const BoardPose& board : poses) {
    PairView& view = out.emplace_back();
    view.name = "view " + std::to_string(out.size());
    view.first = shown(frame_of(board), visible_lens(), first_noise);
    view.second = shown(seen_from(pose, frame_of(board)), thermal_lens(), second_noise);
  }
  return out;
}

std::string text_of(const Result<PairCalibration>& result) {
  return result ? std::string{} : std::string{result.error().what.c_str()};
}
PairCalibration good(Result<PairCalibration> result) {
  TEST_ASSERT_TRUE_MESSAGE(result, text_of(result).c_str());
  return std::move(*result);
}
PairCalibration calibrated(std::vector<PairView> views) {
  return good(calibrate_pair(std::move(views), kVisible, kThermal, kBoard, {}));
}
void expect_refused(const Result<PairCalibration>& result, const char* part) {
  TEST_ASSERT_FALSE_MESSAGE(result, part);
  TEST_ASSERT_TRUE_MESSAGE(text_of(result).find(part) != std::string::npos,
                           text_of(result).c_str());
  TEST_ASSERT_TRUE_MESSAGE(text_of(result).size() < 112, "cut short");
}

std::array<double, 6> errors_of(const CameraPair& pair) {
  const CameraPair is = true_pair();
  return {pair.ahead_m - is.ahead_m,     pair.left_m - is.left_m,   pair.up_m - is.up_m,
          pair.pitch_deg - is.pitch_deg, pair.yaw_deg - is.yaw_deg, pair.roll_deg - is.roll_deg};
}
std::array<double, 6> sigmas_of(const PairCalibration& c) {
  return {c.ahead_sigma_m,   c.left_sigma_m,  c.up_sigma_m,
          c.pitch_sigma_deg, c.yaw_sigma_deg, c.roll_sigma_deg};
}
void expect_pair(const CameraPair& pair, double metres, double degrees) {
  const std::array<double, 6> error = errors_of(pair);
  for (std::size_t i = 0; i < 6; ++i)
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(i < 3 ? metres : degrees, 0, error[i],
                                      ("number " + std::to_string(i)).c_str());
}
void print(const char* name, const PairCalibration& c) {
  const std::array<double, 6> e = errors_of(c.pair), s = sigmas_of(c);
  std::printf(
      "%s: %d used, RMS %.3f and %.3f px; errors %+.2f +- %.2f, %+.2f +- %.2f, %+.2f +- %.2f mm, "
      "%+.4f +- %.4f, %+.4f +- %.4f, %+.4f +- %.4f degrees\n",
      name, c.used, c.first_rms_px, c.second_rms_px, 1000 * e[0], 1000 * s[0], 1000 * e[1],
      1000 * s[1], 1000 * e[2], 1000 * s[2], e[3], s[3], e[4], s[4], e[5], s[5]);
}

/// cv::stereoCalibrate of the same points, with the lenses fixed.
TruePose judge(const std::vector<PairView>& views) {
  std::vector<std::vector<cv::Point2f>> first, second;
  for (const PairView& view : views)
    if (view.used) {
      first.push_back(view.first);
      second.push_back(view.second);
    }
  const std::vector<std::vector<cv::Point3f>> places(first.size(), places_of(kBoard));
  cv::Mat k1{matrix_of(visible_lens())}, k2{matrix_of(thermal_lens())};
  cv::Mat d1{distortion_of(visible_lens()), true}, d2{distortion_of(thermal_lens()), true};
  cv::Mat rotation, translation, essential, fundamental;
  cv::stereoCalibrate(places, first, second, k1, d1, k2, d2, {640, 480}, rotation, translation,
                      essential, fundamental, cv::CALIB_FIX_INTRINSIC,
                      {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 200, 1e-12});
  const cv::Matx33d r = rotation;
  const cv::Vec3d t = translation;
  return {r, -(r.t() * t)};
}
double degrees_between(const cv::Matx33d& a, const cv::Matx33d& b) {
  const cv::Matx33d d = a * b.t();
  return std::acos(std::clamp((d(0, 0) + d(1, 1) + d(2, 2) - 1) / 2, -1.0, 1.0)) * 180 /
         std::numbers::pi;
}

TEST(a_known_pair_is_found_in_pictures) {
  TEST_ASSERT_GREATER_OR_EQUAL(12, traced_views().size());
  const PairCalibration c = calibrated(traced_views());
  print("traced checkerboards", c);
  expect_pair(c.pair, 0.004, 0.06);
  TEST_ASSERT_TRUE(c.first_rms_px < 0.1 && c.second_rms_px < 0.15);
  // The standard errors know the noise, not how far all corners of a board are found off together.
  const std::array<double, 6> error = errors_of(c.pair), sigma = sigmas_of(c);
  for (std::size_t i = 0; i < 6; ++i) TEST_ASSERT_TRUE(std::abs(error[i]) < 8 * sigma[i]);
  TEST_ASSERT_EQUAL_MESSAGE(0, c.notes.size(), c.notes.empty() ? "" : c.notes[0].c_str());
  // OpenCV's own from the same corners, as calibrate_pair() put them in order.
  const TruePose theirs = judge(c.views), ours = true_pose(c.pair), truth = true_pose(true_pair());
  std::printf("OpenCV: %.4f degrees and %.2f mm from ours; errors %.4f, %.2f; ours %.4f, %.2f\n",
              degrees_between(theirs.rotation, ours.rotation),
              1000 * cv::norm(theirs.position - ours.position),
              degrees_between(theirs.rotation, truth.rotation),
              1000 * cv::norm(theirs.position - truth.position),
              degrees_between(ours.rotation, truth.rotation),
              1000 * cv::norm(ours.position - truth.position));
  TEST_ASSERT_TRUE(degrees_between(theirs.rotation, ours.rotation) < 0.05);
  TEST_ASSERT_TRUE(cv::norm(theirs.position - ours.position) < 0.003);
}

/// Where both cameras' noise is the same, both methods minimise the same sum.
TEST(with_equal_noise_it_is_opencvs_result) {
  const PairCalibration c = calibrated(projected_views(pair_poses(), 0.2, 0.2, 7));
  const TruePose theirs = judge(c.views), ours = true_pose(c.pair);
  std::printf("equal noise: %.5f degrees, %.3f mm from OpenCV's\n",
              degrees_between(theirs.rotation, ours.rotation),
              1000 * cv::norm(theirs.position - ours.position));
  // The noise of each camera is estimated, so the weights differ by some percent.
  TEST_ASSERT_TRUE(degrees_between(theirs.rotation, ours.rotation) < 0.003);
  TEST_ASSERT_TRUE(cv::norm(theirs.position - ours.position) < 0.0003);
}

TEST(without_noise_it_is_exact) {
  const PairCalibration c = calibrated(projected_views(pair_poses(), 0, 0, 1));
  expect_pair(c.pair, 1e-5, 1e-4);  // corners are single-precision numbers
}

/// Over many draws of the noise, errors are of the size that the standard errors say, also where
/// one camera is much noisier. And they are no larger than OpenCV's.
TEST(the_standard_errors_are_true) {
  const int draws = g_some ? 12 : 60;
  std::array<double, 6> sum{};
  double ours = 0, theirs = 0;
  const TruePose truth = true_pose(true_pair());
  for (int draw = 0; draw < draws; ++draw) {
    const PairCalibration c =
        calibrated(projected_views(pair_poses(), 0.05, 0.4, static_cast<std::uint32_t>(draw)));
    const std::array<double, 6> error = errors_of(c.pair), sigma = sigmas_of(c);
    for (std::size_t i = 0; i < 6; ++i) sum[i] += std::pow(error[i] / sigma[i], 2);
    ours += std::pow(cv::norm(true_pose(c.pair).position - truth.position), 2);
    theirs += std::pow(cv::norm(judge(c.views).position - truth.position), 2);
  }
  std::printf("errors by standard errors, RMS of %d draws:", draws);
  for (const double s : sum) std::printf(" %.2f", std::sqrt(s / draws));
  std::printf("; RMS position error %.2f mm, OpenCV's %.2f\n", 1000 * std::sqrt(ours / draws),
              1000 * std::sqrt(theirs / draws));
  // The RMS of n normal numbers has a standard deviation of 1 / sqrt(2 n).
  for (const double s : sum)
    TEST_ASSERT_DOUBLE_WITHIN(3.3 / std::sqrt(2.0 * draws), 1, std::sqrt(s / draws));
  TEST_ASSERT_TRUE(ours <= 1.1 * theirs);
}

TEST(the_order_in_which_a_camera_counts_does_not_matter) {
  const CameraPair expected = calibrated(projected_views(pair_poses(), 0.1, 0.1, 3)).pair;
  std::vector<PairView> views = projected_views(pair_poses(), 0.1, 0.1, 3);
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (i % 3 == 1) std::ranges::reverse(views[i].second);  // half a turn
    if (i % 3 == 2)
      for (std::ptrdiff_t row = 0; row < 6; ++row)  // mirrored
        std::reverse(views[i].second.begin() + 9 * row, views[i].second.begin() + 9 * (row + 1));
  }
  const CameraPair pair = calibrated(views).pair;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected.left_m, pair.left_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected.yaw_deg, pair.yaw_deg);
}

/// A pair that was not taken at the same time, one with another board in the second picture.
TEST(a_view_that_is_wrong_is_dropped_and_named) {
  std::vector<PairView> views = projected_views(pair_poses(), 0.05, 0.1, 5);
  for (cv::Point2f& p : views[4].second) p.x += 6;
  const PairCalibration c = calibrated(views);
  expect_pair(c.pair, 0.004, 0.05);
  TEST_ASSERT_FALSE(c.views[4].used);
  TEST_ASSERT_EQUAL_INT(views.size() - 1, c.used);
  TEST_ASSERT_TRUE_MESSAGE(c.notes[0].find("view 5: dropped") == 0, c.notes[0].c_str());
}

TEST(sets_that_cannot_tell_are_refused) {
  const auto solve = [](const std::vector<BoardPose>& poses) {
    return calibrate_pair(projected_views(poses, 0.05, 0.1, 5), kVisible, kThermal, kBoard, {});
  };
  const std::vector<BoardPose> good = pair_poses();
  expect_refused(solve({}), "only 0 pairs of pictures show the board in both; at least 4");
  expect_refused(solve({good.begin(), good.begin() + 3}), "only 3 pairs");
  expect_refused(solve(std::vector<BoardPose>(8, good[1])), "all boards are turned alike");
  std::vector<BoardPose> shifted;  // one direction, several distances and places
  for (int i = 0; i < 8; ++i)
    shifted.push_back({0.05 * i - 0.2, 0.03 * i - 0.1, 1.3 + 0.1 * i, 0.03, 0.02 * i, 0});
  expect_refused(solve(shifted), "all boards are turned alike, within");
  std::vector<BoardPose> ring;  // all directions, one distance
  for (int i = 0; i < 8; ++i)
    ring.push_back({0.02 * i - 0.07, 0, 1.5, 0.5 * std::cos(i), 0.5 * std::sin(i), 0});
  expect_refused(solve(ring), "all boards are at one distance, 1.50 to 1.5");
}

TEST(cameras_that_look_elsewhere_are_refused) {
  std::vector<PairView> views = projected_views(pair_poses(), 0.05, 0.1, 5);
  for (PairView& view : views)  // as if the second were turned by a quarter
    for (cv::Point2f& p : view.second) p = {157.5F - (p.y - 130.5F), 130.5F + (p.x - 157.5F)};
  expect_refused(calibrate_pair(views, kVisible, kThermal, kBoard, {}),
                 "turned against each other by");
  // And nonsense in place of points gives a refusal, not a crash.
  for (PairView& view : views)
    for (cv::Point2f& p : view.second) p = {100, 100};
  TEST_ASSERT_FALSE(calibrate_pair(views, kVisible, kThermal, kBoard, {}));
}

/// Holes of a plate before something warm: dark discs on white for one camera, light for the other.
TEST(circles_are_found_in_both_polarities) {
  struct Case {
    const char* name;
    Board board;
  };
  for (const Case& c : {Case{"circles", {8, 5, 0.09, Pattern::circles}},
                        Case{"asymmetric circles", {4, 9, 0.06, Pattern::asymmetric_circles}}}) {
    const bool shifted = c.board.pattern == Pattern::asymmetric_circles;
    const double middle_x = shifted ? 3.5 : (c.board.columns - 1) / 2.0;
    const double middle_y = (c.board.rows - 1) / 2.0;
    const auto colour = [&](double right, double down) -> std::uint8_t {
      if (std::abs(right) > 0.45 || std::abs(down) > 0.32) return 110;
      const double x = right / c.board.square_m + middle_x, y = down / c.board.square_m + middle_y;
      const int row = std::clamp(static_cast<int>(std::lround(y)), 0, c.board.rows - 1);
      const double first = shifted ? row % 2 : 0, step = shifted ? 2 : 1;
      const int column =
          std::clamp(static_cast<int>(std::lround((x - first) / step)), 0, c.board.columns - 1);
      const double off = std::hypot(x - first - step * column, y - row);
      return off * c.board.square_m < 0.025 ? 25 : 235;
    };
    std::vector<PairView> views;
    for (const BoardPose& pose : pair_poses()) {
      cv::Mat first, second;
      tracer().trace(pose, colour, first, second);
      const auto one = find_board(first, c.board), two = find_board(second, c.board);
      if (!one || !two) continue;
      PairView& view = views.emplace_back();
      view.first = *one;
      view.second = *two;
    }
    std::printf("%s: found in %zu of %zu pairs\n", c.name, views.size(), pair_poses().size());
    TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(9, views.size(), c.name);
    const PairCalibration found = good(calibrate_pair(views, kVisible, kThermal, c.board, {}));
    print(c.name, found);
    expect_pair(found.pair, 0.006, 0.12);
  }
}

TEST(the_snippet_belongs_to_a_configuration) {
  PairCalibration c = calibrated(projected_views(pair_poses(), 0.1, 0.2, 3));
  c.pair.first = "front";
  c.pair.second = "thermal";
  const std::string cameras = toml_of(visible_lens()) + toml_of(thermal_lens()) +
                              "name = \"thermal\"\ndevice = \"other\"\n";
  const LoadResult loaded = parse_config(cameras + snippet_of(c), "car");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  TEST_ASSERT_EQUAL(1, loaded.config.camera_pairs.size());
  const CameraPair& pair = loaded.config.camera_pairs[0];
  TEST_ASSERT_EQUAL_STRING("front", pair.first.c_str());
  TEST_ASSERT_EQUAL_STRING("thermal", pair.second.c_str());
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, c.pair.left_m, pair.left_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, c.pair.roll_deg, pair.roll_deg);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, c.pair.angle_sigma_deg, pair.angle_sigma_deg);
  // What the product makes of it puts the board's corners where the thermal camera found them.
  const PairGeometry geometry{pair};
  const PairView view = projected_views({pair_poses()[1]}, 0, 0, 1)[0];
  const BoardFrame frame = frame_of(pair_poses()[1]);
  const std::vector<cv::Point3f> places = places_of(kBoard);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const cv::Vec3d at = (double{places[i].x} - 4 * kPairSquare) * frame.right +
                         (double{places[i].y} - 2.5 * kPairSquare) * frame.down + frame.place;
    const auto moved = geometry.shown_by_second(
        kVisible, kThermal, {double{view.first[i].x}, double{view.first[i].y}}, cv::norm(at));
    TEST_ASSERT_TRUE(moved.has_value());
    TEST_ASSERT_DOUBLE_WITHIN(0.3, double{view.second[i].x}, moved->x);
    TEST_ASSERT_DOUBLE_WITHIN(0.3, double{view.second[i].y}, moved->y);
  }
  TEST_ASSERT_FALSE(parse_config(snippet_of(c), "alone").ok());
}

TEST(the_picture_has_every_cross_in_its_circle) {
  const PairCalibration c = calibrated(traced_views());
  const cv::Mat black{480, 640, CV_8UC3, cv::Scalar::all(0)};
  const cv::Mat dark{256, 320, CV_8UC3, cv::Scalar::all(0)};
  const cv::Mat drawn = draw_pair(c, kVisible, kThermal, black, dark, 3);
  TEST_ASSERT_TRUE(drawn.size() == black.size());
  int crosses = 0;
  for (const cv::Point2f& p : c.views[3].first) {
    const cv::Vec3b pixel =
        drawn.at<cv::Vec3b>(static_cast<int>(std::lround(p.y)), static_cast<int>(std::lround(p.x)));
    if (pixel[0] > 100 && pixel[2] > 100) ++crosses;  // magenta in the middle of the circle
  }
  TEST_ASSERT_GREATER_OR_EQUAL(52, crosses);
  // The outline: of 320 columns, seen 1.8 m away. Its corners' colour is there, and not inside.
  int yellow = 0;
  for (int y = 0; y < drawn.rows; ++y)
    for (int x = 0; x < drawn.cols; ++x) {
      const cv::Vec3b& v = drawn.at<cv::Vec3b>(y, x);
      if (v[0] < 100 && v[1] > 150 && v[2] > 200) ++yellow;
    }
  TEST_ASSERT_GREATER_THAN(500, yellow);
}

// Points that somebody marked.

/// Things before the car at 4 to 40 m, seen by both, marked to `noise` pixels.
std::vector<PairPoint> marked_points(int count, double noise_px, bool distances, std::uint32_t seed,
                                     double nearest = 4) {
  std::mt19937 random{seed};
  std::normal_distribution<double> noise{0, noise_px};
  std::uniform_real_distribution<double> any{-1, 1};
  const TruePose pose = true_pose(true_pair());
  std::vector<PairPoint> out;
  while (static_cast<int>(out.size()) < count) {
    const double z = nearest * std::pow(10, 0.5 + 0.5 * any(random));
    const cv::Vec3d at{0.45 * z * any(random), 0.33 * z * any(random), z};
    std::vector<cv::Point2d> one, two;
    cv::projectPoints(std::vector<cv::Point3d>{cv::Point3d{at}}, cv::Vec3d{}, cv::Vec3d{},
                      matrix_of(visible_lens()), distortion_of(visible_lens()), one);
    cv::projectPoints(std::vector<cv::Point3d>{cv::Point3d{pose.of(at)}}, cv::Vec3d{}, cv::Vec3d{},
                      matrix_of(thermal_lens()), distortion_of(thermal_lens()), two);
    if (!cv::Rect2d{0, 0, 639, 479}.contains(one[0]) ||
        !cv::Rect2d{0, 0, 319, 255}.contains(two[0]))
      continue;
    PairPoint& point = out.emplace_back();
    point.first = {one[0].x + noise(random), one[0].y + noise(random)};
    point.second = {two[0].x + noise(random), two[0].y + noise(random)};
    if (distances) point.distance_m = cv::norm(at) * (1 + 0.01 * any(random));
  }
  return out;
}
void spoil(std::vector<PairPoint>& points, std::size_t every) {
  for (std::size_t i = 1; i < points.size(); i += every) {
    points[i].second.x = 320 - points[i].second.x;
    points[i].second.y = 0.5 * points[i].second.y + 40;
  }
}
PairPointSettings with_position() {
  const CameraPair is = true_pair();
  PairPointSettings out;
  out.position_m = {is.ahead_m, is.left_m, is.up_m};
  return out;
}

TEST(points_with_distances_tell_angles_and_position) {
  std::vector<PairPoint> points = marked_points(40, 0.4, true, 11, 1.5);
  spoil(points, 5);
  const PairCalibration c = good(calibrate_pair(points, kVisible, kThermal, {}));
  print("40 points with distances, a fifth wrong", c);
  TEST_ASSERT_EQUAL_INT(32, c.used);
  for (std::size_t i = 0; i < points.size(); ++i)
    TEST_ASSERT_EQUAL_INT(i % 5 != 1, c.points[i].used);
  expect_pair(c.pair, 0.03, 0.35);
  const std::array<double, 6> error = errors_of(c.pair), sigma = sigmas_of(c);
  for (std::size_t i = 0; i < 6; ++i) TEST_ASSERT_TRUE(std::abs(error[i]) < 4 * sigma[i]);
}

TEST(points_without_distances_tell_angles_where_the_position_is_known) {
  std::vector<PairPoint> points = marked_points(40, 0.4, false, 12);
  spoil(points, 4);
  const PairCalibration c = good(calibrate_pair(points, kVisible, kThermal, with_position()));
  print("40 points without distances, a quarter wrong", c);
  const std::array<double, 6> error = errors_of(c.pair), sigma = sigmas_of(c);
  for (std::size_t i = 0; i < 6; ++i) TEST_ASSERT_TRUE(std::abs(error[i]) < 4 * sigma[i]);
  expect_pair(c.pair, 0.03, 0.6);  // a turn towards the other camera looks like a nearer world
  TEST_ASSERT_GREATER_OR_EQUAL(28, c.used);
  TEST_ASSERT_EQUAL_STRING("", c.notes.empty() ? "" : c.notes[0].c_str());
  // With distances that somebody guessed, to a fifth.
  points = marked_points(40, 0.4, true, 12);
  for (std::size_t i = 0; i < points.size(); ++i) *points[i].distance_m *= i % 2 == 0 ? 1.2 : 0.8;
  spoil(points, 4);
  PairPointSettings rough = with_position();
  rough.distance_sigma = 0.2;
  const PairCalibration guessed = good(calibrate_pair(points, kVisible, kThermal, rough));
  print("the same with distances to a fifth", guessed);
  expect_pair(guessed.pair, 0.03, 0.15);
  TEST_ASSERT_TRUE(guessed.yaw_sigma_deg < c.yaw_sigma_deg / 3);
}

TEST(the_standard_errors_of_points_are_true) {
  const int draws = g_some ? 8 : 40;
  for (const bool distances : {true, false}) {
    std::array<double, 3> sum{};
    for (int draw = 0; draw < draws; ++draw) {
      PairPointSettings settings = with_position();
      settings.inlier_px = 5;  // so that none of the normal noise is cut off
      settings.distance_sigma = 0.01 / std::sqrt(3.0);
      const PairCalibration c = good(
          calibrate_pair(marked_points(30, 0.5, distances, 100 + static_cast<std::uint32_t>(draw)),
                         kVisible, kThermal, settings));
      const std::array<double, 6> error = errors_of(c.pair), sigma = sigmas_of(c);
      for (std::size_t i = 0; i < 3; ++i) sum[i] += std::pow(error[i + 3] / sigma[i + 3], 2);
    }
    std::printf("points %s distances, errors by standard errors:", distances ? "with" : "without");
    for (const double s : sum) std::printf(" %.2f", std::sqrt(s / draws));
    std::printf("\n");
    for (const double s : sum)
      TEST_ASSERT_DOUBLE_WITHIN(3.6 / std::sqrt(2.0 * draws), 1, std::sqrt(s / draws));
  }
}

TEST(points_that_cannot_tell_are_refused) {
  const auto solve = [](const std::vector<PairPoint>& points, const PairPointSettings& settings) {
    return calibrate_pair(points, kVisible, kThermal, settings);
  };
  expect_refused(solve(marked_points(5, 0.3, true, 1), {}), "only 5 points; at least 6 are needed");
  expect_refused(solve(marked_points(20, 0.3, false, 1), {}),
                 "only 0 points have a distance: at least 6 must, or --position");
  std::vector<PairPoint> wrong = marked_points(30, 0.3, true, 1);
  std::mt19937 random{5};
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (i % 3 != 0)
      wrong[i].second = {static_cast<double>(random() % 320), static_cast<double>(random() % 256)};
  expect_refused(solve(wrong, {}), "of 30 points agree with each other");
  // All far away: the position cannot be told.
  expect_refused(solve(marked_points(20, 0.5, true, 3, 300), {}), "the position is uncertain by");
  // All in one spot.
  std::vector<PairPoint> spot = marked_points(1, 0, true, 4);
  for (int i = 0; i < 10; ++i) {
    spot.push_back(spot[0]);
    spot.back().first.x += 0.3 * (i % 3);
    spot.back().second.y += 0.2 * (i % 4);
  }
  const Result<PairCalibration> one = solve(spot, with_position());
  expect_refused(one, "the angles are uncertain by");
}

TEST(files_of_points_are_read_and_checked) {
  const auto parse = [](const char* text) {
    return parse_pair_points(text, "p.csv", kVisible, kThermal);
  };
  const auto points = parse(
      "# marked by hand\nx1,y1,x2,y2,distance\n1,2,3,4\r\n\n 10.5 , 20, 30,40.25 , "
      "7.5\n5,6,7,8,\n");
  TEST_ASSERT_TRUE(points);
  TEST_ASSERT_EQUAL(3, points->size());
  TEST_ASSERT_FALSE((*points)[0].distance_m.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(40.25, (*points)[1].second.y);
  TEST_ASSERT_EQUAL_DOUBLE(7.5, *(*points)[1].distance_m);
  TEST_ASSERT_FALSE((*points)[2].distance_m.has_value());
  struct Case {
    const char *text, *part;
  };
  for (const Case& c : {
           Case{"", "p.csv: has no points"},
           Case{"# nothing\n", "p.csv: has no points"},
           Case{"1,2,3\n", "p.csv:1: must be x1,y1,x2,y2 or"},
           Case{"1,2,3,4,5,6\n", "p.csv:1: must be x1,y1,x2,y2 or"},
           Case{"1,2,3,4\n1,2,nan,4\n", "p.csv:2: x2 must be a number"},
           Case{"1,2,inf,4\n", "p.csv:1: x2 must be a number"},
           Case{"1,2,3,four\n", "p.csv:1: y2 must be a number"},
           Case{"1,2,3,4,near\n", "p.csv:1: the distance must be a number"},
           Case{"1,2,3,4,0\n", "p.csv:1: the distance must be 0.1..10000 m"},
           Case{"1,2,3,4,-5\n", "p.csv:1: the distance must be 0.1..10000 m"},
           Case{"640,2,3,4\n", "p.csv:1: x1,y1 is outside the first picture (640x480)"},
           Case{"1,2,3,300\n", "p.csv:1: x2,y2 is outside the second picture (320x256)"},
       }) {
    const auto result = parse(c.text);
    TEST_ASSERT_FALSE_MESSAGE(result, c.text);
    TEST_ASSERT_TRUE_MESSAGE(
        std::string{result.error().what.c_str()}.find(c.part) != std::string::npos,
        result.error().what.c_str());
  }
}

fs::path msrs() {
  const char* set = std::getenv("KERB_DATA");
  return fs::path{set != nullptr ? set : KERB_DATA_DEFAULT} / "streets/msrs";
}

/// MSRS: visible and thermal pictures that its authors aligned. People's centres in the labels (of
/// the visible picture) and in the thermal picture must give one camera in one place.
TEST(aligned_pictures_are_one_camera) {
  // Before there is anything to free: an ignored test does not come back here.
  if (!fs::exists(msrs() / "truth.csv"))
    TEST_IGNORE_MESSAGE("no pictures at KERB_DATA/streets/msrs");
  const fs::path folder = msrs();
  std::ifstream truth{folder / "truth.csv"};
  std::vector<PairPoint> points;
  std::string line;
  std::getline(truth, line);
  while (std::getline(truth, line) && points.size() < 60) {
    std::istringstream in{line};
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    if (cells.size() < 9 || cells[5] != "person" || cells[0].find('N') == std::string::npos)
      continue;
    const cv::Rect box{std::stoi(cells[1]), std::stoi(cells[2]), std::stoi(cells[3]),
                       std::stoi(cells[4])};
    if (box.height < 40 || std::stod(cells[8]) < 30) continue;
    const std::string stem = fs::path{cells[0]}.stem().string();
    const cv::Mat mask =
        cv::imread((folder / "mask" / (stem + ".png")).string(), cv::IMREAD_UNCHANGED);
    const cv::Mat warm =
        cv::imread((folder / "ir" / (stem + ".jpg")).string(), cv::IMREAD_GRAYSCALE);
    if (mask.empty() || warm.empty() || mask.channels() != 1) continue;
    const cv::Rect wide = cv::Rect{box.x - box.width / 4, box.y - box.height / 8, box.width * 3 / 2,
                                   box.height * 5 / 4} &
                          cv::Rect{0, 0, warm.cols, warm.rows};
    // The label's people, and those thermal pixels nearer to a person's than to the surroundings'.
    const cv::Mat person = mask(wide) == 2;
    const double inside = cv::mean(warm(wide), person)[0],
                 outside = cv::mean(warm(wide), ~person)[0];
    const cv::Mat hot = warm(wide) > (inside + outside) / 2;
    const cv::Moments one = cv::moments(person, true), two = cv::moments(hot, true);
    if (one.m00 < 100 || two.m00 < 100) continue;
    PairPoint& point = points.emplace_back();
    point.first = {wide.x + one.m10 / one.m00, wide.y + one.m01 / one.m00};
    point.second = {wide.x + two.m10 / two.m00, wide.y + two.m01 / two.m00};
  }
  TEST_ASSERT_EQUAL(60, points.size());
  Camera camera;  // the pictures' lens is not known; it is the same for both
  camera.width = 640;
  camera.height = 480;
  camera.focal_px = 600;
  camera.center_x = 319.5;
  camera.center_y = 239.5;
  PairPointSettings settings;
  settings.position_m = {0, 0, 0};
  const PairCalibration c = good(calibrate_pair(points, camera, camera, settings));
  std::printf(
      "MSRS: %d of %zu people agree; pitch %+.3f +- %.3f, yaw %+.3f +- %.3f, roll %+.3f +- "
      "%.3f degrees\n",
      c.used, points.size(), c.pair.pitch_deg, c.pitch_sigma_deg, c.pair.yaw_deg, c.yaw_sigma_deg,
      c.pair.roll_deg, c.roll_sigma_deg);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 0, c.pair.pitch_deg);  // two pixels
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 0, c.pair.yaw_deg);
  TEST_ASSERT_DOUBLE_WITHIN(1, 0, c.pair.roll_deg);
}

BEFORE_SUITE(words) {
  g_some = !words.empty() && words[0] == "--some";
  return Start::run;
}

}  // namespace
