// SPDX-License-Identifier: Apache-2.0
#pragma once
// For second_look_cuda.cu alone: the kernel, one launch for all crops of a frame, one or several
// blocks for each.
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
#include "gpu/net/second_look_convolve.cuh"
#include "gpu/net/second_look_cut.cuh"

namespace kerb::net {
namespace {

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

}  // namespace
}  // namespace kerb::net
