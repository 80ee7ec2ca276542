// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hal/base/splitmix.hpp"
#include "tools/eval/curves.hpp"

namespace kerb::eval {
namespace {

constexpr double kOutside = 0.025;  // of the rounds, on either side of an interval

struct DrawnDetection {
  double score;
  std::size_t picture;
  bool is_hit;
};

/// The curve of pictures of which each is there several times or not at all.
class WeightedCurve {
 public:
  explicit WeightedCurve(const std::vector<Judged>& pictures) : people_(pictures.size()) {
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      people_[i] = static_cast<double>(pictures[i].people.size());
      for (const JudgedDetection& d : pictures[i].detections)
        if (d.verdict != Verdict::ignored) all_.push_back({d.score, i, d.verdict == Verdict::hit});
    }
    std::sort(all_.begin(), all_.end(),
              [](const DrawnDetection& a, const DrawnDetection& b) { return a.score > b.score; });
  }

  /// False where nobody is in them.
  bool read(const std::vector<double>& weights, Curve& out) const {
    double people = 0, pictures = 0, hits = 0, alarms = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      people += weights[i] * people_[i];
      pictures += weights[i];
    }
    out.clear();
    if (people <= 0) return false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      (all_[i].is_hit ? hits : alarms) += weights[all_[i].picture];
      if (i + 1 < all_.size() && all_[i + 1].score == all_[i].score) continue;
      out.push_back({all_[i].score, alarms / pictures, (people - hits) / people});
    }
    return true;
  }

 private:
  std::vector<double> people_;
  std::vector<DrawnDetection> all_;
};

void draw(SplitMix64& random, std::size_t block, std::vector<double>& weights) {
  const std::size_t blocks = (weights.size() + block - 1) / block;
  std::fill(weights.begin(), weights.end(), 0);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t first = static_cast<std::size_t>(random.next() % blocks) * block;
    for (std::size_t k = first; k < std::min(first + block, weights.size()); ++k) weights[k] += 1;
  }
}

Interval middle(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  const auto value = [&](double share) {
    return values[static_cast<std::size_t>(std::lround(share * last))];
  };
  return {value(kOutside), value(1 - kOutside)};
}

}  // namespace

Intervals resample(const std::vector<Judged>& pictures, const std::vector<double>& rates,
                   const std::vector<double>& thresholds, const Resampling& how) {
  const WeightedCurve curves{pictures};
  SplitMix64 random{how.seed};
  std::vector<double> weights(pictures.size());
  Curve curve;
  std::vector<double> averages;
  std::vector<std::vector<double>> at_rates(rates.size()), misses(thresholds.size()),
      alarms(thresholds.size());
  while (std::ssize(averages) < how.rounds) {
    draw(random, static_cast<std::size_t>(how.block), weights);
    if (!curves.read(weights, curve)) continue;
    averages.push_back(log_average_miss_rate(curve));
    for (std::size_t i = 0; i < rates.size(); ++i)
      at_rates[i].push_back(at(curve, rates[i]).miss_rate);
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
      const CurvePoint point = at_threshold(curve, thresholds[i]);
      misses[i].push_back(point.miss_rate);
      alarms[i].push_back(point.false_alarms);
    }
  }
  Intervals out;
  out.log_average = middle(averages);
  for (std::vector<double>& values : at_rates) out.at_rates.push_back(middle(values));
  for (std::vector<double>& values : misses) out.misses_at.push_back(middle(values));
  for (std::vector<double>& values : alarms) out.false_alarms_at.push_back(middle(values));
  return out;
}

}  // namespace kerb::eval
