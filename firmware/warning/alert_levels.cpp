// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_levels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kerb {
namespace {

constexpr Nanos kDarkAfter = std::chrono::seconds{3}, kLightAfter = std::chrono::seconds{10};
constexpr Nanos kMostPassed = std::chrono::milliseconds{100};  // of a round that came late
constexpr double kClear = 0.9;  // of the view in good light: it is as long
constexpr double kFadeRate_hz = 0.5;
constexpr double kSteps = 100;

/// Where a dial stands between the lowest level and the full one.
double on_dial(double lowest, double told) noexcept {
  return lowest + (1 - lowest) * std::clamp(told, 0.0, 1.0);
}

}  // namespace

void AlertLevels::look(Nanos passed, const std::optional<ViewReport>& view) noexcept {
  if (!view || !view->known) {
    doubt_ = {};  // nobody knows: as it was
    return;
  }
  // Of a view that was short a moment ago, one picture may say that nothing ends it.
  const bool clears_up =
      view->limit == ViewLimit::size && view->distance_m < kClear * view->clear_m;
  if (clears_up || view->limit == ViewLimit::people) return;
  if ((view->limit == ViewLimit::light) == dark_) {
    doubt_ = {};
    return;
  }
  doubt_ += passed;
  if (doubt_ < (dark_ ? kLightAfter : kDarkAfter)) return;
  dark_ = !dark_;
  doubt_ = {};
}

AlertLevel AlertLevels::step(Nanos now, std::optional<double> told_brightness,
                             std::optional<double> told_volume,
                             const std::optional<ViewReport>& view) noexcept {
  const Nanos passed = last_ ? std::clamp(now - *last_, Nanos::zero(), kMostPassed) : Nanos::zero();
  last_ = now;
  look(passed, view);
  const double by_light = dark_ ? settings_.darkest : 1;
  const double wanted = told_brightness ? on_dial(settings_.darkest, *told_brightness) : by_light;
  const double step = std::chrono::duration<double>{passed}.count() * kFadeRate_hz;
  brightness_ += std::clamp(wanted - brightness_, -step, step);
  AlertLevel out;
  out.brightness = std::round(brightness_ * kSteps) / kSteps;
  out.volume = told_volume ? on_dial(settings_.quietest, *told_volume)
               : dark_     ? settings_.night_volume
                           : 1;
  return out;
}

}  // namespace kerb
