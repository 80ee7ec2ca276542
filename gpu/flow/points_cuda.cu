// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "gpu/flow/lucas_kanade_pyramid.cuh"
#include "gpu/flow/points_math.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/cuda_status.hpp"

// A warp for each point: its lanes share out the window's pixels. Sums are of whole numbers, so
// that they come out as on the CPU.
namespace kerb::flow {
namespace {

using namespace points;
using lk::Level;
using lk::Levels;
using lk::Samples;

constexpr int kWarps = 4;  // a block

__device__ __forceinline__ std::int64_t summed(std::int64_t value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, offset);
  return value;
}

class Warp {
 public:
  __device__ Warp(int* patch, int lane) : patch_{patch}, lane_{lane} {}

  __device__ TextureSums texture(const Sample* picture, const Level& level, int px, int py,
                                 int radius) const {
    const int around = 2 * radius + 3;
    __syncwarp();
    for (int k = lane_; k < around * around; k += 32)
      patch_[k] = sample_at(picture, level, px + (k % around - radius - 1) * lk::kUnit,
                            py + (k / around - radius - 1) * lk::kUnit);
    __syncwarp();
    TextureSums sums{};
    const int side = 2 * radius + 1;
    for (int k = lane_; k < side * side; k += 32)
      add_texture(sums, patch_, k % side - radius, k / side - radius, radius);
    return {summed(sums.xx), summed(sums.xy), summed(sums.yy),
            summed(sums.x),  summed(sums.y),  summed(sums.weights)};
  }
  __device__ FitSums fit(const Sample* picture, const Level& level, int px, int py,
                         int radius) const {
    FitSums sums{};
    const int side = 2 * radius + 1;
    for (int k = lane_; k < side * side; k += 32) {
      const int i = k % side - radius, j = k / side - radius;
      add_fit(sums, patch_, sample_at(picture, level, px + i * lk::kUnit, py + j * lk::kUnit), i, j,
              radius);
    }
    return {summed(sums.x), summed(sums.y), summed(sums.error)};
  }
  __device__ MisfitSums misfit(const Sample* picture, const Level& level, int px, int py,
                               int radius) const {
    MisfitSums sums{};
    const int side = 2 * radius + 1;
    for (int k = lane_; k < side * side; k += 32) {
      const int i = k % side - radius, j = k / side - radius;
      add_misfit(sums, patch_, sample_at(picture, level, px + i * lk::kUnit, py + j * lk::kUnit), i,
                 j, radius);
    }
    return {summed(sums.error), summed(sums.squared)};
  }

 private:
  int* patch_;
  int lane_;
};

// Job goes to the kernel by value; it is read by every lane.
__global__ void __launch_bounds__(32 * kWarps)
    track_kernel(Job job, const Sample* first, const Sample* second, const Point* points, int count,
                 TrackedPoint* out) {
  __shared__ int patches[kWarps][points::kPatchSide * points::kPatchSide];
  const int which = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  if (which >= count) return;
  const Warp warp{patches[threadIdx.y], static_cast<int>(threadIdx.x)};
  const TrackedPoint found = tracked(warp, job, first, second, points[which]);
  if (threadIdx.x == 0) out[which] = found;
}

class PointTrackerCuda final : public PointTracker {
 public:
  PointTrackerCuda(const Context& context, const PointTrackerSettings& settings, int width,
                   int height, int max_points)
      : context_{context}, max_points_{max_points} {
    LucasKanadeSettings layout;
    layout.pyramid = settings.pyramid;
    plan_ = lk::make_plan(layout, width, height);
    job_ = make_job(settings, plan_);
    levels_.count = job_.level_count;
    for (int i = 0; i < job_.level_count; ++i) levels_.of[i] = job_.levels[i];
  }

  Status allocate() {
    const auto pixels = static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
    for (DeviceBuffer<Sample>& picture : pictures_)
      if (Status ok = make(picture, plan_.samples); !ok) return ok;
    if (Status ok = make(input_, pixels); !ok) return ok;
    const auto points = static_cast<std::size_t>(max_points_);
    Result<DualBuffer<Point>> in = DualBuffer<Point>::create(context_, Use::shared, points);
    if (!in) return in.error();
    in_ = std::move(*in);
    Result<DualBuffer<TrackedPoint>> out =
        DualBuffer<TrackedPoint>::create(context_, Use::shared, points);
    if (!out) return out.error();
    out_ = std::move(*out);
    return Done{};
  }

  Status advance(const Picture<Space::host>& picture) override {
    if (Status ok = check_picture(job_, picture); !ok) return ok;
    const auto columns = static_cast<std::size_t>(width());
    const auto rows = static_cast<std::size_t>(height());
    if (Status ok = runtime::copy_rows(context_.stream().get(), runtime::Direction::to_device,
                                       input_.device_data(), columns, picture.data,
                                       static_cast<std::size_t>(picture.row_stride), columns, rows);
        !ok)
      return ok;
    if (Status ok =
            advance(Picture<Space::device>{input_.device_data(), width(), height(), width()});
        !ok)
      return ok;
    return wait(context_.stream());  // the picture may be used again
  }
  Status advance(const Picture<Space::device>& picture) override {
    if (Status ok = check_picture(job_, picture); !ok) return ok;
    newest_ = 1 - newest_;
    held_ = held_ < 2 ? held_ + 1 : 2;
    const Samples samples{{pictures_[newest_].device_data(), nullptr}};
    lk::queue_pyramids(context_.stream().get(), levels_,
                       {{picture.data, nullptr}, {picture.row_stride, 0}}, samples, 1);
    return cuda_status(cudaGetLastError(), "launch point tracker");
  }

  Status track(Way way, const Point* points, int count, TrackedPoint* out) override {
    if (Status ok = check_points(held_, points, count, max_points_, out); !ok) return ok;
    if (count == 0) return Done{};
    const StreamRef stream = context_.stream();
    const auto some = static_cast<std::size_t>(count);
    std::memcpy(in_.host(), points, some * sizeof(Point));
    if (Status ok = in_.to_device(stream); !ok) return ok;
    const int from = way == Way::forward ? 1 - newest_ : newest_;
    track_kernel<<<div_up(count, kWarps), dim3{32, kWarps}, 0, stream.get()>>>(
        job_, pictures_[from].device_data(), pictures_[1 - from].device_data(), in_.device(), count,
        out_.device());
    if (Status ok = cuda_status(cudaGetLastError(), "launch point tracker"); !ok) return ok;
    if (Status ok = out_.to_host(stream); !ok) return ok;
    if (Status ok = wait(stream); !ok) return ok;
    std::memcpy(out, out_.host(), some * sizeof(TrackedPoint));
    return Done{};
  }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples + input_.size() +
           2 * static_cast<std::size_t>(max_points_) * (sizeof(Point) + sizeof(TrackedPoint));
  }

 private:
  [[nodiscard]] int width() const { return job_.levels[0].width; }
  [[nodiscard]] int height() const { return job_.levels[0].height; }
  template <typename T>
  Status make(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    buffer = std::move(*made);
    return Done{};
  }

  const Context& context_;
  lk::Plan plan_;
  Job job_{};
  Levels levels_{};
  int max_points_;
  int newest_ = 0, held_ = 0;  // of the pictures
  DeviceBuffer<Sample> pictures_[2];
  DeviceBuffer<std::uint8_t> input_;
  DualBuffer<Point> in_;
  DualBuffer<TrackedPoint> out_;
};

}  // namespace

Result<std::unique_ptr<PointTracker>> make_point_tracker_cuda(const Context& context,
                                                              const PointTrackerSettings& settings,
                                                              int width, int height,
                                                              int max_points) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kTracker, "the backend is the CPU"};
  auto made = std::make_unique<PointTrackerCuda>(context, settings, width, height, max_points);
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<PointTracker>{std::move(made)};
}

}  // namespace kerb::flow
