// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/grey_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/memory/cuda_status.hpp"

// A thread makes four neighbouring pixels: they are one aligned word to write, and one or a few to
// read.
namespace kerb {
namespace {

using Byte = std::uint8_t;
using Word = std::uint32_t;
using In = RawImageView<Space::device>;
using Out = ImageView<Space::device, Byte>;

constexpr int kQuad = 4;
constexpr unsigned kBlockX = 32, kBlockY = 8;  // a warp along a row: 128 pixels

__device__ Word pack(Word a, Word b, Word c, Word d) { return a | b << 8 | c << 16 | d << 24; }
__device__ Word byte_of(Word word, int index) { return word >> (8 * index) & 0xffu; }

// A reader knows one kind of row: `one` reads a pixel, `four` reads pixels x..x+3 of a row that
// starts at a multiple of kAlign.
struct Copy {
  static constexpr int kAlign = 4;
  __device__ Byte one(const Byte* row, int x) const { return row[x]; }
  __device__ Word four(const Byte* row, int x) const {
    return *reinterpret_cast<const Word*>(row + x);
  }
};
struct TopBits {
  static constexpr int kAlign = 8;
  int shift;
  __device__ Byte one(const Byte* row, int x) const {
    return grey::top8(reinterpret_cast<const std::uint16_t*>(row)[x], shift);
  }
  __device__ Word four(const Byte* row, int x) const {
    const uint2 v = *reinterpret_cast<const uint2*>(row + 2 * x);
    return pack(grey::top8(v.x & 0xffffu, shift), grey::top8(v.x >> 16, shift),
                grey::top8(v.y & 0xffffu, shift), grey::top8(v.y >> 16, shift));
  }
};
struct EverySecond {
  static constexpr int kAlign = 8;
  int offset;
  __device__ Byte one(const Byte* row, int x) const { return row[2 * x + offset]; }
  __device__ Word four(const Byte* row, int x) const {
    const uint2 v = *reinterpret_cast<const uint2*>(row + 2 * x);
    return pack(byte_of(v.x, offset), byte_of(v.x, 2 + offset), byte_of(v.y, offset),
                byte_of(v.y, 2 + offset));
  }
};
struct Rgb {
  static constexpr int kAlign = 4;
  int red, blue;  // 0 and 2, or the other way round
  __device__ Byte one(const Byte* row, int x) const {
    const Byte* p = row + 3 * x;
    return grey::from_rgb(p[red], p[1], p[blue]);
  }
  __device__ Word four(const Byte* row, int x) const {
    const Word* p = reinterpret_cast<const Word*>(row + 3 * x);
    const Word v[3] = {p[0], p[1], p[2]};
    Word grey[kQuad];
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      const int k = 3 * i;
      const Word first = byte_of(v[k / 4], k % 4), green = byte_of(v[(k + 1) / 4], (k + 1) % 4),
                 last = byte_of(v[(k + 2) / 4], (k + 2) % 4);
      grey[i] = red == 0 ? grey::from_rgb(first, green, last) : grey::from_rgb(last, green, first);
    }
    return pack(grey[0], grey[1], grey[2], grey[3]);
  }
};

__device__ bool is_aligned(const void* p, int to) {
  return reinterpret_cast<std::uintptr_t>(p) % static_cast<unsigned>(to) == 0;
}

/// Writes the first `n` of four pixels; as one word where it can.
__device__ void store(Byte* out, Word pixels, int n) {
  if (n == kQuad && is_aligned(out, kQuad)) {
    *reinterpret_cast<Word*>(out) = pixels;
    return;
  }
  for (int i = 0; i < n; ++i) out[i] = static_cast<Byte>(byte_of(pixels, i));
}

template <typename Reader>
__global__ void rows_kernel(In in, Out out, Reader reader) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const Byte* row = in.data + y * in.row_stride;
  const int n = min(kQuad, in.width - x);
  Word pixels = 0;
  if (n == kQuad && is_aligned(row, Reader::kAlign)) {
    pixels = reader.four(row, x);
  } else {
    for (int i = 0; i < n; ++i) pixels |= Word{reader.one(row, x + i)} << (8 * i);
  }
  store(out.data + y * out.row_stride + x, pixels, n);
}

template <typename Sample>
__global__ void bayer_kernel(In in, Out out, int red_x, int red_y, Word mask, int shift) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const int y0 = min(y, in.height - 2);
  const Sample* top = reinterpret_cast<const Sample*>(in.data + y0 * in.row_stride);
  const Sample* bottom = reinterpret_cast<const Sample*>(in.data + (y0 + 1) * in.row_stride);
  const int n = min(kQuad, in.width - x);
  // Weighted sums of columns; x is even, so that the weights of two columns do for all.
  const Word t[2] = {grey::bayer_weight(0, y0, red_x, red_y),
                     grey::bayer_weight(1, y0, red_x, red_y)};
  const Word b[2] = {grey::bayer_weight(0, y0 + 1, red_x, red_y),
                     grey::bayer_weight(1, y0 + 1, red_x, red_y)};
  Word columns[kQuad + 1];
#pragma unroll
  for (int i = 0; i <= kQuad; ++i)
    columns[i] =
        x + i < in.width ? t[i & 1] * (top[x + i] & mask) + b[i & 1] * (bottom[x + i] & mask) : 0;
  Word pixels = 0;
#pragma unroll
  for (int i = 0; i < kQuad; ++i) {
    // The last pixel of a row (i is odd there: the width is even) shares its neighbour's window.
    const bool last = i % 2 == 1 && x + i == in.width - 1;
    const Word sum = columns[i] + (last ? columns[i - i % 2] : columns[i + 1]);
    pixels |= Word{grey::from_bayer(sum, shift)} << (8 * i);
  }
  store(out.data + y * out.row_stride + x, pixels, n);
}

/// As on the CPU: first the sums of columns, in shared memory, then sums of those.
/// N: known to the compiler for the common patterns, so that it has the loads in flight together; 0
/// for any.
template <typename Sample, int N>
__global__ void mosaic_kernel(In in, Out out, Word mask, grey::Mean mean) {
  constexpr int kPixels = kBlockX * kQuad;
  __shared__ Word columns[kBlockY][kPixels + shapes::kMaxMosaic];
  const int n = N != 0 ? N : in.mosaic;
  const int left = static_cast<int>(blockIdx.x) * kPixels;
  const int right = min(left + kPixels, in.width);
  const int y = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  const int first = grey::window_start(left, n, in.width);
  const int count = grey::window_start(right - 1, n, in.width) + n - first;
  Word* const sums = columns[threadIdx.y];
  if (y < in.height) {
    const int y0 = grey::window_start(y, n, in.height);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kBlockX) {
      Word sum = 0;
      for (int j = 0; j < n; ++j)
        sum +=
            reinterpret_cast<const Sample*>(in.data + (y0 + j) * in.row_stride)[first + i] & mask;
      sums[i] = sum;
    }
  }
  __syncwarp();  // a row of the block is one warp, and reads only what it wrote
  const int x = left + static_cast<int>(threadIdx.x) * kQuad;
  if (x >= right || y >= in.height) return;
  const int pixels_here = min(kQuad, right - x);
  Word pixels = 0;
  for (int i = 0; i < pixels_here; ++i) {
    const Word* window = sums + (grey::window_start(x + i, n, in.width) - first);
    Word sum = 0;
    for (int j = 0; j < n; ++j) sum += window[j];
    pixels |= Word{grey::from_sum(mean, sum)} << (8 * i);
  }
  store(out.data + y * out.row_stride + x, pixels, pixels_here);
}
static_assert(kBlockX == 32, "mosaic_kernel takes a row of the block for a warp");

template <typename Sample>
void launch_mosaic(dim3 grid, dim3 block, cudaStream_t s, const In& in, const Out& out, Word mask,
                   const grey::Mean& mean) {
  if (in.mosaic == 3)
    mosaic_kernel<Sample, 3><<<grid, block, 0, s>>>(in, out, mask, mean);
  else if (in.mosaic == 4)
    mosaic_kernel<Sample, 4><<<grid, block, 0, s>>>(in, out, mask, mean);
  else
    mosaic_kernel<Sample, 0><<<grid, block, 0, s>>>(in, out, mask, mean);
}

}  // namespace

Status to_grey(StreamRef stream, const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  const dim3 block{kBlockX, kBlockY};
  const dim3 grid{div_up(in.width, kBlockX * kQuad), div_up(in.height, kBlockY)};
  cudaStream_t const s = stream.get();
  const int bits = bit_depth(in.format), shift = bits - 8;
  const Word mask = (1u << bits) - 1;
  const int rx = grey::red_x(in.bayer), ry = grey::red_y(in.bayer);
  if (in.mosaic != 0) {
    const grey::Mean mean = grey::mean_of(in.mosaic, shift);
    bits > 8 ? launch_mosaic<std::uint16_t>(grid, block, s, in, out, mask, mean)
             : launch_mosaic<Byte>(grid, block, s, in, out, mask, mean);
    return cuda_status(cudaGetLastError(), "launch to_grey");
  }
  switch (in.format) {
    case PixelFormat::grey8:
    case PixelFormat::nv12:
      rows_kernel<<<grid, block, 0, s>>>(in, out, Copy{});
      break;
    case PixelFormat::grey10:
    case PixelFormat::grey12:
    case PixelFormat::grey14:
    case PixelFormat::grey16:
      rows_kernel<<<grid, block, 0, s>>>(in, out, TopBits{shift});
      break;
    case PixelFormat::yuyv:
      rows_kernel<<<grid, block, 0, s>>>(in, out, EverySecond{0});
      break;
    case PixelFormat::uyvy:
      rows_kernel<<<grid, block, 0, s>>>(in, out, EverySecond{1});
      break;
    case PixelFormat::rgb24:
      rows_kernel<<<grid, block, 0, s>>>(in, out, Rgb{0, 2});
      break;
    case PixelFormat::bgr24:
      rows_kernel<<<grid, block, 0, s>>>(in, out, Rgb{2, 0});
      break;
    case PixelFormat::bayer8:
      bayer_kernel<Byte><<<grid, block, 0, s>>>(in, out, rx, ry, mask, shift);
      break;
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      bayer_kernel<std::uint16_t><<<grid, block, 0, s>>>(in, out, rx, ry, mask, shift);
      break;
  }
  return cuda_status(cudaGetLastError(), "launch to_grey");
}

}  // namespace kerb
