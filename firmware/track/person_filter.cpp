// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/person_filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/exact/exact_math.hpp"

namespace kerb::track {
namespace {

constexpr double kMostEvidence = 4;    // of one box or flow between person and thing, log-odds
constexpr double kTallAsPeople = 1.5;  // most that a height speaks for a person, log-odds
constexpr double kMinWeight = 0.005;   // of adult or child; below, the other one is certain

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
  const double shares[kKinds] = {1 - settings.child_share, settings.child_share};
  weight_ = {};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    GroundFilter& walks = as_[index(kind, kWalks)];
    if (!walks.begin(camera, settings, heights[kind], box, pitch, pitch_sigma, speed_known))
      continue;
    GroundFilter& stands = as_[index(kind, kStands)];
    stands = walks;
    stands.stop();
    const double walking = speed_known ? settings.walks_share : 1;
    weight_[index(kind, kWalks)] = shares[kind] * walking;
    weight_[index(kind, kStands)] = shares[kind] * (1 - walking);
  }
  person_evidence_ = flow_evidence_ = pattern_evidence_ = 0;
  pattern_.begin(box);
  heard_ = false;
  thing_known_ = speed_known &&
                 thing_.begin(camera, settings, settings.thing, box, pitch, pitch_sigma, true) &&
                 thing_.is_finite();
  thing_.stop();
  hear(settings, weigh(settings));
  if (!is_finite()) return false;
  blend();
  return true;
}

/// Weighs the filters by the likelihood of the last measurement. Between standing and walking it
/// counts less: the errors of boxes, flow and own motion persist for several frames. Returns how
/// much more likely it is for a person than for a thing, log-odds.
double PersonFilter::weigh(const FilterSettings& settings) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kFilters; ++i)
    if (weight_[i] > 0) best = std::max(best, as_[i].log_fit());
  double sum = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    double& stands = weight_[index(kind, kStands)];
    double& walks = weight_[index(kind, kWalks)];
    const double both = stands + walks;
    if (!(both > 0)) continue;
    const double still = as_[index(kind, kStands)].log_fit() - best;
    const double moves = as_[index(kind, kWalks)].log_fit() - best;
    const double fit = (stands > 0 ? stands * exact::exp(still) : 0) +
                       (walks > 0 ? walks * exact::exp(moves) : 0);  // of adult, of child
    if (stands > 0) stands *= exact::exp(settings.motion_trust * still);
    if (walks > 0) walks *= exact::exp(settings.motion_trust * moves);
    const double scale = fit / (stands + walks);
    stands *= scale;
    walks *= scale;
    sum += fit;
  }
  fit_ = best;
  if (!(sum > 0)) return 0;
  fit_ += exact::log(sum);
  heard_ = true;
  double left = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    double& stands = weight_[index(kind, kStands)];
    double& walks = weight_[index(kind, kWalks)];
    if (!(stands + walks > kMinWeight * sum)) stands = walks = 0;
    left += stands + walks;
  }
  for (double& weight : weight_) weight /= left;
  if (!thing_known_) return 0;
  const double ratio = fit_ - thing_.log_fit();
  return settings.thing_trust * std::clamp(ratio, -kMostEvidence, kMostEvidence);
}

/// A box: its own evidence, and that of the flow which has led to it.
void PersonFilter::hear(const FilterSettings& settings, double evidence) {
  person_evidence_ = std::clamp(person_evidence_ + flow_evidence_ + evidence, settings.thing_least,
                                settings.thing_most);
  flow_evidence_ = 0;
}

PersonFilter::Estimate PersonFilter::blend(std::size_t first, std::size_t last) const {
  Estimate out;
  out.covariance.setZero();
  double sum = 0;
  const auto each = [&](auto&& what) {
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      for (std::size_t motion = first; motion <= last; ++motion)
        if (const std::size_t i = index(kind, motion); weight_[i] > 0) what(weight_[i], as_[i]);
  };
  each([&](double weight, const GroundFilter& filter) {
    out.state += weight * filter.state();
    sum += weight;
  });
  if (!(sum > 0)) return {};
  out.state /= sum;
  each([&](double weight, const GroundFilter& filter) {
    const State off = filter.state() - out.state;
    out.covariance += weight / sum * (filter.covariance() + off * off.transpose());
  });
  return out;
}

/// Some begin to walk, and some stop.
void PersonFilter::change_motion(const FilterSettings& settings, const Travelled& way) {
  const double starts = 1 - exact::exp(-way.seconds * settings.starts_per_s);
  const double stops = 1 - exact::exp(-way.seconds * settings.stops_per_s);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    double& stands = weight_[index(kind, kStands)];
    double& walks = weight_[index(kind, kWalks)];
    GroundFilter& standing = as_[index(kind, kStands)];
    GroundFilter& walking = as_[index(kind, kWalks)];
    const double both = stands + walks;
    if (!(both > 0)) continue;
    if (!way.speed_known) {  // their velocity is the car's, too
      if (walks == 0) walking = standing;
      walks = both;
      stands = 0;
      continue;
    }
    if (stands == 0) {
      standing = walking;
      standing.stop();
      stands = (1 - settings.walks_share) * both;
      walks = settings.walks_share * both;
      continue;
    }
    GroundFilter begins = standing, ends = walking;
    begins.start(settings);
    ends.stop();
    const double begin = stands * starts, end = walks * stops;
    stands += end - begin;
    walks += begin - end;
    if (stands > 0) standing.mix(ends, end / stands);
    if (walks > 0) walking.mix(begins, begin / walks);
  }
}

void PersonFilter::predict(const Camera& camera, const FilterSettings& settings,
                           const Travelled& way) {
  change_motion(settings, way);
  if (!way.speed_known) thing_known_ = false;
  if (thing_known_) thing_.predict_standing(camera, settings, way);
  if (heard_) {
    const double stays = exact::exp(-way.seconds / settings.thing_time_s);
    person_evidence_ *= stays;
    flow_evidence_ *= stays;
    pattern_evidence_ *= stays;
  }
  pattern_.predict(settings, way.seconds);
  heard_ = false;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (weight_[index(kind, kStands)] > 0)
      as_[index(kind, kStands)].predict_standing(camera, settings, way);
    if (weight_[index(kind, kWalks)] > 0) as_[index(kind, kWalks)].predict(camera, settings, way);
  }
  blend();
}

void PersonFilter::see_pitch(double pitch, double sigma) {
  for (std::size_t i = 0; i < kFilters; ++i)
    if (weight_[i] > 0) as_[i].see_pitch(pitch, sigma);
  if (thing_known_) thing_.see_pitch(pitch, sigma);
  blend();
}

GroundFilter::Expected PersonFilter::expect(const Camera& camera) const {
  std::array<GroundFilter::Expected, kFilters> each;
  GroundFilter::Expected out;
  double sum = 0;
  for (std::size_t i = 0; i < kFilters; ++i) {
    if (weight_[i] == 0) continue;
    each[i] = as_[i].expect(camera);
    if (!each[i].in_front) continue;
    out.box += weight_[i] * each[i].box;
    sum += weight_[i];
  }
  if (!(sum > 0)) return out;
  out.in_front = true;
  out.box /= sum;
  for (std::size_t i = 0; i < kFilters; ++i) {
    if (!each[i].in_front) continue;
    const GroundFilter::Measured off = each[i].box - out.box;
    out.spread += weight_[i] / sum * (each[i].spread + off * off.transpose());
  }
  return out;
}

void PersonFilter::see_box(const Camera& camera, const FilterSettings& settings,
                           const SeenBox& box) {
  for (std::size_t i = 0; i < kFilters; ++i)
    if (weight_[i] > 0) as_[i].see_box(camera, settings, box);
  if (thing_known_) thing_.see_box(camera, settings, box);
  if (thing_known_ && !thing_.is_finite()) thing_known_ = false;
  hear(settings, weigh(settings));
  const double ratio = std::clamp(fit_ - pattern_.see_box(box), -kMostEvidence, kMostEvidence);
  pattern_evidence_ = std::clamp(pattern_evidence_ + settings.pattern_trust * ratio,
                                 settings.thing_least, settings.thing_most);
  blend();
}

void PersonFilter::see_flow(const Camera& camera, const FilterSettings& settings,
                            const Travelled& way, double dx, double dx_sigma, double growth,
                            double growth_sigma) {
  for (std::size_t i = 0; i < kFilters; ++i)
    if (weight_[i] > 0) as_[i].see_flow(camera, settings, way, dx, dx_sigma, growth, growth_sigma);
  if (thing_known_) thing_.see_flow(camera, settings, way, dx, dx_sigma, growth, growth_sigma);
  flow_evidence_ =
      std::clamp(flow_evidence_ + weigh(settings), settings.thing_least, settings.thing_most);
  blend();
}

double PersonFilter::implausible(const FilterSettings& settings, double pitch,
                                 double pitch_sigma) const {
  const HeightPrior heights[kKinds] = {settings.adult, settings.child};
  double off = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    for (std::size_t motion = 0; motion < kMotions; ++motion)
      if (const std::size_t i = index(kind, motion); weight_[i] > 0)
        off += weight_[i] * prior_distance(as_[i], heights[kind], pitch, pitch_sigma);
  return std::max(0.0, off - 2);
}

double PersonFilter::height_evidence(const FilterSettings& settings) const {
  const double height = state()[GroundFilter::kHeight];
  const double variance = covariance()(GroundFilter::kHeight, GroundFilter::kHeight);
  const auto density = [height, variance](const HeightPrior& prior) {
    const double v = prior.sigma_m * prior.sigma_m + variance, off = height - prior.mean_m;
    return exact::exp(-0.5 * std::min(off * off / v, 60.0)) / std::sqrt(v);
  };
  const double person = (1 - settings.child_share) * density(settings.adult) +
                        settings.child_share * density(settings.child);
  return std::clamp(exact::log(person / density(settings.thing)), -kMostEvidence, kTallAsPeople);
}

bool PersonFilter::is_finite() const {
  double sum = 0;
  for (std::size_t i = 0; i < kFilters; ++i) {
    if (weight_[i] > 0 && !as_[i].is_finite()) return false;
    sum += weight_[i];
  }
  return sum > 0;
}

}  // namespace kerb::track
