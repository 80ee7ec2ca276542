// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/fields.hpp"
#include "firmware/types/senses.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// Noise of ImageFilter. Lengths are in heights of the box.
struct ImageFilterSettings {
  double column_jitter = 0.04;  ///< of a detection's middle
  double row_jitter = 0.05;
  double height_jitter = 0.07;
  double drift = 0.01;         ///< growth of the place's variance, heights^2/s
  double wander = 1;           ///< growth of the velocity's variance, heights^2/s^3
  double start_speed = 1;      ///< standard deviation of the velocity at first, heights/s
  double flow_share = 0.1;     ///< error of flow that grows with its length,
  double flow_least = 0.01;    ///< and its lower limit, heights
  double growth_least = 0.01;  ///< likewise of the growth, a share
  double flow_gate = 5;        ///< flow farther off, in standard deviations, is another thing's
};

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
