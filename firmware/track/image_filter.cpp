// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/image_filter.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::track {
namespace {
double square(double x) noexcept { return x * x; }
}  // namespace

std::array<double, ImageFilter::kAxes> ImageFilter::measured(const Detection& box) noexcept {
  const auto w = static_cast<double>(box.w), h = static_cast<double>(box.h);
  return {static_cast<double>(box.x) + w / 2, static_cast<double>(box.y) + h / 2, h};
}

std::array<double, ImageFilter::kAxes> ImageFilter::jitter(const ImageFilterSettings& s,
                                                           double height) noexcept {
  return {square(s.column_jitter * height), square(s.row_jitter * height),
          square(s.height_jitter * height)};
}

void ImageFilter::begin(const ImageFilterSettings& s, const Detection& box) noexcept {
  const auto place = measured(box);
  const double height = place[kHeight];
  const auto variance = jitter(s, height);
  for (std::size_t i = 0; i < kAxes; ++i)
    at_[i] = {place[i], 0, variance[i], 0, square(s.start_speed * height), place[i]};
}

void ImageFilter::predict(const ImageFilterSettings& s, double seconds, double dx) noexcept {
  const double unit = square(std::max(height(), 1.0));
  for (ImageAxis& a : at_) {
    a.before = a.place;
    a.place += seconds * a.rate;
    a.pp += seconds * (2 * a.pr + seconds * a.rr) +
            unit * (s.drift * seconds + s.wander * seconds * seconds * seconds / 3);
    a.pr += seconds * a.rr + unit * s.wander * seconds * seconds / 2;
    a.rr += unit * s.wander * seconds;
  }
  at_[kColumn].place += dx;
  at_[kHeight].place = std::max(at_[kHeight].place, 1.0);
}

void ImageFilter::see(ImageAxis& a, double place, double variance) noexcept {
  const double spread = a.pp + variance;
  const double gain = a.pp / spread, rate_gain = a.pr / spread, off = place - a.place;
  a.place += gain * off;
  a.rate += rate_gain * off;
  a.rr -= rate_gain * a.pr;
  a.pr -= gain * a.pr;
  a.pp -= gain * a.pp;
}

void ImageFilter::see_flow(const ImageFilterSettings& s, double seconds,
                           const BoxFlow& flow) noexcept {
  if (flow.points <= 0 || !(seconds > 0)) return;
  const double height = std::max(at_[kHeight].before, 1.0);
  const double moved[kAxes] = {static_cast<double>(flow.dx), static_cast<double>(flow.dy),
                               height * static_cast<double>(flow.growth)};
  const double px = static_cast<double>(flow.sigma_px);
  const double growth = height * static_cast<double>(flow.growth_sigma);
  const double noise[kAxes] = {
      square(px) + square(s.flow_share * moved[0]) + square(s.flow_least * height),
      square(px) + square(s.flow_share * moved[1]) + square(s.flow_least * height),
      square(growth) + square(s.flow_share * moved[2]) + square(s.growth_least * height)};
  // The displacement since the previous frame is seconds * rate: a measurement of the rate.
  for (std::size_t i = 0; i < kAxes; ++i) {
    ImageAxis& a = at_[i];
    const double off = moved[i] - (a.place - a.before);
    const double spread = seconds * seconds * a.rr + noise[i];
    if (!(square(off) <= square(s.flow_gate) * spread)) continue;  // another thing's flow
    const double gain = seconds * a.rr / spread, place_gain = seconds * a.pr / spread;
    a.place += place_gain * off;
    a.rate += gain * off;
    a.pp -= place_gain * seconds * a.pr;
    a.pr -= place_gain * seconds * a.rr;
    a.rr -= gain * seconds * a.rr;
  }
}

void ImageFilter::see_box(const ImageFilterSettings& s, const Detection& box) noexcept {
  const auto place = measured(box);
  const auto variance = jitter(s, place[kHeight]);
  for (std::size_t i = 0; i < kAxes; ++i) see(at_[i], place[i], variance[i]);
  at_[kHeight].place = std::max(at_[kHeight].place, 1.0);
}

double ImageFilter::distance2(const ImageFilterSettings& s, const Detection& box) const noexcept {
  const auto place = measured(box);
  const auto variance = jitter(s, std::max(place[kHeight], height()));
  double sum = 0;
  for (std::size_t i = 0; i < kAxes; ++i)
    sum += square(place[i] - at_[i].place) / (at_[i].pp + variance[i]);
  return sum;
}

Detection ImageFilter::box(double width_share) const noexcept {
  const double h = at_[kHeight].place, w = width_share * h;
  return {static_cast<float>(at_[kColumn].place - w / 2),
          static_cast<float>(at_[kRow].place - h / 2), static_cast<float>(w), static_cast<float>(h),
          0};
}

}  // namespace kerb::track
