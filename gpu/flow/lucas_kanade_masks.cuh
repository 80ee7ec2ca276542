// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/lucas_kanade_iterate.cuh"

/// Where a mask wants vectors, and the way back from where those end, on CUDA. For
/// lucas_kanade_cuda.cu alone.
namespace kerb::flow::lk {
namespace {

/// Which cells have wanted pixels: a warp for each.
__global__ void cells_kernel(Mask<Space::device> mask, int cells_x, int cells_y,
                             std::uint8_t* cells) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (cell >= cells_x * cells_y) return;
  const int x0 = cell % cells_x * kCell, y0 = cell / cells_x * kCell;
  const int lane = static_cast<int>(threadIdx.x);
  bool any = false;
  for (int k = lane; k < kCell * kCell; k += 32) {
    const int x = x0 + k % kCell, y = y0 + k / kCell;
    if (x < mask.width && y < mask.height) any = any || mask.data[y * mask.row_stride + x] != 0;
  }
  any = __any_sync(0xFFFFFFFFU, any) != 0;
  if (lane == 0) cells[cell] = any ? 1 : 0;
}

/// A pixel of a field that has been written: its vector is whole 64ths, so this is exact.
struct Wanted {
  int x, y, u, v;
  std::ptrdiff_t at;  // in the field
  bool leads;         // wanted, and into the next picture
};
__device__ __forceinline__ Wanted wanted_at(const FieldView<Space::device>& out,
                                            const Mask<Space::device>& mask) {
  Wanted w{};
  w.x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  w.y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (w.x >= out.width || w.y >= out.height || mask.data[w.y * mask.row_stride + w.x] == 0)
    return w;
  w.at = w.y * out.row_stride + w.x;
  w.u = __float2int_rn(out.u[w.at] * static_cast<float>(kUnit));
  w.v = __float2int_rn(out.v[w.at] * static_cast<float>(kUnit));
  w.leads = !is_outside(w.x, w.y, w.u, w.v, out.width, out.height);
  return w;
}

/// Which cells the wanted vectors end in. Those of `cells` that are not: left as they are.
__global__ void ends_kernel(FieldView<Space::device> out, Mask<Space::device> mask, int cells_x,
                            std::uint8_t* cells) {
  const Wanted w = wanted_at(out, mask);
  if (!w.leads) return;
  // Threads that meet write the same.
  cells[nearest_pixel(w.y, w.v) / kCell * cells_x + nearest_pixel(w.x, w.u) / kCell] = 1;
}

/// Flags the wanted vectors that do not lead back.
__global__ void back_kernel(FieldView<Space::device> out, Mask<Space::device> mask,
                            const Packed* back, int stride, float limit) {
  const Wanted w = wanted_at(out, mask);
  if (!w.leads) return;
  const Packed way =
      back[static_cast<std::ptrdiff_t>(nearest_pixel(w.y, w.v)) * stride + nearest_pixel(w.x, w.u)];
  if (leads_back(w.u, w.v, u_of(way), v_of(way), limit)) return;
  out.flags[w.at] =
      static_cast<std::uint8_t>((out.flags[w.at] & ~static_cast<unsigned>(kValid)) | kInconsistent);
}

}  // namespace
}  // namespace kerb::flow::lk
