// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include "firmware/lens/lens.hpp"
#include "firmware/types/camera.hpp"
#include "tools/calibrate/pair.hpp"

/// Least squares over the second camera's pose and things that both cameras saw. For the sources of
/// calibrate_pair().
namespace kerb::calibrate {

inline constexpr double kDegrees = 180 / std::numbers::pi;

/// Of calibrate_pair().
[[nodiscard]] inline Error refused(std::string_view text) {
  return Error{Errc::invalid_argument, 0, "calibrate", Text<112>{text}};
}

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

[[nodiscard]] inline Eigen::Matrix3d skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d out;
  out << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return out;
}
[[nodiscard]] inline Eigen::Matrix3d turned(const Eigen::Vector3d& by) {
  const double angle = by.norm();
  if (angle < 1e-12) return Eigen::Matrix3d::Identity() + skew(by);
  return Eigen::AngleAxisd{angle, by / angle}.toRotationMatrix();
}
[[nodiscard]] inline double angle_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return std::acos(std::clamp(((a * b.transpose()).trace() - 1) / 2, -1.0, 1.0));
}

/// The second camera: a place p in the first camera's axes (x right, y down, z forward) is
/// rotation * (p - position) in its own.
struct SecondPose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();

  /// By a rotation vector in the second camera's axes, and by metres.
  [[nodiscard]] SecondPose moved(const Vector6& by) const {
    return {turned(by.head<3>()) * rotation, position + by.tail<3>()};
  }
};

[[nodiscard]] CameraPair pair_of(const SecondPose& pose);
/// Writes the pose and its standard deviations into `out`.
void describe_pose(const SecondPose& pose, const Matrix6& covariance, PairCalibration& out);
/// Fails if the cameras are turned against each other by more than the configuration allows.
Status check_angles(const CameraPair& pair);

/// A camera's pictures: from its own axes to pixels.
class PixelModel {
 public:
  explicit PixelModel(const Camera& camera)
      : map_{Lens{camera.focal_px, camera.center_x, camera.center_y, camera.k1, camera.k2,
                  camera.k3, camera.p1, camera.p2}} {}

  /// Nothing for what is not in front of the camera.
  [[nodiscard]] std::optional<Eigen::Vector2d> shown(const Eigen::Vector3d& at) const {
    if (!(at.z() > 1e-6)) return std::nullopt;
    const Pixel p = map_.distort(straight(at));
    return Eigen::Vector2d{p.x, p.y};
  }
  /// The derivative of shown() by the place, which must be in front.
  [[nodiscard]] Eigen::Matrix<double, 2, 3> slope(const Eigen::Vector3d& at) const {
    const Lens& lens = map_.lens();
    Eigen::Matrix<double, 2, 3> project;
    project << 1, 0, -at.x() / at.z(), 0, 1, -at.y() / at.z();
    project *= lens.focal_px / at.z();
    if (lens.straight()) return project;
    constexpr double kStep = 1e-3;  // pixels; the lens is a smooth polynomial
    const Pixel s = straight(at);
    const Pixel right = map_.distort({s.x + kStep, s.y}), left = map_.distort({s.x - kStep, s.y});
    const Pixel down = map_.distort({s.x, s.y + kStep}), up = map_.distort({s.x, s.y - kStep});
    Eigen::Matrix2d bend;
    bend << right.x - left.x, down.x - up.x, right.y - left.y, down.y - up.y;
    return bend / (2 * kStep) * project;
  }
  /// The direction that a pixel shows: x and y where z is 1.
  [[nodiscard]] Eigen::Vector2d direction(const Eigen::Vector2d& pixel) const {
    const Lens& lens = map_.lens();
    const Pixel p = map_.undistort({pixel.x(), pixel.y()});
    return {(p.x - lens.center_x) / lens.focal_px, (p.y - lens.center_y) / lens.focal_px};
  }
  [[nodiscard]] double focal_px() const { return map_.lens().focal_px; }

 private:
  [[nodiscard]] Pixel straight(const Eigen::Vector3d& at) const {
    const Lens& lens = map_.lens();
    return {lens.center_x + lens.focal_px * at.x() / at.z(),
            lens.center_y + lens.focal_px * at.y() / at.z()};
  }
  LensMap map_;
};

/// Both cameras, and the standard deviation of a point in each one's pictures.
struct PairCameras {
  PixelModel first, second;
  double first_sigma_px = 1, second_sigma_px = 1;
};

/// The normal equations of one item of `Size` unknowns.
template <int Size>
struct PairBlock {
  Matrix6 pose = Matrix6::Zero();
  Eigen::Matrix<double, 6, Size> mixed = Eigen::Matrix<double, 6, Size>::Zero();
  Eigen::Matrix<double, Size, Size> own = Eigen::Matrix<double, Size, Size>::Zero();
  Vector6 pose_slope = Vector6::Zero();
  Eigen::Matrix<double, Size, 1> own_slope = Eigen::Matrix<double, Size, 1>::Zero();

  /// A residual (in standard deviations) with its derivatives by the pose and by the item.
  template <int Rows>
  void add(const Eigen::Matrix<double, Rows, 1>& residual,
           const Eigen::Matrix<double, Rows, 6>& by_pose,
           const Eigen::Matrix<double, Rows, Size>& by_own) {
    pose += by_pose.transpose() * by_pose;
    mixed += by_pose.transpose() * by_own;
    own += by_own.transpose() * by_own;
    pose_slope += by_pose.transpose() * residual;
    own_slope += by_own.transpose() * residual;
  }
};

/// What is known of the position beforehand.
struct PositionPrior {
  Eigen::Vector3d position;
  double sigma_m = 0.01;
};

/// Levenberg-Marquardt over the pose and all items. Each item's unknowns are eliminated first, so
/// that only six equations are left, however many items there are. An Item has kSize unknowns,
///   std::optional<double> cost(const SecondPose&, const PairCameras&)    half its squared
///   residuals void equations(const SecondPose&, const PairCameras&, PairBlock<kSize>&) Item
///   moved(const Eigen::Matrix<double, kSize, 1>&).
template <typename Item>
class PairSolver {
 public:
  static constexpr int kSize = Item::kSize;

  SecondPose pose;
  std::vector<Item> items;
  std::optional<PositionPrior> prior;

  /// False: no start from which anything could be computed.
  bool solve(const PairCameras& cameras, int most_steps) {
    std::optional<double> now = cost(pose, items, cameras);
    if (!now) return false;
    double damping = 1e-3;
    for (int step = 0; step < most_steps && damping < 1e12; ++step) {
      const std::vector<PairBlock<kSize>> blocks = equations(cameras);
      for (;; damping *= 10) {
        if (damping >= 1e12) return true;  // no better place near: done
        Vector6 move;
        std::vector<Item> next;
        if (!step_to(blocks, damping, move, next)) continue;
        const SecondPose there = pose.moved(move);
        const std::optional<double> then = cost(there, next, cameras);
        if (!then || !(*then <= *now)) continue;
        const bool settled = *now - *then <= 1e-12 * (*now + 1e-12);
        pose = there;
        items = std::move(next);
        now = then;
        damping = std::max(damping / 10, 1e-9);
        if (settled) return true;
        break;
      }
    }
    return true;
  }

  /// Of the pose, where it is; nothing if the items do not determine it.
  [[nodiscard]] std::optional<Matrix6> covariance(const PairCameras& cameras) const {
    Matrix6 left = prior_block();
    for (const PairBlock<kSize>& block : equations(cameras))
      left += block.pose - block.mixed * block.own.ldlt().solve(block.mixed.transpose());
    // In units in which a millimetre and a hundredth of a degree weigh alike.
    Vector6 unit;
    unit << Eigen::Vector3d::Constant(2e-4), Eigen::Vector3d::Constant(1e-3);
    const Matrix6 scaled = unit.asDiagonal() * (left + left.transpose()) / 2 * unit.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix6> eigen{scaled};
    if (eigen.info() != Eigen::Success || !(eigen.eigenvalues()(0) > 1e-12)) return std::nullopt;
    return Matrix6{unit.asDiagonal() * scaled.inverse() * unit.asDiagonal()};
  }

 private:
  [[nodiscard]] std::optional<double> cost(const SecondPose& at, const std::vector<Item>& all,
                                           const PairCameras& cameras) const {
    double sum = 0;
    if (prior) sum += 0.5 * ((at.position - prior->position) / prior->sigma_m).squaredNorm();
    for (const Item& item : all) {
      const std::optional<double> one = item.cost(at, cameras);
      if (!one || !std::isfinite(*one)) return std::nullopt;
      sum += *one;
    }
    return sum;
  }
  [[nodiscard]] std::vector<PairBlock<kSize>> equations(const PairCameras& cameras) const {
    std::vector<PairBlock<kSize>> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i].equations(pose, cameras, out[i]);
    return out;
  }
  [[nodiscard]] Matrix6 prior_block() const {
    Matrix6 out = Matrix6::Zero();
    if (prior) out.diagonal().tail<3>().setConstant(1 / (prior->sigma_m * prior->sigma_m));
    return out;
  }
  bool step_to(const std::vector<PairBlock<kSize>>& blocks, double damping, Vector6& move,
               std::vector<Item>& next) const {
    using Own = Eigen::Matrix<double, kSize, kSize>;
    using OwnVector = Eigen::Matrix<double, kSize, 1>;
    constexpr double kFloor = 1e-9;  // for unknowns that nothing depends on
    Matrix6 left = prior_block();
    Vector6 right = Vector6::Zero();
    if (prior) right.tail<3>() -= (pose.position - prior->position) / std::pow(prior->sigma_m, 2);
    for (const PairBlock<kSize>& block : blocks) {
      left += block.pose;
      right -= block.pose_slope;
    }
    left.diagonal() += damping * left.diagonal() + Vector6::Constant(kFloor);
    std::vector<Eigen::LDLT<Own>> solvers;
    solvers.reserve(blocks.size());
    for (const PairBlock<kSize>& block : blocks) {
      Own own = block.own;
      own.diagonal() += damping * own.diagonal() + OwnVector::Constant(kFloor);
      const Eigen::LDLT<Own>& solver = solvers.emplace_back(own);
      left -= block.mixed * solver.solve(block.mixed.transpose());
      right += block.mixed * solver.solve(block.own_slope);
    }
    move = left.ldlt().solve(right);
    if (!move.allFinite()) return false;
    next.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const OwnVector by =
          solvers[i].solve(-blocks[i].own_slope - blocks[i].mixed.transpose() * move);
      if (!by.allFinite()) return false;
      next.push_back(items[i].moved(by));
    }
    return true;
  }
};

}  // namespace kerb::calibrate
