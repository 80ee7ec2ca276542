// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/motion_estimator.hpp"

#include <algorithm>
#include <utility>

namespace kerb::ego {

MotionEstimator::MotionEstimator(std::unique_ptr<FlowEstimator> flow, const Camera& camera,
                                 const EgoSettings& ego, const MotionEstimatorSettings& settings)
    : flow_{std::move(flow)},
      ego_{camera, ego},
      settings_{settings},
      field_{std::make_unique<MotionField>()} {}

double MotionEstimator::share() const noexcept {
  return static_cast<double>(settings_.flow_budget.count()) /
         static_cast<double>(std::max<Nanos::rep>(settings_.frame_interval.count(), 1));
}

bool MotionEstimator::is_too_long(Nanos time) const noexcept {
  return static_cast<double>(time.count()) >
         share() * static_cast<double>(settings_.slowest_measurement.count());
}

Result<bool> MotionEstimator::measure(const PreparedImage& image, Nanos captured) {
  const Nanos since_seen = captured - seen_, before = seen_;
  // A recording that restarts goes back in time; a camera that was away leaves a gap.
  const bool gap =
      seen_ == Nanos::zero() || since_seen <= Nanos::zero() || since_seen > settings_.longest_gap;
  seen_ = captured;
  compared_ = false;
  if (gap) {
    flow_->forget();
    ego_.reset();
    last_ = Nanos::zero();
  } else {
    const Nanos earned{static_cast<Nanos::rep>(share() * static_cast<double>(since_seen.count()))};
    debt_ = std::max(debt_ - earned, -settings_.flow_budget);
    rest_ = std::max(rest_ - since_seen, Nanos::zero());
  }
  // The time for a frame that was only kept is spent: the next is compared with it despite debt.
  const bool promised = kept_ && last_ == before;
  kept_ = false;
  if (rest_ > Nanos::zero() || (!gap && !promised && debt_ > Nanos::zero())) {
    ++totals_.passed;
    return false;
  }
  const Nanos since = last_ > Nanos::zero() ? captured - last_ : Nanos::zero();
  // After a pause the previous frame is too old: this one is kept for comparison with the next.
  const bool only_kept = !gap && last_ != before && since > settings_.longest_pair;
  if (only_kept) {
    flow_->forget();
    ego_.pass(since);
  }
  interval_ = since;
  last_ = Nanos::zero();
  if (Status done = flow_->estimate(image, settings_.points, *field_); !done) {
    ego_.reset();
    return done.error();
  }
  last_ = captured;
  if (only_kept) {
    ++totals_.passed;
    kept_ = true;
    return false;
  }
  compared_ = field_->has_previous;
  return true;
}

void MotionEstimator::spent(Nanos time) noexcept {
  if (settings_.flow_budget <= Nanos::zero()) return;
  // Even after a stall of the machine, no debt lasts longer than slowest_measurement.
  const Nanos most{static_cast<Nanos::rep>(
      share() * static_cast<double>(settings_.slowest_measurement.count()))};
  debt_ = std::min(debt_ + time, std::max(most, settings_.flow_budget));
  if (!std::exchange(compared_, false)) {
    keeping_ = kept_ ? time : Nanos::zero();
    return;
  }
  measurement_time_ = time + std::exchange(keeping_, Nanos::zero());  // of one whole comparison
  if (!is_too_long(measurement_time_)) {
    slow_count_ = 0;
    next_rest_ = Nanos::zero();
  } else if (++slow_count_ >= kSlowCount) {
    slow_count_ = kSlowCount;
    rest();
  }
}

void MotionEstimator::rest() noexcept {
  rest_ = std::clamp(next_rest_, settings_.first_rest, settings_.longest_rest);
  next_rest_ = 2 * rest_;
}

void MotionEstimator::expect(Nanos time) noexcept {
  if (settings_.flow_budget <= Nanos::zero() || !is_too_long(time)) return;
  measurement_time_ = time;
  slow_count_ = kSlowCount;
  rest();
}

void MotionEstimator::report_too_slow(Nanos at, MotionReport& out) const noexcept {
  out.at = at;
  out.ego = {};
  out.ego.state = EgoState::too_slow;
  out.people = 0;
  out.totals = totals_;
}

void MotionEstimator::judge(const VehicleMotion& vehicle, const DetectionList& people,
                            MotionReport& out) {
  const int count = std::clamp(people.count, 0, DetectionList::kCapacity);
  for (int i = 0; i < count; ++i) {
    const Detection& d = people.items[i];
    suspects_[static_cast<std::size_t>(i)] = {double{d.x}, double{d.y}, double{d.w}, double{d.h}};
  }
  const auto n = static_cast<std::size_t>(count);
  flow_->add_points_within(people.items, count, kPointsPerPerson, *field_);
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
