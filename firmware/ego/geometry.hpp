// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

#include "firmware/types/camera.hpp"

/// The geometry of a moving camera: x to the right, y down, z forward; pictures in pixels. A camera
/// turns by the rotation vector w (right-handed, in its own axes: w.x > 0 is nose up, w.y > 0 to
/// the right, w.z > 0 right side down) and moves by d. A standing point is then at
/// exp(-[w]) (X - d) in the camera's axes. After the rotation is undone by exp([w]), its image lies
/// on the line from the focus of expansion (where d points) through its old image, moved outwards
/// by d.z / (Z - d.z) of its distance from the focus.
namespace kerb::ego {

struct Vec2 {
  double x = 0, y = 0;
};

/// Where the picture shows what lies straight ahead of the car at the horizon.
[[nodiscard]] inline Vec2 aim(const Camera& camera) noexcept {
  return {camera.center_x + camera.focal_px * std::tan(camera.yaw_rad),
          camera.center_y + camera.focal_px * std::tan(camera.pitch_rad)};
}

using Rotation = std::array<double, 9>;  // rows

/// exp([w]), exactly.
[[nodiscard]] Rotation rotation_of(const std::array<double, 3>& w) noexcept;
[[nodiscard]] Rotation product(const Rotation& a, const Rotation& b) noexcept;
/// The vector w of exp([w]); for turns of less than half a circle.
[[nodiscard]] std::array<double, 3> vector_of(const Rotation& r) noexcept;

/// Undoes the rotation `r` (see above): the image of a far point, now at `at`, had the camera not
/// turned. Both in pixels from the camera's centre.
[[nodiscard]] inline Vec2 turned_back(const Rotation& r, double focal_px, Vec2 at) noexcept {
  const double z = r[6] * at.x + r[7] * at.y + r[8] * focal_px;
  const double scale = focal_px / z;
  return {scale * (r[0] * at.x + r[1] * at.y + r[2] * focal_px),
          scale * (r[3] * at.x + r[4] * at.y + r[5] * focal_px)};
}

/// Derivative of turned_back() at `at` by a small rotation about x, y and z, in pixels per radian.
struct TurnJacobian {
  std::array<double, 3> x, y;
};
[[nodiscard]] inline TurnJacobian turn_jacobian(double focal_px, Vec2 at) noexcept {
  const double u = at.x / focal_px, v = at.y / focal_px;
  return {{-focal_px * u * v, focal_px * (1 + u * u), -at.y},
          {-focal_px * (1 + v * v), focal_px * u * v, at.x}};
}

/// Normal equations of a least-squares step: symmetric, positive definite, of fixed size.
template <std::size_t N>
struct Normal {
  std::array<double, N * N> a{};
  std::array<double, N> b{};

  void add(const std::array<double, N>& row, double value, double weight) noexcept {
    for (std::size_t i = 0; i < N; ++i) {
      const double wi = weight * row[i];
      for (std::size_t j = 0; j <= i; ++j) a[i * N + j] += wi * row[j];
      b[i] += wi * value;
    }
  }
  /// A prior of this weight on one unknown.
  void add_prior(std::size_t i, double value, double weight) noexcept {
    a[i * N + i] += weight;
    b[i] += weight * value;
  }
  /// The lower triangle becomes its Cholesky factor. False: not positive definite.
  bool factor() noexcept {
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t i = j; i < N; ++i) {
        double sum = a[i * N + j];
        for (std::size_t k = 0; k < j; ++k) sum -= a[i * N + k] * a[j * N + k];
        if (i == j) {
          if (!(sum > 0)) return false;
          a[j * N + j] = std::sqrt(sum);
        } else {
          a[i * N + j] = sum / a[j * N + j];
        }
      }
    }
    return true;
  }
  /// After factor().
  [[nodiscard]] std::array<double, N> solve(std::array<double, N> v) const noexcept {
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t k = 0; k < i; ++k) v[i] -= a[i * N + k] * v[k];
      v[i] /= a[i * N + i];
    }
    for (std::size_t i = N; i-- > 0;) {
      for (std::size_t k = i + 1; k < N; ++k) v[i] -= a[k * N + i] * v[k];
      v[i] /= a[i * N + i];
    }
    return v;
  }
};

}  // namespace kerb::ego
