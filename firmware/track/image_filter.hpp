// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/fields.hpp"
#include "firmware/types/senses.hpp"
#include "firmware/types/tracker_settings.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// A number that changes evenly, as a Kalman filter knows it.
struct ImageAxis {
  double place = 0, rate = 0;     ///< pixels, pixels/s
  double pp = 1, pr = 0, rr = 1;  ///< covariance of both
  double before = 0;              ///< place after the previous frame
};

/// Follows a box in the image, whatever the camera's lens and mounting: middle and height, each
/// with its rate of change (a Kalman filter for each). Plain data; exact; allocates nothing.
class ImageFilter {
 public:
  static constexpr int kColumn = 0, kRow = 1, kHeight = 2, kAxes = 3;

  void begin(const ImageFilterSettings& s, const Detection& box) noexcept;
  /// Time passes; the camera turned the image by `dx` pixels (to the right is positive).
  void predict(const ImageFilterSettings& s, double seconds, double dx) noexcept;
  /// How the image moved at the box since the previous frame; after predict().
  void see_flow(const ImageFilterSettings& s, double seconds, const BoxFlow& flow) noexcept;
  void see_box(const ImageFilterSettings& s, const Detection& box) noexcept;
  /// Squared distance of a box from the expected one, in standard deviations of both.
  [[nodiscard]] double distance2(const ImageFilterSettings& s, const Detection& box) const noexcept;
  /// The expected box, `width_share` of its height wide.
  [[nodiscard]] Detection box(double width_share) const noexcept;
  [[nodiscard]] double height() const noexcept { return at_[kHeight].place; }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, ImageFilter>& object);  // state_fields.hpp
  static std::array<double, kAxes> measured(const Detection& box) noexcept;
  static std::array<double, kAxes> jitter(const ImageFilterSettings& s, double height) noexcept;
  static void see(ImageAxis& axis, double place, double variance) noexcept;

  std::array<ImageAxis, kAxes> at_{};
};

}  // namespace kerb::track
