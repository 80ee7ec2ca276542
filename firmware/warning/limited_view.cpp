// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/limited_view.hpp"

#include <algorithm>

namespace kerb {

double stopping_distance_m(double speed_mps, const LimitedViewSettings& settings) noexcept {
  const double v = std::max(0.0, speed_mps);
  return v * settings.reaction_s + v * v / (2 * settings.braking_mps2);
}

bool LimitedViewJudge::step(Nanos now, const std::optional<ViewReport>& view,
                            const std::optional<double>& speed_mps) noexcept {
  if (!settings_.enabled || !view || !view->known || !speed_mps) {
    limited_ = false;
    changing_since_.reset();
    return false;
  }
  const double needed = stopping_distance_m(*speed_mps, settings_);
  const bool short_of = view->distance_m < needed && view->distance_m < kClearShare * view->clear_m;
  const bool enough = view->distance_m > needed + std::max(kMargin * needed, view->sigma_m) ||
                      view->distance_m > kClearShareEnd * view->clear_m;
  if (!(limited_ ? enough : short_of)) {
    changing_since_.reset();
    return limited_;
  }
  if (!changing_since_) changing_since_ = now;
  if (now - *changing_since_ >= (limited_ ? kEnd : kBegin)) {
    limited_ = !limited_;
    changing_since_.reset();
  }
  return limited_;
}

}  // namespace kerb
