// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Core>

#include "firmware/lens/camera_axes.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/tracker_settings.hpp"

namespace kerb::track {

/// The car's own motion from one frame to the next.
struct Travelled {
  double seconds = 0;
  double speed_mps = 0;
  double yaw_rate = 0, yaw_rate_sigma = 0;  ///< to the left, rad/s
  bool speed_known = false;
};

/// A box as the filter takes it: in the picture without distortion, pixels.
struct SeenBox {
  double column = 0, foot = 0, head = 0;  ///< its middle, its lower edge, its upper edge
  double column_sigma = 1, foot_sigma = 1, head_sigma = 1;  ///< kUnknown: not measured
  int rows = 3;                                             ///< how many are measured
  static constexpr double kUnknown = 1e6;
};

/// Makes the standard deviations larger by this factor.
inline void widen(SeenBox& box, double factor) noexcept {
  box.column_sigma *= factor;
  box.foot_sigma *= factor;
  box.head_sigma *= factor;
}

/// Turns image boxes into a position and velocity in metres: an extended Kalman filter on the road.
/// The state is position (x, y), velocity over ground (vx, vy), the person's height, the difference
/// of the camera's pitch from the mounting's, and the height above the road of the ground below the
/// feet. The pitch shifts both edges of a box alike and persists from frame to frame, so it must be
/// estimated, not averaged away. The ground does so too: somebody on a kerb of 0.1 m, seen from
/// 1.3 m, would be placed 8 % too far away if it were the road. One thread; allocates nothing;
/// exact.
class GroundFilter {
 public:
  static constexpr int kSize = 7;
  static constexpr int kX = 0, kY = 1, kVx = 2, kVy = 3, kHeight = 4, kPitch = 5, kGround = 6;
  using State = Eigen::Matrix<double, kSize, 1>;
  using Covariance = Eigen::Matrix<double, kSize, kSize>;
  using Measured = Eigen::Matrix<double, 3, 1>;  ///< column, foot, head
  using Spread = Eigen::Matrix<double, 3, 3>;

  /// The box that the state predicts, and its covariance.
  struct Expected {
    bool in_front = false;  ///< false: the rest has no meaning
    Measured box = Measured::Zero();
    Spread spread = Spread::Zero();  ///< covariance, without the detector's jitter
  };

  /// Starts with a box. False: no place on the road explains it.
  bool begin(const Camera& camera, const FilterSettings& settings, const HeightPrior& height,
             const SeenBox& box, double pitch, double pitch_sigma, bool speed_known);
  /// The prediction step: time passes and the car moves on.
  void predict(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  /// The same for a person who stands: after stop().
  void predict_standing(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  /// From now on the person stands: no velocity, and no doubt of that.
  void stop();
  /// From now on the person may walk: the velocity is not known.
  void start(const FilterSettings& settings);
  /// Becomes the normal distribution of a mixture of both, with this share of the other.
  void mix(const GroundFilter& other, double share);
  /// A pitch measured in the picture (above the mounting's). Its errors persist, so it never makes
  /// the pitch better known than `sigma`.
  void see_pitch(double pitch, double sigma);
  [[nodiscard]] Expected expect(const Camera& camera) const;
  /// A box of this person. An outlier counts less.
  void see_box(const Camera& camera, const FilterSettings& settings, const SeenBox& box);
  /// Flow at the person's place. `dx` in the picture without distortion. Counts less where box
  /// after box lies to the same side of where the flow led: a litter bin has few vectors of its
  /// own, and those of the trees behind it make it seem to approach the car's path.
  void see_flow(const Camera& camera, const FilterSettings& settings, const Travelled& way,
                double dx, double dx_sigma, double growth, double growth_sigma);

  [[nodiscard]] bool is_finite() const;
  /// Misfit of the last box in squared standard deviations: after begin(), of its size and place
  /// against a person who stands on the road; later, against the expected box.
  [[nodiscard]] double strain() const noexcept { return strain_; }
  /// Log-likelihood of the last box or flow, up to a constant.
  [[nodiscard]] double log_fit() const noexcept { return log_fit_; }
  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] const Covariance& covariance() const noexcept { return covariance_; }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, GroundFilter>& object);  // state_fields.hpp
  bool update(const Camera& camera, const OutlierSettings& settings, const SeenBox& box, int rounds,
              double far_off);
  void widen_place(const Camera& camera, const SeenBox& box, const Measured& expected);
  void move(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  void widen_speed(const FilterSettings& settings, bool speed_known);
  void symmetrise();

  State state_ = State::Zero();
  Covariance covariance_ = Covariance::Identity();
  double strain_ = 0, log_fit_ = 0;
  double drift_ = 0;  // running mean of the boxes' offset to one side, standard deviations
  bool speed_known_ = false;
  bool larger_ = false;  // the previous box was much larger than expected
};

/// Mahalanobis distance of a box from the expected one, squared, and the logarithm of the ratio of
/// the determinants of their common covariance and of the box's jitter.
struct Distance {
  double squared = 0, log_spread = 0;
};
[[nodiscard]] Distance distance_of(const GroundFilter::Expected& expected, const SeenBox& box);

}  // namespace kerb::track
