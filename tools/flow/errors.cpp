// SPDX-License-Identifier: Apache-2.0
#include "tools/flow/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kerb::lab {
namespace {

constexpr unsigned kValidBit = 1, kMaskedBit = 16;  // flow's; a test holds them together

double distance(const Field& a, const Field& b, std::size_t i) {
  const double d = std::hypot(static_cast<double>(a.u[i]) - static_cast<double>(b.u[i]),
                              static_cast<double>(a.v[i]) - static_cast<double>(b.v[i]));
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// Degrees; atan2 of cross and dot product, which is exact for small angles as acos is not.
double angle(const Field& a, const Field& b, std::size_t i) {
  const auto u = static_cast<double>(a.u[i]), v = static_cast<double>(a.v[i]);
  const auto p = static_cast<double>(b.u[i]), q = static_cast<double>(b.v[i]);
  const double cross = std::hypot(v - q, p - u, u * q - v * p);
  const double radians = std::atan2(cross, u * p + v * q + 1);
  return (std::isnan(radians) ? std::numbers::pi : radians) * 180 / std::numbers::pi;
}

/// Whether the pixel's truth is known, and its vector was asked for.
bool counts(const Field& field, const Field& truth, std::size_t i) {
  return is_known(truth.u[i], truth.v[i]) &&
         (field.flags.empty() || (field.flags[i] & kMaskedBit) == 0);
}

Status check(const Field& field, const Field& truth) {
  if (field.width != truth.width || field.height != truth.height)
    return Error{Errc::invalid_argument, 0, "compare flow", "the fields differ in size"};
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (counts(field, truth, i)) return Done{};
  return Error{Errc::invalid_argument, 0, "compare flow", "the truth of no pixel is known"};
}

bool is_valid(const Field& field, std::size_t i) {
  return field.flags.empty() || (field.flags[i] & kValidBit) != 0;
}

}  // namespace

Result<FlowErrors> flow_errors(const Field& field, const Field& truth) {
  if (Status ok = check(field, truth); !ok) return ok.error();
  FlowErrors out;
  std::size_t valid = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!counts(field, truth, i)) continue;
    const double error = distance(field, truth, i);
    ++out.pixels;
    out.end_point += error;
    out.angular += angle(field, truth, i);
    out.over_one += error > 1 ? 1 : 0;
    out.over_three += error > 3 ? 1 : 0;
    if (!is_valid(field, i)) continue;
    ++valid;
    out.valid_error += error;
  }
  const auto n = static_cast<double>(out.pixels);
  out.end_point /= n;
  out.angular /= n;
  out.over_one /= n;
  out.over_three /= n;
  out.valid_share = static_cast<double>(valid) / n;
  out.valid_error /= static_cast<double>(std::max<std::size_t>(1, valid));
  return out;
}

Result<std::vector<CoveragePoint>> coverage_curve(const Field& field, const Field& truth) {
  if (Status ok = check(field, truth); !ok) return ok.error();
  std::vector<CoveragePoint> curve;
  if (field.quality.empty()) return curve;
  constexpr std::size_t kGrades = 512;  // valid ones above the others, each by quality
  std::vector<double> count(kGrades), sum(kGrades);
  double all = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!counts(field, truth, i)) continue;
    const std::size_t grade = field.quality[i] + (is_valid(field, i) ? kGrades / 2 : 0);
    count[grade] += 1;
    sum[grade] += distance(field, truth, i);
    all += 1;
  }
  for (int step = 20; step >= 1; --step) {
    const double coverage = step / 20.0;
    double left = coverage * all, error = 0;
    for (std::size_t grade = kGrades; grade-- > 0 && left > 0;) {
      if (count[grade] == 0) continue;
      const double taken = std::min(left, count[grade]);
      error += sum[grade] * (taken / count[grade]);
      left -= taken;
    }
    curve.push_back({coverage, error / (coverage * all)});
  }
  return curve;
}

}  // namespace kerb::lab
