// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/remap.hpp"
#include "gpu/image/resize_math.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using Byte = std::uint8_t;
using In = PlanesView<Space::device, const Byte>;
using Out = PlanesView<Space::device, Byte>;

constexpr unsigned kBlockX = 32, kBlockY = 8;

/// A thread a pixel, for all planes: the table is read once. Neighbours look at neighbouring
/// places, which the cache joins.
__global__ void remap_kernel(In in, Out out, const Remapper::Tap* taps) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  const Remapper::Tap tap = taps[static_cast<std::ptrdiff_t>(y) * out.width + x];
  const Byte* at = in.data + tap.y * in.row_stride + tap.x;
  Byte* to = out.data + y * out.row_stride + x;
  for (int plane = 0; plane < out.count; ++plane) {
    const std::uint32_t upper = resizing::mix(at[0], at[1], tap.weight_x);
    const std::uint32_t lower =
        resizing::mix(at[in.row_stride], at[in.row_stride + 1], tap.weight_x);
    *to = resizing::rounded(resizing::mix(upper, lower, tap.weight_y));
    at += in.plane_stride;
    to += out.plane_stride;
  }
}

}  // namespace

Status Remapper::run(StreamRef stream, const In& in, const Out& out) const {
  if (Status ok = check(in, out); !ok) return ok;
  if (device_taps_.size() == 0)
    return Error{Errc::unsupported, 0, "remap", "made with a CPU context"};
  const dim3 block{kBlockX, kBlockY};
  const dim3 grid{div_up(out.width, kBlockX), div_up(out.height, kBlockY)};
  remap_kernel<<<grid, block, 0, stream.get()>>>(in, out, device_taps_.device_data());
  return cuda_status(cudaGetLastError(), "launch remap");
}

}  // namespace kerb
