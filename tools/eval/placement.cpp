// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kerb::eval {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kEdge_px = 1;  // a box that ends so near the picture's edge is cut by it

double middle(const Box& b) noexcept { return b.x + b.w / 2; }
double foot_row(const Box& b) noexcept { return b.y + b.h; }

BoxError compare(const Box& truth, const ScoredBox& detection, int picture_height,
                 const std::optional<RoadCamera>& camera) {
  const Box& found = detection.box;
  BoxError out;
  out.height = truth.h;
  out.score = detection.score;
  out.cut_off = foot_row(truth) >= picture_height - kEdge_px;
  out.foot_right_px = middle(found) - middle(truth);
  if (out.cut_off) return out;
  out.foot_down_px = foot_row(found) - foot_row(truth);
  if (truth.y > kEdge_px && truth.h > 0) out.height_percent = 100 * (found.h / truth.h - 1);
  if (!camera || foot_row(truth) <= camera->horizon_row) return out;
  const double is = distance_m(*camera, foot_row(truth));
  const double seen = distance_m(*camera, foot_row(found));
  out.distance_m = seen - is;
  out.distance_percent = 100 * (seen / is - 1);
  return out;
}

/// Of sorted values, which may be infinite.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  if (part <= 0 || sorted[below] == sorted[below + 1]) return sorted[below];
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

PlacementBin bin_of(const std::vector<BoxError>& errors, double from, double to, double threshold) {
  PlacementBin bin;
  bin.from = from;
  bin.to = to;
  std::vector<double> down, right, height, metres, percent;
  const auto add = [](const std::optional<double>& error, std::vector<double>& errors_of) {
    if (error) errors_of.push_back(*error);
  };
  for (const BoxError& e : errors) {
    if (e.score < threshold || e.height < from || e.height >= to) continue;
    ++bin.found;
    if (e.cut_off) ++bin.cut_off;
    if (e.distance_m && !std::isfinite(*e.distance_m)) ++bin.above_horizon;
    right.push_back(e.foot_right_px);
    add(e.foot_down_px, down);
    add(e.height_percent, height);
    add(e.distance_m, metres);
    add(e.distance_percent, percent);
  }
  bin.foot_down_px = summarise(down);
  bin.foot_right_px = summarise(right);
  bin.height_percent = summarise(height);
  bin.distance_m = summarise(metres);
  bin.distance_percent = summarise(percent);
  return bin;
}

}  // namespace

double distance_m(const RoadCamera& camera, double row) noexcept {
  const double below = row - camera.horizon_row;
  return below > 0 ? camera.focal_px * camera.height_m / below : kUnlimited;
}

std::vector<BoxError> box_errors(const std::vector<PictureBoxes>& pictures,
                                 const std::optional<RoadCamera>& camera) {
  std::vector<BoxError> out;
  for (const PictureBoxes& picture : pictures)
    for (const JudgedDetection& d : picture.judged->detections)
      if (d.verdict == Verdict::hit) {
        const std::size_t truth = picture.judged->people[d.person].truth;
        out.push_back(compare((*picture.truth)[truth].box, (*picture.detections)[d.index],
                              picture.height, camera));
      }
  return out;
}

ErrorSummary summarise(const std::vector<double>& errors) {
  ErrorSummary out;
  if (errors.empty()) return out;
  out.people = static_cast<int>(errors.size());
  std::vector<double> sorted = errors;
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const double error : sorted) sum += error;
  out.mean = sum / static_cast<double>(sorted.size());
  out.median = quantile(sorted, 0.5);
  for (double& error : sorted) error = std::abs(error);
  std::sort(sorted.begin(), sorted.end());
  out.abs_median = quantile(sorted, 0.5);
  out.abs_p90 = quantile(sorted, 0.9);
  return out;
}

std::vector<PlacementBin> placement_by_height(const std::vector<BoxError>& errors,
                                              const std::vector<double>& edges, double threshold) {
  std::vector<PlacementBin> bins;
  for (std::size_t i = 0; i <= edges.size(); ++i)
    bins.push_back(bin_of(errors, i == 0 ? 0 : edges[i - 1],
                          i == edges.size() ? kUnlimited : edges[i], threshold));
  bins.push_back(bin_of(errors, 0, kUnlimited, threshold));
  return bins;
}

}  // namespace kerb::eval
