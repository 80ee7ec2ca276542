// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_levels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kerb {
namespace {

constexpr Nanos kDarkAfter = std::chrono::seconds{3}, kLightAfter = std::chrono::seconds{10};
constexpr double kClear = 0.9;  // of the view in good light: it is as long
constexpr double kFade_per_s = 0.5;
constexpr double kSteps = 100;

/// Where a dial stands between the lowest level and the full one.
double on_dial(double lowest, double told) noexcept {
  return lowest + (1 - lowest) * std::clamp(told, 0.0, 1.0);
}

}  // namespace

void AlertLevels::look(Nanos now, const std::optional<ViewReport>& view) noexcept {
  if (!view || !view->known) {
    doubted_since_.reset();  // nobody knows: as it was
    return;
  }
  // Of a view that was short a moment ago, one picture may say that nothing ends it.
  const bool clears_up =
      view->limit == ViewLimit::size && view->distance_m < kClear * view->clear_m;
  if (clears_up || view->limit == ViewLimit::people) return;
  if ((view->limit == ViewLimit::light) == dark_) {
    doubted_since_.reset();
    return;
  }
  if (!doubted_since_) doubted_since_ = now;
  if (now - *doubted_since_ < (dark_ ? kLightAfter : kDarkAfter)) return;
  dark_ = !dark_;
  doubted_since_.reset();
}

AlertLevel AlertLevels::step(Nanos now, std::optional<double> told_brightness,
                             std::optional<double> told_volume,
                             const std::optional<ViewReport>& view) noexcept {
  look(now, view);
  const double by_light = dark_ ? settings_.darkest : 1;
  const double wanted = told_brightness ? on_dial(settings_.darkest, *told_brightness) : by_light;
  const double passed = last_ ? std::chrono::duration<double>{now - *last_}.count() : 0;
  const double step = std::max(passed, 0.0) * kFade_per_s;
  brightness_ += std::clamp(wanted - brightness_, -step, step);
  last_ = now;
  AlertLevel out;
  out.brightness = std::round(brightness_ * kSteps) / kSteps;
  out.volume = told_volume ? on_dial(settings_.quietest, *told_volume)
               : dark_     ? settings_.night_volume
                           : 1;
  return out;
}

}  // namespace kerb
