// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "gpu/flow/cuda_estimator.hpp"
#include "gpu/flow/lucas_kanade_masks.cuh"

// A frame is one graph: the two pyramids, then a launch for each iteration of each level. A block
// takes a tile of a level through a whole iteration in shared memory: the vectors in (of the level
// above for a level's first), the second picture warped, the terms of every pixel, windows and
// solutions, medians. The last launch writes the field itself.
namespace kerb::flow {
namespace {

using namespace lk;

constexpr const char* kWhere = "Lucas-Kanade";

class LucasKanadeCuda final : public CudaEstimator {
 public:
  LucasKanadeCuda(const Context& context, const LucasKanadeSettings& settings, int width,
                  int height)
      : CudaEstimator{context, kWhere, "lk", width, height},
        settings_{settings},
        plan_{make_plan(settings, width, height)} {
    levels_.count = static_cast<int>(plan_.levels.size());
    std::copy(plan_.levels.begin(), plan_.levels.end(), levels_.of);
    cells_x_ = (width + kCell - 1) / kCell;
    cells_y_ = (height + kCell - 1) / kCell;
  }

  Status allocate() {
    if (Status ok = allow_shared<Large>(); !ok) return ok;
    if (Status ok = allow_shared<Medium>(); !ok) return ok;
    if (Status ok = allow_shared<Small>(); !ok) return ok;
    for (DeviceBuffer<Sample>& picture : pictures_)
      if (Status ok = make(picture, plan_.samples); !ok) return ok;
    for (int i = 0; i < (settings_.check_back ? 3 : 2); ++i)
      if (Status ok = make(vectors_[i], plan_.vectors); !ok) return ok;
    const std::size_t cells =
        static_cast<std::size_t>(cells_x_) * static_cast<std::size_t>(cells_y_);
    if (Status ok = make(cells_, cells); !ok) return ok;
    if (settings_.check_back)
      if (Status ok = make(ends_, cells); !ok) return ok;
    return make_room();
  }

 private:
  template <typename S>
  static Status allow_shared() {
    for (const auto& [kernel, planes] :
         {std::pair{iterate_kernel<false, S>, 5}, std::pair{iterate_kernel<true, S>, 6}})
      if (Status ok =
              cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(S::shared_bytes(planes))),
                          "shared memory for Lucas-Kanade");
          !ok)
        return ok;
    return Done{};
  }

  /// Whether the level has a tile for each multiprocessor.
  template <typename S>
  [[nodiscard]] bool fills(const Level& level) const {
    return div_up(level.width, S::kTile) * div_up(level.height, S::kTile) >=
           static_cast<unsigned>(context().info().multiprocessors);
  }

  template <typename S>
  static void launch(cudaStream_t s, const Iteration& it, const Judgement* judge) {
    const dim3 grid{div_up(it.width, S::kTile), div_up(it.height, S::kTile)};
    if (judge != nullptr)
      iterate_kernel<true, S><<<grid, S::kThreads, S::shared_bytes(6), s>>>(it, *judge);
    else
      iterate_kernel<false, S><<<grid, S::kThreads, S::shared_bytes(5), s>>>(it, Judgement{});
  }

  Status queue(StreamRef stream, const Frame& frame) override {
    cudaStream_t const s = stream.get();
    Cells cells{nullptr, cells_x_, cells_y_};
    if (frame.masked()) {
      cells_kernel<<<div_up(cells_x_ * cells_y_, 8), dim3{32, 8}, 0, s>>>(
          frame.mask, cells_x_, cells_y_, cells_.device_data());
      cells.data = cells_.device_data();
    }
    queue_pyramids(s, levels_, frame.previous, frame.next,
                   Samples{{pictures_[0].device_data(), pictures_[1].device_data()}});
    const Sample* const first = pictures_[0].device_data();
    const Sample* const second = pictures_[1].device_data();
    Judgement judge{};
    judge.texture = 16.0F * settings_.texture;
    judge.out = frame.out;
    judge.mask = frame.mask;
    const float tolerance = settings_.back_tolerance * static_cast<float>(kUnit);
    judge.back_limit = tolerance * tolerance;
    if (!settings_.check_back || frame.out.flags == nullptr) {
      queue_levels(s, first, second, cells, 0, 1, &judge);
    } else if (!frame.masked()) {
      const int now = queue_levels(s, second, first, Cells{nullptr, 0, 0}, 1, 2, nullptr);
      judge.back = vectors_[now].device_data();
      queue_levels(s, first, second, cells, 0, 3 - now, &judge);
    } else {  // the way back only from where wanted vectors end
      queue_levels(s, first, second, cells, 0, 1, &judge);
      if (Status ok = queue_back(s, frame, judge.back_limit); !ok) return ok;
    }
    return cuda_status(cudaGetLastError(), "launch Lucas-Kanade");
  }

  /// The wanted vectors of the field that do not lead back are flagged.
  Status queue_back(cudaStream_t s, const Frame& frame, float limit) {
    const dim3 threads{32, 8};
    const dim3 grid{div_up(width(), threads.x), div_up(height(), threads.y)};
    std::uint8_t* const ends = ends_.device_data();
    if (Status ok = cuda_status(cudaMemsetAsync(ends, 0, ends_.size(), s), "clear cells"); !ok)
      return ok;
    ends_kernel<<<grid, threads, 0, s>>>(frame.out, frame.mask, cells_x_, ends);
    const int now = queue_levels(s, pictures_[1].device_data(), pictures_[0].device_data(),
                                 Cells{ends, cells_x_, cells_y_}, 1, 2, nullptr);
    back_kernel<<<grid, threads, 0, s>>>(frame.out, frame.mask, vectors_[now].device_data(),
                                         levels_.of[0].stride, limit);
    return Done{};
  }

  /// From the smallest level down, between two buffers of vectors by turns. Where they end up;
  /// with a judgement, the last iteration writes the field instead.
  int queue_levels(cudaStream_t s, const Sample* first, const Sample* second, const Cells& cells,
                   int from, int to, const Judgement* judge) {
    for (int i = levels_.count - 1; i >= 0; --i) {
      const Level& level = levels_.of[i];
      for (int k = 0; k < level.iterations; ++k) {
        Iteration it{};
        it.width = level.width;
        it.height = level.height;
        it.stride = level.stride;
        it.shift = i;
        it.radius = radius_of(level, k);
        it.reach = level.reach;
        it.first = first + level.samples;
        it.second = second + level.samples;
        it.in = vectors_[from].device_data();
        it.from = k > 0                   ? Iteration::same_level
                  : i + 1 < levels_.count ? Iteration::level_above
                                          : Iteration::start;
        const Level& above = levels_.of[k == 0 && i + 1 < levels_.count ? i + 1 : i];
        it.in_stride = above.stride;
        it.in_width = above.width;
        it.in_height = above.height;
        it.out = vectors_[to].device_data();
        it.prior = 16.0F * settings_.prior;
        it.cells = cells;
        const Judgement* const last = i == 0 && k + 1 == level.iterations ? judge : nullptr;
        if (fills<Large>(level))
          launch<Large>(s, it, last);
        else if (fills<Medium>(level))
          launch<Medium>(s, it, last);
        else
          launch<Small>(s, it, last);
        std::swap(from, to);
      }
    }
    return from;
  }

  LucasKanadeSettings settings_;
  Plan plan_;
  Levels levels_{};
  DeviceBuffer<Sample> pictures_[2];
  DeviceBuffer<Packed> vectors_[3];
  DeviceBuffer<std::uint8_t> cells_, ends_;  // that a mask wants, and where those vectors end
  int cells_x_ = 0, cells_y_ = 0;
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cuda(const Context& context,
                                                          const LucasKanadeSettings& settings,
                                                          int width, int height) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  auto made = std::make_unique<LucasKanadeCuda>(context, settings, width, height);
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<Estimator>{std::move(made)};
}

}  // namespace kerb::flow
