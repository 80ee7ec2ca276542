// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/person_filter.hpp"

#include <algorithm>

#include "firmware/exact/exact_math.hpp"

namespace kerb::track {
namespace {

constexpr double kMinWeight = 0.005;  // of a filter; below, the other one is certain

double prior_distance(const GroundFilter& f, const HeightPrior& height, double pitch,
                      double pitch_sigma) {
  const double tall = (f.state()[GroundFilter::kHeight] - height.mean_m) / height.sigma_m;
  const double nods = (f.state()[GroundFilter::kPitch] - pitch) / pitch_sigma;
  return tall * tall + nods * nods;
}

}  // namespace

bool PersonFilter::begin(const Camera& camera, const FilterSettings& settings, const SeenBox& box,
                         double pitch, double pitch_sigma, bool speed_known) {
  const HeightPrior heights[kKinds] = {settings.adult, settings.child};
  weight_ = {1 - settings.child_share, settings.child_share};
  for (std::size_t i = 0; i < kKinds; ++i)
    if (!as_[i].begin(camera, settings, heights[i], box, pitch, pitch_sigma, speed_known))
      weight_[i] = 0;
  if (!(weight_[kAdult] + weight_[kChild] > 0)) return false;
  weigh();
  blend();
  return is_finite();
}

/// Weighs both filters by the likelihood of the last measurement.
void PersonFilter::weigh() {
  if (weight_[kAdult] == 0 || weight_[kChild] == 0) return;
  const double best = std::max(as_[kAdult].log_fit(), as_[kChild].log_fit());
  for (std::size_t i = 0; i < kKinds; ++i) weight_[i] *= exact::exp(as_[i].log_fit() - best);
  const double sum = weight_[kAdult] + weight_[kChild];
  for (double& w : weight_) {
    w /= sum;
    if (!(w > kMinWeight)) w = 0;
  }
}

void PersonFilter::blend() {
  state_.setZero();
  covariance_.setZero();
  double sum = 0;
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (weight_[i] == 0) continue;
    state_ += weight_[i] * as_[i].state();
    sum += weight_[i];
  }
  state_ /= sum;
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (weight_[i] == 0) continue;
    const State off = as_[i].state() - state_;
    covariance_ += weight_[i] / sum * (as_[i].covariance() + off * off.transpose());
  }
}

void PersonFilter::predict(const Camera& camera, const FilterSettings& settings,
                           const Travelled& way) {
  for (std::size_t i = 0; i < kKinds; ++i)
    if (weight_[i] > 0) as_[i].predict(camera, settings, way);
  blend();
}

void PersonFilter::see_pitch(double pitch, double sigma) {
  for (std::size_t i = 0; i < kKinds; ++i)
    if (weight_[i] > 0) as_[i].see_pitch(pitch, sigma);
  blend();
}

GroundFilter::Expected PersonFilter::expect(const Camera& camera) const {
  std::array<GroundFilter::Expected, kKinds> each;
  GroundFilter::Expected out;
  double sum = 0;
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (weight_[i] == 0) continue;
    each[i] = as_[i].expect(camera);
    if (!each[i].in_front) continue;
    out.box += weight_[i] * each[i].box;
    sum += weight_[i];
  }
  if (!(sum > 0)) return out;
  out.in_front = true;
  out.box /= sum;
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (!each[i].in_front) continue;
    const GroundFilter::Measured off = each[i].box - out.box;
    out.spread += weight_[i] / sum * (each[i].spread + off * off.transpose());
  }
  return out;
}

void PersonFilter::see_box(const Camera& camera, const SeenBox& box) {
  for (std::size_t i = 0; i < kKinds; ++i)
    if (weight_[i] > 0) as_[i].see_box(camera, box);
  weigh();
  blend();
}

void PersonFilter::see_flow(const Camera& camera, const FilterSettings& settings,
                            const Travelled& way, double dx, double dx_sigma, double growth,
                            double growth_sigma) {
  for (std::size_t i = 0; i < kKinds; ++i)
    if (weight_[i] > 0) as_[i].see_flow(camera, settings, way, dx, dx_sigma, growth, growth_sigma);
  weigh();
  blend();
}

double PersonFilter::implausible(const FilterSettings& settings, double pitch,
                                 double pitch_sigma) const {
  const double off =
      weight_[kAdult] * prior_distance(as_[kAdult], settings.adult, pitch, pitch_sigma) +
      weight_[kChild] * prior_distance(as_[kChild], settings.child, pitch, pitch_sigma);
  return std::max(0.0, off - 2);
}

bool PersonFilter::is_finite() const {
  for (std::size_t i = 0; i < kKinds; ++i)
    if (weight_[i] > 0 && !as_[i].is_finite()) return false;
  return weight_[kAdult] + weight_[kChild] > 0;
}

}  // namespace kerb::track
