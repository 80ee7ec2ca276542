// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/search.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace kerb::hog {
namespace {

constexpr int kMaxSide = 65535;

Error bad(const char* text) { return {Errc::invalid_argument, 0, "search", text}; }

/// Indices of the lattice -padding + i * stride: `first` .. `first + count - 1`.
struct Run {
  int first = 0, count = 0;
};

/// The run of windows, of those that a side of `side` pixels and its padding hold, that `fits`
/// (given the window's place) lets through. What it lets through must be without gaps.
template <typename Fits>
Run run_of(int side, int window, const SearchSettings& s, Fits&& fits) {
  const int places = (side + 2 * s.padding - window) / s.stride + 1;
  Run run;
  for (int i = 0; i < places; ++i) {
    if (!fits(static_cast<double>(i * s.stride - s.padding))) {
      if (run.count > 0) break;
      continue;
    }
    if (run.count++ == 0) run.first = i;
  }
  return run;
}

/// Whether [from, from + length] in level pixels lies within [low, low + size] of the image.
bool within(double from, double length, double low, double size, double scale, int stride) {
  const double slack = stride / 2.0;
  return from >= low / scale - slack && from + length <= (low + size) / scale + slack;
}

bool stands_on(const GroundPlane& ground, double foot_row, double height) {
  const double below = foot_row - ground.horizon_row;
  const double reach = height * ground.camera_height_m;
  return below >= reach / ground.tallest_m - ground.slack_rows &&
         below <= reach / ground.shortest_m + ground.slack_rows;
}

bool stands_within(const GroundPlane& ground, double column, double height) {
  if (ground.side_m == 0) return true;
  return std::abs(column - ground.middle_column) <= ground.side_m * height / ground.shortest_m;
}

bool sound(const Geometry& g) {
  return g.window_width >= 1 && g.window_height >= 1 && g.window_width <= kMaxWindowSide &&
         g.window_height <= kMaxWindowSide && std::isfinite(g.person_x) &&
         std::isfinite(g.person_y) && g.person_width > 0 && std::isfinite(g.person_width) &&
         g.person_height >= 1 && std::isfinite(g.person_height);
}

}  // namespace

Status validate(const SearchSettings& s) {
  if (!(s.scale_step >= 1.001 && s.scale_step <= 16)) return bad("scale_step: 1.001..16");
  if (s.stride < 1 || s.stride > 256) return bad("stride: 1..256");
  if (s.min_height < 0 || s.min_height > kMaxSide) return bad("min_height: 0..65535");
  if (s.max_height < 0 || s.max_height > kMaxSide) return bad("max_height: 0..65535");
  if (s.max_height != 0 && s.max_height < s.min_height)
    return bad("max_height must not be less than min_height");
  if (s.padding < 0 || s.padding > 1024) return bad("padding: 0..1024");
  if (s.max_levels < 1 || s.max_levels > 1024) return bad("max_levels: 1..1024");
  if (s.region.width < 0 || s.region.height < 0)
    return bad("region: width and height must not be negative");
  if (s.ground) {
    const GroundPlane& g = *s.ground;
    if (!std::isfinite(g.horizon_row)) return bad("ground: horizon_row must be a number");
    if (!(g.camera_height_m > 0 && g.camera_height_m <= 100))
      return bad("ground: camera_height_m: more than 0, up to 100");
    if (!(g.shortest_m > 0 && g.shortest_m <= g.tallest_m && g.tallest_m <= 100))
      return bad("ground: 0 < shortest_m <= tallest_m <= 100");
    if (!(g.slack_rows >= 0 && g.slack_rows <= kMaxSide))
      return bad("ground: slack_rows: 0..65535");
    if (!(g.side_m >= 0 && g.side_m <= 1000)) return bad("ground: side_m: 0..1000");
    if (!std::isfinite(g.middle_column)) return bad("ground: middle_column must be a number");
  }
  return Done{};
}

double advised_scale_step(const Advice& advice) noexcept {
  return std::round(static_cast<double>(advice.scale_step) * 1e6) / 1e6;
}

SearchPlan::Place SearchPlan::place(int number) const noexcept {
  const auto after = std::upper_bound(
      windows.begin(), windows.end(), number,
      [](int window, const LevelWindows& level) { return window < level.first_window; });
  const LevelWindows& at = *std::prev(after);
  const int in_level = number - at.first_window;
  return {static_cast<int>(after - windows.begin()) - 1,
          at.first_x + in_level % at.columns * stride, at.first_y + in_level / at.columns * stride};
}

Detection SearchPlan::box(const Geometry& g, int level, int x, int y, float score) const noexcept {
  const Level& at = pyramid.levels[static_cast<std::size_t>(level)];
  return {static_cast<float>((at.x0 + x + static_cast<double>(g.person_x)) * at.scale),
          static_cast<float>((at.y0 + y + static_cast<double>(g.person_y)) * at.scale),
          static_cast<float>(static_cast<double>(g.person_width) * at.scale),
          static_cast<float>(static_cast<double>(g.person_height) * at.scale), score};
}

Result<SearchPlan> plan_search(const Geometry& g, const SearchSettings& s, int width, int height) {
  if (Status ok = validate(s); !ok) return ok.error();
  if (!sound(g)) return bad("the model's window: 1..1024 pixels, with a person in it");
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide)
    return bad("the picture's sides must be 1..65535");

  const double person_x = g.person_x, person_y = g.person_y;
  const double person_width = g.person_width, person_height = g.person_height;
  const Region& region = s.region;
  SearchPlan plan;
  plan.stride = s.stride;
  std::vector<LevelArea> areas;
  std::int64_t windows = 0;
  double scale = s.min_height == 0 ? 1 : s.min_height / person_height;
  for (int i = 0; i < s.max_levels; ++i, scale *= s.scale_step) {
    // The product may miss a whole max_height by its rounding.
    if (s.max_height != 0 && person_height * scale > s.max_height * (1 + 1e-9)) break;
    if (width / scale > kMaxSide || height / scale > kMaxSide)
      return bad("min_height would enlarge the picture to over 65535 pixels a side");
    const int level_width = scaled_side(width, scale), level_height = scaled_side(height, scale);
    if (level_width < 1 || level_height < 1 || level_width + 2 * s.padding < g.window_width ||
        level_height + 2 * s.padding < g.window_height)
      break;

    const Run columns = run_of(level_width, g.window_width, s, [&](double x) {
      if (region.width != 0 &&
          !within(x + person_x, person_width, region.x, region.width, scale, s.stride))
        return false;
      return !s.ground || stands_within(*s.ground, (x + person_x + person_width / 2) * scale,
                                        person_height * scale);
    });
    const Run rows = run_of(level_height, g.window_height, s, [&](double y) {
      if (region.height != 0 &&
          !within(y + person_y, person_height, region.y, region.height, scale, s.stride))
        return false;
      return !s.ground ||
             stands_on(*s.ground, (y + person_y + person_height) * scale, person_height * scale);
    });
    if (columns.count == 0 || rows.count == 0) continue;

    areas.push_back({scale, columns.first * s.stride - s.padding, rows.first * s.stride - s.padding,
                     (columns.count - 1) * s.stride + g.window_width,
                     (rows.count - 1) * s.stride + g.window_height});
    plan.windows.push_back({0, 0, columns.count, rows.count, static_cast<int>(windows)});
    windows += std::int64_t{columns.count} * rows.count;
    if (windows > std::numeric_limits<int>::max())
      return Error{Errc::unsupported, 0, "search", "more windows than can be numbered"};
  }
  plan.window_count = static_cast<int>(windows);
  Result<PyramidPlan> pyramid = plan_pyramid(width, height, areas, g.scaling);
  if (!pyramid) return pyramid.error();
  plan.pyramid = *std::move(pyramid);
  return plan;
}

}  // namespace kerb::hog
