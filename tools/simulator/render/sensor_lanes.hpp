// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>

#include "tools/simulator/render/lanes.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/sensor.hpp"

/// Rows of a picture on their way through the camera, for sources that are compiled for several
/// machines.
namespace kerb::sim {
namespace {

constexpr int kTone = 4096;
constexpr int kBell = 4096;      // normal numbers to draw from
constexpr float kSmear = 0.35F;  // pixels of half the motion below which it is left out

KERB_LANE FN load(const F4* from) {
  FN v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
KERB_LANE void store(F4* to, FN v) { std::memcpy(to, &v, sizeof v); }

bool smear_row(const Radiance& in, int y, int plane, F4* out) {
  constexpr auto kLeast = static_cast<std::int16_t>(kSmear * 64);
  const std::array<std::int16_t, 2>* velocity = in.velocity.data() + at(y * in.width);
  const std::int16_t* parts = velocity->data();
  int most_here = 0;
  for (int x = 0; x < 2 * in.width; ++x) most_here = std::max(most_here, std::abs(int{parts[x]}));
  if (most_here < kLeast) return false;
  const F4* from = in.planes.data()[plane].data();
  const F4* row = from + at(y * in.width);
  F4* to = out + at(y * in.width);
  for (int x0 = 0; x0 < in.width; x0 += kLanes) {
    const int count = std::min(kLanes, in.width - x0);
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
      continue;
    }
    IN taps = as_int(1.2F * most) + 2;
    taps = taps < each(17) ? taps : each(17);
    const FN step = 2.0F / as_float(taps), share = 1.0F / as_float(taps);
    const FN far = 1.0F - 0.5F * step;  // of the outermost tap
    const FN px = as_float(number), reach_x = far * ax, reach_y = far * ay;
    const FN py = each(f32(y));
    const IN inside = (px - reach_x > each(0.0F)) & (px + reach_x < each(f32(in.width) - 1.5F)) &
                      (py - reach_y > each(0.0F)) & (py + reach_y < each(f32(in.height) - 1.5F));
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
        for (int i = 0; i < n; ++i, sx += ex, sy += ey)
          sum += from[(sy >> 16) * in.width + (sx >> 16)];
      } else {
        for (int i = 0; i < n; ++i) {
          const float t = (f32(i) + 0.5F) * step[k] - 1;
          const int sx = std::clamp(floor_int(f32(x) + t * vx[k] + 0.5F), 0, in.width - 1);
          const int sy = std::clamp(floor_int(f32(y) + t * vy[k] + 0.5F), 0, in.height - 1);
          sum += from[sy * in.width + sx];
        }
      }
      to[x] = sum * all(share[k]);
    }
  }
  return true;
}

/// One row of one plane: noise and the tone curve. `put(x, bytes)`: kChannels of them.
template <int kChannels, typename Put>
KERB_LANE void add_noise(const Finishing& f, const F4* signal, std::uint64_t state,
                         const Put& put) {
  const float* r = &reinterpret_cast<const float&>(signal[0]);
  for (int x = 0; x < f.width; ++x, r += 4) {
    std::uint64_t h = state += 0x9E3779B97F4A7C15ULL;  // one draw for all channels
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
    h ^= h >> 29;
    std::array<std::uint8_t, 4> byte{};
    for (int c = 0; c < kChannels; ++c) {
      const float noisy = r[c] + f.bell[h >> (12 * c) & (kBell - 1)] * f.spread[i32(r[c])];
      byte.data()[c] = f.tone[std::clamp(i32(noisy), 0, kTone)];
    }
    put(x, byte);
  }
}

void finish_rows(const Finishing& f, int y0, int y1,
                 const std::vector<std::vector<const F4*>>& rows, const Exposure& e,
                 std::uint64_t seed, F4* scratch, std::uint8_t* pixels) {
  constexpr int kPixels = kLanes / 4;  // in a vector
  const int width = f.width, height = f.height, reach = f.reach;
  F4 *column = scratch + reach, *signal = scratch + width + 2 * reach + kPixels;
  const int side = std::max(1, i32(std::sqrt(f32(at(f.bands))) + 0.5F));
  const FN zero = each(0.0F), most = each(f32(kTone));
  const F4 luma{0.299F, 0.587F, 0.114F, 0};
  const float to_tone = kTone / 1.5F;
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (int y = y0; y < y1; ++y) {
      const F4* const* lines = rows[p].data();
      const F4* middle = lines[y];
      const auto line = [&](int i) { return lines[std::clamp(i, 0, height - 1)]; };
      // Down the columns.
      int x = 0;
      for (; x + kPixels <= width; x += kPixels) {
        FN v = f.kernel[0] * load(middle + x);
        for (int k = 1; k <= reach; ++k)
          v += f.kernel[k] * (load(line(y - k) + x) + load(line(y + k) + x));
        store(column + x, v);
      }
      for (; x < width; ++x) {
        F4 v = all(f.kernel[0]) * middle[x];
        for (int k = 1; k <= reach; ++k) v += all(f.kernel[k]) * (line(y - k)[x] + line(y + k)[x]);
        column[x] = v;
      }
      for (int k = 1; k <= reach; ++k) {
        column[-k] = column[0];
        column[width + k - 1] = column[width - 1];
      }
      // Along the row, and how bright it is: on the tone curve's scale. Beyond its end is not used.
      Dice row_dice{mix64(seed, static_cast<std::uint64_t>(y) * 8 + p)};
      const float row = e.row * row_dice.bell();
      for (x = 0; x < width; x += kPixels) {
        FN v = f.kernel[0] * load(column + x);
        for (int k = 1; k <= reach; ++k)
          v += f.kernel[k] * (load(column + x - k) + load(column + x + k));
        v = (v - e.offset) * e.scale;
        if (f.sensor == Sensor::grey) {
          F4 parts[kPixels];
          std::memcpy(parts, &v, sizeof v);
          for (F4& one : parts) {
            const F4 l = one * luma;
            one = all(l[0] + l[1] + l[2]);
          }
          std::memcpy(&v, parts, sizeof v);
        }
        v += row;
        v = v > zero ? v : zero;
        FN r = (e.curve ? root_of(v) : v) * to_tone;
        r = r < most ? r : most;
        store(signal + x, r);
      }
      const std::uint64_t state = mix64(seed ^ 0xABCDEFULL, static_cast<std::uint64_t>(y) * 8 + p);
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

}  // namespace
}  // namespace kerb::sim
