// SPDX-License-Identifier: Apache-2.0
// Two cameras from boards that both saw.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/calib3d.hpp>

#include "tools/calibrate/pair.hpp"
#include "tools/calibrate/pair_solver.hpp"

namespace kerb::calibrate {
namespace {

constexpr int kGoodPairViews = 10;
constexpr double kGoodPairRms_px = 0.5;
constexpr double kGoodAngleSigma_deg = 0.1;
constexpr double kLeastSigma_px = 0.01;  // no corner is found better than this

/// What both cameras saw of one board, and where its points are on it.
struct BoardSight {
  std::vector<Eigen::Vector3d> places;
  std::vector<Eigen::Vector2d> first, second;
};

/// A board's pose in the first camera's axes: the unknowns of one view.
struct BoardItem {
  static constexpr int kSize = 6;
  const BoardSight* sight = nullptr;
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();

  [[nodiscard]] std::optional<double> cost(const SecondPose& pose,
                                           const PairCameras& cameras) const {
    double first = 0, second = 0;
    if (!squares(pose, cameras, first, second)) return std::nullopt;
    return 0.5 * (first / std::pow(cameras.first_sigma_px, 2) +
                  second / std::pow(cameras.second_sigma_px, 2));
  }
  /// Sums of squared distances, pixels.
  bool squares(const SecondPose& pose, const PairCameras& cameras, double& first,
               double& second) const {
    for (std::size_t i = 0; i < sight->places.size(); ++i) {
      const Eigen::Vector3d at = rotation * sight->places[i] + position;
      const auto one = cameras.first.shown(at);
      const auto two = cameras.second.shown(pose.rotation * (at - pose.position));
      if (!one || !two) return false;
      first += (*one - sight->first[i]).squaredNorm();
      second += (*two - sight->second[i]).squaredNorm();
    }
    return true;
  }
  void equations(const SecondPose& pose, const PairCameras& cameras, PairBlock<6>& out) const {
    for (std::size_t i = 0; i < sight->places.size(); ++i) {
      const Eigen::Vector3d turned_place = rotation * sight->places[i];
      const Eigen::Vector3d at = turned_place + position;
      Eigen::Matrix<double, 3, 6> by_own;
      by_own << -skew(turned_place), Eigen::Matrix3d::Identity();
      const Eigen::Matrix<double, 2, 3> first = cameras.first.slope(at) / cameras.first_sigma_px;
      out.add<2>((*cameras.first.shown(at) - sight->first[i]) / cameras.first_sigma_px,
                 Eigen::Matrix<double, 2, 6>::Zero(), first * by_own);
      const Eigen::Vector3d there = pose.rotation * (at - pose.position);
      const Eigen::Matrix<double, 2, 3> second =
          cameras.second.slope(there) / cameras.second_sigma_px;
      Eigen::Matrix<double, 3, 6> by_pose;
      by_pose << -skew(there), -pose.rotation;
      out.add<2>((*cameras.second.shown(there) - sight->second[i]) / cameras.second_sigma_px,
                 second * by_pose, second * pose.rotation * by_own);
    }
  }
  [[nodiscard]] BoardItem moved(const Vector6& by) const {
    return {sight, turned(by.head<3>()) * rotation, position + by.tail<3>()};
  }
};

/// The mean directions of rows and columns in a picture, of length 1.
struct Directions {
  Eigen::Vector2d row, column;
};
Directions directions_of(const std::vector<cv::Point2f>& points, const Board& board) {
  const auto at = [&](int column, int row) {
    const cv::Point2f& p =
        points[static_cast<std::size_t>(row) * static_cast<std::size_t>(board.columns) +
               static_cast<std::size_t>(column)];
    return Eigen::Vector2d{double{p.x}, double{p.y}};
  };
  Directions out{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  for (int row = 0; row < board.rows; ++row) out.row += at(board.columns - 1, row) - at(0, row);
  for (int column = 0; column < board.columns; ++column)
    out.column += at(column, board.rows - 1) - at(column, 0);
  return {out.row.normalized(), out.column.normalized()};
}

/// A board looks the same from several sides, so one camera may count it from another corner than
/// the other camera. The points of the second in the order of the first: cameras of one car stand
/// nearly upright beside each other, so of all possible orders that is the one in which rows and
/// columns run the same way in both pictures.
std::vector<cv::Point2f> in_order_of(const std::vector<cv::Point2f>& first,
                                     const std::vector<cv::Point2f>& second, const Board& board) {
  const Directions wanted = directions_of(first, board);
  const bool shifted = board.pattern == Pattern::asymmetric_circles;
  std::vector<cv::Point2f> best = second;
  double most = -3;
  for (const bool swapped : {false, true})
    for (const bool right : {false, true})
      for (const bool down : {false, true}) {
        if (swapped && (shifted || board.columns != board.rows)) continue;
        if (shifted && (right != down || (right && board.rows % 2 != 0))) continue;
        std::vector<cv::Point2f> order;
        for (int row = 0; row < board.rows; ++row)
          for (int column = 0; column < board.columns; ++column) {
            int x = right ? board.columns - 1 - column : column;
            int y = down ? board.rows - 1 - row : row;
            if (swapped) std::swap(x, y);
            order.push_back(
                second[static_cast<std::size_t>(y) * static_cast<std::size_t>(board.columns) +
                       static_cast<std::size_t>(x)]);
          }
        const Directions is = directions_of(order, board);
        const double agreement = is.row.dot(wanted.row) + is.column.dot(wanted.column);
        if (agreement <= most) continue;
        most = agreement;
        best = std::move(order);
      }
  return best;
}

struct BoardPose {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d position;
  double error = 0;  // RMS, focal lengths
};

/// A board's pose from one camera: two for a board that is nearly parallel to the picture, or far.
std::vector<BoardPose> poses_of(const std::vector<Eigen::Vector2d>& seen,
                                const std::vector<cv::Point3f>& places, const PixelModel& camera) {
  std::vector<cv::Point2f> directions;
  for (const Eigen::Vector2d& p : seen) {
    const Eigen::Vector2d d = camera.direction(p);
    directions.emplace_back(static_cast<float>(d.x()), static_cast<float>(d.y()));
  }
  std::vector<cv::Mat> rotations, positions;
  cv::Mat errors;
  std::vector<BoardPose> out;
  try {
    cv::solvePnPGeneric(places, directions, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), rotations,
                        positions, false, cv::SOLVEPNP_IPPE, cv::noArray(), cv::noArray(), errors);
  } catch (const cv::Exception&) {  // points on a line, or other nonsense
    return out;
  }
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    cv::Mat r;
    cv::Rodrigues(rotations[i], r);
    BoardPose pose;
    pose.error = errors.at<double>(static_cast<int>(i));
    for (int row = 0; row < 3; ++row) {
      pose.position(row) = positions[i].at<double>(row);
      for (int column = 0; column < 3; ++column)
        pose.rotation(row, column) = r.at<double>(row, column);
    }
    if (pose.rotation.allFinite() && pose.position.allFinite() && pose.position.z() > 0)
      out.push_back(pose);
  }
  return out;
}

/// A pose of the second camera that one view proposes, with the board's.
struct Proposal {
  SecondPose pose;
  BoardPose board;
  double error = 0;    // of both cameras, pixels of the second
  double penalty = 0;  // 0..1: how much worse it fits than the view's best
};

double distance_between(const SecondPose& a, const SecondPose& b, double board_m) {
  const double angle = angle_between(a.rotation, b.rotation) / 0.1;
  return std::min(1.0, angle + (a.position - b.position).norm() / (0.1 * board_m));
}

class Boards {
 public:
  Boards(std::vector<PairView> views, const Camera& first, const Camera& second, const Board& board,
         const PairBoardSettings& settings)
      : settings_{settings},
        places_{places_of(board)},
        cameras_{PixelModel{first}, PixelModel{second}} {
    out_.views = std::move(views);
    sights_.resize(out_.views.size());
    for (std::size_t i = 0; i < sights_.size(); ++i) {
      PairView& view = out_.views[i];
      view.second = in_order_of(view.first, view.second, board);
      for (const cv::Point3f& p : places_)
        sights_[i].places.emplace_back(double{p.x}, double{p.y}, double{p.z});
      for (const cv::Point2f& p : view.first)
        sights_[i].first.emplace_back(double{p.x}, double{p.y});
      for (const cv::Point2f& p : view.second)
        sights_[i].second.emplace_back(double{p.x}, double{p.y});
    }
  }

  Result<PairCalibration> run() {
    if (used() < settings_.fewest_views) return too_few(used());
    if (Status ok = start(); !ok) return ok.error();
    for (;;) {
      if (!fit()) return refused("no geometry of the two cameras fits these views");
      PairView* outlier = worst();
      if (outlier == nullptr) break;
      if (used() <= settings_.fewest_views) return too_few(used() - 1);
      outlier->used = false;
      out_.notes.push_back(fmt::format(
          "{}: dropped, its points are {:.2f} and {:.2f} px from where the other views put them",
          outlier->name, outlier->first_rms_px, outlier->second_rms_px));
    }
    if (Status ok = check_variety(); !ok) return ok.error();
    const std::optional<Matrix6> covariance = solver_.covariance(cameras_);
    if (!covariance) return refused("these views do not determine the second camera's position");
    describe_pose(solver_.pose, *covariance, out_);
    if (Status ok = check_angles(out_.pair); !ok) return ok.error();
    if (out_.pair.angle_sigma_deg > settings_.most_angle_sigma_deg)
      return refused(
          fmt::format("the angles are uncertain by {:.2f} degrees: more views, larger in "
                      "the picture, are needed",
                      out_.pair.angle_sigma_deg));
    out_.used = used();
    add_notes();
    return std::move(out_);
  }

 private:
  [[nodiscard]] int used() const {
    return static_cast<int>(
        std::ranges::count_if(out_.views, [](const PairView& v) { return v.used; }));
  }
  [[nodiscard]] Error too_few(int left) const {
    return refused(
        fmt::format("only {} pairs of pictures show the board in both; at least {} are "
                    "needed",
                    left, settings_.fewest_views));
  }

  /// The pose that most views agree with. Each view alone proposes up to four: a board that is
  /// nearly parallel to a picture may be tilted to either side.
  Status start() {
    std::vector<std::vector<Proposal>> all(sights_.size());
    std::optional<CameraPair> elsewhere;
    for (std::size_t i = 0; i < sights_.size(); ++i) {
      double least = 1e9;
      for (const BoardPose& one : poses_of(sights_[i].first, places_, cameras_.first))
        for (const BoardPose& two : poses_of(sights_[i].second, places_, cameras_.second)) {
          const Eigen::Matrix3d rotation = two.rotation * one.rotation.transpose();
          const SecondPose pose{rotation, one.position - rotation.transpose() * two.position};
          if (!check_angles(pair_of(pose))) {
            if (!elsewhere) elsewhere = pair_of(pose);
            continue;
          }
          const double error = std::hypot(one.error, two.error) * cameras_.second.focal_px();
          all[i].push_back({pose, one, error});
          least = std::min(least, error);
        }
      for (Proposal& p : all[i]) p.penalty = std::min(1.0, (p.error - least) / (least + 0.05));
    }
    const auto nearest = [&](std::size_t view, const SecondPose& pose) {
      const Proposal* best = nullptr;
      double least = 0;
      for (const Proposal& p : all[view]) {
        const double d = distance_between(p.pose, pose, p.board.position.norm()) + p.penalty;
        if (best == nullptr || d < least) {
          best = &p;
          least = d;
        }
      }
      return std::pair{best, best == nullptr ? 2.0 : least};
    };
    const Proposal* best = nullptr;
    double least = 0;
    for (const std::vector<Proposal>& view : all)
      for (const Proposal& p : view) {
        double sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) sum += nearest(i, p.pose).second;
        if (best != nullptr && sum >= least) continue;
        best = &p;
        least = sum;
      }
    if (best == nullptr && elsewhere) return check_angles(*elsewhere);
    if (best == nullptr) return refused("no view of the board has a pose in both cameras");
    solver_.pose = best->pose;
    boards_.resize(sights_.size());
    for (std::size_t i = 0; i < sights_.size(); ++i) {
      const Proposal* own = nearest(i, best->pose).first;
      if (own == nullptr) {
        out_.views[i].used = false;
        out_.notes.push_back(
            fmt::format("{}: dropped, its points are not those of a board", out_.views[i].name));
        continue;
      }
      boards_[i] = {&sights_[i], own->board.rotation, own->board.position};
    }
    return used() < settings_.fewest_views ? Status{too_few(used())} : Status{Done{}};
  }

  /// The views in use, from where they are. Three rounds: the noise of each camera's points is
  /// known only after the first.
  bool fit() {
    cameras_.first_sigma_px = cameras_.second_sigma_px = 1;
    std::vector<std::size_t> which;
    solver_.items.clear();
    for (std::size_t i = 0; i < boards_.size(); ++i)
      if (out_.views[i].used) {
        which.push_back(i);
        solver_.items.push_back(boards_[i]);
      }
    for (int round = 0; round < 3; ++round) {
      if (!solver_.solve(cameras_, 60)) return false;
      double first = 0, second = 0;
      for (std::size_t k = 0; k < which.size(); ++k) {
        double one = 0, two = 0;
        solver_.items[k].squares(solver_.pose, cameras_, one, two);
        measure(out_.views[which[k]], solver_.items[k], one, two);
        first += one;
        second += two;
      }
      const auto points = static_cast<double>(which.size() * places_.size());
      out_.first_rms_px = std::sqrt(first / points);
      out_.second_rms_px = std::sqrt(second / points);
      // Two numbers a point, less the unknowns, which both cameras share.
      const double free = 2 * points - 3.0 * static_cast<double>(which.size()) - 3;
      cameras_.first_sigma_px = std::max(std::sqrt(first / free), kLeastSigma_px);
      cameras_.second_sigma_px = std::max(std::sqrt(second / free), kLeastSigma_px);
    }
    for (std::size_t k = 0; k < which.size(); ++k) boards_[which[k]] = solver_.items[k];
    return true;
  }

  void measure(PairView& view, const BoardItem& board, double first, double second) const {
    const auto count = static_cast<double>(places_.size());
    view.first_rms_px = std::sqrt(first / count);
    view.second_rms_px = std::sqrt(second / count);
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& place : board.sight->places) middle += place / count;
    middle = board.rotation * middle + board.position;
    const Eigen::Vector3d normal = board.rotation.col(2);
    view.distance_m = middle.norm();
    view.tilt_deg = std::acos(std::min(1.0, std::abs(normal.z()))) * kDegrees;
    view.normal = {normal.x(), normal.y(), normal.z()};
    view.offset_m = normal.dot(board.position);
  }

  /// The view that fits worst in either camera, if it is so bad that it must be wrong.
  PairView* worst() {
    std::vector<double> firsts, seconds;
    for (const PairView& view : out_.views)
      if (view.used) {
        firsts.push_back(view.first_rms_px);
        seconds.push_back(view.second_rms_px);
      }
    const auto limit = [&](std::vector<double>& errors) {
      const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
      std::nth_element(errors.begin(), middle, errors.end());
      return std::max(settings_.outlier_ratio * *middle, settings_.outlier_px);
    };
    const double first = limit(firsts), second = limit(seconds);
    PairView* out = nullptr;
    double most = 1;
    for (PairView& view : out_.views) {
      const double bad = std::max(view.first_rms_px / first, view.second_rms_px / second);
      if (!view.used || bad <= most) continue;
      most = bad;
      out = &view;
    }
    return out;
  }

  /// With boards all alike, errors of the lenses and of the position cannot be told apart.
  [[nodiscard]] Status check_variety() const {
    double turn = 0, nearest = 1e9, farthest = 0;
    for (const PairView& a : out_.views) {
      if (!a.used) continue;
      nearest = std::min(nearest, a.distance_m);
      farthest = std::max(farthest, a.distance_m);
      for (const PairView& b : out_.views) {
        if (!b.used) continue;
        const double cosine =
            a.normal.x * b.normal.x + a.normal.y * b.normal.y + a.normal.z * b.normal.z;
        turn = std::max(turn, std::acos(std::clamp(std::abs(cosine), 0.0, 1.0)) * kDegrees);
      }
    }
    if (turn < settings_.least_turn_deg)
      return refused(
          fmt::format("all boards are turned alike, within {:.1f} degrees: tilt the "
                      "board to all sides",
                      turn));
    if (farthest < settings_.least_range * nearest)
      return refused(
          fmt::format("all boards are at one distance, {:.2f} to {:.2f} m: hold the "
                      "board near and far",
                      nearest, farthest));
    return Done{};
  }

  void add_notes() {
    if (out_.used < kGoodPairViews)
      out_.notes.push_back(
          fmt::format("only {} views: at least {} are recommended", out_.used, kGoodPairViews));
    for (const auto& [rms, name] :
         {std::pair{out_.first_rms_px, "first"}, std::pair{out_.second_rms_px, "second"}})
      if (rms > kGoodPairRms_px)
        out_.notes.push_back(fmt::format(
            "the points have a mean error of {:.2f} px in the {} camera: do the pictures belong "
            "together, is the board flat, is the lens that of this camera?",
            rms, name));
    if (out_.pair.angle_sigma_deg > kGoodAngleSigma_deg)
      out_.notes.push_back(
          fmt::format("the angles are uncertain by {:.2f} degrees: more views are recommended",
                      out_.pair.angle_sigma_deg));
  }

  PairBoardSettings settings_;
  std::vector<cv::Point3f> places_;
  PairCameras cameras_;
  std::vector<BoardSight> sights_;
  std::vector<BoardItem> boards_;
  PairSolver<BoardItem> solver_;
  PairCalibration out_;
};

}  // namespace

Result<PairCalibration> calibrate_pair(std::vector<PairView> views, const Camera& first,
                                       const Camera& second, const Board& board,
                                       const PairBoardSettings& settings) {
  return Boards{std::move(views), first, second, board, settings}.run();
}

}  // namespace kerb::calibrate
