// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/ground.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kerb::emd {
namespace {

bool are_whole(const std::vector<double>& costs) {
  return std::all_of(costs.begin(), costs.end(),
                     [](double c) { return c <= kMaxCost && c == std::floor(c); });
}

/// The smallest positive cost where all others are multiples of it, else 0.
double common_step(const std::vector<double>& costs) {
  double step = 0;
  for (const double c : costs)
    if (c > 0 && (step == 0 || c < step)) step = c;
  if (step == 0) return 0;
  for (const double c : costs) {
    const double times = c / step, whole = std::floor(times + 0.5);
    if (times > 65535 || std::abs(times - whole) > 1e-6 * times) return 0;
  }
  return step;
}

bool is_line(const Ground& g) {
  for (int i = 0; i < g.bins(); ++i) {
    std::int64_t way = 0;
    for (int j = i; j < g.bins(); ++j) {
      if (j > i) way += g.cost(j - 1, j);
      if (g.cost(i, j) != way || g.cost(j, i) != way) return false;
    }
  }
  return true;
}

bool is_circle(const Ground& g) {
  const int n = g.bins();
  const std::int32_t step = g.cost(0, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int apart = std::abs(i - j);
      if (g.cost(i, j) != std::int64_t{step} * std::min(apart, n - apart)) return false;
    }
  return true;
}

bool is_flat(const Ground& g) {
  for (int i = 0; i < g.bins(); ++i)
    for (int j = 0; j < g.bins(); ++j)
      if (g.cost(i, j) != (i == j ? 0 : g.cost(0, 1))) return false;
  return true;
}

GroundKind kind_of(const Ground& g) {
  if (is_line(g)) return GroundKind::line;
  if (is_flat(g)) return GroundKind::flat;
  return is_circle(g) ? GroundKind::circle : GroundKind::general;
}

bool is_a_metric(const Ground& g) {
  for (int i = 0; i < g.bins(); ++i)
    for (int j = 0; j < g.bins(); ++j) {
      if ((g.cost(i, j) == 0) != (i == j) || g.cost(i, j) != g.cost(j, i)) return false;
      for (int k = 0; k < g.bins(); ++k)
        if (g.cost(i, j) > g.cost(i, k) + g.cost(k, j)) return false;
    }
  return true;
}

Error bad_ground(const char* what) { return {Errc::invalid_argument, 0, "ground distance", what}; }

template <typename Cost>
Result<Ground> made_by(int bins, const Cost& cost) {
  std::vector<float> costs;
  for (int i = 0; i < bins; ++i)
    for (int j = 0; j < bins; ++j) costs.push_back(static_cast<float>(cost(i, j)));
  return Ground::create(bins, costs.data(), costs.size());
}

}  // namespace

const char* name_of(GroundKind kind) noexcept {
  switch (kind) {
    case GroundKind::line:
      return "line";
    case GroundKind::circle:
      return "circle";
    case GroundKind::flat:
      return "flat";
    case GroundKind::general:
      break;
  }
  return "general";
}

Result<Ground> Ground::create(int bins, const float* costs, std::size_t count) {
  if (bins < kMinBins || bins > kMaxBins) return bad_ground("bins: 2..16");
  if (costs == nullptr || count != static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins))
    return bad_ground("there must be bins x bins costs");
  std::vector<double> all{costs, costs + count};
  if (!std::all_of(all.begin(), all.end(), [](double c) { return std::isfinite(c) && c >= 0; }))
    return bad_ground("costs must be numbers >= 0");
  Ground made;
  made.bins_ = bins;
  if (!are_whole(all)) {
    const double step = common_step(all);
    made.unit_ = step > 0 ? step : *std::max_element(all.begin(), all.end()) / kMaxCost;
    // The smallest floats are too few to be told apart in multiples of a larger number of bits.
    if (!(made.unit_ > 0)) return bad_ground("costs are too small to tell apart");
  }
  for (int i = 0; i < bins; ++i)
    for (int j = 0; j < bins; ++j) {
      const double c = all[static_cast<std::size_t>(i) * static_cast<std::size_t>(bins) +
                           static_cast<std::size_t>(j)] /
                       made.unit_;
      const auto whole =
          std::min(static_cast<std::int32_t>(std::floor(c + 0.5)), std::int32_t{kMaxCost});
      made.costs_[place(i, j)] = whole;
      made.largest_ = std::max(made.largest_, whole);
    }
  made.kind_ = kind_of(made);
  made.is_metric_ = is_a_metric(made);
  return made;
}

Result<Ground> Ground::line(int bins) {
  if (bins < kMinBins || bins > kMaxBins) return bad_ground("bins: 2..16");
  return made_by(bins, [](int i, int j) { return std::abs(i - j); });
}

Result<Ground> Ground::circle(int bins) {
  if (bins < kMinBins || bins > kMaxBins) return bad_ground("bins: 2..16");
  return made_by(
      bins, [bins](int i, int j) { return std::min(std::abs(i - j), bins - std::abs(i - j)); });
}

}  // namespace kerb::emd
