// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/sensor.hpp"

#include <array>

#include "tools/simulator/render/sensor_lanes.hpp"

namespace kerb::sim {
namespace {

constexpr int kStrip = 16;  // rows a task does

/// A camera's curve: some contrast in the middle, a toe, and a shoulder that keeps bright skies.
float tone(float x) {
  const float shoulder = x < 0.6F ? x : 0.6F + 0.4F * (1 - std::exp(-(x - 0.6F) / 0.4F));
  const float s = srgb_of(std::min(shoulder, 1.0F));
  const float bent = s * s * (3 - 2 * s);
  return mix(s, bent, 0.28F);
}

/// The number below which this part of normal numbers lies (Acklam's rational approximation of the
/// middle, and its tails).
double quantile(double p) {
  if (p > 0.5) return -quantile(1 - p);
  if (p < 0.02425) {
    const double q = std::sqrt(-2 * std::log(p));
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1);
  }
  const double q = p - 0.5, r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1);
}

}  // namespace

const RowWork& base::row_work() noexcept {
  static constexpr RowWork kWork{smear_row, finish_rows};
  return kWork;
}

const RowWork& row_work() noexcept {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::row_work();
#endif
  return base::row_work();
}

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
    canvas_points_.resize(at(spec.width * spec.height));
    for (int y = 0; y < spec.height; ++y)
      for (int x = 0; x < spec.width; ++x) {
        bool ok = false;
        const Vec2 ray = lens.ray({f32(x), f32(y)}, ok);
        canvas_points_[at(y * spec.width + x)] = {f32(canvas.centre_x + canvas.focal * ray.x),
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
  for (int i = 0; i < kBell; ++i) bell_.push_back(f32(quantile((i + 0.5) / kBell)));
  spread_.resize(kTone + 1);
  rows_.resize(at(planes_));
  for (std::vector<const F4*>& r : rows_) r.resize(at(std::max(spec.height, canvas.height)));
  tone_.resize(kTone + 1);
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
    out.row = 0.0006F * gain * light.row;
  }
  const float k = f32(spec_.noise);
  out.photon *= k * k;
  out.read *= k * k;
  out.row *= k;
  return out;
}

void SensorModel::bend_rows(const std::vector<const F4*>& in, int y0, int y1,
                            std::vector<F4>& out) const {
  for (int y = y0; y < y1; ++y)
    for (int x = 0; x < spec_.width; ++x) {
      const std::size_t i = at(y * spec_.width + x);
      out[i] = bent_pixel(canvas_points_[i].x, canvas_points_[i].y, canvas_.width, canvas_.height,
                          [&](int line) { return in[at(line)]; });
    }
}

Finishing SensorModel::finishing(const Exposure& exposure) {
  // The noise on the tone curve's own scale: of the signal v = r^2, dr = dv / 2 r.
  for (int i = 0; i <= kTone; ++i) {
    const float r = f32(i) / kTone * 1.5F;
    const float v = exposure.curve ? r * r : r;
    const float deviation = std::sqrt(exposure.photon * v + exposure.read);
    const float slope = exposure.curve ? 2 * std::max(r, std::sqrt(deviation)) : 1;
    spread_[at(i)] = deviation / slope * (kTone / 1.5F);
    const float level = exposure.curve ? tone(r * r) : r;
    tone_[at(i)] = static_cast<std::uint8_t>(std::lround(clamp01(level) * 255.0F));
  }
  return {spec_.width,    spec_.height, i32(spec_.bands.size()),
          channels_,      sensor_,      i32(kernel_.size()) - 1,
          kernel_.data(), tone_.data(), bell_.data(),
          spread_.data(), kTone + 1,    kBell};
}

void SensorModel::develop(Workers& workers, const Radiance& in, bool moves,
                          const Exposure& exposure, std::uint64_t seed, const RowWork& work,
                          std::vector<std::uint8_t>& pixels) {
  pixels.resize(at(spec_.width * spec_.height * channels_));
  for (int p = 0; p < planes_; ++p)
    for (int y = 0; y < in.height; ++y)
      rows_[at(p)][at(y)] = in.planes[at(p)].data() + at(y * in.width);
  if (moves)
    workers.run(in.height, [&](int y, int) {
      for (int p = 0; p < planes_; ++p)
        if (work.smear(in, y, p, smeared_[at(p)].data()))
          rows_[at(p)][at(y)] = smeared_[at(p)].data() + at(y * in.width);
    });
  const int strips = (spec_.height + kStrip - 1) / kStrip;
  if (!canvas_points_.empty()) {
    workers.run(strips, [&](int i, int) {
      for (int p = 0; p < planes_; ++p)
        bend_rows(rows_[at(p)], i * kStrip, std::min((i + 1) * kStrip, spec_.height), bent_[at(p)]);
    });
    for (int p = 0; p < planes_; ++p)
      for (int y = 0; y < spec_.height; ++y)
        rows_[at(p)][at(y)] = bent_[at(p)].data() + at(y * spec_.width);
  }
  const Finishing how = finishing(exposure);
  scratch_.resize(at(workers.count()));
  workers.run(strips, [&](int i, int worker) {
    std::vector<F4>& scratch = scratch_[at(worker)];
    scratch.resize(at(how.scratch()));
    work.finish(how, i * kStrip, std::min((i + 1) * kStrip, spec_.height), rows_, exposure, seed,
                scratch.data(), pixels.data());
  });
}

}  // namespace kerb::sim
