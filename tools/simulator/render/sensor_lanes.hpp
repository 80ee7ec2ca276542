// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>

#include "tools/simulator/render/draw_view.hpp"
#include "tools/simulator/render/lanes.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/sensor_view.hpp"
#if !defined(KERB_ONE_LANE)
#include "tools/simulator/render/sensor.hpp"
#endif

/// Rows of a picture on their way through the camera, for sources that are compiled for several
/// machines.
namespace kerb::sim {
namespace {

constexpr int kTone = 4096;
constexpr int kBell = 4096;      // normal numbers to draw from
constexpr float kSmear = 0.35F;  // pixels of half the motion below which it is left out

/// Whole pixels at a time.
#if defined(KERB_ONE_LANE)
constexpr int kPixels = 1;
using FP = F4;
KERB_LANE FP root_of(FP x) { return root(x); }
KERB_LANE FP select(I4 mask, FP yes, FP no) { return pick(mask, yes, no); }
#else
constexpr int kPixels = kLanes / 4;
using FP = FN;
#endif
KERB_LANE FP load(const F4* from) {
  FP v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
KERB_LANE void store(F4* to, FP v) { std::memcpy(to, &v, sizeof v); }

/// Motion blur of up to kLanes pixels from x0 on: of the picture `from`, into a row.
KERB_INNER inline void smear_lanes(const F4* from, const Velocity* velocity, int width, int height,
                                   int x0, int y, F4* to) {
  const F4* row = from + at(y * width);
  const std::int16_t* parts = velocity[at(y * width)].data();
  const int count = std::min(int{kLanes}, width - x0);
  IN ix{}, iy{}, number{};
  for (int k = 0; k < kLanes; ++k) {
    const std::int16_t* v = parts + 2 * (x0 + std::min(k, count - 1));
    ix[k] = v[0];
    iy[k] = v[1];
    number[k] = x0 + k;
  }
  const FN vx = as_float(ix) * (1.0F / 64), vy = as_float(iy) * (1.0F / 64);
  const FN ax = size_of(vx), ay = size_of(vy), most = greater(ax, ay);
  const IN still = most < each(kSmear);
  if (bits_of(still) == (1U << kLanes) - 1) {
    for (int k = 0; k < count; ++k) to[x0 + k] = row[x0 + k];
    return;
  }
  IN taps = as_int(1.2F * most) + 2;
  taps = select(taps < each(17), taps, each(17));
  const FN step = 2.0F / as_float(taps), share = 1.0F / as_float(taps);
  const FN far = 1.0F - 0.5F * step;  // of the outermost tap
  const FN px = as_float(number), reach_x = far * ax, reach_y = far * ay;
  const FN py = each(f32(y));
  const IN inside = (px - reach_x > each(0.0F)) & (px + reach_x < each(f32(width) - 1.5F)) &
                    (py - reach_y > each(0.0F)) & (py + reach_y < each(f32(height) - 1.5F));
  // Inside: in steps of 1/65536 pixel.
  const auto fixed = [](FN pixels) { return as_int(pixels * 65536.0F); };
  const IN dx = fixed(step * vx), dy = fixed(step * vy);
  const IN from_x = (number << 16) + 32768 - fixed(far * vx),
           from_y = (each(y) << 16) + 32768 - fixed(far * vy);
  for (int k = 0; k < count; ++k) {
    const int x = x0 + k;
    if (still[k] != 0) {
      to[x] = row[x];
      continue;
    }
    F4 sum = all(0.0F);
    const int n = taps[k];
    if (inside[k] != 0) {
      std::int32_t sx = from_x[k], sy = from_y[k];
      const std::int32_t ex = dx[k], ey = dy[k];
      for (int i = 0; i < n; ++i, sx += ex, sy += ey) sum += from[(sy >> 16) * width + (sx >> 16)];
    } else {
      for (int i = 0; i < n; ++i) {
        const float t = (f32(i) + 0.5F) * step[k] - 1;
        const int sx = std::clamp(floor_int(f32(x) + t * vx[k] + 0.5F), 0, width - 1);
        const int sy = std::clamp(floor_int(f32(y) + t * vy[k] + 0.5F), 0, height - 1);
        sum += from[sy * width + sx];
      }
    }
    to[x] = sum * all(share[k]);
  }
}

#if !defined(KERB_ONE_LANE)
bool smear_row(const Radiance& in, int y, int plane, F4* out) {
  constexpr auto kLeast = static_cast<std::int16_t>(kSmear * 64);
  const std::int16_t* parts = in.velocity[at(y * in.width)].data();
  int most_here = 0;
  for (int x = 0; x < 2 * in.width; ++x) most_here = std::max(most_here, std::abs(int{parts[x]}));
  if (most_here < kLeast) return false;
  for (int x = 0; x < in.width; x += kLanes)
    smear_lanes(in.planes.data()[plane].data(), in.velocity.data(), in.width, in.height, x, y,
                out + at(y * in.width));
  return true;
}
#endif

/// The lens's distortion: what the canvas shows at (sx, sy). `line(y)`: a row of it.
template <typename Line>
KERB_LANE F4 bent_pixel(float x, float y, int width, int height, const Line& line) {
  const float sx = std::clamp(x, 0.0F, f32(width - 1) - 0.01F);
  const float sy = std::clamp(y, 0.0F, f32(height - 1) - 0.01F);
  const int ix = i32(sx), iy = i32(sy);
  const F4 fx = all(sx - f32(ix)), fy = all(sy - f32(iy));
  const F4 *p = line(iy) + ix, *q = line(iy + 1) + ix;
  const F4 top = p[0] + fx * (p[1] - p[0]), bottom = q[0] + fx * (q[1] - q[0]);
  return top + fy * (bottom - top);
}

/// The lens's blur, one way: `pair(k)` is the sum of both neighbours k away.
template <typename V, typename Pair>
KERB_LANE V blurred(const Finishing& f, V middle, const Pair& pair) {
  V v = f.kernel[0] * middle;
  for (int k = 1; k <= f.reach; ++k) v += f.kernel[k] * pair(k);
  return v;
}

/// How bright pixels are, on the tone curve's scale. `row`: this row's own noise.
KERB_LANE FP signal_of(const Finishing& f, const Exposure& e, float row, FP v) {
  v = (v - e.offset) * e.scale;
  if (f.sensor == Sensor::grey) {
    const F4 luma{0.299F, 0.587F, 0.114F, 0};
    F4 parts[kPixels];
    std::memcpy(parts, &v, sizeof v);
    for (F4& one : parts) {
      const F4 l = one * luma;
      one = all(l[0] + l[1] + l[2]);
    }
    std::memcpy(&v, parts, sizeof v);
  }
  const FP zero{}, most = zero + f32(kTone);
  v += row;
  v = select(v > zero, v, zero);
  FP r = (e.curve ? root_of(v) : v) * (kTone / 1.5F);
  return select(r < most, r, most);
}

/// The noise of a whole row; and the state from which its pixels draw theirs.
KERB_LANE float row_noise(const Exposure& e, std::uint64_t seed, int y, std::size_t plane) {
  Dice dice{mix64(seed, static_cast<std::uint64_t>(y) * 8 + plane)};
  return e.row * dice.bell();
}
KERB_LANE std::uint64_t row_state(std::uint64_t seed, int y, std::size_t plane) {
  return mix64(seed ^ 0xABCDEFULL, static_cast<std::uint64_t>(y) * 8 + plane);
}
/// One draw for all channels of a pixel.
KERB_LANE std::uint64_t pixel_chance(std::uint64_t state, int x) {
  std::uint64_t h = state + static_cast<std::uint64_t>(x + 1) * 0x9E3779B97F4A7C15ULL;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
  return h ^ (h >> 29);
}
KERB_LANE std::uint8_t noisy_byte(const Finishing& f, float signal, std::uint64_t chance, int c) {
  const float noisy = signal + f.bell[chance >> (12 * c) & (kBell - 1)] * f.spread[i32(signal)];
  return f.tone[std::clamp(i32(noisy), 0, int{kTone})];
}

#if !defined(KERB_ONE_LANE)
/// One row of one plane: noise and the tone curve. `put(x, bytes)`: kChannels of them.
template <int kChannels, typename Put>
KERB_LANE void add_noise(const Finishing& f, const F4* signal, std::uint64_t state,
                         const Put& put) {
  const float* r = &reinterpret_cast<const float&>(signal[0]);
  for (int x = 0; x < f.width; ++x, r += 4) {
    const std::uint64_t chance = pixel_chance(state, x);
    std::array<std::uint8_t, 4> byte{};
    for (int c = 0; c < kChannels; ++c) byte.data()[c] = noisy_byte(f, r[c], chance, c);
    put(x, byte);
  }
}

void finish_rows(const Finishing& f, int y0, int y1,
                 const std::vector<std::vector<const F4*>>& rows, const Exposure& e,
                 std::uint64_t seed, F4* scratch, std::uint8_t* pixels) {
  const int width = f.width, height = f.height, reach = f.reach;
  F4 *column = scratch + reach, *signal = scratch + width + 2 * reach + kPixels;
  const int side = std::max(1, i32(std::sqrt(f32(at(f.bands))) + 0.5F));
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (int y = y0; y < y1; ++y) {
      const F4* const* lines = rows[p].data();
      const F4* middle = lines[y];
      const auto line = [&](int i) { return lines[std::clamp(i, 0, height - 1)]; };
      // Down the columns.
      int x = 0;
      for (; x + kPixels <= width; x += kPixels)
        store(column + x, blurred(f, load(middle + x), [&](int k) {
                return load(line(y - k) + x) + load(line(y + k) + x);
              }));
      for (; x < width; ++x)
        column[x] = blurred(f, middle[x], [&](int k) { return line(y - k)[x] + line(y + k)[x]; });
      for (int k = 1; k <= reach; ++k) {
        column[-k] = column[0];
        column[width + k - 1] = column[width - 1];
      }
      // Along the row, and how bright it is: on the tone curve's scale. Beyond its end is not used.
      const float row = row_noise(e, seed, y, p);
      for (x = 0; x < width; x += kPixels)
        store(signal + x, signal_of(f, e, row, blurred(f, load(column + x), [&](int k) {
                                      return load(column + x - k) + load(column + x + k);
                                    })));
      const std::uint64_t state = row_state(seed, y, p);
      std::uint8_t* to = pixels + at(y * width) * at(f.channels);
      using Bytes = std::array<std::uint8_t, 4>;
      if (f.sensor == Sensor::rgb) {
        add_noise<3>(f, signal, state,
                     [&](int i, const Bytes& byte) { std::memcpy(to + 3 * i, byte.data(), 3); });
      } else if (f.sensor == Sensor::bands) {
        add_noise<4>(f, signal, state, [&](int i, const Bytes& byte) {
          for (int c = 0; c < 4 && i32(p) * 4 + c < f.channels; ++c)
            to[i * f.channels + 4 * i32(p) + c] = byte.data()[c];
        });
      } else if (f.sensor == Sensor::mosaic) {
        add_noise<4>(f, signal, state, [&](int i, const Bytes& byte) {
          const int band = std::min((y % side) * side + i % side, f.bands - 1);
          if (band / 4 == i32(p)) to[i] = byte.data()[band % 4];
        });
      } else {
        add_noise<1>(f, signal, state, [&](int i, const Bytes& byte) { to[i] = byte.data()[0]; });
      }
    }
}

#endif

}  // namespace
}  // namespace kerb::sim
