// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/track/ground_filter.hpp"

namespace kerb::track {

/// Boxes of no thing on the road: a pattern of edges which stays where it is in the image while the
/// car drives along a row of parked cars, a fence, or the gap between two things. Its place and
/// size wander, and know nothing of the car's motion. Plain data; exact; allocates nothing.
class ImagePattern {
 public:
  void begin(const SeenBox& box) noexcept {
    place_ = {box.column, box.foot, box.head};
    variance_ = noise(box);
  }
  void predict(const FilterSettings& settings, double seconds) noexcept {
    const double height = place_[1] - place_[2];
    for (double& v : variance_) v += settings.pattern_drift * seconds * height * height;
  }
  /// Takes in a box. Returns the log of its probability density, as GroundFilter::log_fit() does.
  double see_box(const SeenBox& box) noexcept;

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, ImagePattern>& object);  // state_fields.hpp
  static std::array<double, 3> noise(const SeenBox& box) noexcept {
    return {box.column_sigma * box.column_sigma, box.foot_sigma * box.foot_sigma,
            box.head_sigma * box.head_sigma};
  }

  std::array<double, 3> place_{};     // column, foot, head; pixels
  std::array<double, 3> variance_{};  // of each
};

}  // namespace kerb::track
