// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <numbers>

/// The proving ground's space. The world: x along the road the car starts on, y to the left, z up;
/// metres, seconds, radians; headings turn left from +x. The ground is z = 0.
namespace kerb::sim {

struct Vec2 {
  double x = 0, y = 0;
};
struct Vec3 {
  double x = 0, y = 0, z = 0;
};

constexpr Vec2 operator+(Vec2 a, Vec2 b) noexcept { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) noexcept { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator*(double s, Vec2 a) noexcept { return {s * a.x, s * a.y}; }
constexpr double dot(Vec2 a, Vec2 b) noexcept { return a.x * b.x + a.y * b.y; }
constexpr double cross(Vec2 a, Vec2 b) noexcept { return a.x * b.y - a.y * b.x; }
inline double length(Vec2 a) noexcept { return std::hypot(a.x, a.y); }
inline Vec2 direction(double heading) noexcept { return {std::cos(heading), std::sin(heading)}; }
/// The normal to the left.
constexpr Vec2 left_of(Vec2 a) noexcept { return {-a.y, a.x}; }

constexpr Vec3 operator+(Vec3 a, Vec3 b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator*(double s, Vec3 a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
constexpr double dot(Vec3 a, Vec3 b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec3 a) noexcept { return std::sqrt(dot(a, a)); }
inline Vec3 unit(Vec3 a) noexcept { return (1 / length(a)) * a; }

// pi in figures: nvcc reads this as C++17, which has no name for it.
constexpr double radians(double degrees) noexcept { return degrees * 3.141592653589793 / 180; }
constexpr double degrees(double rad) noexcept { return rad * 180 / 3.141592653589793; }

/// Where something stands on the ground, and which way it faces.
struct Place {
  Vec2 at;
  double heading = 0;
};

}  // namespace kerb::sim
