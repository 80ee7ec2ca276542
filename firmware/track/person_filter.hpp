// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "firmware/track/ground_filter.hpp"
#include "firmware/track/image_pattern.hpp"

namespace kerb::track {

/// The position of a person, who may be an adult or a child, and may stand or walk: one filter for
/// each combination, weighed by how well boxes and flow fit.
///
/// A child of 1.15 m taken for an adult is placed half as far again as it is, until it is near;
/// feet and size together tell them apart. What stands has no velocity: the way in which it moves
/// through the picture as the car drives by then tells its distance. For one who walks the same
/// motion is velocity. The ratio of the two hypotheses' evidence over time is the belief that the
/// person walks. From frame to frame a few of those who stand begin to walk, and the other way
/// round (an interacting multiple model, Blom and Bar-Shalom 1988), so that a change is recognised
/// as soon as it shows. Where the car's speed is not known nobody is known to stand.
/// One thread; allocates nothing; exact.
class PersonFilter {
 public:
  using State = GroundFilter::State;
  using Covariance = GroundFilter::Covariance;
  /// A normal distribution.
  struct Estimate {
    State state = State::Zero();
    Covariance covariance = Covariance::Identity();
  };

  /// These are as GroundFilter's.
  bool begin(const Camera& camera, const FilterSettings& settings, const SeenBox& box, double pitch,
             double pitch_sigma, bool speed_known);
  void predict(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  void see_pitch(double pitch, double sigma);
  [[nodiscard]] GroundFilter::Expected expect(const Camera& camera) const;
  void see_box(const Camera& camera, const FilterSettings& settings, const SeenBox& box);
  void see_flow(const Camera& camera, const FilterSettings& settings, const Travelled& way,
                double dx, double dx_sigma, double growth, double growth_sigma);

  /// Distance of the height and pitch that explain the boxes from their priors: squared standard
  /// deviations, less the two that are usual.
  [[nodiscard]] double implausible(const FilterSettings& settings, double pitch,
                                   double pitch_sigma) const;
  [[nodiscard]] bool is_finite() const;
  [[nodiscard]] double child_share() const noexcept {
    return weight_[index(kChild, kStands)] + weight_[index(kChild, kWalks)];
  }
  /// The probability that they walk.
  [[nodiscard]] double walks() const noexcept {
    return weight_[index(kAdult, kWalks)] + weight_[index(kChild, kWalks)];
  }
  /// Log of the ratio of what speaks for a person to what speaks for a thing that stands there.
  /// Flow since the last box counts only where it speaks for a thing: between boxes it may be
  /// another thing's. Somebody who moves so is detected again where the flow has led.
  [[nodiscard]] double person_evidence() const noexcept {
    return person_evidence_ + std::min(flow_evidence_, 0.0) + std::min(pattern_evidence_, 0.0);
  }
  /// Log of how much likelier the estimated height is for a person, adult or child, than for a
  /// thing, within limits.
  [[nodiscard]] double height_evidence(const FilterSettings& settings) const;
  /// Of all filters together.
  [[nodiscard]] const State& state() const noexcept { return all_.state; }
  [[nodiscard]] const Covariance& covariance() const noexcept { return all_.covariance; }
  /// Where they are if they stand, and if they walk; meaningless where that is impossible.
  [[nodiscard]] Estimate standing() const { return blend(kStands, kStands); }
  [[nodiscard]] Estimate walking() const { return blend(kWalks, kWalks); }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, PersonFilter>& object);  // state_fields.hpp
  static constexpr std::size_t kAdult = 0, kChild = 1, kKinds = 2;
  static constexpr std::size_t kStands = 0, kWalks = 1, kMotions = 2;
  static constexpr std::size_t kFilters = kKinds * kMotions;
  static constexpr std::size_t index(std::size_t kind, std::size_t motion) noexcept {
    return kMotions * kind + motion;
  }
  void change_motion(const FilterSettings& settings, const Travelled& way);
  double weigh(const FilterSettings& settings);
  void hear(const FilterSettings& settings, double evidence);
  void blend() { all_ = blend(kStands, kWalks); }
  [[nodiscard]] Estimate blend(std::size_t first, std::size_t last) const;

  std::array<GroundFilter, kFilters> as_{};
  std::array<double, kFilters> weight_{};  // 0: not used
  GroundFilter thing_;                     // of any height; stands
  double person_evidence_ = 0;             // up to the last box,
  double flow_evidence_ = 0;               // and since
  ImagePattern pattern_;
  double pattern_evidence_ = 0;  // for a person, against a pattern of the image
  double fit_ = 0;               // log of the last measurement's density, of a person
  bool thing_known_ = false;
  bool heard_ = false;  // there was new evidence since the last prediction
  Estimate all_;
};

}  // namespace kerb::track
