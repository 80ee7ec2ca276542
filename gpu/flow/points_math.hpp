// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/flow/points.hpp"

/// The arithmetic of the point tracker, once for both backends: sums of whole numbers, which come
/// out the same in any order, then doubles in the order written here. For gpu/flow alone.
namespace kerb::flow::points {

using Sample = std::int16_t;  // 16ths of a grey value, 0..4080
inline constexpr int kMinRadius = 2;
inline constexpr int kMaxRadius = 10;  // four lanes' sums over the window then fit 32 bits
inline constexpr int kPatchSide = 2 * kMaxRadius + 3;  // of the patch: the window and one around

/// What trackers of both backends need to know.
struct Job {
  lk::Level levels[kMaxLevels];
  int level_count;
  int radius, iterations;
  float texture;
  bool check_back;
  float back_tolerance;
};

inline constexpr const char* kTracker = "point tracker";
template <Space S>
Status check_picture(const Job& job, const Picture<S>& picture) {
  // No field here: one that fits, of nowhere.
  float nowhere = 0;
  const int width = job.levels[0].width, height = job.levels[0].height;
  const FieldView<S> field{&nowhere, &nowhere, nullptr, nullptr, width, height, width};
  return check_pair(kTracker, width, height, picture, picture, Mask<S>{}, field);
}
inline Status check_points(int pictures, const Point* in, int count, int most,
                           const TrackedPoint* out) {
  if (pictures < 2) return Error{Errc::invalid_argument, 0, kTracker, "two pictures are needed"};
  if (count < 0 || (count > 0 && (in == nullptr || out == nullptr)))
    return Error{Errc::invalid_argument, 0, kTracker, "the points have no memory"};
  if (count > most)
    return Error{Errc::invalid_argument, 0, kTracker, "more points than this was made for"};
  return Done{};
}

inline Job make_job(const PointTrackerSettings& settings, const lk::Plan& plan) {
  Job job{};
  job.level_count = static_cast<int>(plan.levels.size());
  for (int i = 0; i < job.level_count; ++i) job.levels[i] = plan.levels[static_cast<unsigned>(i)];
  job.radius = settings.radius;
  job.iterations = settings.iterations;
  job.texture = settings.texture;
  job.check_back = settings.check_back;
  job.back_tolerance = settings.back_tolerance;
  return job;
}

/// t 64ths of the way from a to b, rounded.
KERB_BOTH int between(int a, int b, int t) {
  return a + (((b - a) * t + lk::kUnit / 2) >> lk::kUnitShift);
}

/// The picture at a place in 64ths of a pixel. Beyond the edge: the edge's.
KERB_BOTH int sample_at(const Sample* base, const lk::Level& level, int px, int py) {
  const int last_x = (level.width - 1) * lk::kUnit, last_y = (level.height - 1) * lk::kUnit;
  const int cx = px < 0 ? 0 : px > last_x ? last_x : px;
  const int cy = py < 0 ? 0 : py > last_y ? last_y : py;
  const int tx = cx & (lk::kUnit - 1), ty = cy & (lk::kUnit - 1);
  const Sample* p = base + level.samples +
                    static_cast<std::ptrdiff_t>(cy >> lk::kUnitShift) * level.stride +
                    (cx >> lk::kUnitShift);
  const Sample* below = p + level.stride;  // at the edge the rim's, which counts for nothing there
  return between(between(p[0], p[1], tx), between(below[0], below[1], tx), ty);
}

/// How much a pixel of the window counts, in 64ths: most in the middle, falling along both axes.
inline constexpr int kMostWeight = 63, kWeightUnit = 64, kWeightShift = 6;
KERB_BOTH int weight(int i, int j, int radius) {
  const int x = radius + 1 - (i < 0 ? -i : i), y = radius + 1 - (j < 0 ? -j : j);
  const int all = (radius + 1) * (radius + 1);
  return (x * y * kMostWeight + all / 2) / all;
}
KERB_BOTH int weighted(int value, int w) { return (value * w + kWeightUnit / 2) >> kWeightShift; }
KERB_BOTH int to_units(double pixels) { return static_cast<int>(floor(pixels * lk::kUnit + 0.5)); }
KERB_BOTH double within(double v, double limit) {
  return v < -limit ? -limit : v > limit ? limit : v;
}

/// Sums over a window, each pixel by its weight: G is a weighted() gradient, g one as it is.
struct TextureSums {
  std::int64_t xx, xy, yy;  // G g
  std::int64_t x, y;        // G
  std::int64_t weights;     // 64ths
};
struct FitSums {
  std::int64_t x, y;   // G times the difference
  std::int64_t error;  // the difference, 64ths
};
struct MisfitSums {
  std::int64_t error, squared;  // the weighted() difference, and times the difference
};

/// The equations of a window: weighted covariances of its gradients, in (2 * 16 grey / pixel)^2
/// times the weights' sum.
struct Texture {
  double xx, xy, yy;
  double solve;  // 2 / determinant, or 0 where there is no solution; gradients are over two pixels
  double mean_x, mean_y;
  double weights;
};
KERB_BOTH Texture texture_of(const TextureSums& s) {
  Texture t;
  t.weights = static_cast<double>(s.weights) / kWeightUnit;
  const double x = static_cast<double>(s.x), y = static_cast<double>(s.y);
  t.mean_x = x / t.weights;
  t.mean_y = y / t.weights;
  t.xx = static_cast<double>(s.xx) - x * t.mean_x;
  t.xy = static_cast<double>(s.xy) - x * t.mean_y;
  t.yy = static_cast<double>(s.yy) - y * t.mean_y;
  const double det = t.xx * t.yy - t.xy * t.xy, trace = t.xx + t.yy;
  t.solve = det > 1e-6 * trace * trace ? 2.0 / det : 0.0;
  return t;
}
/// The smaller eigenvalue, in (grey / pixel)^2.
KERB_BOTH double smaller_eigenvalue(const Texture& t) {
  const double half = 0.5 * (t.xx - t.yy);
  const double root = sqrt(half * half + t.xy * t.xy);
  const double scale = 1.0 / (32.0 * 32.0);
  return ((0.5 * (t.xx + t.yy) - root) / t.weights) * scale;
}

struct Step {
  double x, y;
};
/// How far the window of the second picture is from fitting, in pixels.
KERB_BOTH Step step_of(const Texture& t, const FitSums& f, int radius) {
  const double error = static_cast<double>(f.error) / kWeightUnit;
  const double bx = static_cast<double>(f.x) - t.mean_x * error;
  const double by = static_cast<double>(f.y) - t.mean_y * error;
  const double limit = static_cast<double>(radius);
  Step step;
  step.x = within((t.yy * bx - t.xy * by) * t.solve, limit);
  step.y = within((t.xx * by - t.xy * bx) * t.solve, limit);
  return step;
}

/// One point from one picture to the other. `Group` is who works on it, one thread or many:
///   texture(picture, level, px, py, radius)  sums over the window there, which it remembers
///   fit(picture, level, px, py, radius)      sums of that window less the other picture's there
///   misfit(picture, level, px, py, radius)   the same, of squares
struct Found {
  double x, y;
  double texture, off;
};
template <typename Group>
KERB_BOTH Found track(const Group& group, const Job& job, const Sample* first, const Sample* second,
                      double x, double y, int levels) {
  double flow_x = 0, flow_y = 0;
  Found found{x, y, 0.0, 0.0};
  for (int i = levels - 1; i >= 0; --i) {
    const lk::Level& level = job.levels[i];
    const double scale = 1.0 / static_cast<double>(1 << i);
    const int at_x = to_units((x + 0.5) * scale - 0.5), at_y = to_units((y + 0.5) * scale - 0.5);
    flow_x = flow_x * 2.0;
    flow_y = flow_y * 2.0;
    const Texture texture = texture_of(group.texture(first, level, at_x, at_y, job.radius));
    int to_x = at_x + to_units(flow_x), to_y = at_y + to_units(flow_y);
    for (int k = 0; k < job.iterations; ++k) {
      const FitSums fit = group.fit(second, level, to_x, to_y, job.radius);
      const Step step = step_of(texture, fit, job.radius);
      const double reach = 500.0;
      flow_x = within(static_cast<double>(to_x - at_x) / lk::kUnit + step.x, reach);
      flow_y = within(static_cast<double>(to_y - at_y) / lk::kUnit + step.y, reach);
      const int next_x = at_x + to_units(flow_x), next_y = at_y + to_units(flow_y);
      // Near enough: for the level below an 8th of a pixel. On the last, no move at all if that
      // comes soon, as it does where pictures are moved copies; else a 64th.
      const int moved_x = next_x < to_x ? to_x - next_x : next_x - to_x;
      const int moved_y = next_y < to_y ? to_y - next_y : next_y - to_y;
      const int enough = i > 0 ? 8 : k >= 2 ? 1 : 0;
      if (moved_x <= enough && moved_y <= enough) break;
      to_x = next_x;
      to_y = next_y;
    }
    if (i > 0) continue;
    found.texture = smaller_eigenvalue(texture);
    const MisfitSums misfit = group.misfit(second, level, to_x, to_y, job.radius);
    const double error = static_cast<double>(misfit.error);
    const double variance = static_cast<double>(misfit.squared) - error * error / texture.weights;
    // Gradients are twice as long: 4. In pixels, squared, as gpu/flow/lucas_kanade_math.hpp.
    found.off = 4.0 * variance / (texture.xx + texture.yy + 1e-6);
  }
  found.x = x + flow_x;
  found.y = y + flow_y;
  return found;
}

/// The way back knows how far it is, though not where: from the level where that is half a window.
KERB_BOTH int levels_for(const Job& job, double dx, double dy) {
  const double far = dx * dx + dy * dy, near = 0.5 * job.radius;
  int levels = job.level_count < 2 ? job.level_count : 2;
  for (double reach = 2.0 * near; levels < job.level_count && far > reach * reach; reach *= 2.0)
    ++levels;
  return levels;
}

template <typename Group>
KERB_BOTH TrackedPoint tracked(const Group& group, const Job& job, const Sample* first,
                               const Sample* second, const Point& point) {
  const double last_x = static_cast<double>(job.levels[0].width - 1);
  const double last_y = static_cast<double>(job.levels[0].height - 1);
  const double x = static_cast<double>(point.x), y = static_cast<double>(point.y);
  TrackedPoint out;
  out.x = point.x;
  out.y = point.y;
  out.flags = kOutOfView;
  if (!(x >= 0.0 && y >= 0.0 && x <= last_x && y <= last_y)) return out;
  const Found found = track(group, job, first, second, x, y, job.level_count);
  out.x = static_cast<float>(found.x);
  out.y = static_cast<float>(found.y);
  const bool poor = found.texture < static_cast<double>(job.texture);
  const bool outside =
      !(found.x >= 0.0 && found.y >= 0.0 && found.x <= last_x && found.y <= last_y);
  int doubts = (poor ? kTexturePoor : 0) | (outside ? kOutOfView : 0);
  if (!outside) {
    bool unlike = found.off > 0.5;
    if (job.check_back && !unlike && !poor) {
      const int levels = levels_for(job, found.x - x, found.y - y);
      const Found back = track(group, job, second, first, found.x, found.y, levels);
      const double dx = back.x - x, dy = back.y - y;
      const double limit = static_cast<double>(job.back_tolerance);
      unlike = unlike || !(dx * dx + dy * dy <= limit * limit);
    }
    if (unlike) doubts |= kInconsistent;
  }
  out.flags = static_cast<std::uint8_t>(doubts == 0 ? kValid : doubts);
  const double texture = found.texture > 0.0 ? found.texture : 0.0;
  const double part = (texture / (texture + 3.0)) * (0.05 / (0.05 + found.off));
  const int whole = static_cast<int>(floor(part * 255.0 + 0.5));
  out.quality = static_cast<std::uint8_t>(outside ? 0 : poor ? whole / 4 : whole);
  return out;
}

/// One pixel's part of the sums: (i, j) of the window, from -radius to radius. `patch` is the
/// window and one around.
struct Gradient {
  int x, y;
};
KERB_BOTH const int* patch_at(const int* patch, int i, int j, int radius) {
  return patch + (j + radius + 1) * (2 * radius + 3) + (i + radius + 1);
}
KERB_BOTH Gradient gradient_at(const int* patch, int i, int j, int radius) {
  const int side = 2 * radius + 3;
  const int* p = patch_at(patch, i, j, radius);
  return {p[1] - p[-1], p[side] - p[-side]};
}
KERB_BOTH void add_texture(TextureSums& sums, const int* patch, int i, int j, int radius) {
  const int w = weight(i, j, radius);
  const Gradient g = gradient_at(patch, i, j, radius);
  const int x = weighted(g.x, w), y = weighted(g.y, w);
  sums.xx += x * g.x;
  sums.xy += x * g.y;
  sums.yy += y * g.y;
  sums.x += x;
  sums.y += y;
  sums.weights += w;
}
KERB_BOTH void add_fit(FitSums& sums, const int* patch, int sample, int i, int j, int radius) {
  const int w = weight(i, j, radius);
  const Gradient g = gradient_at(patch, i, j, radius);
  const int e = *patch_at(patch, i, j, radius) - sample;
  sums.x += weighted(g.x, w) * e;
  sums.y += weighted(g.y, w) * e;
  sums.error += w * e;
}
KERB_BOTH void add_misfit(MisfitSums& sums, const int* patch, int sample, int i, int j,
                          int radius) {
  const int e = *patch_at(patch, i, j, radius) - sample;
  const int weighted_e = weighted(e, weight(i, j, radius));
  sums.error += weighted_e;
  sums.squared += weighted_e * e;
}

}  // namespace kerb::flow::points
