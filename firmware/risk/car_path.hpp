// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/risk_settings.hpp"
#include "hal/base/clock.hpp"

/// Predicts the paths of the car and of people, and whether they touch. In the car's axes as in
/// firmware/track: origin on the road below the middle of the rear axle, x forward, y to the left.
namespace kerb::risk {

struct CarShape {
  double width_m = 1.8, length_m = 4.5;
  double axle_to_bumper_m = 3.6;  ///< from the rear axle to the front
};

/// A predicted place of the car, in its present axes.
struct Pose {
  double x = 0, y = 0, heading = 0;  ///< of the rear axle; heading to the left, radians
  double sigma_along = 0, sigma_across = 0, sigma_heading = 0;
};

/// How the car moves now: all that its path follows from, beside the settings.
struct CarMotion {
  std::optional<double> speed_mps, yaw_rate_radps;
  double acceleration_mps2 = 0, yaw_acceleration_radps2 = 0;
};

/// The car's predicted path: acceleration and yaw rate continue as measured, with standard
/// deviations that grow with time. One thread at a time; allocates nothing; exact (see
/// firmware/exact).
///
/// Speed: braking is followed within a fifth of a second and continues until the car stands;
/// speeding up is followed slowly, and continues for kSpeedsUpFor_s at most. Turning: the change of
/// the yaw rate fades out over half a second; the curvature of the bend is then kept at any speed.
/// Without a yaw rate the path is straight, with larger standard deviations.
class CarPath {
 public:
  static constexpr double kHorizon_s = 6;  ///< after() does not look further
  static constexpr double kStep_s = 0.05;  ///< between two Knots
  static constexpr int kKnots = 121;
  static constexpr double kSpeedsUpFor_s = 1.5;
  static constexpr Nanos kStaleAfter = std::chrono::milliseconds{500};  ///< age of a signal

  CarPath() = default;
  explicit CarPath(const PathSettings& settings) noexcept : settings_{settings} {}

  /// A pose of the path, ready for use.
  struct Knot {
    double x = 0, y = 0, cos = 1, sin = 0;
    double speed = 0;
    double sigma_along = 0, sigma_across = 0;
  };

  /// The signals as of `at`. A missing signal leaves the last one, which becomes stale. After a
  /// time that goes back, or a gap, it starts anew.
  void update(Nanos at, const ego::VehicleMotion& reported) noexcept;
  [[nodiscard]] CarMotion motion() const noexcept;
  /// The path that another one with the same settings had when its motion() was this.
  void set(Nanos at, const CarMotion& motion) noexcept;
  /// Whether the path is known: there is a speed that is not stale.
  [[nodiscard]] bool known() const noexcept;
  [[nodiscard]] double speed_mps() const noexcept { return speed_.value_or(0); }
  [[nodiscard]] double acceleration_mps2() const noexcept { return acceleration_; }
  [[nodiscard]] double yaw_rate_radps() const noexcept { return yaw_rate_.value_or(0); }
  /// The pose after 0..kHorizon_s; later times are clamped.
  [[nodiscard]] Pose after(double seconds) const noexcept;
  /// The car's speed after that time.
  [[nodiscard]] double speed_after(double seconds) const noexcept;
  /// The path from now on, every kStep_s.
  [[nodiscard]] const std::array<Knot, kKnots>& knots() const noexcept { return knots_; }
  /// Upper bound of the speed of any point within `reach` metres of the rear axle, on the whole
  /// path.
  [[nodiscard]] double fastest_mps(double reach) const noexcept {
    return fastest_ + reach * fastest_turn_;
  }
  void reset() noexcept { *this = CarPath{settings_}; }
  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  template <typename F, typename Self>
  static void list(F& f, Self& s);
  void take_speed(Nanos at, double speed) noexcept;
  void take_yaw_rate(Nanos at, double yaw_rate) noexcept;
  void plan() noexcept;
  [[nodiscard]] double driven(double seconds) const noexcept;
  [[nodiscard]] double turning(double seconds) const noexcept;
  [[nodiscard]] Pose step(const Pose& from, double begin, double end) const noexcept;

  PathSettings settings_;
  Nanos at_{}, speed_at_{}, yaw_rate_at_{};
  std::optional<double> speed_, yaw_rate_;
  double fast_ = 0, slow_ = 0;  ///< change of the speed through a fast and a slow filter, m/s^2
  double acceleration_ = 0, yaw_acceleration_ = 0;
  double fastest_ = 0, fastest_turn_ = 0;
  std::array<Knot, kKnots> knots_{};
  std::array<double, kKnots> headings_{};
};

}  // namespace kerb::risk
