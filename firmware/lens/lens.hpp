// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/camera.hpp"

/// What a lens does to a picture, and how to undo it. Additions, multiplications, divisions and
/// square roots alone, in one order: the same to the last bit on every machine.
namespace kerb {

/// A lens: where its axis meets the picture, how long it is, and its distortion as OpenCV's
/// (k1 k2 p1 p2 k3), which moves a point at x, y (in focal lengths from the axis; r its distance)
/// to
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

/// A lens at work. What lies farther out than its polynomial is of meaning (there it turns back,
/// and would show again inside what is outside) goes on in a straight line instead. Made once for a
/// camera: that takes a microsecond or two, a point a tenth of that.
class LensMap {
 public:
  explicit LensMap(const Lens& lens) noexcept;

  [[nodiscard]] const Lens& lens() const noexcept { return lens_; }
  /// Where this lens shows what one without distortion shows at `straight`.
  [[nodiscard]] Pixel distort(Pixel straight) const noexcept;
  /// Where one without distortion would show what this lens shows at `seen`: to 1e-9 pixels
  /// wherever the lens is one there can be. Finite for a finite point, whatever the lens.
  [[nodiscard]] Pixel undistort(Pixel seen) const noexcept;
  /// Whether a picture of this size is seen whole: every pixel of it shows one direction, and its
  /// neighbours show neighbouring ones. False: the picture folds, and such a lens does not exist.
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
  double end_;  // of the polynomial's meaning, in focal lengths from the axis
};

}  // namespace kerb
