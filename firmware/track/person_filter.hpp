// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "firmware/track/ground_filter.hpp"

namespace kerb::track {

/// The position of a person who may be an adult or a child: one filter for each, weighed by how
/// well the boxes fit. A child of 1.15 m taken for an adult is placed half as far again as it is,
/// until it is near; feet and size together tell them apart. One thread; allocates nothing; exact.
class PersonFilter {
 public:
  using State = GroundFilter::State;
  using Covariance = GroundFilter::Covariance;

  /// These are as GroundFilter's.
  bool begin(const Camera& camera, const FilterSettings& settings, const SeenBox& box, double pitch,
             double pitch_sigma, bool speed_known);
  void predict(const Camera& camera, const FilterSettings& settings, const Travelled& way);
  void see_pitch(double pitch, double sigma);
  [[nodiscard]] GroundFilter::Expected expect(const Camera& camera) const;
  void see_box(const Camera& camera, const SeenBox& box);
  void see_flow(const Camera& camera, const FilterSettings& settings, const Travelled& way,
                double dx, double dx_sigma, double growth, double growth_sigma);

  /// Distance of the height and pitch that explain the boxes from their priors: squared standard
  /// deviations, less the two that are usual.
  [[nodiscard]] double implausible(const FilterSettings& settings, double pitch,
                                   double pitch_sigma) const;
  [[nodiscard]] bool is_finite() const;
  [[nodiscard]] double child_share() const noexcept { return weight_[kChild]; }
  /// Of both filters together, as one normal distribution.
  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] const Covariance& covariance() const noexcept { return covariance_; }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, PersonFilter>& object);  // state_fields.hpp
  static constexpr std::size_t kAdult = 0, kChild = 1, kKinds = 2;
  void weigh();
  void blend();

  std::array<GroundFilter, kKinds> as_{};
  std::array<double, kKinds> weight_{1, 0};  // 0: no longer used
  State state_ = State::Zero();
  Covariance covariance_ = Covariance::Identity();
};

}  // namespace kerb::track
