// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "tests/unit/firmware/ego/scene.hpp"

/// Drives through busy streets, and how well the motion and the people in them are told.
namespace kerb::ego::test {

inline Nanos interval_of(const Drive& d) { return Nanos{std::llround(d.dt * 1e9)}; }

inline VehicleMotion told(const Drive& d) { return {d.speed, d.yaw_rate}; }

inline bool overlap(const Region& a, const Region& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/// A busy street: three people and a car stand; six people walk across, two cars drive.
inline Street busy(std::uint64_t seed, bool with_movers) {
  Street s;
  Dice dice{seed * 77};
  const auto place = [&](Vec3 velocity, int points) {
    s.things.push_back(person(dice.uniform(-6, 6), dice.uniform(8, 25), velocity, points));
  };
  for (int i = 0; i < 3; ++i) place({}, 20);
  s.things.push_back(car(5, 15));
  if (!with_movers) return s;
  for (int i = 0; i < 6; ++i) {
    const double speed = dice.uniform(1, 2) * (dice.uniform(0, 1) < 0.5 ? -1 : 1);
    place({speed, 0, dice.uniform(-0.3, 0.3)}, 40);
  }
  s.things.push_back(car(-3, 18, {0, 0, -12}, 80));
  s.things.push_back(car(0, 22, {0, 0, 12}, 80));
  s.background = 180;
  return s;
}

struct Rates {
  int frames = 0, valid = 0;
  double moving_share = 0;                    // of the vectors, in truth
  double rotation = 0, foe_x = 0, foe_y = 0;  // root mean squares: rad/s, pixels
  int standing[3] = {}, walking[3] = {};      // people in full view, by verdict
  int travel[3] = {};
  int yaw_distrusted = 0, speed_distrusted = 0;  // frames
};

struct Case {
  const char* name;
  Drive drive;
  bool speed_told, yaw_told, people_known;
  bool movers = true;
  // What is wrong with what the car tells, once settled.
  double yaw_offset = 0;  // rad/s
  double yaw_swing = 0;   // the wheel to and fro, 3 s each: rad/s, truly
  double yaw_late = 0;    // s
  std::optional<double> stuck_speed{}, stuck_yaw{};
};

/// What the car does and tells in a frame of the case.
inline Drive drive_of(const Case& c, int frame, VehicleMotion& vehicle) {
  constexpr double kTurn = 2 * 3.14159265358979 / 3;
  Drive d = c.drive;
  const double t = frame * d.dt;
  d.yaw_rate += c.yaw_swing * std::sin(kTurn * (t + d.dt / 2));
  vehicle = {};
  if (c.speed_told) vehicle.speed_mps = c.stuck_speed.value_or(d.speed);
  if (c.yaw_told)
    vehicle.yaw_rate_radps =
        c.stuck_yaw.value_or(c.drive.yaw_rate + c.yaw_offset +
                             c.yaw_swing * std::sin(kTurn * (t + d.dt / 2 - c.yaw_late)));
  return d;
}

/// Fifteen frames of straight driving to settle, then the case.
inline Rates drive_through(const Case& c, int frames = 20) {
  const auto field = std::make_unique<MotionField>();
  EgoEstimator ego{Street{}.camera, {}};
  Rates out;
  for (int frame = 1; frame <= 15 + frames; ++frame) {
    const bool settling = frame <= 15;
    VehicleMotion vehicle;
    Drive d = drive_of(c, frame - 16, vehicle);
    if (settling) {
      d = {c.drive.speed};
      d.dt = c.drive.dt;
      if (c.speed_told) vehicle.speed_mps = d.speed;
      if (c.yaw_told) vehicle.yaw_rate_radps = d.yaw_rate;
    }
    const auto seed = static_cast<std::uint64_t>(frame);
    const Street s = busy(seed, c.movers);
    const Truth truth = fill(s, d, seed, *field);
    std::vector<Region> people;
    for (const Thing& t : s.things)
      if (const Region b = box_of(s, d, t); c.people_known && t.size.x < 1 && b.w > 0)
        people.push_back(b);
    const EgoMotion& m = ego.update(*field, interval_of(d), vehicle, people);
    if (settling) continue;
    ++out.frames;
    out.moving_share += static_cast<double>(truth.moving) / field->count / frames;
    if (m.state != EgoState::valid) continue;
    ++out.valid;
    ++out.travel[static_cast<int>(m.travel)];
    if (m.yaw_distrusted) ++out.yaw_distrusted;
    if (m.speed_distrusted) ++out.speed_distrusted;
    const double bend = d.speed == 0 ? 0 : d.yaw_rate * (s.camera.ahead_m / d.speed + d.dt / 2);
    out.rotation += std::pow(m.pitch_rate_radps - d.pitch_rate, 2) +
                    std::pow(m.yaw_rate_radps - d.yaw_rate, 2) +
                    std::pow(m.roll_rate_radps - d.roll_rate, 2);
    out.foe_x += std::pow(m.foe_x - s.camera.center_x + s.camera.focal_px * std::tan(bend), 2);
    out.foe_y += std::pow(m.foe_y - s.camera.center_y, 2);
    for (const Thing& t : s.things) {
      const Region b = box_of(s, d, t);
      if (b.w <= 0 || t.size.x > 1) continue;
      const bool mixed = std::ranges::any_of(s.things, [&](const Thing& other) {
        const Region o = box_of(s, d, other);
        return &other != &t && o.w > 0 && other.corner.z < t.corner.z && overlap(o, b);
      });
      if (mixed) continue;  // somebody stands before him
      int* const verdicts = t.moves ? out.walking : out.standing;
      ++verdicts[static_cast<int>(ego.region(b).verdict)];
    }
  }
  const double n = std::max(out.valid, 1);
  out.rotation = std::sqrt(out.rotation / n);
  out.foe_x = std::sqrt(out.foe_x / n);
  out.foe_y = std::sqrt(out.foe_y / n);
  std::printf(
      "%-22s moving %2.0f %%, valid %d/%d, rotation %.4f rad/s, focus %.1f %.1f px; standing "
      "people u%d s%d m%d, walking u%d s%d m%d; distrusted: yaw %d, speed %d\n",
      c.name, 100 * out.moving_share, out.valid, out.frames, out.rotation, out.foe_x, out.foe_y,
      out.standing[0], out.standing[1], out.standing[2], out.walking[0], out.walking[1],
      out.walking[2], out.yaw_distrusted, out.speed_distrusted);
  return out;
}

inline int all(const int (&verdicts)[3]) { return verdicts[0] + verdicts[1] + verdicts[2]; }

inline Drive drive(double speed, double yaw_rate = 0, double pitch_rate = 0, double roll_rate = 0,
                   double dt = 1.0 / 30) {
  Drive d;
  d.speed = speed;
  d.yaw_rate = yaw_rate;
  d.pitch_rate = pitch_rate;
  d.roll_rate = roll_rate;
  d.dt = dt;
  return d;
}

}  // namespace kerb::ego::test
