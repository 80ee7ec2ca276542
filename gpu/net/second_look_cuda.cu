// SPDX-License-Identifier: Apache-2.0
// The second look on CUDA: one launch for all crops of a frame, one or several blocks for each.
//
// A block has all values of its crop in its own shared memory and reads nothing from another's.
// Blocks that share a crop are a cluster (compute capability 9.0 and later): each computes its part
// of the crop's rows and of every layer's tiles, and stores what it computed into the shared memory
// of all of them. The steps of a block, and the barriers of all blocks of the crop between them:
//
//   prepare     clears the crop's region, makes the table of columns
//   --- (0)     the table is complete; all blocks run: their memory may be written
//   cut         its rows of the crop, as samples, into its own shared memory
//   --- (1)     the sums of all rows are everywhere; every block has cleared the crop's region
//   normalise   its rows, into every block's crop; clears the region that layer 0 writes
//   --- (2)     before layer 0: the crop is complete; that region is clear in every block
//   layer 0     its tiles, into every block; clears the region that layer 1 writes
//   --- (2)     before layer 1, and so on
//   last layer  one tile: the first block writes the four results to global memory
//
// What is written in a step is read after the next barrier, and what is read in a step is cleared
// in the next one and written in the one after that: values before layers i, i + 1 and i + 2 are in
// three different regions, so that one barrier a layer is enough. Where shared memory is too small
// for three regions there are two, and another barrier a layer, (3), between clearing and writing.
// No block ends while others may still store into its memory: nobody does after the last barrier.

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/no_memory.hpp"
#include "gpu/memory/upload.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/crop_math.hpp"
#include "gpu/net/second_look.hpp"
#include "gpu/net/second_look_check.hpp"
#include "gpu/net/second_look_layout.hpp"

namespace kerb::net {
namespace {

using namespace tiles;
using Byte = std::uint8_t;
using Word = std::uint32_t;
using Picture = PlanesView<Space::device, const Byte>;

constexpr int kThreads = kWarps * kLanes;
constexpr Word kAll = 0xffffffffu;
/// Sums of the picture's rows that a warp keeps at a time, of each plane. One pixel of a crop needs
/// 242 columns at most.
constexpr int kSpan = 256;
constexpr int kMaxPlanes = 3;
/// Columns of the picture that a pixel of a crop takes from, at most; bits of a column's weight.
constexpr int kMaxEntries = 2 * kMaxTaps, kWeightBits = 14;

/// All that a launch needs, passed as its argument: the places travel with it.
struct Job {
  Picture picture;
  CropShape shape;
  const LayerTiles* layers;
  const TwoOffsets* offsets;
  const TwoQuads* weights;
  const std::int32_t* bias;
  const float* factor;
  float* results;
  std::int32_t layer_count;
  std::int32_t crop_first, crop_row, crop_bytes;
  std::int32_t regions, region_at[kMaxRegions];            // in shared memory, bytes
  std::int32_t columns_at, layers_at, levels_at, sums_at;  // likewise
  CropPlace places[SecondLook::kMaxCandidates];
};
static_assert(sizeof(Job) <= 4096, "what every device takes as arguments");

/// Shared memory of a block, in this order: the regions of values; the layers; the table of levels;
/// sums of all warps of all blocks. While the crop is cut, the space after the first region has the
/// sums of the picture's rows, and the crop's columns.
struct Room {
  std::size_t region_at[kMaxRegions], columns_at, layers_at, levels_at, sums_at, bytes;
};

Room room_of(const NetworkTiles& tiles, const CropShape& shape) {
  constexpr std::size_t kSums = sizeof(Word) * kWarps * kMaxPlanes * kSpan;
  Room room{};
  std::size_t end = 0;
  for (int i = 0; i < kMaxRegions; ++i) {
    room.region_at[i] = end;
    end += tiles.region_bytes[i];
  }
  room.columns_at = room.region_at[1] + kSums;
  const std::size_t cut_end =
      room.columns_at + sizeof(Word) * static_cast<std::size_t>(kMaxEntries * shape.width);
  room.layers_at = std::max(end, cut_end);
  room.levels_at = room.layers_at + sizeof(LayerTiles) * tiles.layers.size();
  room.sums_at = room.levels_at + 256;
  room.bytes = room.sums_at + sizeof(Word) * 2 * kMaxBlocks * kWarps;
  return room;
}

/// The blocks that share a crop: only this one.
struct Alone {
  __device__ int size() const { return 1; }
  __device__ int rank() const { return 0; }
  /// For all threads of these blocks. What they stored before it, put() included, is seen after it.
  __device__ void barrier() const { __syncthreads(); }
  /// Stores into the shared memory of each of these blocks, at the same place.
  template <typename T>
  __device__ void put(T* to, T value) const {
    *to = value;
  }
  /// The same by a whole warp, whose lanes have the same value: each stores it into one block.
  template <typename T>
  __device__ void put_by_lanes(T* to, T value, int lane) const {
    if (lane == 0) *to = value;
  }
};

/// The blocks that share a crop: a cluster.
struct Cluster {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  // What cooperative_groups::cluster_group is made of: its header needs the headers of libcu++,
  // which a runtime for another architecture does not have.
  __device__ int size() const { return static_cast<int>(__clusterSizeInBlocks()); }
  __device__ int rank() const { return static_cast<int>(__clusterRelativeBlockRank()); }
  __device__ void barrier() const {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  template <typename T>
  __device__ void put(T* to, T value) const {
    const int count = size();
#pragma unroll 1
    for (int i = 0; i < count; ++i) *in_block(to, i) = value;
  }
  template <typename T>
  __device__ void put_by_lanes(T* to, T value, int lane) const {
    if (lane < size()) *in_block(to, lane) = value;
  }

 private:
  /// The same place of the shared memory of a block.
  template <typename T>
  __device__ static T* in_block(T* place, int rank) {
    return static_cast<T*>(__cluster_map_shared_rank(place, static_cast<unsigned>(rank)));
  }
#else  // a GPU without clusters: it is never asked to
  __device__ int size() const { return 1; }
  __device__ int rank() const { return 0; }
  __device__ void barrier() const { __trap(); }
  template <typename T>
  __device__ void put(T*, T) const {}
  template <typename T>
  __device__ void put_by_lanes(T*, T, int) const {}
#endif
};

__device__ int clamped(std::int64_t at, int count) {
  return at < 0 ? 0 : at >= count ? count - 1 : static_cast<int>(at);
}

__device__ void clear(Byte* bytes, int count) {  // a multiple of 16
  auto* to = reinterpret_cast<uint4*>(bytes);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count / 16; i += kThreads)
    to[i] = make_uint4(0, 0, 0, 0);
}

/// The layers where all threads can read them at once.
__device__ void copy_layers(const Job& job, LayerTiles* to) {
  static_assert(sizeof(LayerTiles) % sizeof(Word) == 0);
  const int words = job.layer_count * static_cast<int>(sizeof(LayerTiles) / sizeof(Word));
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < words; i += kThreads)
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(job.layers)[i];
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

/// sums += values * weights, of 16 pixels, 8 outputs and 32 values. A lane has of pixels lane / 4
/// and that + 8 the quads lane % 4 and that + 4: values 0 and 2 of the former, 1 and 3 of the
/// latter; of output lane / 4 the weights of these quads; and of both pixels the sums of outputs
/// 2 (lane % 4) and the next.
__device__ void multiply_add(int (&sums)[4], const Word (&values)[4], const TwoQuads& weights) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3]), "r"(weights.low),
        "r"(weights.high));
}

/// A lane's weights of a step, of all tiles of a group: 8 or 16 bytes a load.
template <int kGroup>
__device__ void load(const TwoQuads* from, TwoQuads (&to)[kGroup]) {
  if constexpr (kGroup == 1) {
    const uint2 one = __ldg(reinterpret_cast<const uint2*>(from));
    to[0] = {one.x, one.y};
  } else {
#pragma unroll
    for (int t = 0; t < kGroup; t += 2) {
      const uint4 two = __ldg(reinterpret_cast<const uint4*>(from + t));
      to[t] = {two.x, two.y};
      to[t + 1] = {two.z, two.w};
    }
  }
}

/// A warp's task: 16 pixels and kGroup times 8 outputs.
template <int kGroup, typename Blocks>
__device__ void convolve_tile(const Blocks& blocks, const Job& job, const LayerTiles& layer,
                              int pixel_tile, int group, bool is_last, const Byte* in, Byte* out) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes, row = lane / 4, column = lane % 4;
  const Byte* from[2];
  for (int i = 0; i < 2; ++i) {
    const int asked = pixel_tile * kPixels + row + 8 * i;
    const int pixel = asked < layer.pixels ? asked : layer.pixels - 1;  // any will do
    from[i] = in + pixel / layer.width * layer.step_y + pixel % layer.width * layer.step_x;
  }
  // The lane's outputs: this one and the 2 kGroup - 1 after it.
  const int first = output_of(group, kGroup, 0, 2 * column);
  const std::int32_t* bias = job.bias + layer.outputs_at + first;
  int sums[kGroup][4];
#pragma unroll
  for (int t = 0; t < kGroup; ++t) {
    sums[t][0] = sums[t][2] = __ldg(bias + 2 * t);
    sums[t][1] = sums[t][3] = __ldg(bias + 2 * t + 1);
  }
  const TwoOffsets* offsets = job.offsets + layer.offsets_at + column;
  const TwoQuads* weights =
      job.weights + layer.weights_at + (group * layer.steps * kLanes + lane) * kGroup;
  const float* factor = job.factor + layer.outputs_at + first;
  float factors[2 * kGroup];  // before the sums, so that nobody waits for them
#pragma unroll
  for (int o = 0; o < 2 * kGroup; ++o) factors[o] = __ldg(factor + o);
  // Steps whose weights are under way at a time, as many as registers allow: a warp waits for the
  // L2 cache once for all of them. After the last step it is loaded again, rather than branch.
  constexpr int kAhead = kGroup == 4 ? 4 : 8;
#pragma unroll 1
  for (int begin = 0; begin < layer.steps; begin += kAhead) {
    TwoQuads w[kAhead][kGroup];
    int2 at[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const int asked = begin + k, step = asked < layer.steps ? asked : layer.steps - 1;
      load(weights + step * kLanes * kGroup, w[k]);
      at[k] = __ldg(reinterpret_cast<const int2*>(offsets + step * (kQuads / 2)));
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (begin + k >= layer.steps) continue;  // for all lanes
      const auto word = [](const Byte* address) { return *reinterpret_cast<const Word*>(address); };
      const Word values[4] = {word(from[0] + at[k].x), word(from[1] + at[k].x),
                              word(from[0] + at[k].y), word(from[1] + at[k].y)};
#pragma unroll
      for (int t = 0; t < kGroup; ++t) multiply_add(sums[t], values, w[k][t]);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int pixel = pixel_tile * kPixels + row + 8 * i;
    if (pixel >= layer.pixels) continue;
    // Of the lane's output o.
    const auto sum = [&](int o) { return sums[o / 2][2 * i + o % 2]; };
    const auto value = [&](int o) { return Word{math::value_of(sum(o), factors[o])}; };
    if (is_last) {
      float* result = job.results + static_cast<int>(blockIdx.x) / blocks.size() * kResults;
#pragma unroll
      for (int o = 0; o < 2 * kGroup; ++o)
        if (first + o < layer.out_channels)
          result[first + o] = math::product_of(sum(o), factors[o]);
      continue;
    }
    Byte* to = out + layer.out_first + pixel / layer.width * layer.out_row +
               pixel % layer.width * layer.out_pixel + first;
    if constexpr (kGroup == 1) {
      if (first < layer.out_channels)  // even, as these are
        blocks.put(reinterpret_cast<std::uint16_t*>(to),
                   static_cast<std::uint16_t>(value(0) | value(1) << 8));
    } else {
#pragma unroll
      for (int o = 0; o < 2 * kGroup; o += 4)
        if (first + o < layer.out_channels)  // fours, as these are
          blocks.put(reinterpret_cast<Word*>(to + o),
                     value(o) | value(o + 1) << 8 | value(o + 2) << 16 | value(o + 3) << 24);
    }
  }
}

/// This block's tasks of a layer. Warps next to each other use the same weights.
template <typename Blocks>
__device__ void convolve(const Blocks& blocks, const Job& job, const LayerTiles& layer,
                         bool is_last, const Byte* in, Byte* out) {
  const int tasks = layer.pixel_tiles * layer.output_groups;
  const int share = (tasks + blocks.size() - 1) / blocks.size(), first = blocks.rank() * share;
  const int end = first + share < tasks ? first + share : tasks;
  for (int task = first + static_cast<int>(threadIdx.x) / kLanes; task < end; task += kWarps) {
    const int pixels = task % layer.pixel_tiles, group = task / layer.pixel_tiles;
    if (layer.group == 4)
      convolve_tile<4>(blocks, job, layer, pixels, group, is_last, in, out);
    else if (layer.group == 2)
      convolve_tile<2>(blocks, job, layer, pixels, group, is_last, in, out);
    else
      convolve_tile<1>(blocks, job, layer, pixels, group, is_last, in, out);
  }
}

/// Cuts a crop and runs the network. Blocks: Alone or Cluster. See the top for the barriers.
template <typename Blocks>
__global__ void __launch_bounds__(kThreads, 1) second_look_kernel(const __grid_constant__ Job job) {
  extern __shared__ uint4 room[];
  const Blocks blocks;
  auto* const shared = reinterpret_cast<Byte*>(room);
  auto* const columns = reinterpret_cast<Word*>(shared + job.columns_at);
  auto* const row_sums = reinterpret_cast<Word*>(shared + job.region_at[1]);
  auto* const layers = reinterpret_cast<LayerTiles*>(shared + job.layers_at);
  auto* const sums = reinterpret_cast<GreySums*>(shared + job.sums_at);
  Byte* const levels = shared + job.levels_at;
  Byte* const crop = shared + job.crop_first;
  const CropPlace place = job.places[static_cast<int>(blockIdx.x) / blocks.size()];

  clear(shared, job.crop_bytes);
  fill_columns(place, job.shape.width, columns);
  copy_layers(job, layers);
  blocks.barrier();  // (0)
  if (job.shape.planes == 3)
    cut<3>(blocks, job, place, columns, row_sums, crop, sums);
  else
    cut<1>(blocks, job, place, columns, row_sums, crop, sums);
  blocks.barrier();  // (1)
  if (job.shape.planes == 3)
    normalise<3>(blocks, job, crop, levels, sums);
  else
    normalise<1>(blocks, job, crop, levels, sums);
  const auto region = [&](int i) { return shared + job.region_at[i % job.regions]; };
  clear(region(1), layers[0].out_bytes);

  for (int i = 0; i < job.layer_count; ++i) {
    const LayerTiles layer = layers[i];
    const bool is_last = i + 1 == job.layer_count;
    blocks.barrier();  // (2)
    if (job.regions == kMaxRegions) {
      if (!is_last) clear(region(i + 2), layers[i + 1].out_bytes);
    } else if (i > 0 && !is_last) {
      clear(region(i + 1), layer.out_bytes);
      blocks.barrier();  // (3)
    }
    convolve(blocks, job, layer, is_last, region(i), region(i + 1));
  }
}

/// A way to run the network: how many blocks share a crop, and the tables for that.
class Plan {
 public:
  /// Fails: unsupported (the layers do not fit the shared memory; the GPU has no clusters of this
  /// size), device.
  Status create(const Context& context, const Network& network, int blocks, bool compact);

  /// How long a look takes, in lengths of one block's work on a crop. A part of that work, such as
  /// barriers, is not divided.
  [[nodiscard]] float cost_of(int count) const noexcept {
    constexpr float kNotDivided = 0.1F;
    const int rounds = (count + crops_at_once_ - 1) / crops_at_once_;
    return static_cast<float>(rounds) * (1 / static_cast<float>(blocks_) + kNotDivided);
  }
  [[nodiscard]] std::size_t device_bytes() const noexcept { return bytes_; }
  /// Queues the network's run on the candidates' crops. kResults numbers of each.
  Status launch(StreamRef stream, const Picture& picture, const Detection* candidates, int count,
                float* results);

 private:
  Status fit(const Network& network, bool compact, NetworkTiles& tiles, Room& room);
  Status count_crops_at_once();
  template <typename T>
  Status put(const Context& context, DeviceBuffer<T>& buffer, const std::vector<T>& from) {
    bytes_ += from.size() * sizeof(T);
    return upload(context, from, buffer);
  }
  /// For `count` crops. The attribute must outlive the result.
  cudaLaunchConfig_t config(int count, cudaStream_t stream, cudaLaunchAttribute& cluster) const {
    cudaLaunchConfig_t out{};
    out.gridDim = dim3{static_cast<unsigned>(count * blocks_)};
    out.blockDim = dim3{kThreads};
    out.dynamicSmemBytes = shared_bytes_;
    out.stream = stream;
    if (blocks_ == 1) return out;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(blocks_);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    out.attrs = &cluster;
    out.numAttrs = 1;
    return out;
  }

  int blocks_ = 1, crops_at_once_ = 1;
  void (*kernel_)(Job) = nullptr;
  std::size_t bytes_ = 0, shared_bytes_ = 0;
  DeviceBuffer<LayerTiles> layers_;
  DeviceBuffer<TwoOffsets> offsets_;
  DeviceBuffer<TwoQuads> weights_;
  DeviceBuffer<std::int32_t> bias_;
  DeviceBuffer<float> factor_;
  Job job_{};
};

Status attribute_of_device(cudaDeviceAttr which, int& value) {
  int device = 0;
  if (Status ok = cuda_status(cudaGetDevice(&device), kMakeSecondLook); !ok) return ok;
  return cuda_status(cudaDeviceGetAttribute(&value, which, device), kMakeSecondLook);
}

/// The fastest layout that fits, or for a test the smallest.
Status Plan::fit(const Network& network, bool compact, NetworkTiles& tiles, Room& room) {
  int limit = 0;
  if (Status ok = attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, limit); !ok)
    return ok;
  const LayoutChoice choices[] = {{blocks_, true, 3}, {blocks_, true, 2}, {blocks_, false, 2}};
  for (const LayoutChoice& choice : choices) {
    if (compact && choice.spread) continue;
    tiles = lay_out(network, choice);
    room = room_of(tiles, network.crop);
    if (room.bytes > static_cast<std::size_t>(limit)) continue;
    shared_bytes_ = room.bytes;
    // What the device has, not what this network needs: there may be several.
    return cuda_status(
        cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, limit),
        kMakeSecondLook);
  }
  return Error{Errc::unsupported, 0, kMakeSecondLook,
               "layers that do not fit the GPU's shared memory"};
}

Status Plan::count_crops_at_once() {
  if (blocks_ == 1) {
    int multiprocessors = 0, blocks = 0;
    if (Status ok = attribute_of_device(cudaDevAttrMultiProcessorCount, multiprocessors); !ok)
      return ok;
    if (Status ok = cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                    &blocks, kernel_, kThreads, shared_bytes_),
                                kMakeSecondLook);
        !ok)
      return ok;
    crops_at_once_ = std::max(1, multiprocessors * blocks);
    return Done{};
  }
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t one = config(1, nullptr, cluster);
  const cudaError_t asked = cudaOccupancyMaxActiveClusters(&crops_at_once_, kernel_, &one);
  if (asked == cudaSuccess && crops_at_once_ > 0) return Done{};
  (void)cudaGetLastError();
  return Error{Errc::unsupported, static_cast<int>(asked), kMakeSecondLook,
               "a GPU that does not run clusters of this size"};
}

Status Plan::create(const Context& context, const Network& network, int blocks, bool compact) {
  blocks_ = blocks;
  kernel_ = blocks == 1 ? second_look_kernel<Alone> : second_look_kernel<Cluster>;
  int has_clusters = 0;
  if (Status ok = attribute_of_device(cudaDevAttrClusterLaunch, has_clusters); !ok) return ok;
  cudaFuncAttributes code{};
  if (Status ok = cuda_status(cudaFuncGetAttributes(&code, kernel_), kMakeSecondLook); !ok)
    return ok;
  // Code for an older GPU, compiled anew for this one, has no clusters either.
  if (blocks > 1 && (has_clusters == 0 || code.ptxVersion < 90))
    return Error{Errc::unsupported, 0, kMakeSecondLook, "a GPU without clusters of blocks"};
  NetworkTiles tiles;
  Room room{};
  if (Status ok = fit(network, compact, tiles, room); !ok) return ok;
  if (Status ok = count_crops_at_once(); !ok) return ok;
  for (const Status& done :
       {put(context, layers_, tiles.layers), put(context, offsets_, tiles.offsets),
        put(context, weights_, tiles.weights), put(context, bias_, tiles.bias),
        put(context, factor_, tiles.factor)})
    if (!done) return done;

  job_.shape = network.crop;
  job_.layers = layers_.device_data();
  job_.offsets = offsets_.device_data();
  job_.weights = weights_.device_data();
  job_.bias = bias_.device_data();
  job_.factor = factor_.device_data();
  job_.layer_count = static_cast<std::int32_t>(tiles.layers.size());
  job_.crop_first = tiles.crop_first;
  job_.crop_row = tiles.crop_row;
  job_.crop_bytes = tiles.crop_bytes;
  job_.regions = tiles.regions;
  for (int i = 0; i < kMaxRegions; ++i)
    job_.region_at[i] = static_cast<std::int32_t>(room.region_at[i]);
  job_.columns_at = static_cast<std::int32_t>(room.columns_at);
  job_.layers_at = static_cast<std::int32_t>(room.layers_at);
  job_.levels_at = static_cast<std::int32_t>(room.levels_at);
  job_.sums_at = static_cast<std::int32_t>(room.sums_at);
  return Done{};
}

Status Plan::launch(StreamRef stream, const Picture& picture, const Detection* candidates,
                    int count, float* results) {
  job_.picture = picture;
  job_.results = results;
  for (int i = 0; i < count; ++i) job_.places[i] = place_crop(job_.shape, candidates[i]);
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t launched = config(count, stream.get(), cluster);
  return cuda_status(cudaLaunchKernelEx(&launched, kernel_, job_), "second look launch");
}

class SecondLookCuda final : public SecondLook {
 public:
  SecondLookCuda(const Context& context, Network network, int width, int height)
      : context_{context}, network_{std::move(network)}, width_{width}, height_{height} {}

  Status create(const CudaBlocks& blocks);

  Status look(const PlanesView<Space::host, const Byte>& picture, Detection* candidates,
              int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    const std::size_t pixels = width * height;
    for (int p = 0; p < picture.count; ++p)
      if (Status copied = runtime::copy_rows(
              stream().get(), runtime::Direction::to_device,
              input_.device_data() + static_cast<std::size_t>(p) * pixels, width,
              picture.plane(p).data, static_cast<std::size_t>(picture.row_stride), width, height);
          !copied)
        return copied;
    return run({input_.device_data(), picture.count, width_, height_, width_,
                static_cast<std::ptrdiff_t>(pixels)},
               candidates, count);
  }

  Status look(const Picture& picture, Detection* candidates, int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    return run(picture, candidates, count);
  }

  [[nodiscard]] const Network& network() const noexcept override { return network_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return bytes_; }

 private:
  [[nodiscard]] StreamRef stream() const noexcept { return *stream_; }
  Status make_plans(const CudaBlocks& blocks);
  Status run(const Picture& picture, Detection* candidates, int count);

  const Context& context_;
  Network network_;
  int width_, height_;
  std::optional<Stream> stream_;
  std::size_t bytes_ = 0;
  DeviceBuffer<Byte> input_;
  DualBuffer<float> results_;
  std::vector<Plan> plans_;  // at least one
};

Status SecondLookCuda::make_plans(const CudaBlocks& blocks) {
  for (int count = 1; count <= kMaxBlocks; count *= 2) {
    if (blocks.per_crop != 0 && blocks.per_crop != count) continue;
    Plan plan;
    const Status made = plan.create(context_, network_, count, blocks.compact);
    // One block for each crop must do; more need not.
    if (!made && made.error().code == Errc::unsupported && !plans_.empty()) continue;
    if (!made) return made;
    bytes_ += plan.device_bytes();
    plans_.push_back(std::move(plan));
  }
  if (plans_.empty())
    return Error{Errc::invalid_argument, 0, kMakeSecondLook, "1, 2, 4 or 8 blocks for a crop"};
  return Done{};
}

Status SecondLookCuda::create(const CudaBlocks& blocks) {
  if (Status ok = make_plans(blocks); !ok) return ok;
  Result<Stream> own = Stream::create();
  if (!own) return own.error();
  stream_.emplace(std::move(*own));
  const std::size_t samples = static_cast<std::size_t>(network_.crop.planes) *
                              static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  Result<DeviceBuffer<Byte>> input = DeviceBuffer<Byte>::create(context_, samples);
  if (!input) return input.error();
  input_ = std::move(*input);
  constexpr auto kNumbers = static_cast<std::size_t>(kMaxCandidates * kResults);
  Result<DualBuffer<float>> results = DualBuffer<float>::create(context_, Use::result, kNumbers);
  if (!results) return results.error();
  results_ = std::move(*results);
  bytes_ += samples + kNumbers * sizeof(float);
  return Done{};
}

Status SecondLookCuda::run(const Picture& picture, Detection* candidates, int count) {
  Plan& plan = *std::min_element(plans_.begin(), plans_.end(), [&](const Plan& a, const Plan& b) {
    return a.cost_of(count) < b.cost_of(count);
  });
  if (Status ok = plan.launch(stream(), picture, candidates, count, results_.device()); !ok)
    return ok;
  if (Status ok = results_.to_host(stream()); !ok) return ok;
  if (Status ok = wait(stream()); !ok) return ok;
  for (int i = 0; i < count; ++i)
    candidates[i] = corrected(candidates[i], results_.host() + i * kResults);
  return Done{};
}

}  // namespace

Result<std::unique_ptr<SecondLook>> make_second_look_cuda(const Context& context, Network network,
                                                          int width, int height,
                                                          const CudaBlocks& blocks) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kMakeSecondLook, "the context's backend is the CPU"};
  if (Status ok = check_made(network, width, height); !ok) return ok.error();
  return or_no_memory(kMakeSecondLook, [&]() -> Result<std::unique_ptr<SecondLook>> {
    auto made = std::make_unique<SecondLookCuda>(context, std::move(network), width, height);
    if (Status ok = made->create(blocks); !ok) return ok.error();
    return std::unique_ptr<SecondLook>{std::move(made)};
  });
}

}  // namespace kerb::net
