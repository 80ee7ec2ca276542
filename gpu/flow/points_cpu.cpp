// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "gpu/flow/lucas_kanade_pyramid.hpp"
#include "gpu/flow/points_simd.hpp"

namespace kerb::flow {
namespace {

using namespace points;
using lk::Level;

constexpr int kLanes = 8;
constexpr int kRow = 32;  // room for a row of the patch, a vector more than the window's at most
static_assert(kPatchSide + kLanes <= kRow);

/// What one thread needs for a point: rows of kRow, of the window and, with one around, the patch.
struct Scratch {
  Sample patch[kPatchSide * kRow];
  Sample gx[kPatchSide * kRow], gy[kPatchSide * kRow];  // weighted; 0 beside the window
  Sample aside[kPatchSide * kRow];                      // a window at the edge
};

/// One thread does it all. What is in a row's vectors beside the window counts for nothing, since
/// its weight is 0.
template <int kRadius>
class Alone {
  static constexpr int kVectors = (2 * kRadius + 1 + kLanes - 1) / kLanes;  // a row of the window
  static constexpr int kSide = 2 * kRadius + 1;

 public:
  Alone(Scratch& scratch, const Sample* weights, std::int64_t all)
      : s_{scratch}, weights_{weights}, all_{all} {}

  [[nodiscard]] TextureSums texture(const Sample* picture, const Level& level, int px, int py,
                                    int) const {
    const Place place = place_of(picture, level, px, py, kRadius + 1, s_.patch);
    if (place.inside)
      rows<kVectors + 1, kSide + 2>(place, [&](int j, const S16x8(&row)[kVectors + 1]) {
        for (int k = 0; k <= kVectors; ++k) simd::store(s_.patch + j * kRow + k * kLanes, row[k]);
      });
    S32x4 xx{}, xy{}, yy{}, x{}, y{};
    for (int j = 0; j < kSide; ++j)
      for (int k = 0; k < kVectors; ++k) {
        const int at = j * kRow + k * kLanes;
        const Sample* p = s_.patch + at + kRow + 1;
        const S16x8 gx = simd::load<S16x8>(p + 1) - simd::load<S16x8>(p - 1);
        const S16x8 gy = simd::load<S16x8>(p + kRow) - simd::load<S16x8>(p - kRow);
        const S16x8 weight = simd::load<S16x8>(weights_ + at);
        const S16x8 wx = scaled(gx, weight), wy = scaled(gy, weight);
        simd::store(s_.gx + at, wx);
        simd::store(s_.gy + at, wy);
        add_products(xx, wx, gx);
        add_products(xy, wx, gy);
        add_products(yy, wy, gy);
        add_lanes(x, wx);
        add_lanes(y, wy);
      }
    return {sum_of(xx), sum_of(xy), sum_of(yy), sum_of(x), sum_of(y), all_};
  }

  [[nodiscard]] FitSums fit(const Sample* picture, const Level& level, int px, int py, int) const {
    S32x4 x{}, y{}, error{};
    differences(picture, level, px, py, [&](int at, S16x8 e) {
      add_products(x, simd::load<S16x8>(s_.gx + at), e);
      add_products(y, simd::load<S16x8>(s_.gy + at), e);
      add_products(error, simd::load<S16x8>(weights_ + at), e);
    });
    return {sum_of(x), sum_of(y), sum_of(error)};
  }

  [[nodiscard]] MisfitSums misfit(const Sample* picture, const Level& level, int px, int py,
                                  int) const {
    S32x4 error{}, squared{};
    differences(picture, level, px, py, [&](int at, S16x8 e) {
      const S16x8 weighted_e = scaled(e, simd::load<S16x8>(weights_ + at));
      add_lanes(error, weighted_e);
      add_products(squared, weighted_e, e);
    });
    return {sum_of(error), sum_of(squared)};
  }

 private:
  /// Samples around a place: inside the picture all have the same weights, and are made as they
  /// are needed.
  struct Place {
    bool inside;
    const Sample* from;
    std::ptrdiff_t stride;
    int tx, ty;
  };

  Place place_of(const Sample* picture, const Level& level, int px, int py, int reach,
                 Sample* at_edge) const {
    const int first_x = px - reach * lk::kUnit, first_y = py - reach * lk::kUnit;
    const bool inside = first_x >= 0 && first_y >= 0 &&
                        px + reach * lk::kUnit <= (level.width - 1) * lk::kUnit &&
                        py + reach * lk::kUnit <= (level.height - 1) * lk::kUnit;
    if (!inside) {
      fill_at_edge(picture, level, first_x, first_y, 2 * reach + 1, at_edge);
      return {false, nullptr, 0, 0, 0};
    }
    const std::ptrdiff_t stride = level.stride;
    return {true,
            picture + level.samples + (first_y >> lk::kUnitShift) * stride +
                (first_x >> lk::kUnitShift),
            stride, first_x & (lk::kUnit - 1), first_y & (lk::kUnit - 1)};
  }

  template <int kCount, int kRows, typename Use>
  KERB_INLINE static void rows(const Place& place, const Use& use) {
    const S16x8 tx = all_lanes(place.tx), ty = all_lanes(place.ty);
    const Sample* p = place.from;
    S16x8 above[kCount];
    for (int k = 0; k < kCount; ++k)
      above[k] = points::between(simd::load<S16x8>(p + k * kLanes),
                                 simd::load<S16x8>(p + k * kLanes + 1), tx);
    for (int j = 0; j < kRows; ++j) {
      p += place.stride;
      S16x8 row[kCount];
      for (int k = 0; k < kCount; ++k) {
        const S16x8 below = points::between(simd::load<S16x8>(p + k * kLanes),
                                            simd::load<S16x8>(p + k * kLanes + 1), tx);
        row[k] = points::between(above[k], below, ty);
        above[k] = below;
      }
      use(j, row);
    }
  }

  /// The remembered window less the one there, vector by vector.
  template <typename Use>
  KERB_INLINE void differences(const Sample* picture, const Level& level, int px, int py,
                               const Use& use) const {
    const Place place = place_of(picture, level, px, py, kRadius, s_.aside);
    const auto mine = [&](int j, int k) {
      return simd::load<S16x8>(s_.patch + (j + 1) * kRow + k * kLanes + 1);
    };
    if (place.inside)
      rows<kVectors, kSide>(place, [&](int j, const S16x8(&row)[kVectors]) {
        for (int k = 0; k < kVectors; ++k) use(j * kRow + k * kLanes, mine(j, k) - row[k]);
      });
    else
      for (int j = 0; j < kSide; ++j)
        for (int k = 0; k < kVectors; ++k) {
          const int at = j * kRow + k * kLanes;
          use(at, mine(j, k) - simd::load<S16x8>(s_.aside + at));
        }
  }

  /// Where samples beyond the edge are the edge's.
  static void fill_at_edge(const Sample* picture, const Level& level, int first_x, int first_y,
                           int side, Sample* out) {
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        out[j * kRow + i] = static_cast<Sample>(
            sample_at(picture, level, first_x + i * lk::kUnit, first_y + j * lk::kUnit));
  }

  Scratch& s_;
  const Sample* weights_;
  std::int64_t all_;
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
    for (auto& picture : pictures_) picture.resize(plan_.samples + kRow);  // vectors read beyond
    columns_.resize(lk::pyramid_scratch(plan_, workers));
    scratch_.resize(static_cast<std::size_t>(workers.count()));
    const int radius = job_.radius, side = 2 * radius + 1;
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const int w = weight(i - radius, j - radius, radius);
        weights_[j * kRow + i] = static_cast<Sample>(w);
        all_weights_ += w;
      }
  }

  Status advance(const Picture<Space::host>& picture) override {
    if (Status ok = check_picture(job_, picture); !ok) return ok;
    newest_ = 1 - newest_;
    lk::make_pyramid(workers_, plan_, picture, pictures_[newest_], columns_);
    held_ = std::min(held_ + 1, 2);
    return Done{};
  }
  Status advance(const Picture<Space::device>&) override {
    return Error{Errc::unsupported, 0, kTracker, "device pictures need the CUDA backend"};
  }
  Status track(Way way, const Point* points, int count, TrackedPoint* out) override {
    if (Status ok = check_points(held_, points, count, max_points_, out); !ok) return ok;
    with_radius(std::make_integer_sequence<int, kMaxRadius - kMinRadius + 1>{}, way, points, count,
                out);
    return Done{};
  }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * pictures_[0].size() + columns_.size() * sizeof(std::uint16_t) +
           scratch_.size() * sizeof(Scratch) + sizeof weights_;
  }

 private:
  /// A window's size is known when this is compiled, so that its rows are unrolled.
  template <int... kStep>
  void with_radius(std::integer_sequence<int, kStep...>, Way way, const Point* points, int count,
                   TrackedPoint* out) {
    ((job_.radius == kMinRadius + kStep ? track_all<kMinRadius + kStep>(way, points, count, out)
                                        : void()),
     ...);
  }
  template <int kRadius>
  void track_all(Way way, const Point* points, int count, TrackedPoint* out) {
    const int from = way == Way::forward ? 1 - newest_ : newest_;
    const Sample *first = pictures_[from].data(), *second = pictures_[1 - from].data();
    constexpr int kBatch = 16;
    workers_.run((count + kBatch - 1) / kBatch, [&](int task, int worker) {
      const Alone<kRadius> alone{scratch_[static_cast<std::size_t>(worker)], weights_,
                                 all_weights_};
      for (int i = task * kBatch; i < std::min((task + 1) * kBatch, count); ++i)
        out[i] = tracked(alone, job_, first, second, points[i]);
    });
  }

  Workers& workers_;
  lk::Plan plan_;
  Job job_{};
  int max_points_;
  int newest_ = 0, held_ = 0;  // of the pictures
  Sample weights_[(2 * kMaxRadius + 1) * kRow] = {};
  std::int64_t all_weights_ = 0;
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
    return Error{Errc::io, 0, kTracker, "no memory left"};
  }
}

}  // namespace kerb::flow
