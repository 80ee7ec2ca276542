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
  double noise_share = 0.02;  ///< and of its length: what grows and turns is followed less well
  double nearest_m = 2;       ///< nothing that stands is seen nearer than this
  double slope_rad = 0.01;    ///< so far the road ahead may rise above flat
  double aim_tolerance_rad = 0.14;  ///< so far the focus of expansion may be from where it should
  double stands_below_mps = 0.05;   ///< a slower car stands
  int min_points = 24;
  double min_inlier_share = 0.3;
  int hypotheses = 160;          ///< motions tried each frame
  double significance = 4;       ///< standard deviations from which something moves by itself
  double walking_mps = 1;        ///< the slowest walk that has to be noticed
  double person_height_m = 1.7;  ///< for the distance of a region: an error of a tenth is one there
};

/// Finds the camera's own motion in a field of motion vectors, most of which may lie on things that
/// move, and what of each vector it leaves unexplained. Tries many motions through few points each
/// (drawn the same way every time), keeps the one most points agree with, and refines it; the car's
/// speed and yaw rate, the mounting and the frame before say what is likely. One thread at a time;
/// allocates only when made; its time depends on the number of points alone.
///
/// What it cannot see: who moves along the line from the focus of expansion as a nearer or farther
/// thing that stands would. So somebody who comes straight towards the car, or walks ahead of it
/// with his feet hidden, may count as standing or unknown.
class EgoEstimator {
 public:
  EgoEstimator(const Camera& camera, const EgoSettings& settings);

  /// The motion from the frame before to this one, `interval` apart. Points within `suspects`,
  /// people say, are judged but not asked.
  const EgoMotion& update(const MotionField& field, Nanos interval, const VehicleMotion& vehicle,
                          std::span<const Region> suspects = {});
  /// After a gap: what the frames before said counts for nothing.
  void reset() noexcept;

  /// So much time went by unseen, on the same drive: what was learned stays, with more doubt.
  void pass(Nanos time) noexcept;

  [[nodiscard]] const EgoMotion& motion() const noexcept { return motion_; }
  /// Of the last field, in its order; empty unless the motion is valid.
  [[nodiscard]] std::span<const PointResidual> residuals() const noexcept {
    return {residuals_.data(), motion_.state == EgoState::valid ? count_ : 0};
  }
  /// What a thing that stands on the road with its feet at the region's lower edge does by itself.
  /// Looks at the inner part, where a person is not mixed with what is behind.
  [[nodiscard]] RegionMotion region(const Region& seen_box);
  [[nodiscard]] const Camera& camera() const noexcept { return camera_; }
  /// From the camera's pixels, which fields and regions are given in, to those of what it tells.
  [[nodiscard]] const Rectifier& straightener() const noexcept { return straight_; }

 private:
  static constexpr std::size_t kUnknowns = 5;  // rotation about x, y, z; focus of expansion x, y
  using Vector = std::array<double, kUnknowns>;

  struct Point {
    double x, y;    // before, from the camera's centre
    double x2, y2;  // now
    double sigma;
  };
  /// One guess: the rotation, and the focus of expansion from the camera's centre.
  struct Guess {
    std::array<double, 3> w{};
    Rotation r{};
    Vec2 foe;
    double cost = 0;
  };
  /// What is likely before looking.
  struct Prior {
    Vector mean{}, sigma{};
    Vector limit{};            // how far from the mean a guess may go
    double weight = 1;         // against the points
    Vec2 foe_center;           // the focus as the mounting and the bend put it
    double bend_shift = 0;     // of that, the bend's part
    double way_m = 0;          // travelled, positive; 0: not known
    double most_outwards = 0;  // limit of d.z / (Z - d.z)
    [[nodiscard]] double low(std::size_t i) const noexcept { return mean[i] - limit[i]; }
    [[nodiscard]] double high(std::size_t i) const noexcept { return mean[i] + limit[i]; }
  };
  /// What is found when so much of what the car tells is believed.
  struct Attempt {
    VehicleMotion believed;
    Prior prior;
    Travel travel = Travel::none;
    Guess guess;
    Normal<kUnknowns> factor;
    double share = 0;    // of the points, explained
    bool found = false;  // enough of them
  };
  struct Seen;  // one point under one guess

  void take_points(const MotionField& field, std::span<const Region> suspects);
  [[nodiscard]] Prior prior_of(const VehicleMotion& vehicle, double dt) const noexcept;
  [[nodiscard]] Seen see(const Point& p, const Guess& g, Travel travel, double most) const noexcept;
  [[nodiscard]] View view_of(const Guess& g, double most) const noexcept;
  /// The points that are asked, and of them those that rank guesses, number by number.
  void fill_columns() noexcept;
  /// By those that rank. Infinite where it is more than `limit`.
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
  /// Whether what the car tells may be what keeps the points from agreeing.
  [[nodiscard]] static bool is_pulled(const Attempt& told) noexcept;
  [[nodiscard]] bool doubts_yaw(const Attempt& told) const noexcept;
  [[nodiscard]] bool doubts_speed(const Attempt& told) const noexcept;
  /// Looks again as if the car had not told what is doubted. Keeps it where that explains clearly
  /// more, and what was explained before as well.
  void look_again(const VehicleMotion& vehicle, double dt, Attempt& best) noexcept;
  [[nodiscard]] bool is_clearly_better(const Attempt& now, const Attempt& told,
                                       double dt) const noexcept;
  Travel decide_travel(const Prior& prior, Guess& best) noexcept;
  double measure_noise(const Guess& g, const Prior& prior, Travel travel) noexcept;
  void follow_horizon(const Guess* g, Travel travel, double dt) noexcept;
  void fill_residuals(const Prior& prior) noexcept;
  [[nodiscard]] double variance_across(const Point& p, const Seen& seen) const noexcept;
  [[nodiscard]] double variance_along(const Point& p, const Seen& seen) const noexcept;
  [[nodiscard]] double least_outwards(double row) const noexcept;
  /// How far outwards a thing moves that stands there.
  struct Outwards {
    double value = 0, sigma = 0;
    bool known = false;  // false: as seen, within what any distance allows
  };
  [[nodiscard]] Outwards outwards_of(const Region& box, const Point& middle,
                                     double seen) const noexcept;
  std::size_t choose_inside(const Region& box) noexcept;
  [[nodiscard]] bool moves(const PointResidual& r, double walk) const noexcept;
  bool moves_together(std::size_t n, double walk, RegionMotion& out) noexcept;

  Camera camera_;
  Rectifier straight_;
  EgoSettings settings_;
  EgoMotion motion_;

  // Of the last field.
  std::vector<Point> points_;
  std::vector<Point> asked_;  // of these, those that tell the camera's motion
  Columns all_, some_;        // of the asked: all, and every stride_-th
  std::size_t stride_ = 1;
  std::vector<PointResidual> residuals_;
  std::vector<double> scratch_, scratch2_;
  std::vector<std::uint32_t> chosen_;
  std::size_t count_ = 0, used_ = 0;
  Guess guess_;
  Prior prior_;
  Normal<kUnknowns> factor_;  // of the information matrix, so that covariances can be had
  double noise_ = 1;          // of the points, in their own sigmas
  double dt_ = 0;

  // Carried from frame to frame.
  Vec2 foe_offset_{};  // from where the mounting and the bend put it
  Vec2 foe_variance_{};
  double horizon_ = 0, horizon_variance_ = 0;
  bool travelled_ = false, yaw_was_wrong_ = false;
  int speed_doubted_ = 0;  // frames in a row
};

}  // namespace kerb::ego
