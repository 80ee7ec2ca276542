// SPDX-License-Identifier: Apache-2.0
#include "firmware/visibility/view_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "firmware/exact/exact_math.hpp"

namespace kerb {
namespace {

/// Fixed settings of ViewEstimator.
struct ViewEstimatorTuning {
  double picture_s = 1;                        ///< time constant over which pictures are averaged
  double longest_gap_s = 1;                    ///< without a picture: then begin again
  double most_spread = 3, farthest_m = 10000;  ///< more is no measurement
  double nearest_m = 0.5;                      ///< the least distance
  // People.
  double first_bin_m = 4, bin_ratio = 1.3;
  double memory_s = 10;        ///< for which they count
  double apart_s = 0.5;        ///< looks at one person nearer in time are not independent
  double most_looks = 8;       ///< in one bin
  double side_m = 6;           ///< of the car's middle: farther people are not searched for
  double margin_px = 8;        ///< from the edge of the picture
  double covered = 0.3;        ///< share of the box behind a nearer person: then hidden
  double found_within = 0.90;  ///< probability that a person is found nearer than the distance,
  double found_beyond = 0.40;  ///< and beyond: light clothes are seen farther
  double edge = 6;             ///< exponent of the change between the two
  int steps = 12;              ///< of the search, to each side,
  double reach = 3;            ///< over so many standard deviations
  double by_people = 0.9;      ///< of the pictures' distance: less is because of people
};
constexpr ViewEstimatorTuning kTuning{};

/// The share of `box` that `other` covers.
double covered(const Detection& box, const Detection& other) noexcept {
  const float w = std::min(box.x + box.w, other.x + other.w) - std::max(box.x, other.x);
  const float h = std::min(box.y + box.h, other.y + other.h) - std::max(box.y, other.y);
  const float area = box.w * box.h;
  return w > 0 && h > 0 && area > 0 ? static_cast<double>(w * h / area) : 0;
}

}  // namespace

void ViewEstimator::load(FieldReader& in) noexcept {
  list(in, *this);
  const auto within = [](double value, double least, double most) {
    return value >= least && value <= most;
  };
  bool sane = within(log_distance_, -10, 10) && within(spread_, 0, kTuning.most_spread);
  for (const auto* looks : {&found_, &missed_})
    for (const double count : *looks) sane = sane && within(count, 0, kTuning.most_looks);
  if (sane) return;
  *this = ViewEstimator{width_, height_, axle_to_bumper_m_};
  in.fail();
}

void ViewEstimator::collect(double dt, const track::PersonList& people) noexcept {
  for (int i = 0; i < people.count; ++i) {
    const track::Person& person = people.items[i];
    const double ahead = person.x_m - axle_to_bumper_m_;
    if (!person.confirmed || !(ahead > 0) || !(std::abs(person.y_m) < kTuning.side_m)) continue;
    const Detection& box = person.box;
    const double margin = kTuning.margin_px;
    if (!(box.x >= margin && box.y >= margin && box.x + box.w <= width_ - margin &&
          box.y + box.h <= height_ - margin))
      continue;
    bool hidden = false;
    for (int k = 0; k < people.count && !person.seen; ++k)
      hidden = hidden || (k != i && people.items[k].x_m < person.x_m &&
                          covered(box, people.items[k].box) > kTuning.covered);
    if (hidden) continue;
    const double step = exact::log(ahead / kTuning.first_bin_m) / exact::log(kTuning.bin_ratio);
    const auto bin = static_cast<std::size_t>(std::clamp(step, 0.0, kBins - 1.0));
    double& looks = person.seen ? found_[bin] : missed_[bin];
    looks = std::min(looks + std::min(dt, kTuning.apart_s) / kTuning.apart_s, kTuning.most_looks);
  }
}

ViewReport ViewEstimator::step(Nanos captured, const ViewMeasurement& measured,
                               const track::PersonList& people, bool looked) noexcept {
  ViewReport out;
  const bool usable = measured.known && measured.distance_m >= 0 &&
                      measured.distance_m <= kTuning.farthest_m && measured.clear_m > 0 &&
                      measured.spread >= 0 && measured.spread <= kTuning.most_spread;
  if (!usable) {
    known_ = false;
    return out;
  }
  const double dt = static_cast<double>((captured - at_).count()) * 1e-9;
  const double now = exact::log(std::max(measured.distance_m, kTuning.nearest_m));
  if (!known_ || dt > kTuning.longest_gap_s || dt < 0) {
    known_ = true;
    log_distance_ = now;
    spread_ = measured.spread;
    found_.fill(0);
    missed_.fill(0);
  } else {
    const double share = dt / kTuning.picture_s;
    log_distance_ += share * (now - log_distance_);
    spread_ += share * (measured.spread - spread_);
    const double forget = dt / kTuning.memory_s;
    for (double& looks : found_) looks -= forget * looks;
    for (double& looks : missed_) looks -= forget * looks;
    if (looked) collect(dt, people);
  }
  at_ = captured;

  std::array<double, kBins> bin_logs{};
  for (int bin = 0; bin < kBins; ++bin)
    bin_logs[static_cast<std::size_t>(bin)] =
        exact::log(kTuning.first_bin_m) + (bin + 0.5) * exact::log(kTuning.bin_ratio);
  // The distance that explains pictures and people best, by its probability.
  double sum = 0, first = 0, second = 0;
  for (int i = -kTuning.steps; i <= kTuning.steps; ++i) {
    const double off = kTuning.reach * i / kTuning.steps;  // standard deviations
    const double log_distance = log_distance_ + off * spread_;
    double log_weight = -0.5 * off * off;
    for (std::size_t b = 0; b < bin_logs.size(); ++b) {
      if (found_[b] + missed_[b] < 1e-3) continue;
      const double beyond = 1 / (1 + exact::exp(-kTuning.edge * (bin_logs[b] - log_distance)));
      const double p =
          kTuning.found_within + beyond * (kTuning.found_beyond - kTuning.found_within);
      log_weight += found_[b] * exact::log(p) + missed_[b] * exact::log(1 - p);
    }
    const double weight = exact::exp(log_weight);
    sum += weight;
    first += weight * log_distance;
    second += weight * log_distance * log_distance;
  }
  const double mean = first / sum;
  const double deviation = std::sqrt(std::max(0.0, second / sum - mean * mean));
  out.known = true;
  out.clear_m = measured.clear_m;
  out.distance_m = std::min(exact::exp(mean), measured.clear_m);
  out.sigma_m = out.distance_m * deviation;
  out.limit =
      mean < log_distance_ + exact::log(kTuning.by_people) ? ViewLimit::people : measured.limit;
  return out;
}

}  // namespace kerb
