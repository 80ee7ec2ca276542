// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/flow/flow.hpp"
#include "gpu/image/both.hpp"

/// The arithmetic of Lucas-Kanade, once for both backends: whole numbers as far as they go, then
/// floats in the order written here, rounded one by one (no fused multiply-add). For gpu/flow
/// alone.
///
/// Samples of a level are 16ths of a grey value. Vectors are 64ths of a pixel of their level.
/// Where a stencil reaches over the picture's edge, it reads the sample at the edge.
namespace kerb::flow::lk {

inline constexpr int kUnit = 64;  // of vectors, in a pixel
inline constexpr int kUnitShift = 6;
inline constexpr int kMaxReach = 500;    // pixels of the picture, either way
inline constexpr int kWeightShift = 10;  // of interpolation, an axis: weights are 1024ths

/// How far one iteration looks: a vector out depends on vectors in within this many pixels.
inline constexpr int kMedianRadius = 2, kWindowRadius = 1, kStencilRadius = 2;
inline constexpr int kHalo = kMedianRadius + kWindowRadius + kStencilRadius;  // of warped samples
inline constexpr int kLook = kHalo;  // of vectors in; the neighbours' mean looks less far

/// (1 2 1) x (1 2 1) of grey values, which is 16ths of one.
KERB_BOTH int smooth3(int above, int here, int below) { return above + 2 * here + below; }
/// (1 3 3 1) x (1 3 3 1) / 64, rounded: what a sample of the next level is. Once along each axis.
KERB_BOTH int taps4(int a, int b, int c, int d) { return a + 3 * (b + c) + d; }
KERB_BOTH int halved(int twice_tapped) { return (twice_tapped + 32) >> 6; }

/// A vector of the level above, seen from one of the four samples below it: 9 3 3 1 sixteenths of
/// the four nearest, twice as long. Rounded half up.
KERB_BOTH int doubled(int near, int beside, int over, int across) {
  return (9 * near + 3 * (beside + over) + across + 4) >> 3;
}
/// ... cut to what a vector may be.
KERB_BOTH int reached(int v, int reach) { return v < -reach ? -reach : v > reach ? reach : v; }

/// Catmull-Rom weights of four samples, 1024ths, for a place t 64ths behind the second. They sum to
/// 1024, and are 0 1024 0 0 at t = 0.
struct CubicWeights {
  std::int16_t of[4];
};
KERB_BOTH CubicWeights cubic_weights(int t) {
  // 2 * 64^3 times each weight, a whole number; 512 of these make a 1024th.
  const int t2 = t * t, t3 = t2 * t;
  const int w0 = -t3 + 2 * t2 * 64 - t * 4096, w2 = -3 * t3 + 4 * t2 * 64 + t * 4096,
            w3 = t3 - t2 * 64;
  const int r0 = (w0 + 256) >> 9, r2 = (w2 + 256) >> 9, r3 = (w3 + 256) >> 9;
  CubicWeights w;
  w.of[0] = static_cast<std::int16_t>(r0);
  w.of[1] = static_cast<std::int16_t>(1024 - r0 - r2 - r3);
  w.of[2] = static_cast<std::int16_t>(r2);
  w.of[3] = static_cast<std::int16_t>(r3);
  return w;
}
/// A column of four samples weighted, to a quarter of a 16th grey; then a row of four such, which
/// is 4096 times a sample.
KERB_BOTH int cubic_column(int a, int b, int c, int d, const CubicWeights& w) {
  return (a * w.of[0] + b * w.of[1] + c * w.of[2] + d * w.of[3] + 128) >> 8;
}
KERB_BOTH int cubic_row(int a, int b, int c, int d, const CubicWeights& w) {
  return a * w.of[0] + b * w.of[1] + c * w.of[2] + d * w.of[3];
}
/// The difference and the sum of the warped second picture and the first, 256ths of a grey value.
KERB_BOTH float difference(int warped, int first) {
  return static_cast<float>((warped - (first << 12) + 128) >> 8);
}
KERB_BOTH float sum(int warped, int first) {
  return static_cast<float>((warped + (first << 12) + 128) >> 8);
}

/// What a pixel adds to its windows' equations. The data are gradients, which do not mind a
/// change of light: the difference's gradient r = (rx, ry) shall become zero by moving along the
/// mean picture's second derivatives H = (a b; b c), so that H d = -r. Each pixel counts by
/// w = 1 / ((1 + |r|^2 / 400) (|H|^2 / 2 + 10)): little where pictures do not fit, and steep edges
/// no more than soft ones.
struct Terms {
  float a11, a12, a22;  // w H H
  float b1, b2;         // w H r
  float misfit;         // w r r
};
inline constexpr float kGradientScale = 1.0F / 1536.0F;  // of 12 * 256 times half a gradient
inline constexpr float kSecondScale = 1.0F / 256.0F;     // of 2 * 256 times half a derivative
inline constexpr float kMixedScale = 1.0F / 1024.0F;
inline constexpr float kRobust = 1.0F / 400.0F, kFlat = 10.0F;

KERB_BOTH float gradient(float back2, float back, float ahead, float ahead2) {
  return (8.0F * (ahead - back) - (ahead2 - back2)) * kGradientScale;
}
KERB_BOTH float second(float back, float here, float ahead) {
  return ((back + ahead) - 2.0F * here) * kSecondScale;
}
KERB_BOTH float mixed(float nw, float ne, float sw, float se) {
  return ((nw + se) - (ne + sw)) * kMixedScale;
}
/// `seen` is 1, or 0 where the vector points out of the picture.
KERB_BOTH Terms terms(float rx, float ry, float a, float b, float c, float seen) {
  const float a2 = a * a, b2 = b * b, c2 = c * c;
  const float rr = rx * rx + ry * ry;
  const float w = seen / ((1.0F + rr * kRobust) * ((0.5F * (a2 + c2) + b2) + kFlat));
  Terms t;
  t.a11 = w * (a2 + b2);
  t.a12 = w * (b * (a + c));
  t.a22 = w * (b2 + c2);
  t.b1 = w * (a * rx + b * ry);
  t.b2 = w * (b * rx + c * ry);
  t.misfit = w * rr;
  return t;
}
/// (1 2 1): 16 times the mean over the window, after both axes.
KERB_BOTH float window3(float before, float here, float behind) {
  return (before + behind) + 2.0F * here;
}

/// To the nearest whole number, half to even; |v| < 2^22.
KERB_BOTH float nearest(float v) { return (v + 12582912.0F) - 12582912.0F; }

/// The vector that fits best: (A + prior) d = A (u - mean) - b, new = mean + d, where the mean is
/// that of the eight neighbours. `sum_u` is the sum of those eight. `prior` is 16 times the
/// setting.
struct Vector {
  int u, v;
};
KERB_BOTH float limited(float v, float reach) {
  return v < -reach ? -reach : v > reach ? reach : v;
}
KERB_BOTH Vector solved(const Terms& t, int u, int v, int sum_u, int sum_v, float prior,
                        float reach) {
  const float mean_u = static_cast<float>(sum_u) * 0.125F;
  const float mean_v = static_cast<float>(sum_v) * 0.125F;
  const float e1 = static_cast<float>(u) - mean_u, e2 = static_cast<float>(v) - mean_v;
  const float unit = static_cast<float>(kUnit);
  const float r1 = (t.a11 * e1 + t.a12 * e2) - unit * t.b1;
  const float r2 = (t.a12 * e1 + t.a22 * e2) - unit * t.b2;
  const float a = t.a11 + prior, c = t.a22 + prior;
  const float scale = 1.0F / (a * c - t.a12 * t.a12);
  const float du = (c * r1 - t.a12 * r2) * scale, dv = (a * r2 - t.a12 * r1) * scale;
  Vector out;
  out.u = static_cast<int>(nearest(limited(mean_u + du, reach)));
  out.v = static_cast<int>(nearest(limited(mean_v + dv, reach)));
  return out;
}

/// How well a vector is determined: the smaller eigenvalue of the window's A against its limit,
/// and how far the pictures are from fitting, both 0..1, multiplied. `texture` is 16 times the
/// setting. The eigenvalue is not computed: det / trace is between half of it and itself.
struct Verdict {
  std::uint8_t quality, flags;
};
KERB_BOTH Verdict verdict(const Terms& t, float texture) {
  const float trace = t.a11 + t.a22, det = t.a11 * t.a22 - t.a12 * t.a12;
  const float smaller = trace > 0.0F ? (det > 0.0F ? det / trace : 0.0F) : 0.0F;
  // In pixels, squared: by how much the window is off, if moving it could mend it.
  const float off = t.misfit / (trace + 1e-6F);
  const float q = (smaller / (smaller + 0.5F)) * (0.05F / (0.05F + off));
  Verdict out;
  out.flags = static_cast<std::uint8_t>((smaller < texture ? kTexturePoor : 0) |
                                        (off > 0.2F ? kInconsistent : 0));
  const int whole = static_cast<int>(nearest(q * 255.0F));
  out.quality = static_cast<std::uint8_t>(smaller < texture ? whole / 4 : whole);
  return out;
}

/// Whether a vector points out of the next picture.
KERB_BOTH bool is_outside(int x, int y, int u, int v, int width, int height) {
  const int px = x * kUnit + u, py = y * kUnit + v;
  return px < 0 || py < 0 || px > (width - 1) * kUnit || py > (height - 1) * kUnit;
}
/// Whether a vector and the one that leads back from its end cancel. `limit` is the tolerance in
/// units, squared.
KERB_BOTH bool leads_back(int u, int v, int back_u, int back_v, float limit) {
  const float du = static_cast<float>(u + back_u), dv = static_cast<float>(v + back_v);
  return du * du + dv * dv <= limit;
}
/// The pixel nearest to where a vector leads, for one that is not outside.
KERB_BOTH int nearest_pixel(int at, int way) { return at + ((way + kUnit / 2) >> kUnitShift); }

/// A vector near whole pixels becomes whole where both pictures' samples are then equal, all nine
/// of the window: pictures that are moved copies of each other give exactly that motion. `first`
/// and `second` point at the pixel and at where the whole vector leads; the window must be within
/// both pictures.
inline constexpr int kNearWhole = 6;
KERB_BOTH int whole(int v) { return ((v + kUnit / 2) >> kUnitShift) * kUnit; }
KERB_BOTH bool is_near_whole(int v) {
  const int off = v - whole(v);
  return off >= -kNearWhole && off <= kNearWhole;
}
KERB_BOTH bool is_same_around(const std::int16_t* first, const std::int16_t* second,
                              std::ptrdiff_t stride) {
  int unlike = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) unlike |= first[j * stride + i] ^ second[j * stride + i];
  return unlike == 0;
}
/// Whether the windows around (x, y) and around where (u, v) leads are within the picture.
KERB_BOTH bool is_inside(int x, int y, int u, int v, int width, int height) {
  const int to_x = nearest_pixel(x, u), to_y = nearest_pixel(y, v);
  return x >= 1 && y >= 1 && x <= width - 2 && y <= height - 2 && to_x >= 1 && to_y >= 1 &&
         to_x <= width - 2 && to_y <= height - 2;
}
KERB_BOTH Vector made_whole(const std::int16_t* first, const std::int16_t* second,
                            std::ptrdiff_t stride, int x, int y, int u, int v, int width,
                            int height) {
  Vector out{u, v};
  if (!is_near_whole(u) || !is_near_whole(v) || !is_inside(x, y, u, v, width, height)) return out;
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(y) * stride + x;
  const std::ptrdiff_t to =
      static_cast<std::ptrdiff_t>(nearest_pixel(y, v)) * stride + nearest_pixel(x, u);
  if (!is_same_around(first + from, second + to, stride)) return out;
  out.u = whole(u);
  out.v = whole(v);
  return out;
}

/// With a mask: whether a wanted pixel is so near that vectors of this tile of a level are needed.
/// The mask comes as cells of kCell x kCell pixels that hold any wanted one.
inline constexpr int kCell = 16;
struct CellRange {
  int x0, y0, x1, y1;
};
KERB_BOTH int cell_before(int at, int shift) { return at <= 0 ? 0 : (at << shift) / kCell; }
KERB_BOTH int cell_behind(int at, int shift, int count) {
  const int cell = (at << shift) / kCell + 1;
  return cell < count ? cell : count;
}
KERB_BOTH CellRange cells_near(int x0, int y0, int x1, int y1, int radius, int shift, int cells_x,
                               int cells_y) {
  return {cell_before(x0 - radius, shift), cell_before(y0 - radius, shift),
          cell_behind(x1 + radius, shift, cells_x), cell_behind(y1 + radius, shift, cells_y)};
}

}  // namespace kerb::flow::lk
