// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/counts_math.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using In = RawImageView<Space::device>;
using Out = ImageView<Space::device, std::uint8_t>;

constexpr unsigned kWarp = 32, kBlockY = 8;
constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ const std::uint16_t* row_of(const In& in, int y) {
  return reinterpret_cast<const std::uint16_t*>(in.data + y * in.row_stride);
}

/// Neighbours often have the same count, in a closed shutter's picture all of them: the lanes of a
/// warp that have the same one add it up first, and one of them adds the sum. Sums of integers do
/// not depend on the order.
__global__ void count_kernel(In in, std::uint32_t* histogram, std::uint32_t mask) {
  const int x = static_cast<int>(blockIdx.x * kWarp + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  if (y >= in.height) return;  // a row of the block is a warp: it leaves as a whole
  const unsigned inside = __ballot_sync(kWholeWarp, x < in.width);
  if (x >= in.width) return;
  const std::uint32_t count = row_of(in, y)[x] & mask;
  const unsigned equal = __match_any_sync(inside, count);
  if (static_cast<int>(threadIdx.x) == __ffs(static_cast<int>(equal)) - 1)
    atomicAdd(histogram + count, static_cast<std::uint32_t>(__popc(equal)));
}

__global__ void map_kernel(In in, CountMap map, Out out, std::uint32_t mask, std::uint32_t gain) {
  const int x = static_cast<int>(blockIdx.x * kWarp + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  out.data[y * out.row_stride + x] = counts::level(row_of(in, y)[x] & mask, map, gain);
}

dim3 grid_of(const In& in) { return {div_up(in.width, kWarp), div_up(in.height, kBlockY)}; }

}  // namespace

Status count_samples(StreamRef stream, const In& in, std::uint32_t* histogram) {
  if (Status ok = counts::check(in, histogram); !ok) return ok;
  const std::uint32_t bins = 1u << bit_depth(in.format);
  if (Status ok =
          cuda_status(cudaMemsetAsync(histogram, 0, bins * sizeof(std::uint32_t), stream.get()),
                      "clear histogram");
      !ok)
    return ok;
  count_kernel<<<grid_of(in), dim3{kWarp, kBlockY}, 0, stream.get()>>>(in, histogram, bins - 1);
  return cuda_status(cudaGetLastError(), "launch count_samples");
}

Status map_counts(StreamRef stream, const In& in, const CountMap& map, const Out& out) {
  if (Status ok = counts::check(in, map, out); !ok) return ok;
  const std::uint32_t mask = (1u << bit_depth(in.format)) - 1;
  map_kernel<<<grid_of(in), dim3{kWarp, kBlockY}, 0, stream.get()>>>(in, map, out, mask,
                                                                     counts::gain_of(map));
  return cuda_status(cudaGetLastError(), "launch map_counts");
}

}  // namespace kerb
