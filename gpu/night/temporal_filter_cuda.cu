// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/cuda_status.hpp"
#include "gpu/night/planes_check.hpp"
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/temporal_filter_math.hpp"

namespace kerb::night {
namespace {

using namespace temporal;

using Byte = std::uint8_t;
using Fine = std::uint16_t;
using Word = std::uint32_t;
using In = PlanesView<Space::device, const Byte>;
using Out = PlanesView<Space::device, Byte>;

constexpr unsigned kBlockX = 32, kBlockY = 8;
constexpr unsigned kWarp = 32;

/// What the pictures of a film share on the device. `counters` are the histogram of ratios, then
/// the two below.
constexpr int kGainAt = kRatios, kUnfitAt = kRatios + 1;

/// The sum over all threads of a block of kBlock x kBlock, in thread 0.
__device__ Word sum_over_block(Word value, Word* room) {
  for (unsigned step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_down_sync(0xffffffffu, value, step);
  const unsigned thread = threadIdx.y * kBlock + threadIdx.x;
  __syncthreads();  // the room may still be read from the last time
  if (thread % kWarp == 0) room[thread / kWarp] = value;
  __syncthreads();
  Word sum = 0;
  if (thread == 0)
    for (unsigned i = 0; i < kBlock * kBlock / kWarp; ++i) sum += room[i];
  return sum;
}

/// A block of threads for each block of the picture, a thread for each pixel.
__global__ void sums_kernel(Plan plan, In in, const Word* before, Word* now, bool has_past,
                            Word* counters) {
  __shared__ Word room[kBlock * kBlock / kWarp];
  const int column = static_cast<int>(blockIdx.x), row = static_cast<int>(blockIdx.y);
  const Rect r = block_at(plan, column, row);
  const int x = r.x0 + static_cast<int>(threadIdx.x), y = r.y0 + static_cast<int>(threadIdx.y);
  const ImageView<Space::device, const Byte> middle{in.data + in.count / 2 * in.plane_stride,
                                                    in.width, in.height, in.row_stride};
  const Word value = x < r.x1 && y < r.y1 ? middle.data[y * middle.row_stride + x] : 0;
  const Word sum = sum_over_block(value, room);
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  const int block = row * plan.columns + column;
  now[block] = sum;
  if (has_past && says_ratio(before[block], pixels_of(r)))
    atomicAdd(&counters[ratio(before[block], sum)], 1u);
}

/// One block of kRatios threads: the median of the ratios, and what follows from it.
__global__ void gain_kernel(Plan plan, Word* counters) {
  __shared__ Word up_to[kRatios];
  const int i = static_cast<int>(threadIdx.x);
  const Word own = counters[i];
  up_to[i] = own;
  __syncthreads();
  for (int step = 1; step < kRatios; step *= 2) {
    const Word before = i >= step ? up_to[i - step] : 0;
    __syncthreads();
    up_to[i] += before;
    __syncthreads();
  }
  const Word count = up_to[kRatios - 1];
  // The first whose sum is more than half; with no ratio at all, the last, as on the CPU.
  const bool past_half = 2 * up_to[i] > count, was_before = 2 * (up_to[i] - own) > count;
  if ((past_half && !was_before) || (count == 0 && i == kRatios - 1))
    counters[kGainAt] = static_cast<Word>(exposure_gain(i, count, block_count(plan)));
}

__global__ void apply_gain_kernel(std::size_t fine_count, Fine* past, std::size_t byte_count,
                                  Byte* middle, const Word* counters) {
  const int gain = static_cast<int>(counters[kGainAt]);
  if (gain == kOne) return;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < fine_count; i += step) past[i] = with_gain(past[i], gain);
  for (std::size_t i = first; i < byte_count; i += step) middle[i] = with_gain(middle[i], gain);
}

/// A block of threads for each block of the picture, a thread for each pixel.
__global__ void match_kernel(Plan plan, In in, const Byte* past, const Bin* bins,
                             const Shift* before, const Word* sums, Shift* chosen, Word* counters) {
  __shared__ Word room[kBlock * kBlock / kWarp];
  const int column = static_cast<int>(blockIdx.x), row = static_cast<int>(blockIdx.y);
  const int block = row * plan.columns + column;
  const Rect r = block_at(plan, column, row);
  const int x = r.x0 + static_cast<int>(threadIdx.x), y = r.y0 + static_cast<int>(threadIdx.y);
  const bool has_pixel = x < r.x1 && y < r.y1;
  const Byte* middle = in.data + in.count / 2 * in.plane_stride;
  const int value = has_pixel ? middle[y * in.row_stride + x] : 0;
  Shift tried[kMostShifts];
  const int count = shifts_for(plan, bins, column, row, before[block], tried);
  Word least = ~Word{0};  // of thread 0 alone
  Shift best{};
  for (int i = 0; i < count; ++i) {
    const Shift s = tried[i];
    if (!is_inside(plan, r, s)) continue;  // the same for all threads
    Word difference = 0;
    if (has_pixel) {
      const int there =
          past[static_cast<std::ptrdiff_t>(y + nearest(s.y)) * plan.width + x + nearest(s.x)];
      difference = static_cast<Word>(abs(value - there));
    }
    const Word sum = sum_over_block(difference, room);
    if (sum >= least) continue;
    least = sum;
    best = s;
  }
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  chosen[block] = best;
  if (!fits(plan, least, sums[block], pixels_of(r))) atomicAdd(&counters[kUnfitAt], 1u);
}

/// A thread for each pixel of all planes: the past where the block's shift leads, and how far it is
/// from the new picture.
__global__ void shift_kernel(Plan plan, In in, const Shift* shifts, const Fine* from, Fine* to,
                             Fine* differences) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= plan.width || y >= plan.height) return;
  const Shift s = shifts[y / kBlock * plan.columns + x / kBlock];
  const std::ptrdiff_t stride = plan.width, pixels = stride * plan.height;
  const std::ptrdiff_t at = (y + whole(s.y)) * stride + x + whole(s.x), here = y * stride + x;
  const bool between = part(s.x) != 0 || part(s.y) != 0;
  const Taps across = taps(part(s.x)), down = taps(part(s.y));
  int sum = 0;
  for (int plane = 0; plane < plan.planes; ++plane) {
    const Fine* p = from + plane * pixels + at;
    int past = *p;
    if (between) {
      int rows[4];
      for (int i = 0; i < 4; ++i) {
        const Fine* q = p + (i - 1) * stride;
        rows[i] = mixed(q[-1], q[0], q[1], q[2], across);
      }
      past = limited(mixed(rows[0], rows[1], rows[2], rows[3], down));
    }
    to[plane * pixels + here] = static_cast<Fine>(past);
    const int now = kFine * in.data[plane * in.plane_stride + y * in.row_stride + x];
    sum += abs(now - past);
  }
  differences[here] = stored_difference(sum);
}

__global__ void blend_kernel(Plan plan, In in, const Fine* differences, bool has_past,
                             const Word* counters, Fine* past, Byte* middle, Shift* shifts,
                             Out out) {
  constexpr int kWide = kBlockX + 2 * kReach, kHigh = kBlockY + 2 * kReach;
  __shared__ int room[kHigh][kWide];
  const bool kept = has_past && 2 * counters[kUnfitAt] <= static_cast<Word>(block_count(plan));
  const int left = static_cast<int>(blockIdx.x * kBlockX) - kReach;
  const int top = static_cast<int>(blockIdx.y * kBlockY) - kReach;
  const std::ptrdiff_t stride = plan.width, pixels = stride * plan.height;
  if (kept)
    for (int i = static_cast<int>(threadIdx.y * kBlockX + threadIdx.x); i < kHigh * kWide;
         i += static_cast<int>(kBlockX * kBlockY)) {
      const int column = min(max(left + i % kWide, 0), plan.width - 1);
      const int row = min(max(top + i / kWide, 0), plan.height - 1);
      room[i / kWide][i % kWide] = differences[row * stride + column];
    }
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x * kBlockX + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  if (x >= plan.width || y >= plan.height) return;
  const std::ptrdiff_t here = y * stride + x;
  int past_weight = 0;
  if (kept) {
    int sum = 0, signal = 0;
    for (int j = 0; j <= 2 * kReach; ++j)
      for (int i = 0; i <= 2 * kReach; ++i) sum += room[threadIdx.y + j][threadIdx.x + i];
    for (int plane = 0; plane < plan.planes; ++plane) signal += past[plane * pixels + here];
    past_weight = weight(plan, sum, signal);
  } else if (x % kBlock == 0 && y % kBlock == 0) {
    shifts[y / kBlock * plan.columns + x / kBlock] = Shift{};
  }
  for (int plane = 0; plane < plan.planes; ++plane) {
    Fine& own = past[plane * pixels + here];
    const int now = kFine * in.data[plane * in.plane_stride + y * in.row_stride + x];
    const int fine = blended(own, now, past_weight);
    own = static_cast<Fine>(fine);
    const Byte byte = rounded(fine);
    out.data[plane * out.plane_stride + y * out.row_stride + x] = byte;
    if (plane == plan.planes / 2) middle[here] = byte;
  }
}

}  // namespace

Status TemporalFilter::run(StreamRef stream, const In& in, const MotionField* motion,
                           const Out& out) {
  if (Status ok = check_planes("temporal filter", in, out, plan_.width, plan_.height, plan_.planes);
      !ok)
    return ok;
  if (!on_device_) return Error{Errc::unsupported, 0, "temporal filter", "made with a CPU context"};
  now_ = 1 - now_;
  const bool had_past = has_past_;
  has_past_ = false;  // until all is queued
  const std::size_t count = pixels();
  const std::size_t fine_count = static_cast<std::size_t>(plan_.planes) * count;
  const int blocks = block_count(plan_), before = 1 - now_;
  Fine* const past = past_there_.device_data();
  Fine* const past_now = past + static_cast<std::size_t>(now_) * fine_count;
  Fine* const past_before = past + static_cast<std::size_t>(before) * fine_count;
  Byte* const middle = middle_there_.device_data();
  Byte* const middle_now = middle + static_cast<std::size_t>(now_) * count;
  Byte* const middle_before = middle + static_cast<std::size_t>(before) * count;
  Word* const sums_now = sums_there_.device_data() + now_ * blocks;
  Word* const sums_before = sums_there_.device_data() + before * blocks;
  Shift* const shifts_now = shifts_there_.device_data() + now_ * blocks;
  Shift* const shifts_before = shifts_there_.device_data() + before * blocks;
  Word* const counters = counters_there_.device_data();

  const dim3 block_grid{static_cast<unsigned>(plan_.columns), static_cast<unsigned>(plan_.rows)};
  const dim3 block_threads{kBlock, kBlock};
  const dim3 pixel_grid{div_up(plan_.width, kBlockX), div_up(plan_.height, kBlockY)};
  const dim3 pixel_threads{kBlockX, kBlockY};
  const auto launched = [](const char* what) { return cuda_status(cudaGetLastError(), what); };

  if (Status ok = cuda_status(
          cudaMemsetAsync(counters, 0, counters_there_.size() * sizeof(Word), stream.get()),
          "clear counters");
      !ok)
    return ok;
  sums_kernel<<<block_grid, block_threads, 0, stream.get()>>>(plan_, in, sums_before, sums_now,
                                                              had_past, counters);
  if (Status ok = launched("launch block sums"); !ok) return ok;
  if (had_past) {
    fill_bins(motion, bins_there_.host());
    if (Status ok = bins_there_.to_device(stream); !ok) return ok;
    gain_kernel<<<1, kRatios, 0, stream.get()>>>(plan_, counters);
    if (Status ok = launched("launch exposure gain"); !ok) return ok;
    apply_gain_kernel<<<div_up(static_cast<int>(count), 1024), 256, 0, stream.get()>>>(
        fine_count, past_before, count, middle_before, counters);
    if (Status ok = launched("launch apply gain"); !ok) return ok;
    match_kernel<<<block_grid, block_threads, 0, stream.get()>>>(
        plan_, in, middle_before, bins_there_.device(), shifts_before, sums_now, shifts_now,
        counters);
    if (Status ok = launched("launch match"); !ok) return ok;
    shift_kernel<<<pixel_grid, pixel_threads, 0, stream.get()>>>(
        plan_, in, shifts_now, past_before, past_now, differences_there_.device_data());
    if (Status ok = launched("launch shift"); !ok) return ok;
  }
  blend_kernel<<<pixel_grid, pixel_threads, 0, stream.get()>>>(
      plan_, in, differences_there_.device_data(), had_past, counters, past_now, middle_now,
      shifts_now, out);
  if (Status ok = launched("launch blend"); !ok) return ok;
  has_past_ = true;
  return Done{};
}

}  // namespace kerb::night
