// SPDX-License-Identifier: Apache-2.0
#pragma once
// For second_look_cuda.cu alone: a launch's argument, the shared memory of a block, and the blocks
// that share a crop.
#include <algorithm>

#include "gpu/net/crop.hpp"
#include "gpu/net/second_look.hpp"
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

}  // namespace
}  // namespace kerb::net
