// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/luv_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/memory/cuda_status.hpp"

// A thread makes four neighbouring pixels: one aligned word of each plane.
namespace kerb {
namespace {

using Byte = std::uint8_t;
using Word = std::uint32_t;
using In = PlanesView<Space::device, const Byte>;
using Out = PlanesView<Space::device, Byte>;

constexpr int kQuad = 4;
constexpr unsigned kBlockX = 32, kBlockY = 8;
static_assert(kBlockX * kBlockY == 256, "each thread brings one value of the table");

constexpr luv::LinearTable kMade = luv::make_linear_table();
__device__ const luv::LinearTable kLinear = kMade;

__device__ bool is_aligned(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % kQuad == 0;
}
__device__ Word load(const Byte* from, int count) {
  if (count == kQuad && is_aligned(from)) return *reinterpret_cast<const Word*>(from);
  Word word = 0;
  for (int i = 0; i < count; ++i) word |= Word{from[i]} << (8 * i);
  return word;
}
__device__ void store(Byte* to, Word word, int count) {
  if (count == kQuad && is_aligned(to)) {
    *reinterpret_cast<Word*>(to) = word;
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<Byte>(word >> (8 * i) & 0xffu);
}

__global__ void luv_kernel(In in, Out out) {
  __shared__ float light[256];
  const unsigned thread = threadIdx.y * kBlockX + threadIdx.x;
  light[thread] = kLinear.light[thread];
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const int count = min(kQuad, in.width - x);
  const Byte* from = in.data + y * in.row_stride + x;
  const Word r = load(from, count), g = load(from + in.plane_stride, count),
             b = load(from + 2 * in.plane_stride, count);
  Word l = 0, u = 0, v = 0;
#pragma unroll
  for (int i = 0; i < kQuad; ++i) {
    const luv::Luv pixel = luv::from_light(light[r >> (8 * i) & 0xffu], light[g >> (8 * i) & 0xffu],
                                           light[b >> (8 * i) & 0xffu]);
    l |= Word{pixel.l} << (8 * i);
    u |= Word{pixel.u} << (8 * i);
    v |= Word{pixel.v} << (8 * i);
  }
  Byte* to = out.data + y * out.row_stride + x;
  store(to, l, count);
  store(to + out.plane_stride, u, count);
  store(to + 2 * out.plane_stride, v, count);
}

}  // namespace

Status to_luv(StreamRef stream, const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  const dim3 block{kBlockX, kBlockY};
  const dim3 grid{div_up(in.width, kBlockX * kQuad), div_up(in.height, kBlockY)};
  luv_kernel<<<grid, block, 0, stream.get()>>>(in, out);
  return cuda_status(cudaGetLastError(), "launch to_luv");
}

}  // namespace kerb
