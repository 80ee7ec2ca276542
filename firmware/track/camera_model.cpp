// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/camera_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firmware/exact/exact_math.hpp"
#include "firmware/track/camera_axes.hpp"

namespace kerb::track {
namespace {

/// A lens, in distances from the picture's centre in focal lengths. What lies further out than the
/// polynomial is of meaning (there it turns back) goes on in a straight line, so that nothing from
/// outside is ever shown inside, and every pixel has one origin.
class Lens {
 public:
  explicit Lens(const CameraModel& c) noexcept
      : k1_{c.k1}, k2_{c.k2}, k3_{c.k3}, p1_{c.p1}, p2_{c.p2} {
    if (k1_ < 0 || k2_ < 0 || k3_ < 0) find_end();
  }
  [[nodiscard]] bool is_plain() const noexcept {
    return k1_ == 0 && k2_ == 0 && k3_ == 0 && p1_ == 0 && p2_ == 0;
  }
  [[nodiscard]] Pixel distort(Pixel at) const noexcept {
    const double r = std::sqrt(at.x * at.x + at.y * at.y);
    const double scale = r > 0 ? outward(r) / r : 1;
    const Pixel aside = tangential(at, r);
    return {at.x * scale + aside.x, at.y * scale + aside.y};
  }
  [[nodiscard]] Pixel undistort(Pixel at) const noexcept {
    Pixel guess = at;
    for (int i = 0; i < 30; ++i) {
      const Pixel aside = tangential(guess, std::sqrt(guess.x * guess.x + guess.y * guess.y));
      const Pixel radial{at.x - aside.x, at.y - aside.y};
      const double out = std::sqrt(radial.x * radial.x + radial.y * radial.y);
      const double scale = out > 0 ? inward(out) / out : 1;
      const Pixel next{radial.x * scale, radial.y * scale};
      const double change = std::abs(next.x - guess.x) + std::abs(next.y - guess.y);
      guess = next;
      if (change < 1e-13) break;
    }
    return guess;
  }

 private:
  static constexpr double kLeastSlope = 0.1;  // of the polynomial; it ends where it grows slower
  static constexpr double kWidest = 8;        // 83 degrees from the axis: no pinhole's business

  [[nodiscard]] double slope(double r) const noexcept {
    const double q = r * r;
    return 1 + q * (3 * k1_ + q * (5 * k2_ + q * 7 * k3_));
  }
  [[nodiscard]] double polynomial(double r) const noexcept {
    const double q = r * r;
    return r * (1 + q * (k1_ + q * (k2_ + q * k3_)));
  }
  void find_end() noexcept {
    constexpr int kSteps = 128;
    for (int i = 1; i <= kSteps; ++i) {
      double high = kWidest * i / kSteps;
      if (slope(high) >= kLeastSlope) continue;
      double low = kWidest * (i - 1) / kSteps;
      for (int k = 0; k < 40; ++k) {
        const double middle = (low + high) / 2;
        (slope(middle) < kLeastSlope ? high : low) = middle;
      }
      end_ = low;
      return;
    }
  }
  /// How far from the centre something is shown.
  [[nodiscard]] double outward(double r) const noexcept {
    return r <= end_ ? polynomial(r) : polynomial(end_) + kLeastSlope * (r - end_);
  }
  /// The inverse: Newton's, kept between bounds that close in.
  [[nodiscard]] double inward(double shown) const noexcept {
    const double at_end = polynomial(end_);
    if (shown >= at_end) return end_ + (shown - at_end) / kLeastSlope;
    double low = 0, high = end_, r = std::min(shown, end_);
    for (int i = 0; i < 60; ++i) {
      const double off = polynomial(r) - shown;
      if (off == 0) break;
      (off > 0 ? high : low) = r;
      double next = r - off / slope(r);
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (std::abs(next - r) < 1e-15) break;
      r = next;
    }
    return r;
  }
  /// Of what lies outside, that of the end in its direction.
  [[nodiscard]] Pixel tangential(Pixel at, double r) const noexcept {
    if (p1_ == 0 && p2_ == 0) return {};
    if (r > end_) {
      at = {at.x * end_ / r, at.y * end_ / r};
      r = end_;
    }
    const double q = r * r;
    return {2 * p1_ * at.x * at.y + p2_ * (q + 2 * at.x * at.x),
            p1_ * (q + 2 * at.y * at.y) + 2 * p2_ * at.x * at.y};
  }

  double k1_, k2_, k3_, p1_, p2_;
  double end_ = kWidest;
};

double in_radians(double degrees) noexcept { return degrees * std::numbers::pi / 180; }

}  // namespace

CameraModel model_of(const CameraSettings& settings, int width, int height) {
  CameraModel m;
  m.width = width;
  m.height = height;
  m.focal_px =
      settings.focal_px.value_or(width / 2.0 / exact::tan(in_radians(settings.fov_deg) / 2));
  m.center_x = settings.center_x.value_or((width - 1) / 2.0);
  m.center_y = settings.center_y.value_or((height - 1) / 2.0);
  m.k1 = settings.k1;
  m.k2 = settings.k2;
  m.k3 = settings.k3;
  m.p1 = settings.p1;
  m.p2 = settings.p2;
  m.height_m = settings.height_m;
  m.pitch_rad = in_radians(settings.pitch_deg);
  m.yaw_rad = in_radians(settings.yaw_deg);
  m.roll_rad = in_radians(settings.roll_deg);
  m.ahead_m = settings.ahead_m;
  m.left_m = settings.left_m;
  m.pitch_sigma_rad = in_radians(settings.pitch_sigma_deg);
  return m;
}

Pixel distort(const CameraModel& camera, Pixel pixel) noexcept {
  const Lens lens{camera};
  if (lens.is_plain()) return pixel;
  const Pixel d = lens.distort({(pixel.x - camera.center_x) / camera.focal_px,
                                (pixel.y - camera.center_y) / camera.focal_px});
  return {camera.center_x + camera.focal_px * d.x, camera.center_y + camera.focal_px * d.y};
}

Pixel undistort(const CameraModel& camera, Pixel pixel) noexcept {
  const Lens lens{camera};
  if (lens.is_plain()) return pixel;
  const Pixel u = lens.undistort({(pixel.x - camera.center_x) / camera.focal_px,
                                  (pixel.y - camera.center_y) / camera.focal_px});
  return {camera.center_x + camera.focal_px * u.x, camera.center_y + camera.focal_px * u.y};
}

std::optional<Pixel> project(const CameraModel& camera, Ground at, double up,
                             double pitch_more) noexcept {
  const CameraAxes axes = axes_of(camera, pitch_more);
  const Vec3 seen = axes.seen(at.x, at.y, up);
  if (!(seen.z > kNearestDepth)) return std::nullopt;
  return distort(camera, axes.pixel_of(seen));
}

std::optional<Ground> ground_of(const CameraModel& camera, Pixel pixel,
                                double pitch_more) noexcept {
  const CameraAxes axes = axes_of(camera, pitch_more);
  const Pixel plain = undistort(camera, pixel);
  const double x = (plain.x - camera.center_x) / camera.focal_px;
  const double y = (plain.y - camera.center_y) / camera.focal_px;
  const double fall = x * axes.right.z + y * axes.down.z + axes.forward.z;
  if (!(fall < -1e-9)) return std::nullopt;
  const double way = -camera.height_m / fall;
  return Ground{camera.ahead_m + way * (x * axes.right.x + y * axes.down.x + axes.forward.x),
                camera.left_m + way * (x * axes.right.y + y * axes.down.y + axes.forward.y)};
}

}  // namespace kerb::track
