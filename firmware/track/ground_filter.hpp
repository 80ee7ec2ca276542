// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Core>

#include "firmware/lens/camera_axes.hpp"
#include "firmware/track/filter_settings.hpp"
#include "firmware/types/fields.hpp"

namespace kerb::track {

/// The car's own motion from one frame to the next.
struct Travelled {
  double seconds = 0;
  double speed_mps = 0;
  double yaw_rate = 0, yaw_rate_sigma = 0;  ///< to the left, rad/s
  bool speed_known = false;
};

/// A box as the filter wants it: in the picture without distortion.
struct SeenBox {
  double column = 0, foot = 0, head = 0;  ///< its middle, its lower edge, its upper one
  double column_sigma = 1, foot_sigma = 1, head_sigma = 1;  ///< pixels; kUnknown: tells nothing
  int rows = 3;                                             ///< how many tell something
  static constexpr double kUnknown = 1e6;
};

/// Where somebody stands and how they move: an extended Kalman filter on the road. The state is
/// place (x, y), velocity over ground (vx, vy), the person's height, and how far the camera's pitch
/// is from the mounting's: that error is in both of a box's edges alike, and the same from frame to
/// frame, so it must not be averaged away. One thread; allocates nothing; exact.
class GroundFilter {
 public:
  static constexpr int kSize = 6;
  static constexpr int kX = 0, kY = 1, kVx = 2, kVy = 3, kHeight = 4, kPitch = 5;
  using State = Eigen::Matrix<double, kSize, 1>;
  using Covariance = Eigen::Matrix<double, kSize, kSize>;
  using Measured = Eigen::Matrix<double, 3, 1>;  ///< column, foot, head
  using Spread = Eigen::Matrix<double, 3, 3>;

  /// What the state says a box would be, and how surely.
  struct Expected {
    bool in_front = false;  ///< else nothing below is of meaning
    Measured box = Measured::Zero();
    Spread spread = Spread::Zero();  ///< of the box where this person is, without a box's jitter
  };

  /// Begins with a box. False: no place on the road explains it.
  bool begin(const Camera& camera, const FilterSettings& settings, const HeightPrior& height,
             const SeenBox& box, double pitch, double pitch_sigma, bool speed_known);
  /// Time passes and the car moves on.
  void predict(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  /// The picture told the pitch (above the mounting's). As one message of many that err alike: it
  /// never makes the pitch better known than `sigma`.
  void see_pitch(double pitch, double sigma);
  [[nodiscard]] Expected expect(const Camera& camera) const;
  /// A box of this person. One that is far off counts less.
  void see_box(const Camera& camera, const SeenBox& box);
  /// How the picture moved where the person was. `dx` in the picture without distortion. Counts
  /// less where box after box lies to the same side of where it led: a litter bin has few vectors
  /// of its own, and those of the trees behind it say that it comes nearer to the car's way.
  void see_flow(const Camera& camera, const FilterSettings& settings, const Travelled& way,
                double dx, double dx_sigma, double growth, double growth_sigma);

  [[nodiscard]] bool is_finite() const;
  /// How badly the last box fitted: after begin(), how badly its size and place fit a person who
  /// stands on the road; later, what was expected. Squares of standard deviations.
  [[nodiscard]] double strain() const noexcept { return strain_; }
  /// The logarithm of how likely the last box or flow was, but for a constant.
  [[nodiscard]] double log_fit() const noexcept { return log_fit_; }
  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] const Covariance& covariance() const noexcept { return covariance_; }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, GroundFilter>& object);  // state_fields.hpp
  bool update(const Camera& camera, const SeenBox& box, int rounds, double far_off);
  void widen_place(const Camera& camera, const SeenBox& box, const Measured& expected);
  void widen_speed(const FilterSettings& settings, bool speed_known);
  void tidy();

  State state_ = State::Zero();
  Covariance covariance_ = Covariance::Identity();
  double strain_ = 0, log_fit_ = 0;
  double away_ = 0;  // by how much boxes lie to one side of what was expected, of late; sigmas
  bool speed_known_ = false;
  bool larger_ = false;  // the box before was much larger than expected
};

/// The square of the distance of a box from what is expected, in standard deviations, and how much
/// wider than a box's jitter their spread is: the logarithm of the ratio of their determinants.
struct Distance {
  double squared = 0, log_spread = 0;
};
[[nodiscard]] Distance distance_of(const GroundFilter::Expected& expected, const SeenBox& box);

}  // namespace kerb::track
