// SPDX-License-Identifier: Apache-2.0
#include "tools/track/mounting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kerb::lab {
namespace {

constexpr double kPerson = 1.7;  // metres
constexpr double kJitter = 0.05;
constexpr std::size_t kFewest = 30;
constexpr double kLeastShare = 0.2;
constexpr int kTries = 4000;

struct Seen {
  double foot, height;
  [[nodiscard]] double sigma() const noexcept { return std::max(3.0, kJitter * height); }
};

struct Line {
  double horizon = 0, slope = 0;
  [[nodiscard]] double off(const Seen& s) const noexcept {
    return std::abs(s.foot - horizon - slope * s.height) / s.sigma();
  }
};

/// What the boxes hold against a line; those far off no more than the others.
double cost_of(const Line& line, const std::vector<Seen>& boxes) {
  double cost = 0;
  for (const Seen& s : boxes) cost += std::min(line.off(s), 2.0);
  return cost;
}

Line search(const std::vector<Seen>& boxes) {
  std::uint32_t random = 1;
  const auto draw = [&]() -> const Seen& {
    random = random * 1664525U + 1013904223U;
    return boxes[(random >> 8U) % boxes.size()];
  };
  Line best;
  double least = cost_of(best, boxes);
  for (int i = 0; i < kTries; ++i) {
    const Seen &a = draw(), &b = draw();
    if (std::abs(a.height - b.height) < 0.1 * (a.height + b.height)) continue;
    Line line;
    line.slope = (a.foot - b.foot) / (a.height - b.height);
    line.horizon = a.foot - line.slope * a.height;
    if (const double cost = cost_of(line, boxes); cost < least) {
      least = cost;
      best = line;
    }
  }
  return best;
}

/// The line of least squares through the boxes that agree with `line`, more or less.
Line refined(const Line& line, const std::vector<Seen>& boxes) {
  double w = 0, h = 0, f = 0, hh = 0, hf = 0;
  for (const Seen& s : boxes) {
    if (line.off(s) > 1.5) continue;
    const double weight = 1 / (s.sigma() * s.sigma());
    w += weight;
    h += weight * s.height;
    f += weight * s.foot;
    hh += weight * s.height * s.height;
    hf += weight * s.height * s.foot;
  }
  const double spread = w * hh - h * h;
  if (!(spread > 1e-9 * w * hh)) return line;  // people of one height alone tell no line
  Line out;
  out.slope = (w * hf - h * f) / spread;
  out.horizon = (f - out.slope * h) / w;
  return out;
}

}  // namespace

std::optional<Mounting> fit_mounting(const std::vector<eval::Box>& people, double focal_px,
                                     double center_y, double picture_height) {
  std::vector<Seen> boxes;
  for (const eval::Box& b : people)
    if (b.y > 2 && b.y + b.h < picture_height - 2) boxes.push_back({b.y + b.h, b.h});
  if (boxes.size() < kFewest) return std::nullopt;
  const Line line = refined(search(boxes), boxes);
  const auto agree =
      std::count_if(boxes.begin(), boxes.end(), [&](const Seen& s) { return line.off(s) < 1; });
  Mounting out;
  out.boxes = static_cast<int>(boxes.size());
  out.share = static_cast<double>(agree) / static_cast<double>(boxes.size());
  out.height_m = line.slope * kPerson;
  out.pitch_deg = std::atan((line.horizon - center_y) / focal_px) * 180 / std::numbers::pi;
  const bool is_camera = out.height_m >= 0.3 && out.height_m <= 10 && std::abs(out.pitch_deg) < 30;
  if (out.share < kLeastShare || !is_camera) return std::nullopt;
  return out;
}

}  // namespace kerb::lab
