// SPDX-License-Identifier: Apache-2.0
#include "tools/spectral/roc.hpp"

#include <algorithm>
#include <cstddef>

namespace kerb::spectral {

Roc roc_of(std::vector<float> target, std::vector<float> background) {
  std::sort(target.begin(), target.end());
  std::sort(background.begin(), background.end());
  Roc roc;
  roc.points.push_back({0, 0});
  const auto hits = static_cast<double>(target.size()),
             others = static_cast<double>(background.size());
  for (std::size_t i = 0, j = 0; i < target.size() || j < background.size();) {
    const bool from_target =
        j == background.size() || (i < target.size() && target[i] <= background[j]);
    const float value = from_target ? target[i] : background[j];
    while (i < target.size() && target[i] == value) ++i;
    while (j < background.size() && background[j] == value) ++j;
    const RocPoint next{static_cast<double>(j) / others, static_cast<double>(i) / hits};
    const RocPoint last = roc.points.back();
    roc.area += (next.false_rate - last.false_rate) * (next.hit_rate + last.hit_rate) / 2;
    if (roc.points.size() > 1) {  // straight on, up or to the right: one point is enough
      const RocPoint before = roc.points[roc.points.size() - 2];
      const bool up = before.false_rate == last.false_rate && last.false_rate == next.false_rate;
      const bool right = before.hit_rate == last.hit_rate && last.hit_rate == next.hit_rate;
      if (up || right) roc.points.pop_back();
    }
    roc.points.push_back(next);
  }
  return roc;
}

double Roc::hits_at(double false_rate) const noexcept {
  if (points.empty()) return 0;
  // The last point with no more false ones.
  const auto after =
      std::upper_bound(points.begin(), points.end(), false_rate,
                       [](double rate, const RocPoint& p) { return rate < p.false_rate; });
  if (after == points.begin()) return points.front().hit_rate;
  const RocPoint& a = *(after - 1);
  if (after == points.end()) return a.hit_rate;
  const double along = (false_rate - a.false_rate) / (after->false_rate - a.false_rate);
  return a.hit_rate + along * (after->hit_rate - a.hit_rate);
}

}  // namespace kerb::spectral
