// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <vector>

#include "gpu/flow/lucas_kanade_pyramid.hpp"
#include "gpu/flow/points_math.hpp"

namespace kerb::flow {
namespace {

using namespace points;
using lk::Level;

constexpr int kRow = kPatchSide + 5;  // columns and three more, to a multiple of 4

/// What one thread needs for a point.
struct Scratch {
  int patch[kPatchSide * kPatchSide];
  int window[kPatchSide * kPatchSide];
  int gx[kPatchSide * kPatchSide], gy[kPatchSide * kPatchSide];  // times the column's weight
  int weights[kRow];
  int columns[kRow];
  int place[kRow];
  lk::CubicWeights column_weights[kRow];
};

/// One thread does it all.
class Alone {
 public:
  explicit Alone(Scratch& scratch) : s_{scratch} {}

  void sample(const Sample* picture, const Level& level, int px, int py, int radius) const {
    fill(picture, level, px, py, radius + 1, s_.patch);
  }
  /// Row by row: along one, the sums fit 32 bits.
  [[nodiscard]] TextureSums texture(int radius) const {
    TextureSums sums{};
    const int side = 2 * radius + 3, count = 2 * radius + 1;
    for (int i = 0; i < count; ++i) s_.weights[i] = weight(i - radius, radius);
    for (int j = 0; j < count; ++j) {
      const int* p = s_.patch + (j + 1) * side + 1;
      int xx = 0, xy = 0, yy = 0, x = 0, y = 0;
      for (int i = 0; i < count; ++i) {
        const int gx = p[i + 1] - p[i - 1], gy = p[i + side] - p[i - side];
        const int wx = s_.weights[i] * gx, wy = s_.weights[i] * gy;
        s_.gx[j * count + i] = wx;
        s_.gy[j * count + i] = wy;
        xx += wx * gx;
        xy += wx * gy;
        yy += wy * gy;
        x += wx;
        y += wy;
      }
      const std::int64_t w = weight(j - radius, radius);
      sums.xx += w * xx;
      sums.xy += w * xy;
      sums.yy += w * yy;
      sums.x += w * x;
      sums.y += w * y;
    }
    return sums;
  }
  [[nodiscard]] FitSums fit(const Sample* picture, const Level& level, int px, int py,
                            int radius) const {
    fill(picture, level, px, py, radius, s_.window);
    FitSums sums{};
    const int side = 2 * radius + 3, count = 2 * radius + 1;
    for (int j = 0; j < count; ++j) {
      const int* p = s_.patch + (j + 1) * side + 1;
      const int *window = s_.window + j * count, *gx = s_.gx + j * count, *gy = s_.gy + j * count;
      int x = 0, y = 0, error = 0, squared = 0;
      for (int i = 0; i < count; ++i) {
        const int e = p[i] - window[i], we = s_.weights[i] * e;
        x += gx[i] * e;
        y += gy[i] * e;
        error += we;
        squared += we * e;
      }
      const std::int64_t w = weight(j - radius, radius);
      sums.x += w * x;
      sums.y += w * y;
      sums.error += w * error;
      sums.squared += w * squared;
    }
    return sums;
  }

 private:
  /// Samples `reach` around a place. Inside the picture all have the same weights.
  void fill(const Sample* picture, const Level& level, int px, int py, int reach, int* out) const {
    const int side = 2 * reach + 1, first_x = px - reach * lk::kUnit,
              first_y = py - reach * lk::kUnit;
    const bool inside = first_x >= 0 && first_y >= 0 &&
                        px + reach * lk::kUnit <= (level.width - 1) * lk::kUnit &&
                        py + reach * lk::kUnit <= (level.height - 1) * lk::kUnit;
    if (!inside) return fill_at_edge(picture, level, first_x, first_y, side, out);
    const lk::CubicWeights wx = lk::cubic_weights(first_x & (lk::kUnit - 1));
    const lk::CubicWeights wy = lk::cubic_weights(first_y & (lk::kUnit - 1));
    const std::ptrdiff_t stride = level.stride;
    const Sample* p = picture + level.samples + (first_y >> lk::kUnitShift) * stride +
                      (first_x >> lk::kUnitShift) - 1;
    int* columns = s_.columns;
    for (int j = 0; j < side; ++j, p += stride) {
      for (int i = 0; i < side + 3; ++i)
        columns[i] = lk::cubic_column(p[i - stride], p[i], p[i + stride], p[i + 2 * stride], wy);
      int* row = out + j * side;
      for (int i = 0; i < side; ++i)
        row[i] = (lk::cubic_row(columns[i], columns[i + 1], columns[i + 2], columns[i + 3], wx) +
                  kHalfSample) >>
                 kSampleShift;
    }
  }

  /// Where samples beyond the edge are the edge's: each column has its own place and weights.
  void fill_at_edge(const Sample* picture, const Level& level, int first_x, int first_y, int side,
                    int* out) const {
    const int last_x = (level.width - 1) * lk::kUnit, last_y = (level.height - 1) * lk::kUnit;
    const std::ptrdiff_t stride = level.stride;
    const int origin = std::clamp(first_x, 0, last_x) >> lk::kUnitShift;
    int columns = 0;
    for (int i = 0; i < side; ++i) {
      const int cx = std::clamp(first_x + i * lk::kUnit, 0, last_x);
      s_.place[i] = (cx >> lk::kUnitShift) - origin;
      s_.column_weights[i] = lk::cubic_weights(cx & (lk::kUnit - 1));
      columns = s_.place[i] + 4;
    }
    for (int j = 0; j < side; ++j) {
      const int cy = std::clamp(first_y + j * lk::kUnit, 0, last_y);
      const lk::CubicWeights wy = lk::cubic_weights(cy & (lk::kUnit - 1));
      const Sample* p = picture + level.samples + (cy >> lk::kUnitShift) * stride + origin - 1;
      for (int i = 0; i < columns; ++i)
        s_.columns[i] = lk::cubic_column(p[i - stride], p[i], p[i + stride], p[i + 2 * stride], wy);
      for (int i = 0; i < side; ++i) {
        const int* c = s_.columns + s_.place[i];
        out[j * side + i] =
            (lk::cubic_row(c[0], c[1], c[2], c[3], s_.column_weights[i]) + kHalfSample) >>
            kSampleShift;
      }
    }
  }

  Scratch& s_;
};

class PointTrackerCpu final : public PointTracker {
 public:
  PointTrackerCpu(Workers& workers, const PointTrackerSettings& settings, int width, int height,
                  int max_points)
      : workers_{workers}, max_points_{max_points} {
    LucasKanadeSettings layout;
    layout.pyramid = settings.pyramid;
    plan_ = lk::make_plan(layout, width, height);
    job_ = make_job(settings, plan_);
    for (auto& picture : pictures_) picture.resize(plan_.samples);
    columns_.resize(lk::pyramid_scratch(plan_, workers));
    scratch_.resize(static_cast<std::size_t>(workers.count()));
  }

  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Point* points, int count, TrackedPoint* out) override {
    if (Status ok = check_points("point tracker", job_.levels[0].width, job_.levels[0].height,
                                 previous, next, points, count, max_points_, out);
        !ok)
      return ok;
    lk::make_pyramids(workers_, plan_, previous, next, pictures_, columns_);
    constexpr int kBatch = 16;
    workers_.run((count + kBatch - 1) / kBatch, [&](int task, int worker) {
      const Alone alone{scratch_[static_cast<std::size_t>(worker)]};
      for (int i = task * kBatch; i < std::min((task + 1) * kBatch, count); ++i)
        out[i] = tracked(alone, job_, pictures_[0].data(), pictures_[1].data(), points[i]);
    });
    return Done{};
  }
  Status run(const Picture<Space::device>&, const Picture<Space::device>&, const Point*, int,
             TrackedPoint*) override {
    return Error{Errc::unsupported, 0, "point tracker", "device pictures need the CUDA backend"};
  }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples + columns_.size() * sizeof(std::uint16_t) +
           scratch_.size() * sizeof(Scratch);
  }

 private:
  Workers& workers_;
  lk::Plan plan_;
  Job job_{};
  int max_points_;
  std::vector<Sample> pictures_[2];
  std::vector<std::uint16_t> columns_;
  std::vector<Scratch> scratch_;
};

}  // namespace

Result<std::unique_ptr<PointTracker>> make_point_tracker_cpu(Workers& workers,
                                                             const PointTrackerSettings& settings,
                                                             int width, int height,
                                                             int max_points) {
  try {
    return std::unique_ptr<PointTracker>{
        std::make_unique<PointTrackerCpu>(workers, settings, width, height, max_points)};
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, "point tracker", "no memory left"};
  }
}

}  // namespace kerb::flow
