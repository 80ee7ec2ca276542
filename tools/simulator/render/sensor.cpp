// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/sensor.hpp"

#include <array>

#include "tools/simulator/render/noise.hpp"

namespace kerb::sim {
namespace {

constexpr int kTone = 4096;
constexpr int kStrip = 16;  // rows a task does

/// A camera's curve: some contrast in the middle, a toe, and a shoulder that keeps bright skies.
float tone(float x) {
  const float shoulder = x < 0.6F ? x : 0.6F + 0.4F * (1 - std::exp(-(x - 0.6F) / 0.4F));
  const float s = srgb_of(std::min(shoulder, 1.0F));
  const float bent = s * s * (3 - 2 * s);
  return mix(s, bent, 0.28F);
}

F4 root(F4 x) {
  return F4{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}

/// Four about normal numbers from 128 bits: the sum of four bytes each.
F4 bell(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kBytes = 0x00FF00FF00FF00FFULL, kWords = 0x0000FFFF0000FFFFULL;
  const auto quarters = [](std::uint64_t v) {
    const std::uint64_t s = (v & kBytes) + (v >> 8 & kBytes);
    return (s & kWords) + (s >> 16 & kWords);  // two sums of four bytes
  };
  const std::uint64_t p = quarters(a), q = quarters(b);
  const I4 sums{static_cast<std::int32_t>(p & 0xFFFFU), static_cast<std::int32_t>(p >> 32),
                static_cast<std::int32_t>(q & 0xFFFFU), static_cast<std::int32_t>(q >> 32)};
  return (__builtin_convertvector(sums, F4) - all(510.0F)) * all(1 / 147.801F);
}

}  // namespace

SensorModel::SensorModel(const CameraSpec& spec, const Lens& lens, const Canvas& canvas,
                         Sensor sensor)
    : spec_{spec}, canvas_{canvas}, sensor_{sensor} {
  const int bands = i32(spec.bands.size());
  channels_ = sensor == Sensor::rgb ? 3 : sensor == Sensor::bands ? std::max(bands, 1) : 1;
  planes_ = sensor == Sensor::bands || sensor == Sensor::mosaic ? std::max(1, (bands + 3) / 4) : 1;
  smeared_.resize(at(planes_));
  bent_.resize(at(planes_));
  for (std::vector<F4>& p : smeared_) p.resize(at(canvas.width * canvas.height));
  if (!lens.straight()) {
    looks_.resize(at(spec.width * spec.height));
    for (int y = 0; y < spec.height; ++y)
      for (int x = 0; x < spec.width; ++x) {
        bool ok = false;
        const Vec2 ray = lens.ray({f32(x), f32(y)}, ok);
        looks_[at(y * spec.width + x)] = {f32(canvas.centre_x + canvas.focal * ray.x),
                                          f32(canvas.centre_y + canvas.focal * ray.y)};
      }
    for (std::vector<F4>& p : bent_) p.resize(at(spec.width * spec.height));
  }
  // Four samples spread over each pixel have blurred by about 0.28 already, the bending by 0.3.
  const double had = 0.28 * 0.28 + (lens.straight() ? 0 : 0.09);
  const double sigma = std::sqrt(std::max(0.0, spec.blur_px * spec.blur_px - had));
  const int reach = sigma < 0.05 ? 0 : std::max(1, static_cast<int>(std::ceil(2.5 * sigma)));
  double sum = 0;
  for (int i = 0; i <= reach; ++i) {
    const double w = sigma > 0 ? std::exp(-i * i / (2 * sigma * sigma)) : 1;
    kernel_.push_back(f32(w));
    sum += i == 0 ? w : 2 * w;
  }
  for (float& w : kernel_) w = f32(w / sum);
  tone_.resize(kTone + 1);
  for (int i = 0; i <= kTone; ++i) {
    const float r = f32(i) / kTone * 1.5F;  // up to 2.25 of full scale
    tone_[at(i)] = static_cast<std::uint8_t>(clamp01(tone(r * r)) * 255.0F + 0.5F);
  }
}

Exposure SensorModel::meter(const Radiance& in, const Light& light, double exposure_s,
                            bool automatic) const {
  Exposure out;
  const bool thermal = sensor_ == Sensor::thermal;
  double sum = 0, weight = 0;
  float low = 1e9F, high = -1e9F;
  for (int y = in.height / 4; y < in.height; y += 8)
    for (int x = 0; x < in.width; x += 8) {
      const F4 v = in.planes[0][at(y * in.width + x)];
      low = std::min(low, v[0]);
      high = std::max(high, v[0]);
      const float l = channels_ == 1 && !thermal && planes_ == 1
                          ? 0.25F * v[0] + 0.65F * v[1] + 0.1F * v[2]
                          : (v[0] + v[1] + v[2]) / 3;
      // Bright sky counts little: cameras for cars look at the road.
      sum += std::log2(std::max(l, 1e-5F));
      weight += 1;
    }
  if (thermal) {
    out.offset = std::max(low, -6.0F);
    out.scale = 1 / std::max(high - out.offset, 12.0F);
    out.read = 0.004F * 0.004F;
    out.row = 0.004F;
    out.curve = false;
  } else {
    const float mean = std::exp2(f32(sum / std::max(weight, 1.0)));
    if (automatic) {
      out.scale = 0.17F / std::max(mean, std::max(light.darkest, 0.001F));
    } else {  // a fixed time: full scale at 36 klux in 1/250 s
      out.scale = f32(exposure_s / 0.004) / 36.0F;
    }
    const float gain = light.gain * spec_.noise > 0 ? light.gain : 0.0F;
    out.photon = 0.00010F * gain * gain;
    out.read = 0.0000022F * gain * gain;
    out.row = 0.0006F * gain;
  }
  const float k = f32(spec_.noise);
  out.photon *= k * k;
  out.read *= k * k;
  out.row *= k;
  return out;
}

void SensorModel::smear_rows(const Radiance& in, int y0, int y1, int plane,
                             std::vector<F4>& out) const {
  const std::vector<F4>& from = in.planes[at(plane)];
  for (int y = y0; y < y1; ++y)
    for (int x = 0; x < in.width; ++x) {
      const std::size_t i = at(y * in.width + x);
      const float vx = in.velocity[i][0] * (1.0F / 64), vy = in.velocity[i][1] * (1.0F / 64);
      const float most = std::max(std::abs(vx), std::abs(vy));
      if (most < 0.2F) {
        out[i] = from[i];
        continue;
      }
      const int taps = std::min(2 * i32(most) + 3, 25);
      F4 sum = all(0.0F);
      for (int k = 0; k < taps; ++k) {
        const float t = (2 * f32(k) + 1) / f32(taps) - 1;
        const int sx = std::clamp(floor_int(f32(x) + t * vx + 0.5F), 0, in.width - 1);
        const int sy = std::clamp(floor_int(f32(y) + t * vy + 0.5F), 0, in.height - 1);
        sum += from[at(sy * in.width + sx)];
      }
      out[i] = sum * all(1 / f32(taps));
    }
}

void SensorModel::bend_rows(const std::vector<F4>& in, int y0, int y1, std::vector<F4>& out) const {
  for (int y = y0; y < y1; ++y)
    for (int x = 0; x < spec_.width; ++x) {
      const std::size_t i = at(y * spec_.width + x);
      const float sx = std::clamp(looks_[i].x, 0.0F, f32(canvas_.width - 1) - 0.01F);
      const float sy = std::clamp(looks_[i].y, 0.0F, f32(canvas_.height - 1) - 0.01F);
      const int ix = i32(sx), iy = i32(sy);
      const F4 fx = all(sx - f32(ix)), fy = all(sy - f32(iy));
      const F4* p = in.data() + at(iy * canvas_.width + ix);
      const F4 top = p[0] + fx * (p[1] - p[0]);
      const F4 bottom = p[canvas_.width] + fx * (p[canvas_.width + 1] - p[canvas_.width]);
      out[i] = top + fy * (bottom - top);
    }
}

void SensorModel::finish_rows(int y0, int y1, const std::vector<std::vector<F4>*>& planes,
                              const Exposure& e, std::uint64_t seed,
                              std::vector<std::uint8_t>& pixels) const {
  const int width = spec_.width, height = spec_.height, reach = i32(kernel_.size()) - 1;
  thread_local std::vector<F4> column;
  column.resize(at(width));
  const int side = std::max(1, i32(std::sqrt(f32(spec_.bands.size())) + 0.5F));
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const std::vector<F4>& in = *planes[p];
    for (int y = y0; y < y1; ++y) {
      for (int x = 0; x < width; ++x) {  // down the columns
        F4 sum = all(kernel_[0]) * in[at(y * width + x)];
        for (int k = 1; k <= reach; ++k)
          sum += all(kernel_[at(k)]) * (in[at(std::max(y - k, 0) * width + x)] +
                                        in[at(std::min(y + k, height - 1) * width + x)]);
        column[at(x)] = sum;
      }
      Dice row_dice{mix64(seed, static_cast<std::uint64_t>(y) * 8 + p)};
      const float row = e.row * row_dice.bell();
      std::uint64_t state = mix64(seed ^ 0xABCDEFULL, static_cast<std::uint64_t>(y) * 8 + p);
      for (int x = 0; x < width; ++x) {
        F4 v = all(kernel_[0]) * column[at(x)];
        for (int k = 1; k <= reach; ++k)
          v += all(kernel_[at(k)]) *
               (column[at(std::max(x - k, 0))] + column[at(std::min(x + k, width - 1))]);
        v = (v - all(e.offset)) * all(e.scale);
        if (sensor_ == Sensor::grey) v = all(0.299F * v[0] + 0.587F * v[1] + 0.114F * v[2]);
        v = v > all(0.0F) ? v : all(0.0F);
        const std::uint64_t a = mix64(state), b = mix64(state + 1);
        state += 2;
        v += bell(a, b) * root(all(e.photon) * v + all(e.read)) + all(row);
        std::array<std::uint8_t, 4> byte{};
        if (e.curve) {
          v = v > all(0.0F) ? v : all(0.0F);
          const F4 r = root(v) * all(kTone / 1.5F);
          for (int c = 0; c < 4; ++c) byte[at(c)] = tone_[at(std::min(i32(r[c]), kTone))];
        } else {
          for (int c = 0; c < 4; ++c)
            byte[at(c)] = static_cast<std::uint8_t>(clamp01(v[c]) * 255.0F + 0.5F);
        }
        const std::size_t i = at(y * width + x);
        if (sensor_ == Sensor::rgb) {
          pixels[3 * i] = byte[0];
          pixels[3 * i + 1] = byte[1];
          pixels[3 * i + 2] = byte[2];
        } else if (sensor_ == Sensor::bands) {
          for (int c = 0; c < 4 && i32(p) * 4 + c < channels_; ++c)
            pixels[i * at(channels_) + 4 * p + at(c)] = byte[at(c)];
        } else if (sensor_ == Sensor::mosaic) {
          const int band = (y % side) * side + x % side;
          if (band / 4 == i32(p)) pixels[i] = byte[at(band % 4)];
        } else {
          pixels[i] = byte[0];
        }
      }
    }
  }
}

void SensorModel::develop(Workers& workers, Radiance& in, bool moves, const Exposure& exposure,
                          std::uint64_t seed, std::vector<std::uint8_t>& pixels) {
  pixels.resize(at(spec_.width * spec_.height * channels_));
  std::vector<std::vector<F4>*> now;
  for (std::vector<F4>& p : in.planes) now.push_back(&p);
  if (moves) {
    workers.run((in.height + kStrip - 1) / kStrip, [&](int i, int) {
      for (int p = 0; p < planes_; ++p)
        smear_rows(in, i * kStrip, std::min((i + 1) * kStrip, in.height), p, smeared_[at(p)]);
    });
    for (int p = 0; p < planes_; ++p) now[at(p)] = &smeared_[at(p)];
  }
  if (!looks_.empty()) {
    workers.run((spec_.height + kStrip - 1) / kStrip, [&](int i, int) {
      for (int p = 0; p < planes_; ++p)
        bend_rows(*now[at(p)], i * kStrip, std::min((i + 1) * kStrip, spec_.height), bent_[at(p)]);
    });
    for (int p = 0; p < planes_; ++p) now[at(p)] = &bent_[at(p)];
  }
  workers.run((spec_.height + kStrip - 1) / kStrip, [&](int i, int) {
    finish_rows(i * kStrip, std::min((i + 1) * kStrip, spec_.height), now, exposure, seed, pixels);
  });
}

}  // namespace kerb::sim
