// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/motion_watch.hpp"

#include <algorithm>
#include <utility>

namespace kerb::ego {

MotionWatch::MotionWatch(std::unique_ptr<FlowEstimator> flow, const Camera& camera,
                         const EgoSettings& ego, const MotionWatchSettings& settings)
    : flow_{std::move(flow)},
      ego_{camera, ego},
      settings_{settings},
      field_{std::make_unique<MotionField>()} {}

Result<bool> MotionWatch::measure(const PreparedImage& image, Nanos captured) {
  const Nanos since = last_ > Nanos::zero() ? captured - last_ : Nanos::zero();
  if (since > Nanos::zero() && since < settings_.longest_pause && debt_ > Nanos::zero()) {
    debt_ -= settings_.flow_budget;
    ++totals_.passed;
    return false;
  }
  // A recording that starts again goes back in time; a camera that was away leaves a gap.
  if (since <= Nanos::zero() || since > settings_.longest_gap) {
    flow_->forget();
    ego_.reset();
  }
  last_ = Nanos::zero();
  interval_ = since;
  if (Status done = flow_->estimate(image, settings_.points, *field_); !done) {
    ego_.reset();
    return done.error();
  }
  last_ = captured;
  return true;
}

void MotionWatch::spent(Nanos time) noexcept {
  if (settings_.flow_budget <= Nanos::zero()) return;
  // One slow frame is not paid for for long.
  debt_ =
      std::clamp(debt_ + time - settings_.flow_budget, Nanos::zero(), 8 * settings_.flow_budget);
}

void MotionWatch::judge(const VehicleMotion& vehicle, const DetectionList& people,
                        MotionReport& out) {
  const int count = std::clamp(people.count, 0, DetectionList::kCapacity);
  for (int i = 0; i < count; ++i) {
    const Detection& d = people.items[i];
    suspects_[static_cast<std::size_t>(i)] = {double{d.x}, double{d.y}, double{d.w}, double{d.h}};
  }
  const auto n = static_cast<std::size_t>(count);
  flow_->look_closer(people.items, count, kPointsAPerson, *field_);
  out.at = last_;
  out.ego = ego_.update(*field_, interval_, vehicle, std::span{suspects_}.first(n));
  ++totals_.frames;
  if (out.ego.state == EgoState::valid) ++totals_.valid;
  out.people = count;
  for (std::size_t i = 0; i < n; ++i) {
    out.boxes[i] = people.items[i];
    out.of[i] = ego_.region(suspects_[i]);
    switch (out.of[i].verdict) {
      case RegionVerdict::moving:
        ++totals_.moving;
        break;
      case RegionVerdict::standing:
        ++totals_.standing;
        break;
      case RegionVerdict::unknown:
        ++totals_.unknown;
        break;
    }
  }
  out.totals = totals_;
}

}  // namespace kerb::ego
