// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/rectifier.hpp"

#include "firmware/lens/camera_geometry.hpp"

namespace kerb::ego {

Rectifier::Rectifier(const Camera& camera) noexcept
    : lens_{lens_of(camera)},
      center_{camera.center_x, camera.center_y},
      cos_{std::cos(camera.roll_rad)},
      sin_{std::sin(camera.roll_rad)},
      nothing_{camera.roll_rad == 0 && lens_.lens().straight()} {}

Vec2 Rectifier::from_axis(Vec2 seen) const noexcept {
  const Pixel p = lens_.undistort({seen.x, seen.y});
  const double x = p.x - center_.x, y = p.y - center_.y;
  return {x * cos_ - y * sin_, x * sin_ + y * cos_};
}

Vec2 Rectifier::straight(Vec2 seen) const noexcept {
  if (nothing_) return seen;
  const Vec2 p = from_axis(seen);
  return {center_.x + p.x, center_.y + p.y};
}

Vec2 Rectifier::seen(Vec2 straight) const noexcept {
  if (nothing_) return straight;
  const double x = straight.x - center_.x, y = straight.y - center_.y;
  const Pixel p = lens_.distort({center_.x + x * cos_ + y * sin_, center_.y - x * sin_ + y * cos_});
  return {p.x, p.y};
}

Region Rectifier::straight(const Region& seen) const noexcept {
  if (nothing_) return seen;
  const double middle_x = seen.x + seen.w / 2, middle_y = seen.y + seen.h / 2;
  const Vec2 left = straight(Vec2{seen.x, middle_y});
  const Vec2 right = straight(Vec2{seen.x + seen.w, middle_y});
  const Vec2 top = straight(Vec2{middle_x, seen.y});
  const Vec2 bottom = straight(Vec2{middle_x, seen.y + seen.h});
  return {left.x, top.y, right.x - left.x, bottom.y - top.y};
}

}  // namespace kerb::ego
