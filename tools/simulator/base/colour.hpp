// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

/// What three colours see of a reflectance: the CIE 1931 observer (the fits of Wyman, Sloan and
/// Shirley, 2013) under D65, as sRGB. White is a reflectance of 1 everywhere.
namespace kerb::sim {

/// Reflectances are given at 400, 420 ... 1000 nm.
inline constexpr std::size_t kReflectances = 31;
constexpr double reflectance_nm(std::size_t i) { return 400 + 20.0 * static_cast<double>(i); }

inline double linear_to_srgb(double c) {
  c = std::clamp(c, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

/// x, y and z of the observer.
inline std::array<double, 3> observer(double nm) {
  const auto lobe = [nm](double centre, double below, double above) {
    const double t = (nm - centre) / (nm < centre ? below : above);
    return std::exp(-0.5 * t * t);
  };
  return {1.056 * lobe(599.8, 37.9, 31.0) + 0.362 * lobe(442.0, 16.0, 26.7) -
              0.065 * lobe(501.1, 20.4, 26.2),
          0.821 * lobe(568.8, 46.9, 40.5) + 0.286 * lobe(530.9, 16.3, 31.1),
          1.217 * lobe(437.0, 11.8, 36.0) + 0.681 * lobe(459.0, 26.0, 13.8)};
}
/// D65's relative power.
inline double daylight(double nm) {
  static constexpr std::array<double, 20> kD65 = {
      82.75, 93.43, 104.86, 117.81, 115.92, 109.35, 104.79, 104.41, 100.00, 95.79,
      90.01, 87.70, 83.70,  80.21,  78.28,  71.61,  61.60,  75.09,  46.42,  63.38};
  const double x = std::clamp((nm - 400) / 20, 0.0, 18.999);
  const auto i = static_cast<std::size_t>(x);
  return kD65[i] + (x - static_cast<double>(i)) * (kD65[i + 1] - kD65[i]);
}
inline double reflectance_at(const std::vector<double>& reflectance, double nm) {
  const double x =
      std::clamp((nm - 400) / 20, 0.0, static_cast<double>(reflectance.size() - 1) - 1e-9);
  const auto i = static_cast<std::size_t>(x);
  return reflectance[i] + (x - static_cast<double>(i)) * (reflectance[i + 1] - reflectance[i]);
}

/// XYZ of a reflectance under D65; white is (0.9505, 1, 1.089).
inline std::array<double, 3> xyz_of(const std::vector<double>& reflectance) {
  std::array<double, 3> sum{}, white{};
  for (int nm = 400; nm <= 780; nm += 5) {
    const std::array<double, 3> o = observer(nm);
    const double light = daylight(nm), r = reflectance_at(reflectance, nm);
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += light * o[i] * r;
      white[i] += light * o[i];
    }
  }
  return {0.9505 * sum[0] / white[0], sum[1] / white[1], 1.0890 * sum[2] / white[2]};
}
/// sRGB, 0..1 each, colours out of range moved to its edge.
inline std::array<double, 3> srgb_of(const std::vector<double>& reflectance) {
  const auto [x, y, z] = xyz_of(reflectance);
  return {linear_to_srgb(3.2406 * x - 1.5372 * y - 0.4986 * z),
          linear_to_srgb(-0.9689 * x + 1.8758 * y + 0.0415 * z),
          linear_to_srgb(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

}  // namespace kerb::sim
