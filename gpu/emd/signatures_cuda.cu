// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/signatures_math.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb::emd {
namespace {

constexpr int kTileX = 64, kTileY = 16, kWindowThreads = 256, kMostRim = 7;
constexpr int kBandThreads = 256;

/// What a kernel gets by value.
struct Levels {
  std::uint8_t bin[256];
};
struct Lights {
  std::uint16_t black[kMaxBins], gain[kMaxBins];
};

__device__ void add(uint4& a, const uint4& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
}

/// Sixteen counts a pixel as bytes of four words. First the columns of the window, all that the
/// tile's windows need; then eleven of those beside each other. No byte overflows: a window has at
/// most 225 pixels.
__global__ void __launch_bounds__(kWindowThreads)
    window_kernel(const ImageView<Space::device, const std::uint8_t> in, const Levels levels,
                  int half, const ImageView<Space::device, Signature> out) {
  __shared__ std::uint8_t bins[kTileY + 2 * kMostRim][kTileX + 2 * kMostRim];
  __shared__ uint4 columns[kTileY][kTileX + 2 * kMostRim];
  __shared__ std::uint8_t bin_of[256];
  const int x0 = static_cast<int>(blockIdx.x) * kTileX, y0 = static_cast<int>(blockIdx.y) * kTileY;
  const int width = kTileX + 2 * half, height = kTileY + 2 * half;
  bin_of[threadIdx.x] = levels.bin[threadIdx.x];
  static_assert(kWindowThreads == 256);
  __syncthreads();
  for (int i = threadIdx.x; i < width * height; i += kWindowThreads) {
    const int x = min(max(x0 - half + i % width, 0), in.width - 1);
    const int y = min(max(y0 - half + i / width, 0), in.height - 1);
    bins[i / width][i % width] = bin_of[in.data[y * in.row_stride + x]];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width * kTileY; i += kWindowThreads) {
    const int x = i % width, y = i / width;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int d = 0; d <= 2 * half; ++d) {
      const unsigned bin = bins[y + d][x], one = 1U << (8 * (bin % 4)), word = bin / 4;
      sum.x += word == 0 ? one : 0U;
      sum.y += word == 1 ? one : 0U;
      sum.z += word == 2 ? one : 0U;
      sum.w += word == 3 ? one : 0U;
    }
    columns[y][x] = sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTileX * kTileY; i += kWindowThreads) {
    const int x = i % kTileX, y = i / kTileX;
    if (x0 + x >= in.width || y0 + y >= in.height) continue;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int d = 0; d <= 2 * half; ++d) add(sum, columns[y][x + d]);
    reinterpret_cast<uint4*>(out.data)[(y0 + y) * out.row_stride + x0 + x] = sum;
  }
}

template <typename T>
__global__ void __launch_bounds__(kBandThreads)
    band_kernel(const PlanesView<Space::device, const T> in, const Lights lights, int count,
                std::uint32_t mass, const ImageView<Space::device, Signature> out) {
  const int x = static_cast<int>(blockIdx.x * kBandThreads + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= in.width) return;
  std::uint32_t values[kMaxBins], bins[kMaxBins], words[4] = {0, 0, 0, 0};
  std::uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kMaxBins; ++k) {
    values[k] = k < count ? lit(in.data[k * in.plane_stride + y * in.row_stride + x],
                                lights.black[k], lights.gain[k])
                          : 0U;
    sum += values[k];
  }
  if (sum > 0) {
    share_out(values, sum, count, mass, bins);
#pragma unroll
    for (int k = 0; k < kMaxBins; ++k) words[k / 4] |= bins[k] << (8 * (k % 4));
  }
  reinterpret_cast<uint4*>(out.data)[y * out.row_stride + x] =
      make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace

Status window_signatures(StreamRef stream, const ImageView<Space::device, const std::uint8_t>& in,
                         const WindowSettings& settings,
                         const ImageView<Space::device, Signature>& out) {
  if (Status ok = check_signatures(in.data, in.width, in.height, in.row_stride, out); !ok)
    return ok;
  if (Status ok = check_window(settings); !ok) return ok;
  Levels levels;
  for (int g = 0; g < 256; ++g) levels.bin[g] = settings.levels[g];
  const dim3 grid{div_up(in.width, kTileX), div_up(in.height, kTileY)};
  window_kernel<<<grid, kWindowThreads, 0, stream.get()>>>(in, levels, settings.window / 2, out);
  return cuda_status(cudaGetLastError(), "window signatures launch");
}

template <typename T>
Status band_signatures(StreamRef stream, const PlanesView<Space::device, const T>& in,
                       const BandSettings& settings,
                       const ImageView<Space::device, Signature>& out) {
  if (Status ok = check_signatures(in.data, in.width, in.height, in.row_stride, out); !ok)
    return ok;
  if (Status ok = check_bands(settings, in.count, in.height, in.row_stride, in.plane_stride); !ok)
    return ok;
  Lights lights;
  for (int k = 0; k < kMaxBins; ++k) {
    lights.black[k] = settings.black[k];
    lights.gain[k] = settings.gain[k];
  }
  const dim3 grid{div_up(in.width, kBandThreads), static_cast<unsigned>(in.height)};
  band_kernel<<<grid, kBandThreads, 0, stream.get()>>>(
      in, lights, settings.bands, static_cast<std::uint32_t>(settings.mass), out);
  return cuda_status(cudaGetLastError(), "band signatures launch");
}
template Status band_signatures(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                                const BandSettings&, const ImageView<Space::device, Signature>&);
template Status band_signatures(StreamRef, const PlanesView<Space::device, const std::uint16_t>&,
                                const BandSettings&, const ImageView<Space::device, Signature>&);

}  // namespace kerb::emd
