// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/camera.hpp"

namespace kerb::sim {

CameraPose pose_of(const CameraSpec& spec, const Place& car) {
  const Vec2 ahead = direction(car.heading);
  const Vec2 place = car.at - spec.behind_m * ahead + spec.left_m * left_of(ahead);
  const Vec2 look = direction(car.heading + radians(spec.yaw_deg));
  const double pitch = radians(spec.pitch_deg), roll = radians(spec.roll_deg);
  const Vec3 forward{std::cos(pitch) * look.x, std::cos(pitch) * look.y, -std::sin(pitch)};
  const Vec3 level{look.y, -look.x, 0};  // right
  const Vec3 down = cross(forward, level);
  CameraPose out;
  out.at = {place.x, place.y, spec.height_m};
  out.axes[0] = std::cos(roll) * level + std::sin(roll) * down;
  out.axes[1] = std::cos(roll) * down - std::sin(roll) * level;
  out.axes[2] = forward;
  return out;
}

Lens::Lens(const CameraSpec& spec)
    : focal{spec.width / (2 * std::tan(radians(spec.fov_deg) / 2))},
      centre_x{(spec.width - 1) / 2.0},
      centre_y{(spec.height - 1) / 2.0},
      k1{spec.k1},
      k2{spec.k2} {}

namespace {

constexpr double kLeastSlope = 0.05;  // of a point's distance from the axis, over its ray's
constexpr double kFarthest = 4;       // of a ray from the axis, at a distance of 1

}  // namespace

bool Lens::sees(Vec2 ray) const noexcept {
  if (straight()) return true;
  const double r2 = dot(ray, ray);
  if (!(r2 < kFarthest * kFarthest)) return false;
  const auto slope = [&](double u) { return 1 + u * (3 * k1 + 5 * u * k2); };
  const double lowest = k2 > 0 ? -3 * k1 / (10 * k2) : 0;  // where the slope is least
  if (lowest > 0 && lowest < r2 && slope(lowest) <= kLeastSlope) return false;
  return slope(r2) > kLeastSlope;
}

Vec2 Lens::pixel(Vec2 ray) const noexcept {
  const double r2 = dot(ray, ray), s = 1 + r2 * (k1 + r2 * k2);
  return {centre_x + focal * s * ray.x, centre_y + focal * s * ray.y};
}

Vec2 Lens::ray(Vec2 pixel, bool& ok) const noexcept {
  const Vec2 d{(pixel.x - centre_x) / focal, (pixel.y - centre_y) / focal};
  ok = true;
  const double rd = length(d);
  if (straight() || rd == 0) return d;
  double r = rd;  // Newton on r (1 + k1 r^2 + k2 r^4) = rd
  for (int i = 0; i < 20; ++i) {
    const double r2 = r * r, slope = 1 + r2 * (3 * k1 + 5 * r2 * k2);
    if (slope <= kLeastSlope) {
      ok = false;
      return (r / rd) * d;
    }
    const double step = (r * (1 + r2 * (k1 + r2 * k2)) - rd) / slope;
    r -= step;
    if (std::abs(step) < 1e-12) break;
  }
  ok = r >= 0 && r < kFarthest;
  return (r / rd) * d;
}

Canvas::Canvas(const CameraSpec& spec, const Lens& lens)
    : width{spec.width}, height{spec.height}, focal{lens.focal} {
  centre_x = lens.centre_x;
  centre_y = lens.centre_y;
  if (lens.straight()) return;
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  const auto take = [&](double x, double y) {
    bool ok = false;
    const Vec2 ray = lens.ray({x, y}, ok);
    x0 = std::min(x0, ray.x);
    x1 = std::max(x1, ray.x);
    y0 = std::min(y0, ray.y);
    y1 = std::max(y1, ray.y);
  };
  for (int x = 0; x < spec.width; ++x) take(x, 0), take(x, spec.height - 1);
  for (int y = 0; y < spec.height; ++y) take(0, y), take(spec.width - 1, y);
  const int margin = 3;
  const auto reach = [&](double from, double to, int most) {
    return std::min(most, static_cast<int>(std::ceil((to - from) * focal)) + 2 * margin);
  };
  width = reach(x0, x1, 2 * spec.width);
  height = reach(y0, y1, 2 * spec.height);
  centre_x = std::min(-x0 * focal + margin, width / 2.0 * 1.2);
  centre_y = std::min(-y0 * focal + margin, height / 2.0 * 1.2);
}

}  // namespace kerb::sim
