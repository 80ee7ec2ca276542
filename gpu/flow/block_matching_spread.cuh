// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/block_matching_match.cuh"
#include "gpu/flow/median25.hpp"

/// Medians of blocks, from blocks to pixels, and which blocks a mask needs, on CUDA. For
/// block_matching_cuda.cu alone.
namespace kerb::flow::bm {
namespace {

/// One component to a layer of threads.
__global__ void median_kernel(Level level, const float* __restrict__ raw_u,
                              const float* __restrict__ raw_v, float* __restrict__ u,
                              float* __restrict__ v, const Byte* __restrict__ need) {
  const int x = thread_x(), y = thread_y();
  if (x >= level.columns || y >= level.rows) return;
  const std::size_t number = level.block + static_cast<std::size_t>(y * level.columns + x);
  if (need != nullptr && need[number] == 0) return;
  const float* const from = (blockIdx.z == 0 ? raw_u : raw_v) + level.block;
  int columns[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) columns[i] = between(x + i - kMedian, 0, level.columns - 1);
  const float middle = median25<float>(
      [&](int i) {
        return from[between(y + i / 5 - kMedian, 0, level.rows - 1) * level.columns +
                    columns[i % 5]];
      },
      [](float& a, float& b) {
        const float low = fminf(a, b);
        b = fmaxf(a, b);
        a = low;
      });
  (blockIdx.z == 0 ? u : v)[number] = middle;
}

struct SpreadArguments {
  Level level;
  const Byte *first, *second;
  const float *u, *v, *raw_u, *raw_v, *correlation;
  const Byte *poor, *need;
  Mask<Space::device> mask;
  FieldView<Space::device> out;
  float doubt;
  bool whole_rows;  // out takes four samples at a time
};

/// A row of a cell, four pixels, to a thread.
__global__ void spread_kernel(SpreadArguments a) {
  const Level& level = a.level;
  const int column = thread_x(), line_y = thread_y();
  if (column >= level.columns || line_y >= level.height) return;
  const int row = line_y / kCell, line = line_y % kCell, left = column * kCell, top = row * kCell;
  const std::size_t own = static_cast<std::size_t>(row * level.columns + column);
  const bool masked = a.need != nullptr;
  const int stride = level.row_stride;
  float u[kCell] = {}, v[kCell] = {};
  if (!masked || a.need[own] != 0) {
    const Byte* const first = a.first + level.image;
    const Byte* const second = a.second + level.image;
    const unsigned grey =
        *reinterpret_cast<const unsigned*>(first + std::ptrdiff_t{line_y} * stride + left);
    const float own_u = a.u[own], own_v = a.v[own];
    float weights[kCell] = {}, sum_u[kCell] = {}, sum_v[kCell] = {};
#pragma unroll
    for (int j = 0; j < 3; ++j) {
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const int by = between(row + j - 1, 0, level.rows - 1);
        const int bx = between(column + k - 1, 0, level.columns - 1);
        const std::size_t number = static_cast<std::size_t>(by * level.columns + bx);
        const float their_u = a.u[number], their_v = a.v[number];
        const int qx = nearest(their_u * kParts), qy = nearest(their_v * kParts);
        const int x = between(left + (qx >> 4), -kRim, level.width + kRim - kCell - 1);
        const int y = between(top + (qy >> 4), -kRim, level.height + kRim - kCell - 1);
        const int px = qx & (kParts - 1), py = qy & (kParts - 1);
        const Byte* const at = second + std::ptrdiff_t{y + line} * stride + x;
        const uint2 upper = eight_at(at), lower = eight_at(at + stride);
        const int middle = first[std::ptrdiff_t{by * kCell + 1} * stride + bx * kCell + 1];
        const float du = their_u - own_u, dv = their_v - own_v;
#pragma unroll
        for (int i = 0; i < kCell; ++i) {
          const int t = sample(upper, i) * (kParts - px) + sample(upper, i + 1) * px;
          const int b = sample(lower, i) * (kParts - px) + sample(lower, i + 1) * px;
          const int w = (t * (kParts - py) + b * py + kParts / 2) >> 4;
          const int pixel = sample(grey, i);
          const float weight = weight_of(nearness(i, k) * nearness(line, j),
                                         abs(pixel * kParts - w), abs(pixel - middle));
          weights[i] += weight;
          sum_u[i] += weight * du;
          sum_v[i] += weight * dv;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kCell; ++i) {
      u[i] = own_u + sum_u[i] / weights[i];
      v[i] = own_v + sum_v[i] / weights[i];
    }
  }
  const Byte quality =
      quality_of(a.correlation[own], a.u[own] - a.raw_u[own], a.v[own] - a.raw_v[own]);
  Byte doubts = 0;
  if (a.poor[own] != 0) {
    doubts = kTexturePoor;
  } else if (static_cast<float>(quality) < a.doubt) {
    doubts = kInconsistent;
  }
  const auto right_edge = static_cast<float>(level.width - 1);
  const auto bottom_edge = static_cast<float>(level.height - 1);
  unsigned qualities = 0, flags = 0;
#pragma unroll
  for (int i = 0; i < kCell; ++i) {
    const bool inside_picture = left + i < level.width;
    const bool asked =
        !masked || (inside_picture && a.mask.data[line_y * a.mask.row_stride + left + i] != 0);
    const float x = static_cast<float>(left + i) + u[i];
    const float y = static_cast<float>(line_y) + v[i];
    unsigned flag = doubts;
    if (!(x >= 0 && x <= right_edge && y >= 0 && y <= bottom_edge)) flag |= kOutOfView;
    if (flag == 0) flag = kValid;
    if (!asked) {
      u[i] = v[i] = 0;
      flag = kMaskedOut;
    }
    flags |= flag << (8 * i);
    qualities |= (asked ? static_cast<unsigned>(quality) : 0U) << (8 * i);
  }
  const std::ptrdiff_t to = line_y * a.out.row_stride + left;
  if (a.whole_rows && left + kCell <= level.width) {
    *reinterpret_cast<float4*>(a.out.u + to) = make_float4(u[0], u[1], u[2], u[3]);
    *reinterpret_cast<float4*>(a.out.v + to) = make_float4(v[0], v[1], v[2], v[3]);
    if (a.out.quality != nullptr) *reinterpret_cast<unsigned*>(a.out.quality + to) = qualities;
    if (a.out.flags != nullptr) *reinterpret_cast<unsigned*>(a.out.flags + to) = flags;
    return;
  }
#pragma unroll
  for (int i = 0; i < kCell; ++i) {
    if (left + i >= level.width) break;
    a.out.u[to + i] = u[i];
    a.out.v[to + i] = v[i];
    if (a.out.quality != nullptr) a.out.quality[to + i] = static_cast<Byte>(qualities >> (8 * i));
    if (a.out.flags != nullptr) a.out.flags[to + i] = static_cast<Byte>(flags >> (8 * i));
  }
}

// --- masks ---------------------------------------------------------------------------------------

/// Which cells have wanted pixels.
__global__ void cells_kernel(Mask<Space::device> mask, Level level, Byte* __restrict__ to) {
  const int column = thread_x(), row = thread_y();
  if (column >= level.columns || row >= level.rows) return;
  int found = 0;
  for (int y = row * kCell; y < at_most((row + 1) * kCell, level.height); ++y)
    for (int x = column * kCell; x < at_most((column + 1) * kCell, level.width); ++x)
      found |= mask.data[y * mask.row_stride + x];
  to[row * level.columns + column] = found != 0 ? 1 : 0;
}

/// to[y][x] = any of from[y * scale - before .. y * scale + after][likewise x].
__global__ void gather_any_kernel(const Byte* __restrict__ from, int from_columns, int from_rows,
                                  Byte* __restrict__ to, int columns, int rows, int scale,
                                  int before, int after) {
  const int x = thread_x(), y = thread_y();
  if (x >= columns || y >= rows) return;
  int found = 0;
  for (int j = at_least(y * scale - before, 0); j <= at_most(y * scale + after, from_rows - 1); ++j)
    for (int i = at_least(x * scale - before, 0); i <= at_most(x * scale + after, from_columns - 1);
         ++i)
      found |= from[j * from_columns + i];
  to[y * columns + x] = found != 0 ? 1 : 0;
}

}  // namespace
}  // namespace kerb::flow::bm
