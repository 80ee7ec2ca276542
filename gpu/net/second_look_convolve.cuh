// SPDX-License-Identifier: Apache-2.0
#pragma once
// For second_look_cuda.cu alone: a layer of the network, by tiles.
#include "gpu/net/crop_math.hpp"
#include "gpu/net/second_look_blocks.cuh"

namespace kerb::net {
namespace {

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

}  // namespace
}  // namespace kerb::net
