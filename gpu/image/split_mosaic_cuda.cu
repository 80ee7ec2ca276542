// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/shapes.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using In = RawImageView<Space::device>;
using Out = PlanesView<Space::device, std::uint16_t>;

/// A thread takes the N neighbouring samples of one tile's row to N planes: each plane is written
/// side by side, and what the strided reads fetch too much the next turn of the loop finds in the
/// cache.
template <typename Sample>
__global__ void split_kernel(In in, Out out) {
  const int n = in.mosaic;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);  // a row of the input
  if (x >= out.width || y >= out.height * n) return;
  const int tile = y / n, row = y - tile * n;
  const Sample* from = reinterpret_cast<const Sample*>(in.data + y * in.row_stride) +
                       static_cast<std::ptrdiff_t>(x) * n;
  std::uint16_t* to = out.data + row * n * out.plane_stride + tile * out.row_stride + x;
  for (int i = 0; i < n; ++i) to[i * out.plane_stride] = from[i];
}

}  // namespace

Status split_mosaic(StreamRef stream, const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  const dim3 block{32, 8};
  const dim3 grid{div_up(out.width, block.x), div_up(out.height * in.mosaic, block.y)};
  if (bit_depth(in.format) > 8)
    split_kernel<std::uint16_t><<<grid, block, 0, stream.get()>>>(in, out);
  else
    split_kernel<std::uint8_t><<<grid, block, 0, stream.get()>>>(in, out);
  return cuda_status(cudaGetLastError(), "launch split_mosaic");
}

}  // namespace kerb
