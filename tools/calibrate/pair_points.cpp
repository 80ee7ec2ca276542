// SPDX-License-Identifier: Apache-2.0
// Two cameras from points that somebody marked in both pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tools/calibrate/pair.hpp"
#include "tools/calibrate/pair_solver.hpp"
#include "tools/files/text.hpp"

namespace kerb::calibrate {
namespace {

constexpr int kSample = 4;  // points of one draw
constexpr int kMostDraws = 500;
constexpr int kMostRounds = 10;    // of choosing the points that agree and fitting them
constexpr double kSurely = 0.999;  // probability that a draw without a wrong point was among them
constexpr double kNearestUsual_m = 1;  // things without a distance are rarely nearer
constexpr double kDistanceMin_m = 0.1, kDistanceMax_m = 10000;
constexpr double kSigmaMin_px = 0.05, kSigmaMax_px = 20;
constexpr int kGoodPoints = 12;

struct Mark {
  Eigen::Vector2d first, second;
  std::optional<double> distance_m;
  double distance_sigma = 0.02;
};

/// Where a marked thing is, in the first camera's axes: the direction (x, y, 1) and the inverse of
/// its depth, which is 0 for what is infinitely far, and may become slightly negative by noise.
struct PointItem {
  static constexpr int kSize = 3;
  const Mark* mark = nullptr;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  // x, y, inverse depth

  [[nodiscard]] Eigen::Vector3d direction() const { return {at.x(), at.y(), 1}; }
  /// In the second camera's axes, times the depth.
  [[nodiscard]] Eigen::Vector3d in_second(const SecondPose& pose) const {
    return pose.rotation * (direction() - at.z() * pose.position);
  }
  [[nodiscard]] std::optional<double> cost(const SecondPose& pose,
                                           const PairCameras& cameras) const {
    const auto one = cameras.first.shown(direction());
    const auto two = cameras.second.shown(in_second(pose));
    if (!one || !two) return std::nullopt;
    return 0.5 * ((*one - mark->first).squaredNorm() / std::pow(cameras.first_sigma_px, 2) +
                  (*two - mark->second).squaredNorm() / std::pow(cameras.second_sigma_px, 2) +
                  std::pow(depth_residual(), 2));
  }
  [[nodiscard]] double depth_residual() const {
    if (!mark->distance_m) return at.z() * kNearestUsual_m;
    return (at.z() * *mark->distance_m / direction().norm() - 1) / mark->distance_sigma;
  }
  void equations(const SecondPose& pose, const PairCameras& cameras, PairBlock<3>& out) const {
    Eigen::Matrix3d by_at = Eigen::Matrix3d::Identity();
    by_at(2, 2) = 0;  // the depth does not move it in the first picture
    out.add<2>((*cameras.first.shown(direction()) - mark->first) / cameras.first_sigma_px,
               Eigen::Matrix<double, 2, 6>::Zero(),
               cameras.first.slope(direction()) * by_at / cameras.first_sigma_px);
    const Eigen::Vector3d there = in_second(pose);
    const Eigen::Matrix<double, 2, 3> slope = cameras.second.slope(there) / cameras.second_sigma_px;
    Eigen::Matrix<double, 3, 6> by_pose;
    by_pose << -skew(there), -at.z() * pose.rotation;
    by_at.col(2) = -pose.position;
    out.add<2>((*cameras.second.shown(there) - mark->second) / cameras.second_sigma_px,
               slope * by_pose, slope * pose.rotation * by_at);
    Eigen::Matrix<double, 1, 3> by_depth;
    if (mark->distance_m) {
      const double length = direction().norm();
      const double per = *mark->distance_m / length / mark->distance_sigma;
      const double bent = -at.z() * per / (length * length);
      by_depth << bent * at.x(), bent * at.y(), per;
    } else {
      by_depth << 0, 0, kNearestUsual_m;
    }
    out.add<1>(Eigen::Matrix<double, 1, 1>{depth_residual()}, Eigen::Matrix<double, 1, 6>::Zero(),
               by_depth);
  }
  [[nodiscard]] PointItem moved(const Eigen::Vector3d& by) const { return {mark, at + by}; }

  /// Moves it to where it fits best while the pose stays.
  void settle(const SecondPose& pose, const PairCameras& cameras) {
    for (int i = 0; i < 6; ++i) {
      const std::optional<double> now = cost(pose, cameras);
      if (!now) return;
      PairBlock<3> block;
      equations(pose, cameras, block);
      const PointItem next = moved(block.own.ldlt().solve(-block.own_slope));
      const std::optional<double> then = next.cost(pose, cameras);
      if (!then || !(*then < *now)) return;
      *this = next;
    }
  }
};

PointItem item_of(const Mark& mark, const PairCameras& cameras) {
  const Eigen::Vector2d d = cameras.first.direction(mark.first);
  PointItem out{&mark, {d.x(), d.y(), 0}};
  if (mark.distance_m) out.at.z() = out.direction().norm() / *mark.distance_m;
  return out;
}

class Points {
 public:
  Points(std::vector<PairPoint> points, const Camera& first, const Camera& second,
         const PairPointSettings& settings)
      : settings_{settings}, cameras_{PixelModel{first}, PixelModel{second}} {
    out_.points = std::move(points);
    for (const PairPoint& p : out_.points)
      marks_.push_back({{p.first.x, p.first.y},
                        {p.second.x, p.second.y},
                        p.distance_m,
                        settings.distance_sigma});
    if (settings.position_m) {
      const auto& [ahead, left, up] = *settings.position_m;
      prior_ = PositionPrior{{-left, -up, ahead}, settings.position_sigma_m};
    }
  }

  Result<PairCalibration> run() {
    const auto total = static_cast<int>(marks_.size());
    if (total < settings_.fewest_points)
      return refused(
          fmt::format("only {} points; at least {} are needed", total, settings_.fewest_points));
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (prior_ || marks_[i].distance_m) drawable_.push_back(i);
    if (static_cast<int>(drawable_.size()) < settings_.fewest_points)
      return refused(
          fmt::format("only {} points have a distance: at least {} must, or --position "
                      "must be given",
                      drawable_.size(), settings_.fewest_points));
    std::vector<bool> agree = draw();
    PairSolver<PointItem> solver;
    for (int round = 0; round < kMostRounds; ++round) {
      const auto count = static_cast<int>(std::ranges::count(agree, true));
      if (count < std::max(kSample, static_cast<int>(settings_.least_agreement * total)) ||
          count < settings_.fewest_points)
        return refused(fmt::format("only {} of {} points agree with each other", count, total));
      solver = fitted(agree);
      const std::vector<bool> next = agreeing(solver.pose);
      if (next == agree || round == kMostRounds - 1) break;
      agree = next;
    }
    return described(solver, agree);
  }

 private:
  /// The pose of the second camera that turns the directions of these points best, as if they did
  /// not depend on the position where it or the distance is not known.
  [[nodiscard]] SecondPose first_guess(const std::vector<std::size_t>& which) const {
    SecondPose out;
    if (prior_) out.position = prior_->position;
    // A little of the first camera's direction, for points that leave a rotation open.
    Eigen::Matrix3d sum = 1e-3 * Eigen::Matrix3d::Identity();
    for (const std::size_t i : which) {
      const PointItem item = item_of(marks_[i], cameras_);
      const Eigen::Vector3d one = (item.direction() - item.at.z() * out.position).normalized();
      const Eigen::Vector2d d = cameras_.second.direction(marks_[i].second);
      const Eigen::Vector3d two = Eigen::Vector3d{d.x(), d.y(), 1}.normalized();
      sum += two * one.transpose();
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd{sum, Eigen::ComputeFullU | Eigen::ComputeFullV};
    Eigen::Matrix3d proper = Eigen::Matrix3d::Identity();
    proper(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    out.rotation = svd.matrixU() * proper * svd.matrixV().transpose();
    return out;
  }

  [[nodiscard]] PairSolver<PointItem> solver_for(const std::vector<std::size_t>& which) const {
    PairSolver<PointItem> out;
    out.pose = first_guess(which);
    out.prior = prior_;
    for (const std::size_t i : which) out.items.push_back(item_of(marks_[i], cameras_));
    return out;
  }
  [[nodiscard]] PairSolver<PointItem> fitted(const std::vector<bool>& agree) const {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < agree.size(); ++i)
      if (agree[i]) which.push_back(i);
    PairSolver<PointItem> out = solver_for(which);
    out.solve(cameras_, 100);
    return out;
  }

  /// How far the second camera's mark is from where the first camera's belongs, pixels.
  [[nodiscard]] double error_of(const Mark& mark, const SecondPose& pose, double* inverse) const {
    PointItem item = item_of(mark, cameras_);
    item.settle(pose, cameras_);
    if (inverse != nullptr) *inverse = item.at.z();
    const double behind = -item.at.z() * pose.position.norm() * cameras_.second.focal_px();
    const Eigen::Vector2d d = cameras_.first.direction(mark.first);
    item.at.head<2>() = d;
    const auto shown = cameras_.second.shown(item.in_second(pose));
    if (!shown) return std::numeric_limits<double>::infinity();
    return std::max((*shown - mark.second).norm(), behind);  // farther than infinity is wrong too
  }
  [[nodiscard]] std::vector<bool> agreeing(const SecondPose& pose) const {
    std::vector<bool> out;
    for (const Mark& mark : marks_)
      out.push_back(error_of(mark, pose, nullptr) <= settings_.inlier_px);
    return out;
  }

  /// RANSAC: the draw that most points agree with.
  [[nodiscard]] std::vector<bool> draw() const {
    std::mt19937 random{20230611};
    std::vector<bool> best(marks_.size(), false);
    std::ptrdiff_t most = 0;
    double draws = kMostDraws;
    for (int i = 0; i < draws && i < kMostDraws; ++i) {
      std::vector<std::size_t> which = drawable_;
      for (std::size_t k = 0; k < kSample; ++k)
        std::swap(which[k], which[k + random() % (which.size() - k)]);
      which.resize(kSample);
      PairSolver<PointItem> solver = solver_for(which);
      if (!solver.solve(cameras_, 15)) continue;
      const std::vector<bool> agree = agreeing(solver.pose);
      const std::ptrdiff_t count = std::ranges::count(agree, true);
      if (count <= most) continue;
      most = count;
      best = agree;
      const double share = static_cast<double>(count) / static_cast<double>(marks_.size());
      const double good = std::pow(share, kSample);
      draws = good >= 1 ? 1 : std::ceil(std::log(1 - kSurely) / std::log(1 - good)) + 10;
    }
    return best;
  }

  Result<PairCalibration> described(PairSolver<PointItem>& solver, const std::vector<bool>& agree) {
    const auto count = static_cast<double>(solver.items.size());
    double distances = 0;
    for (const PointItem& item : solver.items) distances += item.mark->distance_m ? 1 : 0;
    // Four numbers a point and the known ones, less three unknowns a point and the pose.
    const double free = std::max(1.0, count + distances + (prior_ ? 3 : 0) - 6);
    for (int round = 0; round < 3; ++round) {
      double first = 0, second = 0;
      for (const PointItem& item : solver.items) {
        first += (*cameras_.first.shown(item.direction()) - item.mark->first).squaredNorm();
        second +=
            (*cameras_.second.shown(item.in_second(solver.pose)) - item.mark->second).squaredNorm();
      }
      out_.first_rms_px = std::sqrt(first / count);
      out_.second_rms_px = std::sqrt(second / count);
      const double sigma =
          std::clamp(std::sqrt((first + second) / free), kSigmaMin_px, kSigmaMax_px);
      cameras_.first_sigma_px = cameras_.second_sigma_px = sigma;
      solver.solve(cameras_, 100);
    }
    const std::optional<Matrix6> covariance = solver.covariance(cameras_);
    if (!covariance) return refused("these points do not determine the second camera's direction");
    describe_pose(solver.pose, *covariance, out_);
    if (out_.pair.angle_sigma_deg > settings_.most_angle_sigma_deg)
      return refused(
          fmt::format("the angles are uncertain by {:.1f} degrees: mark more points, in "
                      "all parts of the picture",
                      out_.pair.angle_sigma_deg));
    if (out_.pair.position_sigma_m > settings_.most_position_sigma_m)
      return refused(
          fmt::format("the position is uncertain by {:.2f} m: mark nearer points with "
                      "distances, or give --position",
                      out_.pair.position_sigma_m));
    if (Status ok = check_angles(out_.pair); !ok) return ok.error();
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      PairPoint& point = out_.points[i];
      double inverse = 0;
      point.used = agree[i];
      point.error_px = error_of(marks_[i], solver.pose, &inverse);
      point.depth_m = inverse > 1e-6 ? 1 / inverse : std::numeric_limits<double>::infinity();
    }
    out_.used = static_cast<int>(solver.items.size());
    if (out_.used < kGoodPoints)
      out_.notes.push_back(
          fmt::format("only {} points: at least {} are recommended", out_.used, kGoodPoints));
    return std::move(out_);
  }

  PairPointSettings settings_;
  PairCameras cameras_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> drawable_;  // points that a draw may take
  std::optional<PositionPrior> prior_;
  PairCalibration out_;
};

}  // namespace

Result<std::vector<PairPoint>> read_pair_points(const std::string& path, const Camera& first,
                                                const Camera& second) {
  const Result<std::string> text = files::read_text("read points", path);
  if (!text) return text.error();
  return parse_pair_points(*text, path, first, second);
}

Result<std::vector<PairPoint>> parse_pair_points(std::string_view text, const std::string& name,
                                                 const Camera& first, const Camera& second) {
  std::vector<PairPoint> out;
  files::Lines lines{text};
  const auto wrong = [&](const std::string& what) {
    return files::line_error("read points", name, lines.number(), what, Errc::invalid_argument);
  };
  for (std::string_view line; lines.next(line);) {
    line = files::trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = files::split(line, ',');
    constexpr const char* kNames[] = {"x1", "y1", "x2", "y2", "the distance"};
    if (cells[0] == kNames[0] && out.empty()) continue;  // the columns' names
    const bool with_distance = cells.size() == 5 && !cells[4].empty();
    if (cells.size() != 4 && cells.size() != 5)
      return wrong("must be x1,y1,x2,y2 or x1,y1,x2,y2,distance");
    double values[5] = {};
    for (std::size_t i = 0; i < (with_distance ? 5U : 4U); ++i) {
      const std::optional<double> value = files::number(cells[i]);
      if (!value) return wrong(fmt::format("{} must be a number", kNames[i]));
      values[i] = *value;
    }
    const auto inside = [](double x, double y, const Camera& camera) {
      return x >= -0.5 && y >= -0.5 && x <= camera.width - 0.5 && y <= camera.height - 0.5;
    };
    if (!inside(values[0], values[1], first))
      return wrong(
          fmt::format("x1,y1 is outside the first picture ({}x{})", first.width, first.height));
    if (!inside(values[2], values[3], second))
      return wrong(
          fmt::format("x2,y2 is outside the second picture ({}x{})", second.width, second.height));
    if (with_distance && !(values[4] >= kDistanceMin_m && values[4] <= kDistanceMax_m))
      return wrong(fmt::format("the distance must be {}..{} m", kDistanceMin_m, kDistanceMax_m));
    PairPoint& point = out.emplace_back();
    point.first = {values[0], values[1]};
    point.second = {values[2], values[3]};
    if (with_distance) point.distance_m = values[4];
  }
  if (out.empty())
    return files::line_error("read points", name, 0, "has no points", Errc::invalid_argument);
  return out;
}

Result<PairCalibration> calibrate_pair(std::vector<PairPoint> points, const Camera& first,
                                       const Camera& second, const PairPointSettings& settings) {
  return Points{std::move(points), first, second, settings}.run();
}

}  // namespace kerb::calibrate
