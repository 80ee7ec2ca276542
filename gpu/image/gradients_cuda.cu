// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/gradients_check.hpp"
#include "gpu/memory/cuda_status.hpp"

// A thread makes four neighbouring pixels: one word of each row to read, one 8-byte word to write.
namespace kerb {
namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;
using Plane = ImageView<Space::device, const Byte>;
using Planes = PlanesView<Space::device, const Byte>;
using Out = ImageView<Space::device, Word>;

constexpr int kQuad = 4;
constexpr unsigned kBlockX = 32, kBlockY = 8;

__device__ bool is_aligned(const void* p, unsigned to) {
  return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

/// The pixels x..x+3 of a row; those beyond its end are 0.
__device__ void load(const Byte* row, int x, int width, int (&to)[kQuad]) {
  if (x + kQuad <= width && is_aligned(row + x, kQuad)) {
    const auto word = *reinterpret_cast<const std::uint32_t*>(row + x);
#pragma unroll
    for (int i = 0; i < kQuad; ++i) to[i] = static_cast<int>(word >> (8 * i) & 0xffu);
    return;
  }
#pragma unroll
  for (int i = 0; i < kQuad; ++i) to[i] = x + i < width ? row[x + i] : 0;
}

struct Four {
  int dx[kQuad], dy[kQuad], squared[kQuad];
};

__device__ Four differences(const Plane& in, int x, int y) {
  const int up = y > 0 ? y - 1 : min(1, in.height - 1);
  const int down = y < in.height - 1 ? y + 1 : max(y - 1, 0);
  const Byte* row = in.data + y * in.row_stride;
  int above[kQuad], here[kQuad], below[kQuad];
  load(in.data + up * in.row_stride, x, in.width, above);
  load(row, x, in.width, here);
  load(in.data + down * in.row_stride, x, in.width, below);
  const int left = x > 0 ? row[x - 1] : 0;
  const int right = x + kQuad < in.width ? row[x + kQuad] : 0;
  Four four;
#pragma unroll
  for (int i = 0; i < kQuad; ++i) {
    const int before = i > 0 ? here[i > 0 ? i - 1 : 0] : left;
    const int after = i < kQuad - 1 ? here[i < kQuad - 1 ? i + 1 : 0] : right;
    const bool edge = x + i == 0 || x + i >= in.width - 1;
    four.dx[i] = edge ? 0 : after - before;
    four.dy[i] = below[i] - above[i];
    four.squared[i] = gradient::squared_norm(four.dx[i], four.dy[i]);
  }
  return four;
}

template <int Bins, bool Shifted>
__device__ void store(const Out& out, int x, int y, const Four& four) {
  Word packed[kQuad];
#pragma unroll
  for (int i = 0; i < kQuad; ++i)
    packed[i] = gradient::pack(gradient::eighths(four.squared[i]),
                               gradient::bin_of(four.dx[i], four.dy[i], Bins, Shifted));
  Word* to = out.data + y * out.row_stride + x;
  if (x + kQuad <= out.width && is_aligned(to, 8)) {
    *reinterpret_cast<uint2*>(to) = {packed[0] | static_cast<unsigned>(packed[1]) << 16,
                                     packed[2] | static_cast<unsigned>(packed[3]) << 16};
    return;
  }
#pragma unroll
  for (int i = 0; i < kQuad; ++i)
    if (x + i < out.width) to[i] = packed[i];
}

template <int Bins, bool Shifted>
__global__ void grey_kernel(Plane in, Out out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  store<Bins, Shifted>(out, x, y, differences(in, x, y));
}

template <int Bins, bool Shifted>
__global__ void colour_kernel(Planes in, Out out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const auto plane = [&](int c) {
    return Plane{in.data + c * in.plane_stride, in.width, in.height, in.row_stride};
  };
  Four best = differences(plane(0), x, y);
#pragma unroll
  for (int c = 1; c < 3; ++c) {
    const Four next = differences(plane(c), x, y);
#pragma unroll
    for (int i = 0; i < kQuad; ++i)
      if (next.squared[i] > best.squared[i]) {
        best.dx[i] = next.dx[i];
        best.dy[i] = next.dy[i];
        best.squared[i] = next.squared[i];
      }
  }
  store<Bins, Shifted>(out, x, y, best);
}

dim3 grid_for(int width, int height) {
  return {div_up(width, kBlockX * kQuad), div_up(height, kBlockY)};
}

}  // namespace

Status gradients(StreamRef stream, const Plane& in, const GradientParams& params, const Out& out) {
  if (Status ok = shapes::check_gradients(shapes::is_whole(in), in.width, in.height, params, out);
      !ok)
    return ok;
  shapes::with_bins(params, [&](auto bins, auto shifted) {
    grey_kernel<decltype(bins)::value, decltype(shifted)::value>
        <<<grid_for(in.width, in.height), dim3{kBlockX, kBlockY}, 0, stream.get()>>>(in, out);
  });
  return cuda_status(cudaGetLastError(), "launch gradients");
}

Status gradients(StreamRef stream, const Planes& in, const GradientParams& params, const Out& out) {
  if (Status ok =
          shapes::check_gradients(shapes::is_whole(in, 3), in.width, in.height, params, out);
      !ok)
    return ok;
  shapes::with_bins(params, [&](auto bins, auto shifted) {
    colour_kernel<decltype(bins)::value, decltype(shifted)::value>
        <<<grid_for(in.width, in.height), dim3{kBlockX, kBlockY}, 0, stream.get()>>>(in, out);
  });
  return cuda_status(cudaGetLastError(), "launch gradients");
}

}  // namespace kerb
