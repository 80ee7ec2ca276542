// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/camera.hpp"

/// Lens distortion and its inverse. Uses only additions, multiplications, divisions and square
/// roots, in a fixed order: the same bits on every machine.
namespace kerb {

/// A lens: principal point, focal length and distortion as in OpenCV (k1 k2 p1 p2 k3). Distortion
/// moves a point at x, y (in focal lengths from the axis; r is its distance) to
///   x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2)
///   y (1 + k1 r^2 + k2 r^4 + k3 r^6) + p1 (r^2 + 2 y^2) + 2 p2 x y.
struct Lens {
  double focal_px = 1100;
  double center_x = 639.5, center_y = 359.5;
  double k1 = 0, k2 = 0, k3 = 0, p1 = 0, p2 = 0;

  /// Whether it distorts nothing.
  [[nodiscard]] bool straight() const noexcept {
    return k1 == 0 && k2 == 0 && k3 == 0 && p1 == 0 && p2 == 0;
  }
};

/// Applies a lens and its inverse. Outside the range of its polynomial (where it would turn back
/// and map outer points inside) it continues linearly. Constructed once per camera in a microsecond
/// or two; a point takes a tenth of that.
class LensMap {
 public:
  explicit LensMap(const Lens& lens) noexcept;

  [[nodiscard]] const Lens& lens() const noexcept { return lens_; }
  /// From the picture without distortion to this lens's picture.
  [[nodiscard]] Pixel distort(Pixel straight) const noexcept;
  /// The inverse, to 1e-9 pixels for every lens that can exist. Finite for a finite point, whatever
  /// the lens.
  [[nodiscard]] Pixel undistort(Pixel seen) const noexcept;
  /// Whether every pixel of a picture of this size shows one direction, and neighbouring pixels
  /// show neighbouring ones. False: the picture folds, and such a lens cannot exist.
  [[nodiscard]] bool is_one_to_one(int width, int height) const noexcept;

 private:
  struct Bent;  // a distorted point, with its derivatives

  [[nodiscard]] double slope(double r) const noexcept;
  [[nodiscard]] double polynomial(double r) const noexcept;
  [[nodiscard]] Bent bend(double x, double y) const noexcept;
  [[nodiscard]] double outward(double r) const noexcept;
  [[nodiscard]] double inward(double shown) const noexcept;
  [[nodiscard]] Pixel tangential(Pixel at, double r) const noexcept;
  [[nodiscard]] Pixel follow_back(Pixel to) const noexcept;

  Lens lens_;
  double end_;  // of the polynomial's valid range, in focal lengths from the axis
};

}  // namespace kerb
