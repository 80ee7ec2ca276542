// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "firmware/ego/ego_estimator.hpp"

/// A street in three dimensions with known motion, projected before and after a time step. Written
/// against the world's axes, with angles one after the other, so that it shares nothing with the
/// code under test but the camera's numbers.
namespace kerb::ego::test {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

/// Numbers that are the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15u + 0x1234567u} {}
  double uniform(double low, double high) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return low + (high - low) * (static_cast<double>(state_ >> 11) * 0x1p-53);
  }
  double normal() {  // the sum of twelve is as good as normal here
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
    return sum;
  }

 private:
  std::uint64_t state_;
};

/// What the car does between the two frames.
struct Drive {
  double speed = 10, yaw_rate = 0;       // m/s; rad/s to the left
  double pitch_rate = 0, roll_rate = 0;  // rad/s of the body: nose up; right side down
  double dt = 1.0 / 30;
  double pitch = 0;  // of the body before, beside the mounting's
};

/// A thing of the world; velocity over ground.
struct Thing {
  Vec3 corner, size, velocity;  // y is down, the road at y = 0; z ahead of the camera's foot
  int points = 20;
  bool moves = false;
};

/// Its axis meets the picture between its middle pixels.
inline Camera street_camera() {
  Camera camera;
  camera.center_x = 640;
  camera.center_y = 360;
  return camera;
}

struct Street {
  Camera camera = street_camera();
  int width = 1280, height = 720;
  std::vector<Thing> things;  // people, cars
  int background = 300;       // points of houses and of the road
  double noise = 0.25;        // px
  double wrong = 0.03;        // share of vectors that are anything
};

/// Where one frame sees a point of the world. The pose: rear axle at (x, z), heading to the left,
/// body pitch up and roll.
struct Pose {
  double x = 0, z = 0, heading = 0, pitch = 0, roll = 0;
};

inline Pose pose_after(const Drive& d, double t) {
  Pose p;
  p.heading = d.yaw_rate * t;
  const double way = d.speed * t;
  if (std::abs(d.yaw_rate) < 1e-9) {
    p.z = way;
  } else {  // an arc
    const double radius = d.speed / d.yaw_rate;
    p.x = -radius * (1 - std::cos(p.heading));
    p.z = radius * std::sin(p.heading);
  }
  p.pitch = d.pitch + d.pitch_rate * t;
  p.roll = d.roll_rate * t;
  return p;
}

inline bool project(const Camera& c, const Pose& pose, const Vec3& world, double& x, double& y) {
  // Into the car: origin on the road below the rear axle.
  const double dx = world.x - pose.x, dz = world.z - pose.z;
  const double ch = std::cos(pose.heading), sh = std::sin(pose.heading);
  double right = ch * dx + sh * dz, ahead = -sh * dx + ch * dz, down = world.y;
  // Into the camera's place.
  ahead -= c.ahead_m;
  down += c.height_m;
  // The mounting's yaw, then pitch of both, then roll.
  const double cy = std::cos(c.yaw_rad), sy = std::sin(c.yaw_rad);
  const double right2 = cy * right + sy * ahead, ahead2 = -sy * right + cy * ahead;
  const double pitch = c.pitch_rad + pose.pitch;
  const double cp = std::cos(pitch), sp = std::sin(pitch);
  const double ahead3 = cp * ahead2 - sp * down, down3 = sp * ahead2 + cp * down;
  const double cr = std::cos(pose.roll), sr = std::sin(pose.roll);
  const double right4 = cr * right2 + sr * down3, down4 = -sr * right2 + cr * down3;
  if (ahead3 < 0.5) return false;
  x = c.center_x + c.focal_px * right4 / ahead3;
  y = c.center_y + c.focal_px * down4 / ahead3;
  return true;
}

/// A picture box around a thing after the step; empty when it is out of view.
inline Region box_of(const Street& s, const Drive& d, const Thing& t) {
  const Pose pose = pose_after(d, d.dt);
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 p = {t.corner.x + ((corner & 1) != 0 ? t.size.x : 0),
              t.corner.y - ((corner & 2) != 0 ? t.size.y : 0),
              t.corner.z + ((corner & 4) != 0 ? t.size.z : 0)};
    p.x += t.velocity.x * d.dt;
    p.z += t.velocity.z * d.dt;
    double x = 0, y = 0;
    if (!project(s.camera, pose, p, x, y)) return {};
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
  }
  if (left < 0 || top < 0 || right > s.width || bottom > s.height) return {};
  return {left, top, right - left, bottom - top};
}

struct Truth {
  std::vector<bool> moves;  // of each vector
  int moving = 0;
};

inline Truth fill(const Street& s, const Drive& d, std::uint64_t seed, MotionField& field) {
  Dice dice{seed};
  Truth truth;
  field.count = 0;
  field.has_previous = true;
  const Pose before = pose_after(d, 0), after = pose_after(d, d.dt);
  // A nearer thing hides what is behind it.
  std::vector<Region> shades;
  for (const Thing& t : s.things) {
    Drive still = d;
    still.dt = 0;
    shades.push_back(box_of(s, still, t));
  }
  const auto hidden = [&](double x, double y, double z) {
    for (std::size_t i = 0; i < shades.size(); ++i) {
      const Region& b = shades[i];
      if (s.things[i].corner.z < z && x > b.x - 4 && x < b.x + b.w + 4 && y > b.y - 4 &&
          y < b.y + b.h + 4)
        return true;
    }
    return false;
  };
  const auto add = [&](const Vec3& p, const Vec3& velocity, bool moves) {
    double x = 0, y = 0, x2 = 0, y2 = 0;
    const Vec3 q = {p.x + velocity.x * d.dt, p.y + velocity.y * d.dt, p.z + velocity.z * d.dt};
    if (!project(s.camera, before, p, x, y) || !project(s.camera, after, q, x2, y2)) return false;
    const auto out = [&](double u, double v) {
      return u < 8 || v < 8 || u > s.width - 8 || v > s.height - 8;
    };
    if (out(x, y) || out(x2, y2) || hidden(x, y, p.z)) return false;
    if (field.count == MotionField::kCapacity) return true;
    double dx = x2 - x + s.noise * dice.normal(), dy = y2 - y + s.noise * dice.normal();
    if (dice.uniform(0, 1) < s.wrong) {
      dx = dice.uniform(-20, 20);
      dy = dice.uniform(-20, 20);
    }
    field.items[field.count++] = {static_cast<float>(x), static_cast<float>(y),
                                  static_cast<float>(dx), static_cast<float>(dy), 1};
    truth.moves.push_back(moves);
    truth.moving += moves ? 1 : 0;
    return true;
  };
  for (int placed = 0, tries = 0; placed < s.background && tries < 50 * s.background; ++tries) {
    const double z = dice.uniform(6, 70);
    Vec3 p;
    if (placed % 3 == 0) {
      p = {dice.uniform(-6, 6), 0, z};  // the road
    } else {                            // houses on both sides, and what closes the street
      const double side = dice.uniform(0, 1) < 0.5 ? -1 : 1;
      p = placed % 3 == 1 ? Vec3{side * dice.uniform(6, 12), -dice.uniform(0, 8), z}
                          : Vec3{dice.uniform(-40, 40), -dice.uniform(0, 12), dice.uniform(60, 90)};
    }
    if (add(p, {}, false)) ++placed;
  }
  for (const Thing& t : s.things)
    for (int placed = 0, tries = 0; placed < t.points && tries < 20 * t.points; ++tries) {
      const Vec3 p = {t.corner.x + dice.uniform(0, t.size.x),
                      t.corner.y - dice.uniform(0, t.size.y), t.corner.z};
      if (add(p, t.velocity, t.moves)) ++placed;
    }
  return truth;
}

inline Thing person(double x, double z, Vec3 velocity = {}, int points = 20) {
  const bool moves = std::hypot(velocity.x, velocity.z) > 0;
  return {{x - 0.25, 0, z}, {0.5, 1.75, 0.3}, velocity, points, moves};
}
inline Thing car(double x, double z, Vec3 velocity = {}, int points = 40) {
  const bool moves = std::hypot(velocity.x, velocity.z) > 0;
  return {{x - 0.9, 0, z}, {1.8, 1.5, 4}, velocity, points, moves};
}

}  // namespace kerb::ego::test
