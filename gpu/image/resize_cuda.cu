// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/resize.hpp"
#include "gpu/image/resize_math.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using Byte = std::uint8_t;
using In = ImageView<Space::device, const Byte>;
using Out = ImageView<Space::device, Byte>;

constexpr int kQuad = 4;  // pixels a thread makes: a word to write
constexpr unsigned kBlockX = 32, kBlockY = 8;

__device__ void store(Byte* to, const Byte (&pixels)[kQuad], int count) {
  if (count == kQuad && reinterpret_cast<std::uintptr_t>(to) % kQuad == 0) {
    *reinterpret_cast<uchar4*>(to) = {pixels[0], pixels[1], pixels[2], pixels[3]};
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = pixels[i];
}

__global__ void bilinear_kernel(In in, Out out, const Tap* taps) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  const Tap row = taps[out.width + y];
  const Byte* upper = in.data + row.index * in.row_stride;
  const Byte* lower = row.weight == 0 ? upper : upper + in.row_stride;
  const int count = min(kQuad, out.width - x);
  Byte pixels[kQuad] = {};
#pragma unroll
  for (int i = 0; i < kQuad; ++i) {
    if (i >= count) break;
    const Tap column = taps[x + i];
    const int next = column.weight == 0 ? column.index : column.index + 1;
    const std::uint32_t left = resizing::mix(upper[column.index], lower[column.index], row.weight);
    const std::uint32_t right = resizing::mix(upper[next], lower[next], row.weight);
    pixels[i] = resizing::rounded(resizing::mix(left, right, column.weight));
  }
  store(out.data + y * out.row_stride + x, pixels, count);
}

/// A thread a pixel: neighbours read neighbouring areas, which the cache joins.
__global__ void area_kernel(In in, Out out, const Resizer::Cover* covers, std::uint32_t whole_x,
                            std::uint32_t whole_y, double half, double reciprocal) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  const Resizer::Cover column = covers[x], row = covers[out.width + y];
  std::uint64_t sum = 0;
  for (int j = row.first; j <= row.last; ++j) {
    const Byte* from = in.data + j * in.row_stride;
    std::uint32_t across = 0;
    for (int i = column.first + 1; i < column.last; ++i) across += from[i];
    across = across * whole_x + std::uint32_t{column.first_parts} * from[column.first] +
             std::uint32_t{column.last_parts} * from[column.last];
    const std::uint32_t parts =
        j == row.first ? row.first_parts : (j < row.last ? whole_y : row.last_parts);
    sum += std::uint64_t{parts} * across;
  }
  out.data[y * out.row_stride + x] = resizing::mean(sum, half, reciprocal);
}

}  // namespace

Status Resizer::run(StreamRef stream, const In& in, const Out& out) const {
  if (Status ok = check(in, out); !ok) return ok;
  if (device_taps_.size() == 0 && device_covers_.size() == 0)
    return Error{Errc::unsupported, 0, "resize", "made with a CPU context"};
  const dim3 block{kBlockX, kBlockY};
  if (method_ == ResizeMethod::area) {
    const dim3 grid{div_up(out.width, kBlockX), div_up(out.height, kBlockY)};
    area_kernel<<<grid, block, 0, stream.get()>>>(in, out, device_covers_.device_data(), whole_x_,
                                                  whole_y_, half_, reciprocal_);
  } else {
    const dim3 grid{div_up(out.width, kBlockX * kQuad), div_up(out.height, kBlockY)};
    bilinear_kernel<<<grid, block, 0, stream.get()>>>(in, out, device_taps_.device_data());
  }
  return cuda_status(cudaGetLastError(), "launch resize");
}

}  // namespace kerb
