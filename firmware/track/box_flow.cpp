// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/box_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kerb::track {
namespace {

constexpr std::size_t kMaxVectors = 256;  // of one person

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

/// dx = a + b x + c y, and dy likewise: how what is beside a box moves.
class Surroundings {
 public:
  explicit Surroundings(const BoxFlowSettings& settings) noexcept : settings_{settings} {}
  /// Fits the motion to vectors; false: there are too few, or they do not span a plane.
  bool fit(std::span<const Vector> vectors) noexcept {
    if (vectors.size() < static_cast<std::size_t>(settings_.min_surroundings)) return false;
    std::array<double, kMaxVectors> apart;
    const std::span<double> offs{apart.data(), vectors.size()};
    double reach = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 4; ++round) {
      if (!solve(vectors, reach)) return false;
      for (std::size_t i = 0; i < vectors.size(); ++i) offs[i] = off(vectors[i]);
      sigma_ = std::max(median(offs) / 1.18, settings_.min_noise_px);
      reach = 4 * sigma_;
    }
    return true;
  }
  [[nodiscard]] bool likes(const Vector& v) const noexcept {
    return off(v) < settings_.like_sigmas * sigma_;
  }

 private:
  [[nodiscard]] double off(const Vector& v) const noexcept {
    const double ex = v.dx - x_[0] - x_[1] * v.x - x_[2] * v.y;
    const double ey = v.dy - y_[0] - y_[1] * v.x - y_[2] * v.y;
    return std::sqrt(ex * ex + ey * ey);
  }
  bool solve(std::span<const Vector> vectors, double reach) noexcept {
    double m[3][3] = {}, bx[3] = {}, by[3] = {};
    for (const Vector& v : vectors) {
      const double share = std::isinf(reach) ? 0 : off(v) / reach;
      if (share >= 1) continue;
      const double w = v.weight * (1 - share * share) * (1 - share * share);
      const double at[3] = {1, v.x, v.y};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[i][j] += w * at[i] * at[j];
        bx[i] += w * at[i] * v.dx;
        by[i] += w * at[i] * v.dy;
      }
    }
    const auto minor = [&m](int r0, int c0, int r1, int c1) {
      return m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    };
    const double c00 = minor(1, 1, 2, 2), c01 = -minor(1, 0, 2, 2), c02 = minor(1, 0, 2, 1);
    const double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
    if (!(det > 1e-6 * m[0][0] * m[1][1] * m[2][2])) return false;
    const double c11 = minor(0, 0, 2, 2), c12 = -minor(0, 0, 2, 1), c22 = minor(0, 0, 1, 1);
    const double inverse[3][3] = {{c00, c01, c02}, {c01, c11, c12}, {c02, c12, c22}};
    for (int i = 0; i < 3; ++i) {
      x_[i] = y_[i] = 0;
      for (int j = 0; j < 3; ++j) {
        x_[i] += inverse[i][j] / det * bx[j];
        y_[i] += inverse[i][j] / det * by[j];
      }
    }
    return true;
  }
  const BoxFlowSettings& settings_;
  double x_[3] = {}, y_[3] = {};
  double sigma_ = 0;
};

/// The robust fit of one motion.
BoxFlow fit_one(const BoxFlowSettings& settings, std::span<const Vector> all) noexcept {
  BoxFlow out;
  const std::size_t n = all.size();
  if (n < static_cast<std::size_t>(settings.min_vectors)) return out;
  std::array<double, kMaxVectors> scratch;
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
                     settings.min_noise_px);
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
  const double noise = sigma * std::sqrt(settings.correlation);
  // The box's middle is not the centre of the points: an error of the growth moves it.
  const double lever = (sums.x * sums.x + sums.y * sums.y) / sums.spread;
  out.sigma_px = static_cast<float>(noise * std::sqrt(1 / sums.w + lever));
  out.growth_sigma = static_cast<float>(noise / std::sqrt(sums.spread));
  return out;
}

}  // namespace

FlowWithin flow_within(const BoxFlowSettings& settings, const MotionField& field,
                       const Detection& box, std::span<const Detection> before,
                       std::span<const Detection> others) noexcept {
  const double width = static_cast<double>(box.w), height = static_cast<double>(box.h);
  const double middle_x = static_cast<double>(box.x) + width / 2;
  const double middle_y = static_cast<double>(box.y) + height / 2;
  const double half_width = settings.inner_width / 2 * width;
  const double top = (settings.inner_top - 0.5) * height;
  const double bottom = (settings.inner_bottom - 0.5) * height;
  std::array<Vector, kMaxVectors> within, beside;
  std::size_t n = 0, around = 0;
  const int count = std::clamp(field.count, 0, MotionField::kCapacity);
  for (int i = 0; i < count; ++i) {
    const FlowVector& f = field.items[i];
    const double x = static_cast<double>(f.x) - middle_x, y = static_cast<double>(f.y) - middle_y;
    if (!(y >= top && y <= bottom && std::abs(x) <= settings.far * width)) continue;
    const bool inner = std::abs(x) <= half_width;
    if (!inner && std::abs(x) < settings.near * width) continue;
    if (inner ? n == kMaxVectors : around == kMaxVectors) continue;
    if (!std::isfinite(f.dx) || !std::isfinite(f.dy) || !(f.quality > 0)) continue;
    const auto holds = [&f](const Detection& b) {
      return f.x >= b.x && f.x <= b.x + b.w && f.y >= b.y && f.y <= b.y + b.h;
    };
    const std::span<const Detection> not_from = inner ? before : others;
    if (std::any_of(not_from.begin(), not_from.end(), holds)) continue;
    const Vector vector{x, y, static_cast<double>(f.dx), static_cast<double>(f.dy),
                        static_cast<double>(std::min(f.quality, 1.0F))};
    (inner ? within[n++] : beside[around++]) = vector;
  }
  FlowWithin out;
  Surroundings surroundings{settings};
  if (n >= static_cast<std::size_t>(settings.min_vectors) &&
      surroundings.fit({beside.data(), around})) {
    const auto own =
        std::partition(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(n),
                       [&surroundings](const Vector& v) { return !surroundings.likes(v); });
    const auto owned = static_cast<std::size_t>(own - within.begin());
    const bool enough = owned >= static_cast<std::size_t>(settings.min_vectors) &&
                        static_cast<double>(owned) >= settings.own_share * static_cast<double>(n);
    out.like_surroundings = !enough;
    if (enough) n = owned;
  }
  out.flow = fit_one(settings, {within.data(), n});
  return out;
}

}  // namespace kerb::track
