// SPDX-License-Identifier: Apache-2.0
// What the renderer puts beside the streets of the suite `hours` keeps off the carriageway. Checked
// on the triangles that are drawn, against the street's middle line as points: nothing of what
// decides where things stand (Street::owns, locate, is_free) is asked.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/base/mirror.hpp"
#include "tools/simulator/render/light.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/surroundings.hpp"
#include "tools/simulator/scenario/hours.hpp"
#include "tools/simulator/world/street_line.hpp"
#include "tools/simulator/world/world.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSeeds = 1, kDrives = 2;
#else
constexpr int kSeeds = 4, kDrives = 2;
#endif
constexpr double kAhead_m = 60;  // beyond where the drive ends
constexpr float kLow_m = 0.3F;   // below: kerbs, ground
constexpr float kHigh_m = 2.2F;  // above: crowns of trees, arms of lanterns, awnings
constexpr double kStep_m = 0.5;  // between points of the middle line
/// As far a thing may stand over the edge of the lanes: a parked van does in a bend.
constexpr double kInside_m = 0.3;
constexpr double kCell_m = 8;

/// The points of a line, by the cell they are in.
class Carriageway {
 public:
  Carriageway(const Way& line, double from, double to, double half) : half_{half} {
    for (double s = from; s <= to; s += kStep_m) {
      const Vec2 p = line.at(s).at;
      cells_[key(cell(p.x), cell(p.y))].push_back({p, s});
    }
  }
  struct Point {
    Vec2 at;
    double s = 0;
  };
  /// A point of the line that is nearer to the polygon than half of the carriageway; null: none.
  [[nodiscard]] const Point* under(const std::vector<Vec2>& polygon) const {
    Vec2 low = polygon[0], high = low;
    for (const Vec2 p : polygon) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    for (int x = cell(low.x - half_); x <= cell(high.x + half_); ++x)
      for (int y = cell(low.y - half_); y <= cell(high.y + half_); ++y) {
        const auto found = cells_.find(key(x, y));
        if (found == cells_.end()) continue;
        for (const Point& point : found->second) {
          const Vec2 p = point.at;
          if (p.x < low.x - half_ || p.x > high.x + half_ || p.y < low.y - half_ ||
              p.y > high.y + half_)
            continue;
          if (distance2(p, polygon) < half_ * half_) return &point;
        }
      }
    return nullptr;
  }

 private:
  static int cell(double v) { return static_cast<int>(std::floor(v / kCell_m)); }
  static std::int64_t key(int x, int y) { return std::int64_t{x} * 1000003 + y; }
  /// From a point to a convex polygon, which may be a line, squared: 0 inside.
  static double distance2(Vec2 p, const std::vector<Vec2>& polygon) {
    double least = 1e30;
    bool left = false, right = false;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec2 a = polygon[i], along = polygon[(i + 1) % polygon.size()] - a;
      const double q = dot(along, along);
      const double k = q > 0 ? std::clamp(dot(p - a, along) / q, 0.0, 1.0) : 0;
      const Vec2 off = p - a - k * along;
      least = std::min(least, dot(off, off));
      const double side = cross(along, p - a);
      left = left || side >= -1e-9;
      right = right || side <= 1e-9;
    }
    return left && right ? least : 0;
  }
  double half_;
  std::unordered_map<std::int64_t, std::vector<Point>> cells_;
};

/// What of a triangle is between the two heights, seen from above.
std::vector<Vec2> seen_from_above(std::array<V3, 3> corners) {
  std::vector<V3> left{corners.begin(), corners.end()};
  const auto cut = [&](float z, float sign) {
    std::vector<V3> kept;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const V3 a = left[i], b = left[(i + 1) % left.size()];
      const float over_a = sign * (a.z - z), over_b = sign * (b.z - z);
      if (over_a >= 0) kept.push_back(a);
      if ((over_a >= 0) != (over_b >= 0))
        kept.push_back(a + (over_a / (over_a - over_b)) * (b - a));
    }
    left = kept;
  };
  cut(kLow_m, 1);
  cut(kHigh_m, -1);
  std::vector<Vec2> out;
  for (const V3 p : left) out.push_back({static_cast<double>(p.x), static_cast<double>(p.y)});
  return out;
}

/// The first triangle that stands on the carriageway, in words; empty: none does.
std::string first_on(const Carriageway& road, const Geometry& g, const char* what) {
  for (const Face& f : g.faces) {
    const V3 a = g.corners[f.corner[0]].p, b = g.corners[f.corner[1]].p,
             c = g.corners[f.corner[2]].p;
    if (std::max({a.z, b.z, c.z}) <= kLow_m || std::min({a.z, b.z, c.z}) >= kHigh_m) continue;
    const std::vector<Vec2> polygon = seen_from_above({a, b, c});
    if (polygon.empty()) continue;
    if (const Carriageway::Point* point = road.under(polygon)) {
      char text[200];
      std::snprintf(text, sizeof text, "%s at %.1f %.1f (material %d), %.1f m along the street",
                    what, polygon[0].x, polygon[0].y, f.material, point->s);
      return text;
    }
  }
  return {};
}

/// All that stands on the carriageway of a drive, a line for each geometry.
std::string in_the_way(const Scenario& s) {
  const World world{s};
  Moment end;
  world.at(s.seconds, end);
  const Street street{s.street.left_hand ? mirrored(s) : s};
  const Light light = light_of(s.light, s.seed);
  Materials materials;
  Surroundings surroundings{street, light, s.light, s.street.left_hand, materials};
  const Way line = street_line(s);
  // Along the middle line to beside where the car ends: not longer than its way and a lane's turn.
  double last = 0;
  for (double at = 0; at < line.length() + 400; at += 1)
    if (length(line.at(at).at - end.car.place.at) < s.street.lanes * s.street.lane_m) last = at;
  last += kAhead_m;
  const double half = s.street.lanes * s.street.lane_m / 2;
  const Carriageway road{line, 0, last, half - kInside_m};
  surroundings.reach(-40, last + 40);
  std::string found;
  for (const auto& [number, block] : surroundings.blocks()) {
    const auto add = [&, n = number](const Geometry& g, const char* what) {
      if (const std::string text = first_on(road, g, what); !text.empty())
        found += s.name + ", sides " + std::to_string(static_cast<int>(s.street.left)) + " " +
                 std::to_string(static_cast<int>(s.street.right)) + ", block " + std::to_string(n) +
                 ": " + text + "\n";
    };
    for (std::size_t i = 0; i < block.geometries.size(); ++i)
      add(*block.geometries[i], i == 0             ? "of the road"
                                : i == 1 || i == 3 ? "a building"
                                : i == 2 || i == 4 ? "furniture"
                                                   : "of a side street");
    for (const auto& tree : block.trees) add(tree->near, "a tree");
  }
  return found;
}

TEST(nothing_of_the_surroundings_stands_on_the_carriageway) {
  std::string found;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed)
    for (int index = 0; index < kDrives; ++index) {
      Scenario drive = hours::make_drive(seed, index);
      // As it is, and its bends with whatever else may stand beside them.
      found += in_the_way(drive);
      for (const Side side : {Side::houses, Side::park, Side::fields, Side::car_park, Side::wall}) {
        drive.street.left = drive.street.right = side;
        found += in_the_way(drive);
      }
    }
  TEST_ASSERT_TRUE_MESSAGE(found.empty(), found.c_str());
}

}  // namespace
