// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/geometry.hpp"

namespace kerb::ego {

Rotation rotation_of(const std::array<double, 3>& w) noexcept {
  const double angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const double angle = std::sqrt(angle2);
  // sin(a) / a and (1 - cos(a)) / a^2, by their series where the division would lose digits.
  const bool small = angle < 1e-4;
  const double s = small ? 1 - angle2 / 6 : std::sin(angle) / angle;
  const double c = small ? 0.5 - angle2 / 24 : (1 - std::cos(angle)) / angle2;
  return {1 - c * (w[1] * w[1] + w[2] * w[2]), c * w[0] * w[1] - s * w[2],
          c * w[0] * w[2] + s * w[1],          c * w[0] * w[1] + s * w[2],
          1 - c * (w[0] * w[0] + w[2] * w[2]), c * w[1] * w[2] - s * w[0],
          c * w[0] * w[2] - s * w[1],          c * w[1] * w[2] + s * w[0],
          1 - c * (w[0] * w[0] + w[1] * w[1])};
}

Rotation product(const Rotation& a, const Rotation& b) noexcept {
  Rotation out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return out;
}

std::array<double, 3> vector_of(const Rotation& r) noexcept {
  const std::array<double, 3> twice_sine = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  const double sine = 0.5 * std::hypot(twice_sine[0], twice_sine[1], twice_sine[2]);
  const double cosine = 0.5 * (r[0] + r[4] + r[8] - 1);
  const double scale = sine < 1e-9 ? 0.5 : 0.5 * std::atan2(sine, cosine) / sine;
  return {scale * twice_sine[0], scale * twice_sine[1], scale * twice_sine[2]};
}

}  // namespace kerb::ego
