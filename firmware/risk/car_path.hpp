// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "firmware/types/fields.hpp"
#include "hal/base/clock.hpp"

/// Where the car and people are going, and whether they meet. In the car's frame of firmware/track:
/// on the road below the middle of the rear axle, x forward, y to the left.
namespace kerb::risk {

struct CarShape {
  double width_m = 1.8, length_m = 4.5;
  double axle_to_bumper_m = 3.6;  ///< from the rear axle to the front
};

/// Where the car will be in a while, in its frame of now.
struct Pose {
  double x = 0, y = 0, heading = 0;  ///< of the rear axle; heading to the left, radians
  double sigma_along = 0, sigma_across = 0, sigma_heading = 0;
};

/// The car's own path: constant speed change and yaw rate, as far as both have been seen to last,
/// with doubt that grows with time. One thread at a time; allocates nothing; exact (see
/// firmware/exact).
///
/// Speed: braking is believed within a fifth of a second and goes on until the car stands, never
/// beyond; speeding up is believed slowly, and for kSpeedsUpFor at most. Turning: the bend that is
/// driven now is kept, whatever the speed, after the change of the yaw rate has run out over half a
/// second. Without a yaw rate the car goes straight on, with more doubt.
class CarPath {
 public:
  static constexpr double kHorizon = 6;  ///< seconds; after() does not look further
  static constexpr double kStep = 0.05;  ///< seconds between two Knots
  static constexpr int kKnots = 121;
  static constexpr double kSpeedsUpFor = 1.5;                        ///< seconds
  static constexpr Nanos kForgets = std::chrono::milliseconds{500};  ///< what was told so long ago

  /// A pose of the path, ready for use.
  struct Knot {
    double x = 0, y = 0, cos = 1, sin = 0;
    double speed = 0;
    double sigma_along = 0, sigma_across = 0;
  };

  /// What the car told as of `at`. Nothing told is nothing known: it ages. A time that goes back,
  /// or a gap, begins anew.
  void update(Nanos at, const ego::VehicleMotion& told) noexcept;
  /// Whether enough is known to say where the car goes: a speed, and lately.
  [[nodiscard]] bool known() const noexcept;
  [[nodiscard]] double speed_mps() const noexcept { return speed_.value_or(0); }
  [[nodiscard]] double acceleration_mps2() const noexcept { return acceleration_; }
  [[nodiscard]] double yaw_rate_radps() const noexcept { return yaw_rate_.value_or(0); }
  /// 0..kHorizon; what is beyond counts as its end.
  [[nodiscard]] Pose after(double seconds) const noexcept;
  /// How fast the car is then.
  [[nodiscard]] double speed_after(double seconds) const noexcept;
  /// The path from now on, every kStep.
  [[nodiscard]] const std::array<Knot, kKnots>& knots() const noexcept { return knots_; }
  /// No point of the car within `reach` metres of the rear axle moves faster on the whole path.
  [[nodiscard]] double fastest_mps(double reach) const noexcept {
    return fastest_ + reach * fastest_turn_;
  }
  void reset() noexcept { *this = CarPath{}; }
  /// All that it remembers, for records of warnings; see types/fields.hpp.
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

  Nanos at_{}, speed_at_{}, yaw_rate_at_{};
  std::optional<double> speed_, yaw_rate_;
  double quick_ = 0, slow_ = 0;  ///< speed's change, by two memories
  double acceleration_ = 0, yaw_acceleration_ = 0;
  double fastest_ = 0, fastest_turn_ = 0;
  std::array<Knot, kKnots> knots_{};
  std::array<double, kKnots> headings_{};
};

}  // namespace kerb::risk
