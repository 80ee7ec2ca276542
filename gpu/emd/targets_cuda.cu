// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/targets_math.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb::emd {
namespace {

constexpr int kPixelThreads = 256, kPlaceThreads = 512;

__global__ void __launch_bounds__(kPixelThreads)
    likelihood_kernel(const std::uint32_t* __restrict__ costs, std::size_t costs_stride,
                      std::size_t count, std::uint32_t reach, std::uint8_t* __restrict__ out,
                      std::size_t out_stride) {
  const std::size_t i = std::size_t{blockIdx.x} * kPixelThreads + threadIdx.x;
  if (i < count)
    out[blockIdx.y * out_stride + i] = likelihood_of(costs[blockIdx.y * costs_stride + i], reach);
}

__device__ unsigned long long sum_of_warp(unsigned long long v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, d);
  return v;
}

/// One block a target; all its threads go the same way.
__global__ void __launch_bounds__(kPlaceThreads)
    mean_shift_kernel(const PlanesView<Space::device, const std::uint8_t> planes, int most,
                      Found* __restrict__ found) {
  __shared__ unsigned long long sums[3];
  const std::uint8_t* const plane = planes.data + blockIdx.x * planes.plane_stride;
  Found f = found[blockIdx.x];
  f.mean = 0;
  f.steps = 0;
  if (is_within(f.box, planes.width, planes.height)) {
    std::int32_t before_x = f.box.x, before_y = f.box.y;
    for (;;) {
      if (threadIdx.x < 3) sums[threadIdx.x] = 0;
      __syncthreads();
      unsigned long long all = 0, by_x = 0, by_y = 0;
      for (int j = threadIdx.x / 32; j < f.box.height; j += kPlaceThreads / 32)
        for (int i = threadIdx.x % 32; i < f.box.width; i += 32) {
          const unsigned v = plane[(f.box.y + j) * planes.row_stride + f.box.x + i];
          all += v;
          by_x += static_cast<unsigned long long>(v) * static_cast<unsigned>(i);
          by_y += static_cast<unsigned long long>(v) * static_cast<unsigned>(j);
        }
      all = sum_of_warp(all);
      by_x = sum_of_warp(by_x);
      by_y = sum_of_warp(by_y);
      if (threadIdx.x % 32 == 0) {
        atomicAdd(&sums[0], all);
        atomicAdd(&sums[1], by_x);
        atomicAdd(&sums[2], by_y);
      }
      __syncthreads();
      all = sums[0];
      by_x = sums[1];
      by_y = sums[2];
      __syncthreads();  // before they are cleared again
      f.mean = mean_of(all, f.box);
      if (f.steps == most) break;
      const std::int32_t x =
          kept_within(f.box.x + shift_of(all, by_x, f.box.width), f.box.width, planes.width);
      const std::int32_t y =
          kept_within(f.box.y + shift_of(all, by_y, f.box.height), f.box.height, planes.height);
      if ((x == f.box.x && y == f.box.y) || (x == before_x && y == before_y)) break;
      before_x = f.box.x;
      before_y = f.box.y;
      f.box.x = x;
      f.box.y = y;
      ++f.steps;
    }
  }
  if (threadIdx.x == 0) found[blockIdx.x] = f;
}

/// One block a target. Columns as high as the box, moved down row by row; each thread adds up those
/// beside each other for the places it looks after. The first of equals has the larger code.
__global__ void __launch_bounds__(kPlaceThreads)
    peak_kernel(const PlanesView<Space::device, const std::uint8_t> planes,
                const Search* __restrict__ searches, Found* __restrict__ found) {
  __shared__ std::uint32_t column[kMaxBoxSide];
  __shared__ unsigned long long best_sum;
  __shared__ std::uint32_t best_place;
  const std::uint8_t* const plane = planes.data + blockIdx.x * planes.plane_stride;
  const Search search = searches[blockIdx.x];
  const Box region = search.region;
  const Box box{region.x, region.y, search.width, search.height};
  Found result;
  const bool fits = is_within(region, planes.width, planes.height) &&
                    is_within(box, planes.width, planes.height) && search.width <= region.width &&
                    search.height <= region.height;
  if (fits) {
    for (int x = threadIdx.x; x < region.width; x += kPlaceThreads) {
      std::uint32_t sum = 0;
      for (int y = 0; y + 1 < search.height; ++y)
        sum += plane[(region.y + y) * planes.row_stride + region.x + x];
      column[x] = sum;
    }
    if (threadIdx.x == 0) {
      best_sum = 0;
      best_place = 0xFFFFFFFFU;
    }
    __syncthreads();
    unsigned long long most = 0;
    std::uint32_t place = 0xFFFFFFFFU;
    for (int y = 0; y + search.height <= region.height; ++y) {
      const std::uint8_t* const last =
          plane + (region.y + y + search.height - 1) * planes.row_stride + region.x;
      const std::uint8_t* const first = plane + (region.y + y) * planes.row_stride + region.x;
      for (int x = threadIdx.x; x < region.width; x += kPlaceThreads) column[x] += last[x];
      __syncthreads();
      for (int x = threadIdx.x; x + search.width <= region.width; x += kPlaceThreads) {
        unsigned long long sum = 0;
        for (int i = 0; i < search.width; ++i) sum += column[x + i];
        if (place == 0xFFFFFFFFU || sum > most) {
          most = sum;
          place = static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(region.width) +
                  static_cast<std::uint32_t>(x);
        }
      }
      __syncthreads();
      for (int x = threadIdx.x; x < region.width; x += kPlaceThreads) column[x] -= first[x];
    }
    if (place != 0xFFFFFFFFU) atomicMax(&best_sum, most);
    __syncthreads();
    if (place != 0xFFFFFFFFU && most == best_sum) atomicMin(&best_place, place);
    __syncthreads();
    result.box = {region.x + static_cast<std::int32_t>(best_place % region.width),
                  region.y + static_cast<std::int32_t>(best_place / region.width), search.width,
                  search.height};
    result.mean = mean_of(best_sum, result.box);
  }
  if (threadIdx.x == 0) found[blockIdx.x] = result;
}

}  // namespace

Status likelihoods(StreamRef stream, const std::uint32_t* costs, std::size_t costs_stride,
                   std::size_t count, int targets, std::uint32_t reach, std::uint8_t* out,
                   std::size_t out_stride) {
  if (Status ok = check_likelihoods(costs, costs_stride, count, targets, reach, out, out_stride);
      !ok)
    return ok;
  if (count == 0) return Done{};
  const dim3 grid{static_cast<unsigned>((count + kPixelThreads - 1) / kPixelThreads),
                  static_cast<unsigned>(targets)};
  likelihood_kernel<<<grid, kPixelThreads, 0, stream.get()>>>(costs, costs_stride, count, reach,
                                                              out, out_stride);
  return cuda_status(cudaGetLastError(), "likelihoods launch");
}

Status mean_shift(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& planes,
                  int most, Found* found) {
  if (Status ok = check_places(planes, most, found, found); !ok) return ok;
  mean_shift_kernel<<<static_cast<unsigned>(planes.count), kPlaceThreads, 0, stream.get()>>>(
      planes, most, found);
  return cuda_status(cudaGetLastError(), "mean shift launch");
}

Status find_peaks(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& planes,
                  const Search* searches, Found* found) {
  if (Status ok = check_places(planes, 1, searches, found); !ok) return ok;
  peak_kernel<<<static_cast<unsigned>(planes.count), kPlaceThreads, 0, stream.get()>>>(
      planes, searches, found);
  return cuda_status(cudaGetLastError(), "peaks launch");
}

}  // namespace kerb::emd
