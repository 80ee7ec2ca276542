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

constexpr const char* kWhere = "point tracker";
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

  __device__ void sample(const Sample* picture, const Level& level, int px, int py,
                         int radius) const {
    const int side = 2 * radius + 3;
    __syncwarp();
    for (int k = lane_; k < side * side; k += 32)
      patch_[k] = sample_at(picture, level, px + (k % side - radius - 1) * lk::kUnit,
                            py + (k / side - radius - 1) * lk::kUnit);
    __syncwarp();
  }
  __device__ TextureSums texture(int radius) const {
    TextureSums sums{};
    const int side = 2 * radius + 1;
    for (int k = lane_; k < side * side; k += 32)
      add_texture(sums, patch_, k % side - radius, k / side - radius, radius);
    return {summed(sums.xx), summed(sums.xy), summed(sums.yy), summed(sums.x), summed(sums.y)};
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
    return {summed(sums.x), summed(sums.y), summed(sums.error), summed(sums.squared)};
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
    if (Status ok = make(input_, 2 * pixels); !ok) return ok;
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

  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Point* points, int count, TrackedPoint* out) override {
    if (Status ok = check_points(kWhere, width(), height(), previous, next, points, count,
                                 max_points_, out);
        !ok)
      return ok;
    Picture<Space::device> there[2];
    for (int i = 0; i < 2; ++i) {
      const Picture<Space::host>& from = i == 0 ? previous : next;
      const auto columns = static_cast<std::size_t>(width());
      const auto rows = static_cast<std::size_t>(height());
      std::uint8_t* const at = input_.device_data() + columns * rows * static_cast<std::size_t>(i);
      there[i] = {at, width(), height(), width()};
      if (Status ok = runtime::copy_rows(context_.stream().get(), runtime::Direction::to_device, at,
                                         columns, from.data,
                                         static_cast<std::size_t>(from.row_stride), columns, rows);
          !ok)
        return ok;
    }
    return run(there[0], there[1], points, count, out);
  }

  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const Point* points, int count, TrackedPoint* out) override {
    if (Status ok = check_points(kWhere, width(), height(), previous, next, points, count,
                                 max_points_, out);
        !ok)
      return ok;
    if (count == 0) return Done{};
    const StreamRef stream = context_.stream();
    const auto some = static_cast<std::size_t>(count);
    std::memcpy(in_.host(), points, some * sizeof(Point));
    if (Status ok = in_.to_device(stream); !ok) return ok;
    const Samples samples{{pictures_[0].device_data(), pictures_[1].device_data()}};
    lk::queue_pyramids(stream.get(), levels_, previous, next, samples);
    track_kernel<<<div_up(count, kWarps), dim3{32, kWarps}, 0, stream.get()>>>(
        job_, samples.of[0], samples.of[1], in_.device(), count, out_.device());
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
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  auto made = std::make_unique<PointTrackerCuda>(context, settings, width, height, max_points);
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<PointTracker>{std::move(made)};
}

}  // namespace kerb::flow
