// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpu/image/luv_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/simd.hpp"
#include "gpu/image/to_luv.hpp"

namespace kerb::cpu {
namespace {

using Byte = std::uint8_t;

constexpr luv::LinearTable kLinear = luv::make_linear_table();
constexpr int kStrip = 256;  // light of three planes stays in the first cache

// Looking up cannot be vectorised, the rest can: in functions of their own, so that nothing can
// overlap.
void look_up(const Byte* __restrict from, float* __restrict to, int count) {
  for (int i = 0; i < count; ++i) to[i] = kLinear.light[from[i]];
}
KERB_WIDER void convert(const float* __restrict r, const float* __restrict g,
                        const float* __restrict b, Byte* __restrict l, Byte* __restrict u,
                        Byte* __restrict v, int count) {
  for (int i = 0; i < count; ++i) {
    const luv::Luv pixel = luv::from_light(r[i], g[i], b[i]);
    l[i] = pixel.l;
    u[i] = pixel.u;
    v[i] = pixel.v;
  }
}

}  // namespace

Status to_luv(const PlanesView<Space::host, const Byte>& in,
              const PlanesView<Space::host, Byte>& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  float light[3][kStrip];
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; x += kStrip) {
      const int count = std::min(kStrip, in.width - x);
      for (int c = 0; c < 3; ++c)
        look_up(in.data + c * in.plane_stride + y * in.row_stride + x, light[c], count);
      Byte* to = out.data + y * out.row_stride + x;
      convert(light[0], light[1], light[2], to, to + out.plane_stride, to + 2 * out.plane_stride,
              count);
    }
  return Done{};
}

}  // namespace kerb::cpu
