// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/visibility.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/base/things.hpp"

namespace kerb::sim {
namespace {

constexpr double kWide = 0.26;           // of a person's height, shoulder to shoulder
constexpr int kColumns = 8, kRows = 16;  // of points on the figure

}  // namespace

Visibility::Visibility(const Scenario& scenario) : scenario_{scenario} {
  for (std::size_t i = 0; i < scenario_.props.size(); ++i) {
    const PropSpec& prop = scenario_.props[i];
    const Vec3 size = size_of(prop);
    if (prop.door) {
      const DoorShape door = door_of(prop.kind, size);
      const double side = prop.door->right ? -1 : 1;
      boxes_.push_back(
          {i, door.length, 0.08, door.bottom, door.belt, door.hinge.x, side * door.hinge.y, side});
    }
    switch (prop.kind) {
      case PropKind::tree:  // a trunk, and a crown over people's heads
        boxes_.push_back({i, 0.3, 0.3, 0, 0.35 * size.z});
        boxes_.push_back({i, 0.7 * size.x, 0.7 * size.y, 0.35 * size.z, size.z});
        break;
      case PropKind::sign:  // a post, and the plate on it
        boxes_.push_back({i, 0.06, 0.06, 0, size.z});
        boxes_.push_back({i, size.x, size.y, size.z - std::min(0.7, size.z / 3), size.z});
        break;
      case PropKind::car:  // nose, bonnet, body up to the shoulder, and cabin, as they are drawn
        boxes_.push_back({i, 0.06 * size.x, 0.88 * size.y, 0, 0.52 * size.z, 0.47 * size.x});
        boxes_.push_back({i, 0.24 * size.x, 0.99 * size.y, 0, 0.61 * size.z, 0.32 * size.x});
        boxes_.push_back({i, 0.68 * size.x, size.y, 0, 0.66 * size.z, -0.14 * size.x});
        boxes_.push_back(
            {i, 0.54 * size.x, 0.78 * size.y, 0.66 * size.z, 0.98 * size.z, -0.11 * size.x});
        break;
      case PropKind::van:
        boxes_.push_back({i, size.x, size.y, 0, 0.5 * size.z});
        boxes_.push_back({i, 0.79 * size.x, 0.92 * size.y, 0.5 * size.z, size.z, -0.105 * size.x});
        break;
      case PropKind::bicycle:  // is looked through
        break;
      case PropKind::truck:
      case PropKind::pole:
      case PropKind::lamp_post:
      case PropKind::cone:
      case PropKind::bush:
      case PropKind::bin:
      case PropKind::wall:
      case PropKind::barrier:
      case PropKind::bench:
      case PropKind::poster:
      case PropKind::hydrant:
        boxes_.push_back({i, size.x, size.y, 0, size.z});
        break;
      default:
        for (const SolidBox& part : solid_parts(prop))
          boxes_.push_back({i, part.high.x - part.low.x, part.high.y - part.low.y, part.low.z,
                            part.high.z, (part.low.x + part.high.x) / 2,
                            (part.low.y + part.high.y) / 2});
    }
  }
}

bool Visibility::hidden(const Moment& now, Vec3 eye, Vec3 point) const {
  for (const Box& box : boxes_) {
    Place place = now.props[box.prop].place;
    double ahead = box.ahead, left = box.left;
    if (box.door_side != 0) {  // turned about its hinge; its middle is behind that
      const Vec2 forward = direction(place.heading);
      place.at = place.at + box.ahead * forward + box.left * left_of(forward);
      place.heading -= box.door_side * now.props[box.prop].door;
      ahead = -box.length / 2;
      left = 0;
    }
    const Vec2 along = direction(place.heading), across = left_of(along);
    const auto local = [&](Vec3 p) -> Vec3 {
      const Vec2 d = Vec2{p.x, p.y} - place.at;
      return {dot(d, along), dot(d, across), p.z};
    };
    const Vec3 from = local(eye), to = local(point);
    // The part of the line of sight that is inside the box, side by side.
    double enters = 0, leaves = 1;
    const auto clip = [&](double a, double b, double low, double high) {
      const double step = b - a;
      if (std::abs(step) < 1e-12) {
        if (a < low || a > high) leaves = -1;
        return;
      }
      enters = std::max(enters, std::min((low - a) / step, (high - a) / step));
      leaves = std::min(leaves, std::max((low - a) / step, (high - a) / step));
    };
    clip(from.x, to.x, ahead - box.length / 2, ahead + box.length / 2);
    clip(from.y, to.y, left - box.width / 2, left + box.width / 2);
    clip(from.z, to.z, box.bottom, box.top);
    if (enters < leaves) return true;
  }
  return false;
}

double Visibility::visible(const Moment& now, std::size_t person) const {
  const CameraSpec& camera = scenario_.camera;
  const double heading = now.car.place.heading;
  const Vec2 ahead = direction(heading);
  const Vec2 at = now.car.place.at - camera.behind_m * ahead + camera.left_m * left_of(ahead);
  const Vec3 eye{at.x, at.y, camera.height_m};
  // The camera's axes: where it looks, to its left, and up.
  const double yaw = heading + radians(camera.yaw_deg), pitch = radians(camera.pitch_deg);
  const Vec2 flat = direction(yaw);
  const Vec3 look{std::cos(pitch) * flat.x, std::cos(pitch) * flat.y, -std::sin(pitch)};
  const Vec3 left{-flat.y, flat.x, 0};
  const Vec3 up = cross(look, left);
  const double half_width = std::tan(radians(camera.fov_deg) / 2);
  const double half_height = half_width * camera.height / camera.width;
  const double roll = radians(camera.roll_deg);

  const PersonState& state = now.people[person];
  const double height = scenario_.people[person].height_m;
  const double top = top_of(scenario_.people[person]);
  const Vec2 towards = state.place.at - at;
  const double distance = length(towards);
  if (distance < 1e-6) return 0;
  const Vec2 across = (1 / distance) * left_of(towards);
  int seen = 0;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double sideways = ((column + 0.5) / kColumns - 0.5) * kWide * height;
      const Vec2 ground = state.place.at + sideways * across;
      const Vec3 point{ground.x, ground.y, (row + 0.5) / kRows * top};
      const Vec3 ray = point - eye;
      const double depth = dot(ray, look);
      if (depth < 0.05) continue;
      const double u = dot(ray, left) / depth, v = dot(ray, up) / depth;
      const double x = u * std::cos(roll) + v * std::sin(roll);
      const double y = v * std::cos(roll) - u * std::sin(roll);
      if (std::abs(x) > half_width || std::abs(y) > half_height) continue;
      if (!hidden(now, eye, point)) ++seen;
    }
  return static_cast<double>(seen) / (kColumns * kRows);
}

}  // namespace kerb::sim
