// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/flow/points.hpp"

/// The arithmetic of the point tracker, once for both backends: sums of whole numbers, which come
/// out the same in any order, then doubles in the order written here. For gpu/flow alone.
namespace kerb::flow::points {

using Sample = std::int16_t;
inline constexpr int kMaxRadius = 11;  // sums along a row of the window then fit 32 bits
inline constexpr int kPatchSide = 2 * kMaxRadius + 3;  // of the patch: the window and one around

/// From 65536 times a grey value to 8 times.
inline constexpr int kSampleShift = 13, kHalfSample = 1 << 12;

/// What trackers of both backends need to know.
struct Job {
  lk::Level levels[kMaxLevels];
  int level_count;
  int radius, iterations;
  float texture;
  bool check_back;
  float back_tolerance;
};

template <Space S>
Status check_points(const char* where, int width, int height, const Picture<S>& previous,
                    const Picture<S>& next, const Point* in, int count, int most,
                    const TrackedPoint* out) {
  // No field here: one that fits, of nowhere.
  float nowhere = 0;
  const FieldView<S> field{&nowhere, &nowhere, nullptr, nullptr, width, height, width};
  if (Status ok = check_pair(where, width, height, previous, next, Mask<S>{}, field); !ok)
    return ok;
  if (count < 0 || (count > 0 && (in == nullptr || out == nullptr)))
    return Error{Errc::invalid_argument, 0, where, "the points have no memory"};
  if (count > most)
    return Error{Errc::invalid_argument, 0, where, "more points than this was made for"};
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

/// The picture at a place in 64ths of a pixel, in 8ths of a grey value. Beyond the edge: the
/// edge's.
KERB_BOTH int sample_at(const Sample* base, const lk::Level& level, int px, int py) {
  const int last_x = (level.width - 1) * lk::kUnit, last_y = (level.height - 1) * lk::kUnit;
  const int cx = px < 0 ? 0 : px > last_x ? last_x : px;
  const int cy = py < 0 ? 0 : py > last_y ? last_y : py;
  const lk::CubicWeights wx = lk::cubic_weights(cx & (lk::kUnit - 1));
  const lk::CubicWeights wy = lk::cubic_weights(cy & (lk::kUnit - 1));
  const Sample* p = base + level.samples +
                    static_cast<std::ptrdiff_t>(cy >> lk::kUnitShift) * level.stride +
                    (cx >> lk::kUnitShift) - 1;
  const std::ptrdiff_t stride = level.stride;
  int column[4];
  for (int k = 0; k < 4; ++k)
    column[k] = lk::cubic_column(p[k - stride], p[k], p[k + stride], p[k + 2 * stride], wy);
  return (lk::cubic_row(column[0], column[1], column[2], column[3], wx) + kHalfSample) >>
         kSampleShift;
}

KERB_BOTH int weight(int offset, int radius) {
  return radius + 1 - (offset < 0 ? -offset : offset);
}
KERB_BOTH int to_units(double pixels) { return static_cast<int>(floor(pixels * lk::kUnit + 0.5)); }
KERB_BOTH double within(double v, double limit) {
  return v < -limit ? -limit : v > limit ? limit : v;
}

/// Sums over a window, each pixel by its weight.
struct TextureSums {
  std::int64_t xx, xy, yy, x, y;
};
struct FitSums {
  std::int64_t x, y, error, squared;
};

/// The equations of a window: weighted covariances of its gradients, in (2 * 8 grey / pixel)^2
/// times the weights' sum squared.
struct Texture {
  double xx, xy, yy, det;
  double mean_x, mean_y;  // sums of gradients
  double weights;
};
KERB_BOTH Texture texture_of(const TextureSums& s, int radius) {
  Texture t;
  const double side = static_cast<double>((radius + 1) * (radius + 1));
  t.weights = side * side;
  t.mean_x = static_cast<double>(s.x);
  t.mean_y = static_cast<double>(s.y);
  t.xx = t.weights * static_cast<double>(s.xx) - t.mean_x * t.mean_x;
  t.xy = t.weights * static_cast<double>(s.xy) - t.mean_x * t.mean_y;
  t.yy = t.weights * static_cast<double>(s.yy) - t.mean_y * t.mean_y;
  t.det = t.xx * t.yy - t.xy * t.xy;
  return t;
}
/// The smaller eigenvalue, in (grey / pixel)^2.
KERB_BOTH double smaller_eigenvalue(const Texture& t) {
  const double half = 0.5 * (t.xx - t.yy);
  const double root = sqrt(half * half + t.xy * t.xy);
  const double scale = 1.0 / (16.0 * 16.0);
  return ((0.5 * (t.xx + t.yy) - root) / (t.weights * t.weights)) * scale;
}

struct Step {
  double x, y;
};
/// How far the window of the second picture is from fitting, in pixels.
KERB_BOTH Step step_of(const Texture& t, const FitSums& f, int radius) {
  const double error = static_cast<double>(f.error);
  const double bx = t.weights * static_cast<double>(f.x) - t.mean_x * error;
  const double by = t.weights * static_cast<double>(f.y) - t.mean_y * error;
  Step step{0.0, 0.0};
  if (!(t.det > 1e-6 * (t.xx + t.yy) * (t.xx + t.yy))) return step;
  const double limit = static_cast<double>(radius);
  // Gradients are differences over two pixels: twice.
  step.x = within(2.0 * ((t.yy * bx - t.xy * by) / t.det), limit);
  step.y = within(2.0 * ((t.xx * by - t.xy * bx) / t.det), limit);
  return step;
}

/// One point from one picture to the other. `Group` is who works on it, one thread or many:
///   patch()                          room for kPatchSide^2 ints that all of it see
///   sample(picture, level, px, py)   fills patch(): the window and one around
///   texture(radius)                  sums over patch()'s window
///   fit(picture, level, px, py, radius)  sums of patch() less the other picture's window there
struct Found {
  double x, y;
  double texture, off;
};
template <typename Group>
KERB_BOTH Found track(const Group& group, const Job& job, const Sample* first, const Sample* second,
                      double x, double y) {
  double flow_x = 0, flow_y = 0;
  Found found{x, y, 0.0, 0.0};
  for (int i = job.level_count - 1; i >= 0; --i) {
    const lk::Level& level = job.levels[i];
    const double scale = 1.0 / static_cast<double>(1 << i);
    const int at_x = to_units((x + 0.5) * scale - 0.5), at_y = to_units((y + 0.5) * scale - 0.5);
    flow_x = flow_x * 2.0;
    flow_y = flow_y * 2.0;
    group.sample(first, level, at_x, at_y, job.radius);
    const Texture texture = texture_of(group.texture(job.radius), job.radius);
    int to_x = at_x + to_units(flow_x), to_y = at_y + to_units(flow_y);
    FitSums fit{};
    for (int k = 0; k < job.iterations; ++k) {
      fit = group.fit(second, level, to_x, to_y, job.radius);
      const Step step = step_of(texture, fit, job.radius);
      const double reach = 500.0;
      flow_x = within(static_cast<double>(to_x - at_x) / lk::kUnit + step.x, reach);
      flow_y = within(static_cast<double>(to_y - at_y) / lk::kUnit + step.y, reach);
      const int next_x = at_x + to_units(flow_x), next_y = at_y + to_units(flow_y);
      // Near enough: for the level below a 16th of a pixel. On the last, no move at all if that
      // comes soon, as it does where pictures are moved copies; else a 64th.
      const int moved_x = next_x < to_x ? to_x - next_x : next_x - to_x;
      const int moved_y = next_y < to_y ? to_y - next_y : next_y - to_y;
      const int enough = i > 0 ? 4 : k >= 4 ? 1 : 0;
      if (moved_x <= enough && moved_y <= enough) break;
      to_x = next_x;
      to_y = next_y;
    }
    if (i > 0) continue;
    found.texture = smaller_eigenvalue(texture);
    const double error = static_cast<double>(fit.error);
    const double variance = texture.weights * static_cast<double>(fit.squared) - error * error;
    // Gradients are twice as long: 4. In pixels, squared, as gpu/flow/lucas_kanade_math.hpp.
    found.off = 4.0 * variance / (texture.xx + texture.yy + 1e-6);
  }
  found.x = x + flow_x;
  found.y = y + flow_y;
  return found;
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
  const Found found = track(group, job, first, second, x, y);
  out.x = static_cast<float>(found.x);
  out.y = static_cast<float>(found.y);
  const bool poor = found.texture < static_cast<double>(job.texture);
  const bool outside =
      !(found.x >= 0.0 && found.y >= 0.0 && found.x <= last_x && found.y <= last_y);
  int doubts = (poor ? kTexturePoor : 0) | (outside ? kOutOfView : 0);
  if (!outside) {
    bool unlike = found.off > 0.5;
    if (job.check_back) {
      const Found back = track(group, job, second, first, found.x, found.y);
      const double dx = back.x - x, dy = back.y - y;
      const double limit = static_cast<double>(job.back_tolerance);
      unlike = unlike || !(dx * dx + dy * dy <= limit * limit);
    }
    if (unlike) doubts |= kInconsistent;
  }
  out.flags = static_cast<std::uint8_t>(doubts == 0 ? kValid : doubts);
  const double texture = found.texture > 0.0 ? found.texture : 0.0;
  const double part = (texture / (texture + 10.0)) * (0.05 / (0.05 + found.off));
  const int whole = static_cast<int>(floor(part * 255.0 + 0.5));
  out.quality = static_cast<std::uint8_t>(outside ? 0 : poor ? whole / 4 : whole);
  return out;
}

/// One pixel's part of the sums: (i, j) of the window, from -radius to radius.
KERB_BOTH void add_texture(TextureSums& sums, const int* patch, int i, int j, int radius) {
  const int side = 2 * radius + 3;
  const int* p = patch + (j + radius + 1) * side + (i + radius + 1);
  const std::int64_t w = weight(i, radius) * weight(j, radius);
  const int gx = p[1] - p[-1], gy = p[side] - p[-side];
  sums.xx += w * (gx * gx);
  sums.xy += w * (gx * gy);
  sums.yy += w * (gy * gy);
  sums.x += w * gx;
  sums.y += w * gy;
}
KERB_BOTH void add_fit(FitSums& sums, const int* patch, int sample, int i, int j, int radius) {
  const int side = 2 * radius + 3;
  const int* p = patch + (j + radius + 1) * side + (i + radius + 1);
  const std::int64_t w = weight(i, radius) * weight(j, radius);
  const int gx = p[1] - p[-1], gy = p[side] - p[-side], e = p[0] - sample;
  sums.x += w * (gx * e);
  sums.y += w * (gy * e);
  sums.error += w * e;
  sums.squared += w * (e * e);
}

}  // namespace kerb::flow::points
