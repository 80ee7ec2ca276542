// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "gpu/flow/block_matching_spread.cuh"
#include "gpu/flow/cuda_estimator.hpp"
#include "gpu/memory/upload.hpp"

// The launches of a frame: one smooths both pictures, one halves both for each further level, one
// sums for all levels; then for each level one matches and one takes medians; one spreads the
// blocks' vectors to the pixels. With a mask a few small ones before say which blocks are needed.
// They are one graph, recorded once for every pair of places the pictures lie at.
namespace kerb::flow::bm {
namespace {

constexpr const char* kWhere = "block matching";

constexpr dim3 kThreads{32, 8};
dim3 grid_for(int columns, int rows, unsigned layers = 1) {
  return {div_up(columns, kThreads.x), div_up(rows, kThreads.y), layers};
}

class OnCuda final : public CudaEstimator {
 public:
  OnCuda(const Context& context, Plan plan)
      : CudaEstimator{context, kWhere, "bm", plan.width, plan.height}, plan_{std::move(plan)} {}

  Status allocate() {
    for (DeviceBuffer<Byte>& picture : pictures_)
      if (Status ok = make(picture, plan_.samples); !ok) return ok;
    for (DeviceBuffer<float>* field : {&raw_u_, &raw_v_, &u_, &v_, &correlation_})
      if (Status ok = make(*field, plan_.blocks); !ok) return ok;
    for (DeviceBuffer<Byte>* map : {&poor_, &need_raw_, &need_})
      if (Status ok = make(*map, plan_.blocks); !ok) return ok;
    if (Status ok = make(sums_, std::max<std::size_t>(plan_.sums, 1)); !ok) return ok;
    if (Status ok = upload(context(), plan_.shifts, shifts_); !ok) return ok;
    levels_.count = static_cast<int>(plan_.levels.size());
    for (int i = 0; i < levels_.count; ++i) {
      const Level& level = plan_.levels[static_cast<std::size_t>(i)];
      levels_.of[i] = level;
      levels_.first_tile[i] = sum_tiles_;
      sum_tiles_ += static_cast<int>(div_up(places(level.width), kSumsSide) *
                                     div_up(places(level.height), kSumsSide));
    }
    return make_room();
  }

 private:
  Status queue(StreamRef stream, const Frame& frame) override {
    cudaStream_t const s = stream.get();
    if (frame.masked()) queue_needed(s, frame.mask);
    queue_pictures(s, frame);
    for (int i = levels_.count - 1; i >= 0; --i) queue_level(s, i, frame.masked());
    queue_spread(s, frame);
    return cuda_status(cudaGetLastError(), "launch block matching");
  }

  void queue_pictures(cudaStream_t s, const Frame& frame) {
    const Pair pair{frame.previous, frame.next};
    Byte *const first = pictures_[0].device_data(), *const second = pictures_[1].device_data();
    const auto grid = [](const Level& level) {
      return grid_for((level.width + 2 * kRim + 3) / 4, level.height + 2 * kRim, 2);
    };
    smooth_kernel<<<grid(levels_.of[0]), kThreads, 0, s>>>(pair, levels_.of[0], first, second);
    for (int i = 1; i < levels_.count; ++i)
      halve_kernel<<<grid(levels_.of[i]), kThreads, 0, s>>>(levels_.of[i - 1], levels_.of[i], first,
                                                            second);
    if (plan_.settings.cost == Cost::ncc)
      sums_kernel<<<static_cast<unsigned>(sum_tiles_), dim3{kSumsSide, kSumsThreadsY}, 0, s>>>(
          levels_, second, sums_.device_data());
  }

  template <Cost C>
  void queue_match(cudaStream_t s, const MatchArguments& a, bool smallest) {
    const dim3 grid{div_up(a.level.columns, kBlocksInARow), static_cast<unsigned>(a.level.rows)};
    auto* const kernel = smallest ? match_kernel<C, true> : match_kernel<C, false>;
    kernel<<<grid, kLanes * kBlocksInARow, 0, s>>>(a);
  }

  void queue_level(cudaStream_t s, int i, bool masked) {
    const bool smallest = i + 1 == levels_.count;
    const Level& level = levels_.of[i];
    const float noise = plan_.settings.noise * kPixels;
    const MatchArguments a{level,
                           levels_.of[smallest ? i : i + 1],
                           pictures_[0].device_data(),
                           pictures_[1].device_data(),
                           reinterpret_cast<const int2*>(sums_.device_data()),
                           shifts_.device_data(),
                           static_cast<int>(plan_.shifts.size()),
                           plan_.settings.steps,
                           i == 0,
                           noise * noise,
                           u_.device_data(),
                           v_.device_data(),
                           raw_u_.device_data(),
                           raw_v_.device_data(),
                           correlation_.device_data(),
                           poor_.device_data(),
                           masked ? need_raw_.device_data() : nullptr};
    switch (plan_.settings.cost) {
      case Cost::ncc:
        queue_match<Cost::ncc>(s, a, smallest);
        break;
      case Cost::ssd:
        queue_match<Cost::ssd>(s, a, smallest);
        break;
      case Cost::sad:
        queue_match<Cost::sad>(s, a, smallest);
        break;
    }
    median_kernel<<<grid_for(level.columns, level.rows, 2), kThreads, 0, s>>>(
        level, raw_u_.device_data(), raw_v_.device_data(), u_.device_data(), v_.device_data(),
        masked ? need_.device_data() : nullptr);
  }

  void queue_spread(cudaStream_t s, const Frame& frame) {
    const Level& level = levels_.of[0];
    const auto aligned = [](const void* at, unsigned to) {
      return reinterpret_cast<std::uintptr_t>(at) % to == 0;
    };
    const SpreadArguments a{level,
                            pictures_[0].device_data(),
                            pictures_[1].device_data(),
                            u_.device_data(),
                            v_.device_data(),
                            raw_u_.device_data(),
                            raw_v_.device_data(),
                            correlation_.device_data(),
                            poor_.device_data(),
                            frame.masked() ? need_.device_data() : nullptr,
                            frame.mask,
                            frame.out,
                            plan_.settings.doubt * 255.0F,
                            frame.out.row_stride % 4 == 0 && aligned(frame.out.u, 16) &&
                                aligned(frame.out.v, 16) && aligned(frame.out.quality, 4) &&
                                aligned(frame.out.flags, 4)};
    spread_kernel<<<grid_for(level.columns, level.height), kThreads, 0, s>>>(a);
  }

  /// From the wanted pixels up through the levels: the blocks whose vectors they come from.
  void queue_needed(cudaStream_t s, const Mask<Space::device>& mask) {
    Byte *const raw = need_raw_.device_data(), *const need = need_.device_data();
    const Level& picture = levels_.of[0];
    const auto gather = [&](const Byte* from, const Level& source, Byte* to, const Level& level,
                            int scale, int before, int after) {
      gather_any_kernel<<<grid_for(level.columns, level.rows), kThreads, 0, s>>>(
          from + source.block, source.columns, source.rows, to + level.block, level.columns,
          level.rows, scale, before, after);
    };
    cells_kernel<<<grid_for(picture.columns, picture.rows), kThreads, 0, s>>>(mask, picture, raw);
    gather(raw, picture, need, picture, 1, 1, 1);
    for (int i = 0; i < levels_.count; ++i) {
      if (i > 0)
        gather(raw, levels_.of[i - 1], need, levels_.of[i], 2, 2 * kNeighbours,
               2 * kNeighbours + 1);
      gather(need, levels_.of[i], raw, levels_.of[i], 1, kMedian, kMedian);
    }
  }

  Plan plan_;
  Levels levels_{};
  int sum_tiles_ = 0;
  DeviceBuffer<Byte> pictures_[2];
  DeviceBuffer<Sums> sums_;
  DeviceBuffer<float> raw_u_, raw_v_, u_, v_, correlation_;
  DeviceBuffer<Byte> poor_, need_raw_, need_;
  DeviceBuffer<Shift> shifts_;
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_cuda(const Context& context, Plan plan) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  auto made = std::make_unique<OnCuda>(context, std::move(plan));
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<Estimator>{std::move(made)};
}

}  // namespace kerb::flow::bm
