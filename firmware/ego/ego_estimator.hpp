// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/ego/columns.hpp"
#include "firmware/ego/geometry.hpp"
#include "firmware/ego/rectifier.hpp"
#include "firmware/types/ego_motion.hpp"
#include "hal/base/clock.hpp"
#include "hal/motion.hpp"

namespace kerb::ego {

struct EgoSettings {
  double noise_px = 0.25;     ///< standard deviation of a clear corner's motion, across and along
  double noise_share = 0.02;  ///< and the part of it that grows with the vector's length
  double nearest_m = 2;       ///< nearest distance of standing objects in the picture
  double slope_rad = 0.01;    ///< largest rise of the road ahead
  double aim_tolerance_rad = 0.14;  ///< largest angle of the focus of expansion from the mounting's
  double stands_below_mps = 0.05;   ///< a slower car stands
  int min_points = 24;              ///< fewer: too_few_points
  double min_inlier_share = 0.3;    ///< a smaller share of explained points: no_consensus
  int hypotheses = 160;          ///< motions tried each frame; more: slower, and finds the motion
                                 ///< among more moving objects
  double significance = 4;       ///< standard deviations from which an object moves by itself;
                                 ///< higher: fewer moving objects, fewer errors
  double walking_mps = 1;        ///< the slowest walk that must be measurable
  double person_height_m = 1.7;  ///< gives a region's distance; both err by the same share
};

/// Finds the camera's own motion in a field of motion vectors, most of which may lie on moving
/// objects, and the part of each vector that this motion does not explain. Tries many motions
/// through a few points each (drawn the same way every time), keeps the one that most points agree
/// with, and refines it. The car's speed and yaw rate, the mounting and the previous frame say what
/// is likely. One thread at a time; allocates only when constructed; its time depends on the number
/// of points alone.
///
/// Limit: a person who moves along the line from the focus of expansion looks like a nearer or
/// farther standing object. So a person who comes straight towards the car, or walks ahead of it
/// with hidden feet, may be reported as standing or unknown.
class EgoEstimator {
 public:
  EgoEstimator(const Camera& camera, const EgoSettings& settings);

  /// The motion from the previous frame to this one, `interval` apart. Points within `suspects`
  /// (people's boxes) get a residual, but do not take part in the estimate.
  const EgoMotion& update(const MotionField& field, Nanos interval, const VehicleMotion& vehicle,
                          std::span<const Region> suspects = {});
  /// After a gap: forgets what earlier frames said.
  void reset() noexcept;

  /// `time` passed without a measurement, on the same drive: what was learned stays, with larger
  /// variances.
  void pass(Nanos time) noexcept;

  [[nodiscard]] const EgoMotion& motion() const noexcept { return motion_; }
  /// Of the last field, in its order; empty unless the motion is valid.
  [[nodiscard]] std::span<const PointResidual> residuals() const noexcept {
    return {residuals_.data(), motion_.state == EgoState::valid ? count_ : 0};
  }
  /// The own motion of an object that stands on the road with its feet at the region's lower edge.
  /// Uses the inner part, where a person is not mixed with the background.
  [[nodiscard]] RegionMotion region(const Region& seen_box);
  [[nodiscard]] const Camera& camera() const noexcept { return camera_; }
  /// From the camera's pixels, in which fields and regions are given, to those of the results.
  [[nodiscard]] const Rectifier& rectifier() const noexcept { return rectifier_; }

 private:
  static constexpr std::size_t kUnknowns = 5;  // rotation about x, y, z; focus of expansion x, y
  using Vector = std::array<double, kUnknowns>;

  struct Point {
    double x, y;    // before, from the camera's centre
    double x2, y2;  // now
    double sigma;
  };
  /// One hypothesis: the rotation, and the focus of expansion from the camera's centre.
  struct Guess {
    std::array<double, 3> w{};
    Rotation r{};
    Vec2 foe;
    double cost = 0;
  };
  /// What is likely before the points are used.
  struct Prior {
    Vector mean{}, sigma{};
    Vector limit{};                // largest distance of a hypothesis from the mean
    double weight = 1;             // against the points
    Vec2 foe_center;               // the focus as mounting and bend put it
    double bend_shift = 0;         // the bend's part of it
    double travelled_m = 0;        // between the frames, positive; 0: not known
    double max_outward_share = 0;  // limit of d.z / (Z - d.z)
    [[nodiscard]] double low(std::size_t i) const noexcept { return mean[i] - limit[i]; }
    [[nodiscard]] double high(std::size_t i) const noexcept { return mean[i] + limit[i]; }
  };
  /// The result when these of the reported signals are used.
  struct Attempt {
    VehicleMotion believed;
    Prior prior;
    Travel travel = Travel::none;
    Guess guess;
    Normal<kUnknowns> factor;
    double share = 0;    // of the points that it explains
    bool found = false;  // the share is large enough
  };
  struct PointFit;  // one point under one hypothesis

  void take_points(const MotionField& field, std::span<const Region> suspects);
  [[nodiscard]] Prior prior_of(const VehicleMotion& vehicle, double dt) const noexcept;
  [[nodiscard]] PointFit fit(const Point& p, const Guess& g, Travel travel,
                             double max_outward_share) const noexcept;
  [[nodiscard]] MotionModel model_of(const Guess& g, double max_outward_share) const noexcept;
  /// Copies the used points, and those of them that rank hypotheses, into columns.
  void fill_columns() noexcept;
  /// By the ranking points. Infinite where it is more than `limit`.
  [[nodiscard]] double cost_of(const Guess& g, const Prior& prior, Travel travel,
                               double limit) const noexcept;
  void accumulate(const Point& p, const Guess& g, const Prior& prior, Travel travel, double scale,
                  Normal<kUnknowns>& normal) const noexcept;
  void accumulate(const Columns& points, const Guess& g, const Prior& prior, Travel travel,
                  double scale, Normal<kUnknowns>& normal) const noexcept;
  bool step(Guess& g, const Prior& prior, Normal<kUnknowns>& normal) const noexcept;
  bool refine(Guess& g, const Prior& prior, Travel travel, int rounds, const Columns& points,
              Normal<kUnknowns>* last) const noexcept;
  Guess search(const Prior& prior, Travel travel) noexcept;
  [[nodiscard]] bool explains(const Point& p, const Guess& g, const Prior& prior,
                              Travel travel) const noexcept;
  double inlier_share(const Guess& g, const Prior& prior, Travel travel) const noexcept;
  [[nodiscard]] Attempt attempt(const VehicleMotion& vehicle, double dt) noexcept;
  /// Whether a wrong signal of the car may keep the points from agreeing.
  [[nodiscard]] static bool is_pulled(const Attempt& reported) noexcept;
  [[nodiscard]] bool doubts_yaw(const Attempt& reported) const noexcept;
  [[nodiscard]] bool doubts_speed(const Attempt& reported) const noexcept;
  /// Tries again without the doubted signals. Keeps the result where it explains clearly more, and
  /// also what was explained before.
  void recheck_vehicle(const VehicleMotion& vehicle, double dt, Attempt& best) noexcept;
  [[nodiscard]] bool is_clearly_better(const Attempt& now, const Attempt& reported,
                                       double dt) const noexcept;
  Travel decide_travel(const Prior& prior, Guess& best) noexcept;
  double measure_noise(const Guess& g, const Prior& prior, Travel travel) noexcept;
  void update_horizon(const Guess* g, Travel travel, double dt) noexcept;
  void fill_residuals(const Prior& prior) noexcept;
  [[nodiscard]] double variance_across(const Point& p, const PointFit& fit) const noexcept;
  [[nodiscard]] double variance_along(const Point& p, const PointFit& fit) const noexcept;
  [[nodiscard]] double min_outward_share(double row) const noexcept;
  /// How far outwards a standing object there moves, as a share of its distance from the focus.
  struct Outwards {
    double value = 0, sigma = 0;
    bool known = false;  // false: as measured, within what any distance allows
  };
  [[nodiscard]] Outwards outwards_of(const Region& box, const Point& middle,
                                     double measured) const noexcept;
  std::size_t choose_inside(const Region& box) noexcept;
  [[nodiscard]] bool moves(const PointResidual& r, double walk) const noexcept;
  bool moves_together(std::size_t n, double walk, RegionMotion& out) noexcept;

  Camera camera_;
  Rectifier rectifier_;
  EgoSettings settings_;
  EgoMotion motion_;

  // Of the last field.
  std::vector<Point> points_;
  std::vector<Point> used_points_;  // those of them that the estimate uses
  Columns all_, ranking_;           // all used points, and every stride_-th of them
  std::size_t stride_ = 1;
  std::vector<PointResidual> residuals_;
  std::vector<double> scratch_, scratch2_;
  std::vector<std::uint32_t> chosen_;
  std::size_t count_ = 0, used_ = 0;
  Guess guess_;
  Prior prior_;
  Normal<kUnknowns> factor_;  // of the information matrix: gives covariances
  double noise_ = 1;          // of the points, as a factor on their sigmas
  double dt_ = 0;

  // Carried from frame to frame.
  Vec2 foe_offset_{};  // from where mounting and bend put it
  Vec2 foe_variance_{};
  double horizon_ = 0, horizon_variance_ = 0;
  bool travelled_ = false, yaw_was_wrong_ = false;
  int speed_doubted_ = 0;  // frames in a row
};

}  // namespace kerb::ego
