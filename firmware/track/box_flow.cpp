// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/box_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kerb::track {
namespace {

constexpr std::size_t kMaxVectors = 256;  // of one person

/// Fixed settings of flow_within().
struct BoxFlowTuning {
  int min_vectors = 4;  ///< fewer give no flow
  // The inner part that is used, in shares of the box: the rest shows the background.
  double inner_width = 0.4, inner_top = 0.08, inner_bottom = 0.85;
  double correlation = 2;     ///< variance factor: neighbouring vectors share pixels
  double min_noise_px = 0.1;  ///< for vectors that agree by chance
};
constexpr BoxFlowTuning kBoxFlowTuning{};

struct Vector {
  double x, y, dx, dy, weight;  // x, y from the middle of the box
};

/// Reorders `values`.
double median(std::span<double> values) noexcept {
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), values.begin() + half, values.end());
  return values[values.size() / 2];
}

/// dx = a + g x, dy = b + g y.
struct Fit {
  double a = 0, b = 0, g = 0;
  [[nodiscard]] double off(const Vector& v) const noexcept {
    const double ex = v.dx - a - g * v.x, ey = v.dy - b - g * v.y;
    return std::sqrt(ex * ex + ey * ey);
  }
};

struct Sums {
  double w = 0, x = 0, y = 0, dx = 0, dy = 0, spread = 0, stretch = 0;
};

Sums add_up(std::span<const Vector> vectors, const Fit& fit, double reach) noexcept {
  Sums s;
  const auto weight_of = [&](const Vector& v) {
    const double share = fit.off(v) / reach;
    if (share >= 1) return 0.0;
    const double rest = 1 - share * share;
    return v.weight * rest * rest;
  };
  for (const Vector& v : vectors) {
    const double w = weight_of(v);
    s.w += w;
    s.x += w * v.x;
    s.y += w * v.y;
    s.dx += w * v.dx;
    s.dy += w * v.dy;
  }
  if (!(s.w > 0)) return s;
  s.x /= s.w;
  s.y /= s.w;
  s.dx /= s.w;
  s.dy /= s.w;
  for (const Vector& v : vectors) {
    const double w = weight_of(v), x = v.x - s.x, y = v.y - s.y;
    s.spread += w * (x * x + y * y);
    s.stretch += w * (x * (v.dx - s.dx) + y * (v.dy - s.dy));
  }
  return s;
}

}  // namespace

BoxFlow flow_within(const MotionField& field, const Detection& box,
                    std::span<const Detection> before) noexcept {
  BoxFlow out;
  const double middle_x = static_cast<double>(box.x) + static_cast<double>(box.w) / 2;
  const double middle_y = static_cast<double>(box.y) + static_cast<double>(box.h) / 2;
  const double half_width = kBoxFlowTuning.inner_width / 2 * static_cast<double>(box.w);
  const double top = (kBoxFlowTuning.inner_top - 0.5) * static_cast<double>(box.h);
  const double bottom = (kBoxFlowTuning.inner_bottom - 0.5) * static_cast<double>(box.h);
  std::array<Vector, kMaxVectors> vectors;
  std::array<double, kMaxVectors> scratch;
  std::size_t n = 0;
  const int count = std::clamp(field.count, 0, MotionField::kCapacity);
  for (int i = 0; i < count && n < kMaxVectors; ++i) {
    const FlowVector& f = field.items[i];
    const double x = static_cast<double>(f.x) - middle_x, y = static_cast<double>(f.y) - middle_y;
    if (!(std::abs(x) <= half_width && y >= top && y <= bottom)) continue;
    if (!std::isfinite(f.dx) || !std::isfinite(f.dy) || !(f.quality > 0)) continue;
    const auto holds = [&f](const Detection& b) {
      return f.x >= b.x && f.x <= b.x + b.w && f.y >= b.y && f.y <= b.y + b.h;
    };
    if (std::any_of(before.begin(), before.end(), holds)) continue;
    vectors[n++] = {x, y, static_cast<double>(f.dx), static_cast<double>(f.dy),
                    static_cast<double>(std::min(f.quality, 1.0F))};
  }
  if (n < kBoxFlowTuning.min_vectors) return out;
  const std::span<const Vector> all{vectors.data(), n};
  const std::span<double> values{scratch.data(), n};
  const auto middle_of = [&](auto&& value) {
    for (std::size_t i = 0; i < n; ++i) values[i] = value(all[i]);
    return median(values);
  };
  Fit fit;
  fit.a = middle_of([](const Vector& v) { return v.dx; });
  fit.b = middle_of([](const Vector& v) { return v.dy; });
  Sums sums;
  double sigma = 0;
  for (int round = 0; round < 4; ++round) {
    // From the median length of a residual of two components; 1.18 is that of a unit normal.
    sigma = std::max(middle_of([&](const Vector& v) { return fit.off(v); }) / 1.18,
                     kBoxFlowTuning.min_noise_px);
    sums = add_up(all, fit, 4 * sigma);
    if (!(sums.w > 0) || !(sums.spread > 0)) return out;
    fit.g = sums.stretch / sums.spread;
    fit.a = sums.dx - fit.g * sums.x;
    fit.b = sums.dy - fit.g * sums.y;
  }
  out.points = static_cast<int>(n);
  out.dx = static_cast<float>(fit.a);
  out.dy = static_cast<float>(fit.b);
  out.growth = static_cast<float>(fit.g);
  const double noise = sigma * std::sqrt(kBoxFlowTuning.correlation);
  // The box's middle is not the centre of the points: an error of the growth moves it.
  const double lever = (sums.x * sums.x + sums.y * sums.y) / sums.spread;
  out.sigma_px = static_cast<float>(noise * std::sqrt(1 / sums.w + lever));
  out.growth_sigma = static_cast<float>(noise / std::sqrt(sums.spread));
  return out;
}

}  // namespace kerb::track
