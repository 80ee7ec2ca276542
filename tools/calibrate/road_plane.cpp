// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/road_plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kerb::calibrate {
namespace {

constexpr int kTries = 200;
constexpr std::size_t kFewest = 12;
constexpr double kLeastShare = 1.0 / 3;
constexpr double kNear = 3;        // sigmas within which a point lies on the plane
constexpr double kMostRoll = 0.2;  // rad: nobody mounts a camera more askew and calls it level

struct Slopes {
  double a = 0, b = 0;  // share = a x + b y
};

bool is_on(const OutwardPoint& p, const Slopes& s) {
  return std::abs(p.share - s.a * p.x - s.b * p.y) < kNear * p.sigma;
}
bool is_road(const Slopes& s) { return s.b > 0 && std::abs(std::atan2(s.a, s.b)) < kMostRoll; }

std::size_t count_on(std::span<const OutwardPoint> points, const Slopes& s) {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const OutwardPoint& p) { return is_on(p, s); }));
}

/// Least squares over those on it.
std::optional<Slopes> refine(std::span<const OutwardPoint> points, const Slopes& s) {
  double xx = 0, xy = 0, yy = 0, xs = 0, ys = 0;
  for (const OutwardPoint& p : points) {
    if (!is_on(p, s)) continue;
    const double weight = 1 / (p.sigma * p.sigma);
    xx += weight * p.x * p.x;
    xy += weight * p.x * p.y;
    yy += weight * p.y * p.y;
    xs += weight * p.x * p.share;
    ys += weight * p.y * p.share;
  }
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-9 * xx * yy)) return std::nullopt;
  return Slopes{(xs * yy - ys * xy) / det, (ys * xx - xs * xy) / det};
}

}  // namespace

std::optional<RoadPlane> fit_road(std::span<const OutwardPoint> points) {
  if (points.size() < kFewest) return std::nullopt;
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  const auto draw = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::size_t>((state >> 11) % points.size());
  };
  Slopes best;
  std::size_t most = 0;
  for (int i = 0; i < kTries; ++i) {
    const OutwardPoint &p = points[draw()], &q = points[draw()];
    const double det = p.x * q.y - q.x * p.y;
    if (std::abs(det) < 1) continue;
    const Slopes guess{(p.share * q.y - q.share * p.y) / det,
                       (p.x * q.share - q.x * p.share) / det};
    if (!is_road(guess)) continue;
    const std::size_t on = count_on(points, guess);
    if (on > most) {
      most = on;
      best = guess;
    }
  }
  if (most < kFewest) return std::nullopt;
  for (int round = 0; round < 3; ++round) {
    const std::optional<Slopes> finer = refine(points, best);
    if (!finer || !is_road(*finer)) return std::nullopt;
    best = *finer;
  }
  most = count_on(points, best);
  if (most < kFewest ||
      static_cast<double>(most) < kLeastShare * static_cast<double>(points.size()))
    return std::nullopt;
  return RoadPlane{std::atan2(best.a, best.b), std::hypot(best.a, best.b), static_cast<int>(most)};
}

}  // namespace kerb::calibrate
