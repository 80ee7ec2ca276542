// SPDX-License-Identifier: Apache-2.0
#pragma once
// For second_look_cuda.cu alone: cuts the crop out of the picture and brings it to its levels.
#include "gpu/net/crop_math.hpp"
#include "gpu/net/second_look_blocks.cuh"

namespace kerb::net {
namespace {

__device__ int clamped(std::int64_t at, int count) {
  return at < 0 ? 0 : at >= count ? count - 1 : static_cast<int>(at);
}

/// A pixel of the crop takes from columns (and rows) of the picture, its entries. Samples that are
/// at most a pixel apart share columns, whose weights are added up: one entry more than samples.
/// Samples that are farther apart have two entries each.
struct Entries {
  bool merged;
  int count;
};
__device__ Entries entries_of(const CropPlace& place) {
  const bool merged = place.step <= place.taps << 16;
  return {merged, merged ? place.taps + 1 : 2 * place.taps};
}

/// Entry e of pixel i is columns[e * width + i]: its column, from the first sample's on, and its
/// weight. The last entry has the last column; entries that are not needed weigh 0.
__device__ void fill_columns(const CropPlace& place, int width, Word* columns) {
  const Entries entries = entries_of(place);
  const int taps = place.taps;
  const std::int64_t first = math::whole(math::sample_at(place.left, place, 0));
  for (int i = static_cast<int>(threadIdx.x); i < width; i += kThreads) {
    const auto put = [&](int e, Word column, Word weight) {
      columns[e * width + i] = column << kWeightBits | weight;
    };
    int e = 0;
    Word column = 0, weight = 0, beyond = 0;  // sums so far of a column and the next one
#pragma unroll 1
    for (int j = 0; j < taps; ++j) {
      const std::int64_t at = math::sample_at(place.left, place, i * taps + j);
      const Word here = static_cast<Word>(math::whole(at) - first), part = math::part(at);
      if (!entries.merged) {
        put(2 * j, here, 256 - part);
        put(2 * j + 1, here + 1, part);
        continue;
      }
      if (j > 0 && here != column) {  // then it is the next one
        put(e++, column, weight);
        weight = beyond;
        beyond = 0;
      }
      column = here;
      weight += 256 - part;
      beyond += part;
    }
    if (!entries.merged) continue;
    put(e++, column, weight);
    put(e++, column + 1, beyond);
#pragma unroll 1
    for (; e < entries.count; ++e) put(e, column + 1, 0);
  }
}

/// A lane's entry of row `y` of the crop: a row of the picture and its weight, which is 0 in lanes
/// beyond the last entry.
struct RowEntry {
  std::ptrdiff_t at;  // from the picture's first row, in bytes
  Word weight;
};
__device__ RowEntry row_entry_of(const Picture& picture, const CropPlace& place, int y, int lane) {
  const Entries entries = entries_of(place);
  const int taps = place.taps, wanted = entries.merged ? lane : lane / 2;
  const std::int64_t at =
      math::sample_at(place.top, place, y * taps + (wanted < taps ? wanted : taps - 1));
  const Word part = math::part(at);
  std::int64_t row = math::whole(at);
  Word weight = 0;
  if (entries.merged) {
    const std::int64_t first = __shfl_sync(kAll, row, 0);
    const int down = static_cast<int>(row - first);
    for (int j = 0; j < taps; ++j) {
      const int other = __shfl_sync(kAll, down, j);
      const Word other_part = __shfl_sync(kAll, part, j);
      if (other == lane) weight += 256 - other_part;
      if (other + 1 == lane) weight += other_part;
    }
    row = first + (lane < entries.count ? lane : entries.count - 1);
  } else if (lane < entries.count) {
    row += lane % 2;
    weight = lane % 2 == 0 ? 256 - part : part;
  }
  return {clamped(row, picture.height) * picture.row_stride, weight};
}

/// Of the pixels that a thread, a warp, or all have cut: grey values are sums of planes.
struct GreySums {
  Word sum = 0, squares = 0;
};

/// A warp's row of the crop: columns of the picture are summed up over their rows, and these sums
/// over their columns. `out` is the row's first pixel.
template <int kPlanes>
__device__ void cut_row(const Job& job, const CropPlace& place, int y, const Word* columns,
                        Word* sums, Word* out, GreySums& grey) {
  const Picture& picture = job.picture;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int width = job.shape.width, entries = entries_of(place).count;
  const RowEntry mine = row_entry_of(picture, place, y, lane);
  const std::int64_t first = math::whole(math::sample_at(place.left, place, 0));
  const math::Divisor by = math::divisor_of(place.taps);
  const int most = ((kSpan - 3) << 16) / place.step;
  const int turn = most < 1 ? 1 : most;
  for (int begin = 0; begin < width; begin += turn) {
    const int end = begin + turn < width ? begin + turn : width;
    const int left = static_cast<int>(columns[begin] >> kWeightBits);
    const int last = static_cast<int>(columns[(entries - 1) * width + end - 1] >> kWeightBits);
    const int span = last + 1 - left;
    // Two columns a lane and two rows at a time, without branches: a warp waits for the memory once
    // for 4 kPlanes loads. Loads of no use are valid ones.
    constexpr int kColumns = 2, kRows = 2;
    for (int base = 0; base < span; base += kColumns * kLanes) {
      const Byte* from[kColumns];
      Word sum[kColumns][kPlanes] = {};
      for (int c = 0; c < kColumns; ++c)
        from[c] = picture.data + clamped(first + left + base + c * kLanes + lane, picture.width);
#pragma unroll 2
      for (int e = 0; e < entries; e += kRows) {  // 32 at most: a lane has each
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const std::ptrdiff_t at = __shfl_sync(kAll, mine.at, e + r);
          const Word weight = __shfl_sync(kAll, mine.weight, e + r);
#pragma unroll
          for (int c = 0; c < kColumns; ++c)
#pragma unroll
            for (int p = 0; p < kPlanes; ++p)
              sum[c][p] += weight * __ldg(from[c] + at + p * picture.plane_stride);
        }
      }
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        const int x = base + c * kLanes + lane;
        if (x >= span) continue;
#pragma unroll
        for (int p = 0; p < kPlanes; ++p) sums[p * kSpan + x] = sum[c][p];
      }
    }
    __syncwarp();
    for (int i = begin + lane; i < end; i += kLanes) {
      Word sum[kPlanes] = {};
#pragma unroll 2
      for (int e = 0; e < entries; ++e) {
        const Word entry = columns[e * width + i], weight = entry & ((1U << kWeightBits) - 1);
        const Word* at = sums + (static_cast<int>(entry >> kWeightBits) - left);
#pragma unroll
        for (int p = 0; p < kPlanes; ++p) sum[p] += weight * at[p * kSpan];
      }
      Word pixel = 0, level = 0;
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) {
        const Word sample = math::pixel_of(sum[p], by);
        pixel |= sample << (8 * p);
        level += sample;
      }
      out[i] = pixel;
      grey.sum += level;
      grey.squares += level * level;
    }
    __syncwarp();  // the sums may be replaced
  }
}

template <typename T>
__device__ T warp_sum(T value) {
  for (int step = kLanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAll, value, step);
  return value;
}

/// This block's rows of the crop, as samples, and the warps' sums of them in every block's `sums`.
template <int kPlanes, typename Blocks>
__device__ void cut(const Blocks& blocks, const Job& job, const CropPlace& place,
                    const Word* columns, Word* row_sums, Byte* crop, GreySums* sums) {
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  GreySums grey;  // of a warp's rows: they fit 32 bits
  static_assert(kMaxCropSide * kMaxCropSide / kWarps * (3 * 255LL) * (3 * 255LL) < (1LL << 32));
  const int first = blocks.rank() * kWarps + warp, step = blocks.size() * kWarps;
  for (int y = first; y < job.shape.height; y += step)
    cut_row<kPlanes>(job, place, y, columns, row_sums + warp * kMaxPlanes * kSpan,
                     reinterpret_cast<Word*>(crop + y * job.crop_row), grey);
  grey.sum = warp_sum(grey.sum);
  grey.squares = warp_sum(grey.squares);
  blocks.put_by_lanes(&sums[first], grey, lane);
}

/// Brings this block's rows of the crop to their levels, in every block.
template <int kPlanes, typename Blocks>
__device__ void normalise(const Blocks& blocks, const Job& job, Byte* crop, Byte* levels,
                          const GreySums* sums) {
  const int width = job.shape.width, height = job.shape.height;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kLanes, lane = thread % kLanes;
  if (thread < 256) {  // whole warps, each of which adds up all sums
    long long sum = 0, squares = 0;
    for (int i = lane; i < blocks.size() * kWarps; i += kLanes) {
      sum += sums[i].sum;
      squares += sums[i].squares;
    }
    const math::Contrast contrast =
        math::contrast_of(warp_sum(sum), warp_sum(squares), width * height, kPlanes);
    levels[thread] = math::level_of(thread, kPlanes, contrast);
  }
  __syncthreads();  // the levels are complete
  const int first = blocks.rank() * kWarps + warp, step = blocks.size() * kWarps;
  for (int y = first; y < height; y += step)
    for (int x = lane; x < width; x += kLanes) {
      Word* pixel = reinterpret_cast<Word*>(crop + y * job.crop_row) + x;
      const Word samples = *pixel;
      Word value = 0;
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) value |= Word{levels[samples >> (8 * p) & 255]} << (8 * p);
      blocks.put(pixel, value);
    }
}

}  // namespace
}  // namespace kerb::net
