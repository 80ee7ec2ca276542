// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerb::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scored {
  double score;
  bool is_hit;
};

Curve curve_of(std::vector<Scored> all, double people, double units) {
  std::sort(all.begin(), all.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });
  Curve curve;
  double hits = 0, alarms = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (all[i].is_hit ? hits : alarms) += 1;
    if (i + 1 < all.size() && all[i + 1].score == all[i].score) continue;
    curve.push_back(
        {all[i].score, units > 0 ? alarms / units : 0, people > 0 ? (people - hits) / people : 0});
  }
  return curve;
}

}  // namespace

Curve fppi_curve(const std::vector<Judged>& pictures) {
  std::vector<Scored> all;
  double people = 0;
  for (const Judged& picture : pictures) {
    people += static_cast<double>(picture.people.size());
    for (const JudgedDetection& d : picture.detections)
      if (d.verdict != Verdict::ignored) all.push_back({d.score, d.verdict == Verdict::hit});
  }
  return curve_of(std::move(all), people, static_cast<double>(pictures.size()));
}

Curve fppw_curve(const std::vector<double>& positives, const std::vector<float>& negatives,
                 std::int64_t windows) {
  std::vector<Scored> all;
  for (const double score : positives)
    if (score > -kInfinity) all.push_back({score, true});
  for (const float score : negatives) all.push_back({score, false});
  return curve_of(std::move(all), static_cast<double>(positives.size()),
                  static_cast<double>(windows));
}

CurvePoint at(const Curve& curve, double rate) {
  constexpr double kSlack = 1 + 1e-9;  // 10^-1 and 1 of 10 are the same rate, however rounded
  const auto after =
      std::upper_bound(curve.begin(), curve.end(), rate * kSlack,
                       [](double r, const CurvePoint& point) { return r < point.false_alarms; });
  return after == curve.begin() ? CurvePoint{kInfinity, 0, 1} : *std::prev(after);
}

CurvePoint at_threshold(const Curve& curve, double threshold) {
  const auto after =
      std::upper_bound(curve.begin(), curve.end(), threshold,
                       [](double t, const CurvePoint& point) { return t > point.threshold; });
  if (after == curve.begin()) return {threshold, 0, 1};
  const CurvePoint& last = *std::prev(after);
  return {threshold, last.false_alarms, last.miss_rate};
}

std::vector<double> reference_rates() {
  std::vector<double> rates;
  rates.reserve(9);
  for (int i = 0; i < 9; ++i) rates.push_back(std::pow(10.0, -2 + i * 0.25));
  return rates;
}

double log_average_miss_rate(const Curve& curve) {
  double sum = 0;
  const std::vector<double> rates = reference_rates();
  for (const double rate : rates) sum += std::log(std::max(1e-10, at(curve, rate).miss_rate));
  return std::exp(sum / static_cast<double>(rates.size()));
}

std::vector<HeightBin> by_height(const std::vector<Judged>& pictures,
                                 const std::vector<double>& edges,
                                 const std::vector<double>& thresholds) {
  std::vector<HeightBin> bins(edges.size() + 1);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].from = i == 0 ? 0 : edges[i - 1];
    bins[i].to = i == edges.size() ? kInfinity : edges[i];
    bins[i].missed.assign(thresholds.size(), 0);
  }
  for (const Judged& picture : pictures)
    for (const JudgedPerson& person : picture.people) {
      const auto edge = std::upper_bound(edges.begin(), edges.end(), person.height);
      HeightBin& bin = bins[static_cast<std::size_t>(edge - edges.begin())];
      ++bin.people;
      for (std::size_t t = 0; t < thresholds.size(); ++t)
        if (!person.found || person.score < thresholds[t]) ++bin.missed[t];
    }
  return bins;
}

Curve thinned(const Curve& curve, std::size_t most) {
  if (curve.size() <= most || most < 2) return curve;
  // Along the curve in steps of equal length, where both axes are logarithms.
  const auto place = [](const CurvePoint& p) {
    return std::pair{std::log10(std::max(p.false_alarms, 1e-9)),
                     std::log10(std::max(p.miss_rate, 1e-3))};
  };
  std::vector<double> way(curve.size(), 0);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto [x0, y0] = place(curve[i - 1]);
    const auto [x1, y1] = place(curve[i]);
    way[i] = way[i - 1] + std::abs(x1 - x0) + std::abs(y1 - y0);
  }
  Curve out{curve.front()};
  const double step = way.back() / static_cast<double>(most - 1);
  for (std::size_t i = 1; i + 1 < curve.size() && out.size() + 1 < most; ++i)
    if (way[i] >= step * static_cast<double>(out.size())) out.push_back(curve[i]);
  out.push_back(curve.back());
  return out;
}

}  // namespace kerb::eval
