// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a lens does to a picture, and how to undo it. Additions, multiplications and divisions
/// alone, in one order: the same to the last bit on every machine.
namespace kerb {

/// A place in a picture, pixels. The middle of the upper left pixel is (0, 0).
struct PicturePoint {
  double x = 0, y = 0;
};

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

/// Where this lens shows what one without distortion shows at `straight`.
[[nodiscard]] PicturePoint distort(const Lens& lens, PicturePoint straight) noexcept;

/// Where one without distortion would show what this lens shows at `seen`: to 1e-9 pixels wherever
/// distort() gets there from the axis without folding back. Elsewhere the nearest it comes to;
/// always finite for a finite point. At most twenty rounds of a small loop, two or three as a rule.
[[nodiscard]] PicturePoint undistort(const Lens& lens, PicturePoint seen) noexcept;

/// Whether a picture of this size is seen whole: every pixel of it shows one direction, and its
/// neighbours show neighbouring ones. False: the picture folds, and such a lens does not exist.
[[nodiscard]] bool is_one_to_one(const Lens& lens, int width, int height) noexcept;

}  // namespace kerb
