// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "firmware/risk/car_way.hpp"
#include "firmware/risk/turn.hpp"
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
  double yaw_sigma_radps = 0;  ///< 0: as usual, by the settings
  TurnOutlook turn;
  double speed_sigma_mps = 0;  ///< of a speed that is held; 0: as usual
};

/// The car's predicted path: acceleration and yaw rate continue as measured, with standard
/// deviations that grow with time. A bend may also end: kBendEnds ways straighten sooner or later,
/// with the probability that a bend ends by then. Where the indicator tells of a turn, that is one
/// of several ways, each with its probability: see turn.hpp. One thread at a time; allocates
/// nothing; exact (see firmware/exact).
///
/// Yaw rate: of the sensor, the steering and the road's flow, by their uncertainty; see
/// yaw_rate.hpp.
///
/// Speed: braking is followed within a fifth of a second and continues until the car stands;
/// speeding up is followed slowly, and continues for kSpeedsUpFor_s at most. Turning: the change of
/// the yaw rate fades out over half a second; the curvature of the bend is then kept at any speed.
/// Without a yaw rate the path is straight, with larger standard deviations.
class CarPath {
 public:
  static constexpr double kHorizon_s = CarWay::kHorizon_s;  ///< after() does not look further
  static constexpr double kStep_s = CarWay::kStep_s;        ///< between two knots
  static constexpr int kKnots = CarWay::kKnots;
  static constexpr double kSpeedsUpFor_s = 1.5;
  static constexpr int kBendEnds = 3;
  static constexpr Nanos kStaleAfter = std::chrono::milliseconds{500};  ///< age of a signal

  CarPath() = default;
  explicit CarPath(const PathSettings& settings) noexcept : settings_{settings} {}

  using Knot = PathKnot;

  /// The signals as of `at`, and the yaw rate by the road's flow. A missing signal leaves the last
  /// one, which becomes stale. After a time that goes back, or a gap, it starts anew.
  void update(Nanos at, const ego::VehicleMotion& reported,
              std::optional<double> flow_yaw_radps = {}) noexcept;
  [[nodiscard]] CarMotion motion() const noexcept;
  /// The path that another one with the same settings had when its motion() was this.
  void set(Nanos at, const CarMotion& motion) noexcept;
  /// Whether the path is known: there is a speed that is not stale.
  [[nodiscard]] bool known() const noexcept;
  [[nodiscard]] double speed_mps() const noexcept { return speed_.value_or(0); }
  [[nodiscard]] double acceleration_mps2() const noexcept { return acceleration_; }
  [[nodiscard]] double yaw_rate_radps() const noexcept { return yaw_rate_.value_or(0); }
  /// Every way the car may take: first the one on which it goes on as it moves now, then those on
  /// which the bend ends, or those of the turn, where one is signalled.
  [[nodiscard]] std::span<const CarWay> ways() const noexcept {
    return std::span{ways_}.first(count_);
  }

  // Where the car goes on as it moves now:
  /// The pose after 0..kHorizon_s; later times are clamped.
  [[nodiscard]] Pose after(double seconds) const noexcept;
  /// The car's speed after that time.
  [[nodiscard]] double speed_after(double seconds) const noexcept;
  /// The path from now on, every kStep_s.
  [[nodiscard]] const std::array<Knot, kKnots>& knots() const noexcept { return ways_[0].knots; }
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
  void take_flow(Nanos at, double dt, std::optional<double> flow,
                 const ego::VehicleMotion& reported) noexcept;
  void accelerate() noexcept;
  [[nodiscard]] TurnStart turn_start() const noexcept;
  void plan() noexcept;
  [[nodiscard]] double yaw_change() const noexcept;
  [[nodiscard]] double yaw_rate_after(double seconds) const noexcept;
  [[nodiscard]] double turning(double seconds) const noexcept;
  [[nodiscard]] Pose step(const Pose& from, double begin, double end,
                          double bend_ends_s = kForever_s) const noexcept;
  void plan_way(double bend_ends_s, CarWay& way, std::array<double, kKnots>* headings) noexcept;
  void plan_bend_ends() noexcept;

  static constexpr double kForever_s = 1e3;

  PathSettings settings_;
  Nanos at_{}, speed_at_{}, yaw_rate_at_{}, flow_at_{};
  std::optional<double> speed_, yaw_rate_;
  std::optional<double> flow_yaw_;  ///< filtered
  double contradicted_s_ = 0;       ///< for this long the flow has contradicted the yaw rate sensor
  double yaw_sigma_ = 0;
  double speed_sigma_ = 0;      ///< of a speed that is held
  double fast_ = 0, slow_ = 0;  ///< change of the speed through a fast and a slow filter, m/s^2
  double acceleration_ = 0, yaw_acceleration_ = 0;
  TurnEstimator turn_;
  std::size_t count_ = 1;  ///< of the ways
  std::array<CarWay, 1 + std::max(kTurnWays, kBendEnds)> ways_{};
  std::array<double, kKnots> headings_{};  ///< of the first way
};

}  // namespace kerb::risk
