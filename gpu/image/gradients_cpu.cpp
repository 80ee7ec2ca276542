// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/gradients_check.hpp"

// Plain loops over rows with nothing carried from pixel to pixel: the compiler vectorises them.
namespace kerb::cpu {
namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;

/// A row and its neighbours; above the first row stands the second, below the last its upper one.
struct Rows {
  const Byte *up, *here, *down;
};
Rows rows_at(const ImageView<Space::host, const Byte>& in, int y) {
  const int up = y > 0 ? y - 1 : (in.height > 1 ? 1 : 0);
  const int down = y < in.height - 1 ? y + 1 : (y > 0 ? y - 1 : 0);
  return {in.data + up * in.row_stride, in.data + y * in.row_stride,
          in.data + down * in.row_stride};
}

template <int Bins, bool Shifted>
void grey_row(const Byte* __restrict up, const Byte* __restrict here, const Byte* __restrict down,
              Word* __restrict out, int width) {
  for (int x = 1; x < width - 1; ++x)
    out[x] = gradient::packed_of(here[x + 1] - here[x - 1], down[x] - up[x], Bins, Shifted);
  for (int x : {0, width - 1}) out[x] = gradient::packed_of(0, down[x] - up[x], Bins, Shifted);
}

struct Steepest {
  std::int32_t dx, dy, squared;
};
/// The steeper of the two, the first one of equals.
inline Steepest steeper(const Steepest& first, std::int32_t dx, std::int32_t dy) {
  const std::int32_t squared = gradient::squared_norm(dx, dy);
  const bool better = squared > first.squared;
  return {better ? dx : first.dx, better ? dy : first.dy, better ? squared : first.squared};
}

template <int Bins, bool Shifted>
void colour_row(const Byte* __restrict up0, const Byte* __restrict here0,
                const Byte* __restrict down0, const Byte* __restrict up1,
                const Byte* __restrict here1, const Byte* __restrict down1,
                const Byte* __restrict up2, const Byte* __restrict here2,
                const Byte* __restrict down2, Word* __restrict out, int width) {
  const auto pack = [](const Steepest& s) {
    return gradient::pack(gradient::eighths(s.squared),
                          gradient::bin_of(s.dx, s.dy, Bins, Shifted));
  };
  for (int x = 1; x < width - 1; ++x) {
    Steepest s = steeper({0, 0, -1}, here0[x + 1] - here0[x - 1], down0[x] - up0[x]);
    s = steeper(s, here1[x + 1] - here1[x - 1], down1[x] - up1[x]);
    s = steeper(s, here2[x + 1] - here2[x - 1], down2[x] - up2[x]);
    out[x] = pack(s);
  }
  for (int x : {0, width - 1}) {
    Steepest s = steeper({0, 0, -1}, 0, down0[x] - up0[x]);
    s = steeper(s, 0, down1[x] - up1[x]);
    s = steeper(s, 0, down2[x] - up2[x]);
    out[x] = pack(s);
  }
}

}  // namespace

Status gradients(const ImageView<Space::host, const Byte>& in, const GradientParams& params,
                 const ImageView<Space::host, Word>& out) {
  if (Status ok = shapes::check_gradients(shapes::is_whole(in), in.width, in.height, params, out);
      !ok)
    return ok;
  shapes::with_bins(params, [&](auto bins, auto shifted) {
    for (int y = 0; y < in.height; ++y) {
      const Rows r = rows_at(in, y);
      grey_row<bins.value, shifted.value>(r.up, r.here, r.down, out.data + y * out.row_stride,
                                          in.width);
    }
  });
  return Done{};
}

Status gradients(const PlanesView<Space::host, const Byte>& in, const GradientParams& params,
                 const ImageView<Space::host, Word>& out) {
  if (Status ok =
          shapes::check_gradients(shapes::is_whole(in, 3), in.width, in.height, params, out);
      !ok)
    return ok;
  shapes::with_bins(params, [&](auto bins, auto shifted) {
    for (int y = 0; y < in.height; ++y) {
      const Rows a = rows_at(in.plane(0), y), b = rows_at(in.plane(1), y),
                 c = rows_at(in.plane(2), y);
      colour_row<bins.value, shifted.value>(a.up, a.here, a.down, b.up, b.here, b.down, c.up,
                                            c.here, c.down, out.data + y * out.row_stride,
                                            in.width);
    }
  });
  return Done{};
}

}  // namespace kerb::cpu
