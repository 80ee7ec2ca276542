// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/grey_math.hpp"
#include "gpu/image/rgb_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/to_rgb.hpp"
#include "gpu/memory/cuda_status.hpp"

// A thread makes four neighbouring pixels: one aligned word of each plane.
namespace kerb {
namespace {

using Byte = std::uint8_t;
using Word = std::uint32_t;
using In = RawImageView<Space::device>;
using Out = PlanesView<Space::device, Byte>;

constexpr int kQuad = 4;
constexpr unsigned kBlockX = 32, kBlockY = 8;

__device__ bool is_aligned(const void* p, unsigned to) {
  return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}
__device__ Byte byte_of(Word word, int index) {
  return static_cast<Byte>(word >> (8 * index) & 0xffu);
}

// A reader makes the pixels x .. x + count - 1 of row y; what it leaves in the others does not
// matter.
struct Grey {
  int bytes, shift;
  __device__ void four(const In& in, int x, int y, int count, rgb::Rgb (&to)[kQuad]) const {
    const Byte* row = in.data + y * in.row_stride;
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (i >= count) break;
      const Byte v = bytes == 1
                         ? row[x + i]
                         : grey::top8(reinterpret_cast<const std::uint16_t*>(row)[x + i], shift);
      to[i] = {v, v, v};
    }
  }
};
struct Packed422 {
  int luma, u, v;  // their places among the four bytes of a pair
  __device__ void four(const In& in, int x, int y, int count, rgb::Rgb (&to)[kQuad]) const {
    const Byte* from = in.data + y * in.row_stride + 2 * x;  // x is even, and so is the width
#pragma unroll
    for (int i = 0; i < kQuad; i += 2) {
      if (i >= count) break;
      Word pair;
      if (is_aligned(from, 4)) {
        pair = *reinterpret_cast<const Word*>(from + 2 * i);
      } else {
        const Byte* p = from + 2 * i;
        pair = p[0] | Word{p[1]} << 8 | Word{p[2]} << 16 | Word{p[3]} << 24;
      }
      const int cb = byte_of(pair, u), cr = byte_of(pair, v);
      to[i] = rgb::from_yuv(byte_of(pair, luma), cb, cr);
      to[i + 1] = rgb::from_yuv(byte_of(pair, luma + 2), cb, cr);
    }
  }
};
struct Nv12 {
  __device__ void four(const In& in, int x, int y, int count, rgb::Rgb (&to)[kQuad]) const {
    const Byte* luma = in.data + y * in.row_stride + x;
    const Byte* chroma = in.chroma + y / 2 * in.chroma_stride + x;
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (i >= count) break;
      to[i] = rgb::from_yuv(luma[i], chroma[i & ~1], chroma[i | 1]);
    }
  }
};
struct Interleaved {
  int red, blue;  // 0 and 2, or the other way round
  __device__ void four(const In& in, int x, int y, int count, rgb::Rgb (&to)[kQuad]) const {
    const Byte* from = in.data + y * in.row_stride + 3 * x;
    if (count == kQuad && is_aligned(from, 4)) {
      const Word* p = reinterpret_cast<const Word*>(from);
      const Word v[3] = {p[0], p[1], p[2]};
#pragma unroll
      for (int i = 0; i < kQuad; ++i) {
        const int k = 3 * i;
        const Byte first = byte_of(v[k / 4], k % 4), green = byte_of(v[(k + 1) / 4], (k + 1) % 4),
                   last = byte_of(v[(k + 2) / 4], (k + 2) % 4);
        to[i] = red == 0 ? rgb::Rgb{first, green, last} : rgb::Rgb{last, green, first};
      }
      return;
    }
    for (int i = 0; i < count; ++i)
      to[i] = {from[3 * i + red], from[3 * i + 1], from[3 * i + blue]};
  }
};
template <typename Sample>
struct Bayer {
  int red_x, red_y, shift;
  Word mask;
  __device__ void four(const In& in, int x, int y, int count, rgb::Rgb (&to)[kQuad]) const {
    const auto row = [&](int j) {
      return reinterpret_cast<const Sample*>(in.data + j * in.row_stride);
    };
    const Sample* up = row(rgb::before(y));
    const Sample* here = row(y);
    const Sample* down = row(rgb::after(y, in.height));
    // Columns x - 1 .. x + 4, mirrored at both ends.
    Word middle[kQuad + 2], above[kQuad + 2];
#pragma unroll
    for (int i = 0; i < kQuad + 2; ++i) {
      int column = x + i - 1;
      column = column < 0 ? 1 : (column >= in.width ? max(2 * in.width - 2 - column, 0) : column);
      middle[i] = here[column] & mask;
      above[i] = (up[column] & mask) + (down[column] & mask);
    }
    const bool red_row = (y & 1) == red_y;
    const int first = red_row ? red_x : 1 - red_x;
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      const rgb::Demosaiced d =
          rgb::demosaic(rgb::is_coloured(i, first), middle[i + 1], middle[i] + middle[i + 2],
                        above[i + 1], above[i] + above[i + 2]);
      const Byte own = grey::top8(d.own, shift), green = grey::top8(d.green, shift),
                 other = grey::top8(d.other, shift);
      to[i] = red_row ? rgb::Rgb{own, green, other} : rgb::Rgb{other, green, own};
    }
    (void)count;
  }
};

__device__ void store(Byte* to, Word pixels, int count) {
  if (count == kQuad && is_aligned(to, kQuad)) {
    *reinterpret_cast<Word*>(to) = pixels;
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = byte_of(pixels, i);
}

template <typename Reader>
__global__ void rgb_kernel(In in, Out out, Reader reader) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const int count = min(kQuad, in.width - x);
  rgb::Rgb four[kQuad] = {};
  reader.four(in, x, y, count, four);
  Word r = 0, g = 0, b = 0;
#pragma unroll
  for (int i = 0; i < kQuad; ++i) {
    r |= Word{four[i].r} << (8 * i);
    g |= Word{four[i].g} << (8 * i);
    b |= Word{four[i].b} << (8 * i);
  }
  Byte* to = out.data + y * out.row_stride + x;
  store(to, r, count);
  store(to + out.plane_stride, g, count);
  store(to + 2 * out.plane_stride, b, count);
}

}  // namespace

Status to_rgb(StreamRef stream, const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  const dim3 block{kBlockX, kBlockY};
  const dim3 grid{div_up(in.width, kBlockX * kQuad), div_up(in.height, kBlockY)};
  const auto launch = [&](auto reader) {
    rgb_kernel<<<grid, block, 0, stream.get()>>>(in, out, reader);
  };
  const int bits = bit_depth(in.format);
  const Word mask = (1u << bits) - 1;
  const int red_x = grey::red_x(in.bayer), red_y = grey::red_y(in.bayer);
  switch (in.format) {
    case PixelFormat::grey8:
    case PixelFormat::grey10:
    case PixelFormat::grey12:
    case PixelFormat::grey14:
    case PixelFormat::grey16:
      launch(Grey{bits > 8 ? 2 : 1, bits - 8});
      break;
    case PixelFormat::yuyv:
      launch(Packed422{0, 1, 3});
      break;
    case PixelFormat::uyvy:
      launch(Packed422{1, 0, 2});
      break;
    case PixelFormat::nv12:
      launch(Nv12{});
      break;
    case PixelFormat::rgb24:
      launch(Interleaved{0, 2});
      break;
    case PixelFormat::bgr24:
      launch(Interleaved{2, 0});
      break;
    case PixelFormat::bayer8:
      launch(Bayer<Byte>{red_x, red_y, 0, mask});
      break;
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      launch(Bayer<std::uint16_t>{red_x, red_y, bits - 8, mask});
      break;
  }
  return cuda_status(cudaGetLastError(), "launch to_rgb");
}

}  // namespace kerb
