// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <optional>
#include <vector>

#include "firmware/types/person.hpp"
#include "tools/simulator/base/random.hpp"
#include "tools/simulator/judge/visibility.hpp"
#include "tools/simulator/world/outline.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim::test {

/// Stands in for camera, detector and tracker: everybody in a scenario as a follower of boxes would
/// have them, without any picture. Who is half visible is found in nine frames of ten, a bit off
/// each time, and all the time too near or too far by a few hundredths (people are not all of one
/// height); and their speed over ground from the flow, much better across the line of
/// sight than along it; a Kalman filter follows each. The car's frame is the bumper's: there the
/// scenario's car turns.
class StandInEyes {
 public:
  static constexpr double kRate = 30, kFarthest = 60;
  static constexpr double kDistanceNoise = 0.06, kDistanceBias = 0.03;  // of the distance
  static constexpr double kAcross = 0.05;                               // metres
  // Of the speed, m/s for each frame: what flow tells across the line of sight, and along it.
  static constexpr double kFlow = 0.2, kFlowFar = 0.02, kGrowth = 0.4, kGrowthFar = 0.15;
  static constexpr double kWander = 0.35;  // m^2/s^3

  StandInEyes(const World& world, std::uint64_t seed)
      : world_{world}, visibility_{world.scenario()}, random_{seed} {
    followed_.resize(world.scenario().people.size());
    for (Followed& f : followed_) f.bias = random_.normal(0, kDistanceBias);
  }

  /// The frame taken at `t`; each 1 / kRate.
  void look(double t, track::PersonList& out) {
    world_.at(t, now_);
    out.count = 0;
    for (std::size_t i = 0; i < followed_.size(); ++i) {
      Followed& f = followed_[i];
      if (f.seen > 0) predict(f);
      const bool found = sees(i);
      if (found) {
        see(f, i);
        f.unseen = 0;
      } else if (++f.unseen > 15) {
        f.seen = 0;
      }
      if (f.seen == 0 || out.count == track::PersonList::kCapacity) continue;
      out.items[out.count++] = told(f, i, t, found);
    }
  }
  [[nodiscard]] const Moment& now() const { return now_; }

 private:
  struct Followed {
    Eigen::Vector4d state = Eigen::Vector4d::Zero();  // in the world
    Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();
    int seen = 0, unseen = 0;
    std::uint32_t id = 0;
    double bias = 0;
  };

  [[nodiscard]] bool sees(std::size_t i) {
    const Vec2 at = seen_from(now_.car.place, now_.people[i].place.at);
    if (at.x < -1 || std::hypot(at.x, at.y) > kFarthest) return false;
    return visibility_.visible(now_, i) >= kHalf && random_.chance(0.9);
  }
  static void predict(Followed& f) {
    const double dt = 1 / kRate;
    Eigen::Matrix4d step = Eigen::Matrix4d::Identity();
    step(0, 2) = step(1, 3) = dt;
    f.state = step * f.state;
    f.covariance = step * f.covariance * step.transpose();
    for (int k = 0; k < 2; ++k) {
      f.covariance(k, k) += kWander * dt * dt * dt / 3;
      f.covariance(k, k + 2) += kWander * dt * dt / 2;
      f.covariance(k + 2, k) += kWander * dt * dt / 2;
      f.covariance(k + 2, k + 2) += kWander * dt;
    }
  }
  void see(Followed& f, std::size_t i) {
    const Vec2 at = seen_from(now_.car.place, now_.people[i].place.at);
    const Vec2 eye{-world_.scenario().camera.behind_m, world_.scenario().camera.left_m};
    const Vec2 ray = at - eye;
    const double far = std::max(length(ray), 0.5);
    const Vec2 along = (1 / far) * ray;
    const double noise = kDistanceNoise * far;
    const double measured = far * (1 + f.bias) + random_.normal(0, noise);
    const Vec2 place = eye + measured * along + random_.normal(0, kAcross) * left_of(along);
    // In the world.
    const Vec2 ahead = direction(now_.car.place.heading);
    const auto turned = [&](Vec2 v) { return v.x * ahead + v.y * left_of(ahead); };
    const Vec2 world = now_.car.place.at + turned(place);
    const Vec2 axis = turned(along), side = left_of(axis);
    Eigen::Matrix2d spread;
    const double a = noise * noise, b = kAcross * kAcross;
    spread << a * axis.x * axis.x + b * side.x * side.x, a * axis.x * axis.y + b * side.x * side.y,
        a * axis.x * axis.y + b * side.x * side.y, a * axis.y * axis.y + b * side.y * side.y;
    if (f.seen == 0) {
      f.id = ++ids_;
      f.state << world.x, world.y, 0, 0;
      f.covariance.setZero();
      f.covariance.topLeftCorner<2, 2>() = spread;
      f.covariance(2, 2) = f.covariance(3, 3) = 1;
    } else {
      const Eigen::Matrix<double, 4, 2> gain =
          f.covariance.leftCols<2>() * (f.covariance.topLeftCorner<2, 2>() + spread).inverse();
      f.state += gain * (Eigen::Vector2d{world.x, world.y} - f.state.head<2>());
      f.covariance -= (gain * f.covariance.topRows<2>()).eval();
    }
    if (f.seen > 0) {  // the flow inside the box, and how it grows
      const Vec2 way = now_.people[i].velocity;
      see_speed(f, side, dot(way, side), kFlow + kFlowFar * far);
      see_speed(f, axis, dot(way, axis), kGrowth + kGrowthFar * far);
    }
    ++f.seen;
  }
  void see_speed(Followed& f, Vec2 axis, double speed, double sigma) {
    const Eigen::Vector4d along{0, 0, axis.x, axis.y};
    const Eigen::Vector4d gain =
        f.covariance * along / (along.dot(f.covariance * along) + sigma * sigma);
    f.state += gain * (speed + random_.normal(0, sigma) - along.dot(f.state));
    f.covariance -= (gain * (along.transpose() * f.covariance)).eval();
  }
  [[nodiscard]] track::Person told(const Followed& f, std::size_t i, double t, bool found) const {
    track::Person p;
    p.id = f.id;
    p.last_seen = Nanos{static_cast<Nanos::rep>(t * 1e9)};
    const Vec2 at = seen_from(now_.car.place, {f.state(0), f.state(1)});
    const Vec2 ahead = direction(now_.car.place.heading), left = left_of(ahead);
    p.x_m = at.x;
    p.y_m = at.y;
    p.vx_mps = f.state(2) * ahead.x + f.state(3) * ahead.y;
    p.vy_mps = f.state(2) * left.x + f.state(3) * left.y;
    Eigen::Matrix4d turn = Eigen::Matrix4d::Zero();
    turn.topLeftCorner<2, 2>() << ahead.x, ahead.y, left.x, left.y;
    turn.bottomRightCorner<2, 2>() = turn.topLeftCorner<2, 2>();
    Eigen::Matrix4d covariance = turn * f.covariance * turn.transpose();
    const double bias = kDistanceBias * at.x;
    covariance(0, 0) += bias * bias;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        p.covariance[static_cast<std::size_t>(4 * r + c)] = covariance(r, c);
    p.height_m = world_.scenario().people[i].height_m;
    p.certainty = std::min(1.0, f.seen / 4.0);
    p.confirmed = f.seen >= 3;
    p.seen = found;
    return p;
  }

  static constexpr double kHalf = 0.5;
  const World& world_;
  Visibility visibility_;
  Random random_;
  Moment now_;
  std::vector<Followed> followed_;
  std::uint32_t ids_ = 0;
};

}  // namespace kerb::sim::test
