// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "firmware/fuse/people_fuser.hpp"
#include "firmware/risk/contact.hpp"

/// People on a road and cameras that track them, each with noise and errors of its own: what the
/// fusion is judged by. Everything in the road's axes is this file's own arithmetic.
namespace kerb::fuse::test {

struct Point {
  double x = 0, y = 0;
};

/// Where somebody is at a time, in the road's axes.
using Walker = std::function<Point(double t)>;

inline Walker straight(Point from, Point velocity) {
  return [=](double t) { return Point{from.x + velocity.x * t, from.y + velocity.y * t}; };
}

/// The car: constant speed and yaw rate.
struct Car {
  double speed = 0, yaw_rate = 0;
  struct Pose {
    double x, y, heading;
  };
  [[nodiscard]] Pose at(double t) const {
    const double h = yaw_rate * t;
    if (std::abs(yaw_rate) < 1e-9) return {speed * t, 0, 0};
    return {speed / yaw_rate * std::sin(h), speed / yaw_rate * (1 - std::cos(h)), h};
  }
};

/// What a camera is like.
struct Eye {
  double rate_hz = 30, first_s = 0, latency_s = 0.04;
  double range_error = 0, bearing_error = 0;         ///< constant: a share, radians
  double range_noise = 0.03, bearing_noise = 0.004;  ///< of each measurement
  double from_deg = -60, to_deg = 60;                ///< the view, to the left
  double misses = 0.05;                              ///< share of frames without a detection
  std::function<bool(int walker, double t)> hidden = [](int, double) { return false; };
  std::function<bool(double t)> works = [](double) { return true; };
  bool remembers = false;  ///< gives somebody who was lost the same id again
};

/// A camera with its tracker: a Kalman filter for each walker, in the road's axes.
class Camera {
 public:
  Camera(const Eye& like, std::uint64_t seed) : eye{like}, random_{seed} {}

  /// The newest report that has arrived by `now`, in seconds.
  const risk::PeopleReport* newest(double now, const std::vector<Walker>& walkers, const Car& car) {
    for (; next() + eye.latency_s <= now; ++frames_) {
      const double t = next();
      if (eye.works(t)) frame(t, walkers, car);
    }
    return report->at == Nanos::zero() || !eye.works(now) ? nullptr : report.get();
  }
  /// Whether a confirmed track of this walker is in the report.
  [[nodiscard]] bool has(int walker) const {
    for (int i = 0; i < report->people.count; ++i)
      if (report->people.items[i].confirmed &&
          static_cast<int>(report->people.items[i].box.score) == walker)
        return true;
    return false;
  }

  Eye eye;
  std::unique_ptr<risk::PeopleReport> report = std::make_unique<risk::PeopleReport>();

 private:
  struct Track {
    std::uint32_t id = 0;
    double at = 0, first = 0, last = 0;
    int hits = 0;
    std::array<double, 4> m{};  // x, y, vx, vy
    double p[4][4]{};
  };

  [[nodiscard]] double next() const { return eye.first_s + frames_ / eye.rate_hz; }
  double noise() { return std::normal_distribution<double>{}(random_); }

  static void predict(Track& k, double t) {
    const double dt = t - k.at;
    k.at = t;
    k.m[0] += k.m[2] * dt;
    k.m[1] += k.m[3] * dt;
    double f[4][4] = {{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}}, a[4][4]{},
           b[4][4]{};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int n = 0; n < 4; ++n) a[i][j] += f[i][n] * k.p[n][j];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int n = 0; n < 4; ++n) b[i][j] += a[i][n] * f[j][n];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) k.p[i][j] = b[i][j];
    const double q = 0.5;
    for (int i = 0; i < 2; ++i) {
      k.p[i][i] += q * dt * dt * dt / 3;
      k.p[i][i + 2] += q * dt * dt / 2;
      k.p[i + 2][i] += q * dt * dt / 2;
      k.p[i + 2][i + 2] += q * dt;
    }
  }
  static void update(Track& k, Point z, double rxx, double rxy, double ryy) {
    const double a = k.p[0][0] + rxx, b = k.p[0][1] + rxy, d = k.p[1][1] + ryy;
    const double det = a * d - b * b, ix = d / det, ixy = -b / det, iy = a / det;
    const double ex = z.x - k.m[0], ey = z.y - k.m[1];
    double gain[4][2], old[4][4];
    for (int i = 0; i < 4; ++i) {
      gain[i][0] = k.p[i][0] * ix + k.p[i][1] * ixy;
      gain[i][1] = k.p[i][0] * ixy + k.p[i][1] * iy;
      for (int j = 0; j < 4; ++j) old[i][j] = k.p[i][j];
    }
    for (int i = 0; i < 4; ++i) {
      k.m[static_cast<std::size_t>(i)] += gain[i][0] * ex + gain[i][1] * ey;
      for (int j = 0; j < 4; ++j)
        k.p[i][j] = old[i][j] - gain[i][0] * old[0][j] - gain[i][1] * old[1][j];
    }
  }

  void frame(double t, const std::vector<Walker>& walkers, const Car& car) {
    const Car::Pose pose = car.at(t);
    for (int w = 0; w < static_cast<int>(walkers.size()); ++w) {
      const Point p = walkers[static_cast<std::size_t>(w)](t);
      const double dx = p.x - pose.x, dy = p.y - pose.y;
      const double range = std::sqrt(dx * dx + dy * dy);
      const double bearing = std::remainder(std::atan2(dy, dx) - pose.heading, 2 * M_PI);
      const double degrees = bearing * 180 / M_PI;
      const bool in_view =
          degrees > eye.from_deg && degrees < eye.to_deg && range < 70 && !eye.hidden(w, t);
      const double u = std::uniform_real_distribution<double>{}(random_);
      const double nr = noise(), nb = noise();
      auto found = tracks_.find(w);
      if (found != tracks_.end()) predict(found->second, t);
      if (in_view && u >= eye.misses) {
        const double r = range * (1 + eye.range_error + eye.range_noise * nr);
        const double b = bearing + eye.bearing_error + eye.bearing_noise * nb + pose.heading;
        const Point z{pose.x + r * std::cos(b), pose.y + r * std::sin(b)};
        const double along = std::pow(eye.range_noise * range + 0.1, 2);
        const double across = std::pow(eye.bearing_noise * range + 0.05, 2);
        const double c = std::cos(b), s = std::sin(b);
        const double rxx = along * c * c + across * s * s, ryy = along * s * s + across * c * c,
                     rxy = (along - across) * c * s;
        if (found == tracks_.end()) {
          Track k;
          std::uint32_t& known = ids_[w];
          if (known == 0 || !eye.remembers || t - lost_[w] > 4) known = ++last_id_;
          k.id = known;
          k.at = k.first = t;
          k.m = {z.x, z.y, 0, 0};
          k.p[0][0] = rxx;
          k.p[0][1] = k.p[1][0] = rxy;
          k.p[1][1] = ryy;
          k.p[2][2] = k.p[3][3] = 1;
          found = tracks_.emplace(w, k).first;
        } else {
          update(found->second, z, rxx, rxy, ryy);
        }
        found->second.last = t;
        ++found->second.hits;
      }
      if (found != tracks_.end() && t - found->second.last > (found->second.hits < 3 ? 0.2 : 1.0)) {
        lost_[w] = t;
        tracks_.erase(found);
      }
    }
    tell(t, pose, car);
  }

  void tell(double t, const Car::Pose& pose, const Car& car) {
    risk::PeopleReport& r = *report;
    const auto nanos = [](double s) { return Nanos{static_cast<std::int64_t>(s * 1e9) + 1}; };
    r.at = nanos(t);
    r.path_known = r.yaw_rate_known = true;
    r.speed_mps = car.speed;
    r.yaw_rate_radps = car.yaw_rate;
    r.people.count = 0;
    const double c = std::cos(pose.heading), s = std::sin(pose.heading);
    for (const auto& [w, k] : tracks_) {
      track::Person& p = r.people.items[r.people.count];
      p = {};
      p.id = k.id;
      p.first_seen = nanos(k.first);
      p.last_seen = nanos(k.last);
      const double dx = k.m[0] - pose.x, dy = k.m[1] - pose.y;
      p.x_m = c * dx + s * dy;
      p.y_m = c * dy - s * dx;
      p.vx_mps = c * k.m[2] + s * k.m[3];
      p.vy_mps = c * k.m[3] - s * k.m[2];
      const double turn[4][4] = {{c, s, 0, 0}, {-s, c, 0, 0}, {0, 0, c, s}, {0, 0, -s, c}};
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          for (std::size_t n = 0; n < 4; ++n)
            for (std::size_t q = 0; q < 4; ++q)
              p.covariance[4 * i + j] += turn[i][n] * k.p[n][q] * turn[j][q];
      const double v = p.vx_mps * p.vx_mps + p.vy_mps * p.vy_mps;
      p.walks = v > 0.25 ? 0.9 : 0.3;
      p.walking = {p.x_m, p.y_m, p.vx_mps, p.vy_mps, p.covariance};
      p.standing = {
          p.x_m, p.y_m, {p.covariance[0], p.covariance[1], p.covariance[4], p.covariance[5]}};
      p.certainty = k.hits < 3 ? 0.5 : 0.95;
      p.confirmed = k.hits >= 3;
      p.seen = k.last == t;
      p.box.score = static_cast<float>(w);
      ++r.people.count;
    }
    path_.update(r.at, {car.speed, car.yaw_rate});
    r.acceleration_mps2 = path_.acceleration_mps2();
    r.yaw_acceleration_radps2 = path_.motion().yaw_acceleration_radps2;
    judge_.observe(r.at, r.people);
    for (int i = 0; i < r.people.count; ++i) r.contacts[i] = judge_.judge(r.people.items[i], path_);
  }

  std::mt19937_64 random_;
  int frames_ = 0;
  std::uint32_t last_id_ = 0;
  std::map<int, Track> tracks_;
  std::map<int, std::uint32_t> ids_;
  std::map<int, double> lost_;
  risk::CarPath path_;
  risk::ContactJudge judge_{{}, {}};
};

using Name = std::pair<int, std::uint32_t>;  ///< camera and id

/// What is counted against the truth, in rounds of 10 ms.
struct Count {
  int rounds = 0;                       ///< times people who are tracked by some camera
  int doubled = 0;                      ///< more than once in the list
  int missing = 0;                      ///< not in the list
  int changes = 0;                      ///< of a person's identity
  int shared = 0;                       ///< an identity twice in one list: never
  int taken = 0;                        ///< an identity that was somebody else's before
  std::map<int, std::set<Name>> names;  ///< of each walker
};

struct Scene {
  std::vector<Eye> eyes;
  std::vector<Walker> walkers;
  Car car;
  double until = 8, settled = 1.0;  ///< seconds; only from then on doubles and changes are counted
  std::uint64_t seed = 1;
};

/// Runs it. `each` gets every round: time, what the cameras report, and what came of it.
inline Count run(const Scene& scene,
                 const std::function<void(double, const Reports&, const Reports&)>& each = {},
                 PeopleFuser* with = nullptr) {
  std::vector<Camera> cameras;
  for (std::size_t i = 0; i < scene.eyes.size(); ++i)
    cameras.emplace_back(scene.eyes[i], scene.seed * 1000 + i);
  PeopleFuser own{{static_cast<int>(scene.eyes.size()), {}, {}}};
  PeopleFuser& fuser = with != nullptr ? *with : own;
  Count count;
  std::map<int, Name> last;
  std::map<Name, int> whose;
  for (int round = 0; round * 0.01 < scene.until; ++round) {
    const double now = round * 0.01;
    Reports in{};
    for (std::size_t i = 0; i < cameras.size(); ++i)
      in[i] = cameras[i].newest(now, scene.walkers, scene.car);
    const Reports out = fuser.step(in);
    if (each) each(now, in, out);
    std::map<int, int> listed;
    std::set<Name> used;
    for (std::size_t c = 0; c < out.size(); ++c) {
      if (out[c] == nullptr) continue;
      for (int i = 0; i < out[c]->people.count; ++i) {
        const track::Person& p = out[c]->people.items[i];
        const Name name{track::identity_camera(p, static_cast<int>(c)), p.id};
        if (!used.insert(name).second) ++count.shared;
        if (!p.confirmed) continue;
        const int walker = static_cast<int>(p.box.score);
        ++listed[walker];
        if (now < scene.settled || listed[walker] > 1) continue;
        count.names[walker].insert(name);
        if (last.count(walker) != 0 && last[walker] != name) ++count.changes;
        if (whose.count(name) != 0 && whose[name] != walker) ++count.taken;
        last[walker] = name;
        whose[name] = walker;
      }
    }
    if (now < scene.settled) continue;
    for (int w = 0; w < static_cast<int>(scene.walkers.size()); ++w) {
      bool tracked = false;
      for (std::size_t i = 0; i < cameras.size(); ++i)
        tracked = tracked || (in[i] != nullptr && cameras[i].has(w));
      if (!tracked) continue;
      ++count.rounds;
      if (listed[w] > 1) ++count.doubled;
      if (listed[w] == 0) ++count.missing;
    }
  }
  return count;
}

}  // namespace kerb::fuse::test
