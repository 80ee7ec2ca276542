// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/types/senses.hpp"
#include "tests/support/random.hpp"

/// People who walk on a road that a car drives on, and the boxes a detector would find.
namespace kerb::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{seed} {}
  double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  Random random_;
};

struct WorldWalker {
  double x = 0, y = 0, vx = 0, vy = 0;  ///< in the world
  double height = 1.7;
  double score = 16;
  int colour = 0;
  bool shown = true;
};

class World {
 public:
  explicit World(std::uint64_t seed) : dice{seed} { camera.pitch_sigma_rad = 0.005; }

  void move(double dt) {
    for (WorldWalker& w : walkers) {
      const double keeps = std::exp(-dt / speed_time);
      w.vx = keeps * w.vx + std::sqrt(wander * dt) * dice.normal();
      w.vy = keeps * w.vy + std::sqrt(wander * dt) * dice.normal();
      w.x += w.vx * dt;
      w.y += w.vy * dt;
    }
    // Along the arc, in small steps.
    for (int i = 0; i < 20; ++i) {
      const double h = heading + yaw_rate * dt / 40;
      car_x += speed * dt / 20 * std::cos(h);
      car_y += speed * dt / 20 * std::sin(h);
      heading += yaw_rate * dt / 20;
    }
    now += Nanos{static_cast<Nanos::rep>(std::llround(dt * 1e9))};
  }
  /// In the car's frame: the place, and the velocity over ground.
  [[nodiscard]] WorldWalker from_car(const WorldWalker& w) const {
    const double c = std::cos(heading), s = std::sin(heading);
    WorldWalker out = w;
    out.x = c * (w.x - car_x) + s * (w.y - car_y);
    out.y = c * (w.y - car_y) - s * (w.x - car_x);
    out.vx = c * w.vx + s * w.vy;
    out.vy = c * w.vy - s * w.vx;
    return out;
  }
  /// Its box without noise; h is 0 where it is not in the picture.
  [[nodiscard]] Detection box_of(const WorldWalker& world) const {
    const WorldWalker w = from_car(world);
    const auto foot = project(camera, {w.x, w.y}, 0, pitch);
    const auto head = project(camera, {w.x, w.y}, w.height, pitch);
    if (!foot || !head) return {};
    const double h = foot->y - head->y, width = 0.4 * h, x = (foot->x + head->x) / 2;
    if (x < 0 || x > camera.width || head->y < 0 || foot->y > camera.height) return {};
    return {static_cast<float>(x - width / 2), static_cast<float>(head->y),
            static_cast<float>(width), static_cast<float>(h), static_cast<float>(w.score)};
  }
  [[nodiscard]] Detection noisy(const Detection& b) {
    const double h = static_cast<double>(b.h);
    const double top = static_cast<double>(b.y) + row_noise * h * dice.normal();
    const double foot = static_cast<double>(b.y) + h + row_noise * h * dice.normal();
    const double middle = static_cast<double>(b.x + b.w / 2) + column_noise * h * dice.normal();
    const double width = 0.4 * (foot - top);
    return {static_cast<float>(middle - width / 2), static_cast<float>(top),
            static_cast<float>(width), static_cast<float>(foot - top), b.score};
  }
  /// What a frame tells. `of`: which walker each detection is.
  void sense(bool looked, track::Senses& out) {
    out = {};
    out.captured = now;
    out.looked = looked;
    out.vehicle.speed_mps = speed;
    out.vehicle.yaw_rate_radps = yaw_rate;
    if (!looked) return;
    for (std::size_t i = 0; i < walkers.size() && out.count < track::Senses::kMost; ++i) {
      const WorldWalker& w = walkers[i];
      const Detection b = box_of(w);
      if (!w.shown || b.h <= 0) continue;
      const auto k = static_cast<std::size_t>(out.count++);
      of[k] = static_cast<int>(i);
      out.boxes[k] = noisy(b);
      out.boxes[k].score += 0.001F * static_cast<float>(i);  // so that each can be told from others
      if (w.colour > 0) {
        out.looks[k].known = true;
        out.looks[k].values[static_cast<std::size_t>(w.colour)] = 0.7F;
        out.looks[k].values[0] = 0.3F;
      }
    }
  }

  Camera camera;
  std::vector<WorldWalker> walkers;
  double speed = 0, yaw_rate = 0;
  double car_x = 0, car_y = 0, heading = 0;
  double pitch = 0;  ///< of the camera above its mounting
  double wander = 0.3;
  double speed_time = 1e9;  // seconds they keep a velocity: for ever, but for their wandering
  double row_noise = 0.04, column_noise = 0.03;
  Nanos now = std::chrono::seconds{100};
  Dice dice;
  std::array<int, track::Senses::kMost> of{};
};

}  // namespace kerb::test
