// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/calibrate/pair_solver.hpp"

namespace kerb::calibrate {
namespace {

/// From the axes of pictures (right, down, forward) to those of positions (ahead, left, up).
Eigen::Vector3d upright(const Eigen::Vector3d& v) { return {v.z(), -v.x(), -v.y()}; }

Vector6 numbers_of(const CameraPair& p) {
  Vector6 out;
  out << p.ahead_m, p.left_m, p.up_m, p.pitch_deg, p.yaw_deg, p.roll_deg;
  return out;
}

}  // namespace

CameraPair pair_of(const SecondPose& pose) {
  const Eigen::Vector3d forward = upright(pose.rotation.row(2));
  const Eigen::Vector3d right = upright(pose.rotation.row(0));
  const double pitch = std::asin(std::clamp(forward.z(), -1.0, 1.0));
  const double yaw = std::atan2(forward.y(), forward.x());
  const Eigen::Vector3d level_right{std::sin(yaw), -std::cos(yaw), 0};
  const Eigen::Vector3d level_down{std::sin(pitch) * std::cos(yaw), std::sin(pitch) * std::sin(yaw),
                                   -std::cos(pitch)};
  const Eigen::Vector3d place = upright(pose.position);
  CameraPair out;
  out.ahead_m = place.x();
  out.left_m = place.y();
  out.up_m = place.z();
  out.pitch_deg = pitch * kDegrees;
  out.yaw_deg = yaw * kDegrees;
  out.roll_deg = std::atan2(right.dot(level_down), right.dot(level_right)) * kDegrees;
  return out;
}

void describe_pose(const SecondPose& pose, const Matrix6& covariance, PairCalibration& out) {
  constexpr double kStep = 1e-6;
  Matrix6 slope;
  for (int i = 0; i < 6; ++i) {
    const Vector6 by = kStep * Vector6::Unit(i);
    slope.col(i) =
        (numbers_of(pair_of(pose.moved(by))) - numbers_of(pair_of(pose.moved(-by)))) / (2 * kStep);
  }
  const Vector6 sigma = (slope * covariance * slope.transpose()).diagonal().cwiseMax(0).cwiseSqrt();
  out.pair = pair_of(pose);
  out.ahead_sigma_m = sigma(0);
  out.left_sigma_m = sigma(1);
  out.up_sigma_m = sigma(2);
  out.pitch_sigma_deg = sigma(3);
  out.yaw_sigma_deg = sigma(4);
  out.roll_sigma_deg = sigma(5);
  out.pair.position_sigma_m = sigma.head<3>().maxCoeff();
  out.pair.angle_sigma_deg = sigma.tail<3>().maxCoeff();
}

Status check_angles(const CameraPair& pair) {
  constexpr double kMost = 45;  // as the keys' range in firmware/config
  const double most =
      std::max({std::abs(pair.pitch_deg), std::abs(pair.yaw_deg), std::abs(pair.roll_deg)});
  if (most <= kMost) return Done{};
  return Error{Errc::invalid_argument, 0, "calibrate",
               Text<112>{fmt::format("the cameras are turned against each other by {:.0f} degrees, "
                                     "{:.0f} at most are possible: do the pictures match?",
                                     most, kMost)}};
}

std::string snippet_of(const PairCalibration& c) {
  const CameraPair& p = c.pair;
  return fmt::format(
      "# kerblab calibrate pair: {} {} used; RMS {:.3f} px in the first camera, {:.3f} px in the "
      "second\n"
      "# position +- {:.4f} {:.4f} {:.4f} m, pitch yaw roll +- {:.4f} {:.4f} {:.4f} degrees\n"
      "[[camera_pair]]\nfirst = \"{}\"\nsecond = \"{}\"\nahead_m = {:.5f}\nleft_m = "
      "{:.5f}\nup_m = {:.5f}\npitch_deg = {:.5f}\nyaw_deg = {:.5f}\nroll_deg = "
      "{:.5f}\nposition_sigma_m = {:.5f}\nangle_sigma_deg = {:.5f}\n",
      c.used, c.points.empty() ? "views" : "points", c.first_rms_px, c.second_rms_px,
      c.ahead_sigma_m, c.left_sigma_m, c.up_sigma_m, c.pitch_sigma_deg, c.yaw_sigma_deg,
      c.roll_sigma_deg, p.first, p.second, p.ahead_m, p.left_m, p.up_m, p.pitch_deg, p.yaw_deg,
      p.roll_deg, std::clamp(p.position_sigma_m, 1e-4, 10.0),
      std::clamp(p.angle_sigma_deg, 1e-4, 10.0));
}

}  // namespace kerb::calibrate
