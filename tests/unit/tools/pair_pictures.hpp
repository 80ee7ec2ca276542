// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <random>
#include <string>
#include <vector>

#include "firmware/types/camera.hpp"
#include "firmware/types/camera_pair.hpp"
#include "tests/unit/tools/board_pictures.hpp"

/// A visible and a thermal camera of known numbers, and boards that both see. Shares nothing with
/// the code under test: rotations are multiplied out here.
namespace kerb::test {

inline TracedLens visible_lens() {
  return {640, 480, 560, 322.5, 236.5, -0.25, 0.08, 0.0006, -0.0004};
}
inline TracedLens thermal_lens() {
  return {320, 256, 300, 157.5, 130.5, -0.18, 0.04, -0.0005, 0.0007};
}
inline Camera camera_of(const TracedLens& lens) {
  Camera out;
  out.width = lens.width;
  out.height = lens.height;
  out.focal_px = lens.focal;
  out.center_x = lens.center_x;
  out.center_y = lens.center_y;
  out.k1 = lens.k1;
  out.k2 = lens.k2;
  out.p1 = lens.p1;
  out.p2 = lens.p2;
  return out;
}
/// As `kerblab calibrate board` writes it.
inline std::string toml_of(const TracedLens& lens) {
  return "[[camera]]\nwidth = " + std::to_string(lens.width) +
         "\nheight = " + std::to_string(lens.height) +
         "\nfocal_px = " + std::to_string(lens.focal) +
         "\ncenter_x = " + std::to_string(lens.center_x) +
         "\ncenter_y = " + std::to_string(lens.center_y) + "\nk1 = " + std::to_string(lens.k1) +
         "\nk2 = " + std::to_string(lens.k2) + "\np1 = " + std::to_string(lens.p1) +
         "\np2 = " + std::to_string(lens.p2) + "\n";
}

/// 12 cm to the right of the first, 5 cm higher, 3 cm farther ahead.
inline CameraPair true_pair() {
  CameraPair out;
  out.first = "front";
  out.second = "thermal";
  out.ahead_m = 0.03;
  out.left_m = -0.12;
  out.up_m = 0.05;
  out.pitch_deg = -1.5;
  out.yaw_deg = 2;
  out.roll_deg = 1;
  return out;
}

/// From the first camera's axes (right, down, forward) to the second's: rotation * (p - position).
struct TruePose {
  cv::Matx33d rotation;
  cv::Vec3d position;
  [[nodiscard]] cv::Vec3d of(const cv::Vec3d& p) const { return rotation * (p - position); }
};
inline TruePose true_pose(const CameraPair& pair) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double p = pair.pitch_deg * kRadians, y = pair.yaw_deg * kRadians,
               r = pair.roll_deg * kRadians;
  using std::cos, std::sin;
  // In axes forward, left, up: turn left about up, then up about left, then about forward.
  const cv::Matx33d yaw{cos(y), -sin(y), 0, sin(y), cos(y), 0, 0, 0, 1};
  const cv::Matx33d pitch{cos(p), 0, -sin(p), 0, 1, 0, sin(p), 0, cos(p)};
  const cv::Matx33d roll{1, 0, 0, 0, cos(r), -sin(r), 0, sin(r), cos(r)};
  const cv::Matx33d upright{0, 0, 1, -1, 0, 0, 0, -1, 0};  // of right, down, forward
  return {upright.t() * (yaw * pitch * roll).t() * upright,
          {-pair.left_m, -pair.up_m, pair.ahead_m}};
}
inline BoardFrame seen_from(const TruePose& pose, const BoardFrame& board) {
  return {pose.rotation * board.right, pose.rotation * board.down, pose.rotation * board.back,
          pose.of(board.place)};
}

/// Near and far, tilted to all sides; seen whole by both.
inline std::vector<BoardPose> pair_poses() {
  return {{0.05, 0, 1.5, 0, 0, 0},
          {-0.25, -0.12, 1.7, 0.4, 0.3, 0.1},
          {0.3, -0.12, 1.7, 0.35, -0.4, 0},
          {-0.25, 0.12, 1.7, -0.4, 0.35, -0.1},
          {0.3, 0.12, 1.7, -0.35, -0.35, 0.2},
          {0.05, -0.15, 1.4, 0.5, 0, 0},
          {0.05, 0.15, 1.4, -0.5, 0, 0.05},
          {-0.2, 0, 1.5, 0, 0.5, 0},
          {0.3, 0, 1.5, 0, -0.5, -0.1},
          {-0.45, -0.25, 2.4, 0.2, 0.3, 0.3},
          {0.55, 0.25, 2.4, -0.2, -0.3, -0.2},
          {0.5, -0.3, 2.2, 0.4, -0.2, 0},
          {0.05, 0, 1.15, 0.2, 0.2, 0}};
}

constexpr double kPairSquare = 0.08;  // metres

/// As a thermal camera shows it: the negative, of little contrast, with noise.
inline cv::Mat thermal_of(const cv::Mat& picture, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::normal_distribution<double> noise{0, 2};
  cv::Mat out = picture.clone();
  for (int y = 0; y < out.rows; ++y)
    for (int x = 0; x < out.cols; ++x) {
      std::uint8_t& v = out.at<std::uint8_t>(y, x);
      v = cv::saturate_cast<std::uint8_t>(150 - 0.35 * v + noise(random));
    }
  return out;
}

/// Both cameras' pictures of a board at the same time.
struct PairTracer {
  BoardTracer visible{visible_lens()}, thermal{thermal_lens()};
  TruePose pose = true_pose(true_pair());

  template <typename Colour>
  void trace(const BoardPose& board, Colour colour, cv::Mat& first, cv::Mat& second) const {
    const BoardFrame frame = frame_of(board);
    first = visible.picture(frame, colour);
    second = thermal_of(thermal.picture(seen_from(pose, frame), colour),
                        static_cast<std::uint32_t>(1000 * board.z + 100 * board.turn + 50));
  }
};

/// A checkerboard of 9 x 6 inner corners.
inline std::uint8_t checkered(double right, double down) {
  return BoardTracer::squares(right / kPairSquare + 5, down / kPairSquare + 3.5, 10, 7);
}

}  // namespace kerb::test
