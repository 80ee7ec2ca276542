// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/lateness.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::can {
namespace {

constexpr int kRound = 16;
constexpr double kLearns = 10e9, kKnows = 2e9;  // nanoseconds of messages
constexpr int kUnsure = 12;                     // messages another stream has time for
constexpr double kMostOff = 8;                  // times the period: as slow as that is no timetable
constexpr double kOnTime = 1.5;                 // periods more or less: what time demands
constexpr double kOrdinary = 2;                 // periods more or less between two messages
constexpr Nanos kTimely = std::chrono::milliseconds{80};  // made up for, but for jitter
constexpr Nanos kLongest = std::chrono::seconds{3};       // nobody holds up more than this
constexpr double kForgiven = 0.01;  // of the time that goes by without a fault

Nanos nanos(double x) { return Nanos{std::llround(x)}; }

}  // namespace

Lateness::Lateness(Nanos period, Nanos late) noexcept
    : late_from_{late}, nominal_{static_cast<double>(period.count())}, period_{nominal_} {}

void Lateness::set(Nanos lag) noexcept {
  lag_ = lag;
  could_be_ = Nanos::zero();
  late_ = lag_ >= late_from_;
}

void Lateness::heard(Nanos dt, int steps, bool after_silence, bool follows) noexcept {
  const double elapsed = static_cast<double>(dt.count());
  if (unsure_ > 0 && --unsure_ == 0) could_be_ = Nanos::zero();
  if (after_silence) {
    could_be_ = Nanos::zero();
    if (learned_ * nominal_ < kKnows) return clear();
    // By how much the counter is off what time demands, -8..8.
    const double off = std::remainder(elapsed / period_ - steps, kRound);
    const bool goes_on = steps == 1 && follows && dt <= kLongest;
    const Nanos held = nanos(elapsed - period_);
    if (std::abs(off) <= kOnTime) {
      if (goes_on) {
        could_be_ = held;
        unsure_ = kUnsure;
      }
      return;  // lost, most likely: as late as before
    }
    if (!goes_on) return clear();  // started anew
    lag_ += held;
    return judge();
  }
  const double early = steps * period_ - elapsed;
  if (!late_) {
    if (learned_ * nominal_ < kLearns) ++learned_;
    period_ += (std::clamp(elapsed / steps, nominal_ / kMostOff, nominal_ * kMostOff) - period_) /
               learned_;
    if (learned_ * nominal_ >= kKnows) lag_ -= nanos(early + kForgiven * elapsed);
  } else if (early <= kOrdinary * period_) {
    lag_ -= nanos(early);
  } else {
    // It jumps: over as many as are missing, as far as the counter can tell.
    const double missing = static_cast<double>(lag_.count()) - early;
    const double rounds = std::floor((missing / period_ + kOrdinary) / kRound);
    lag_ = nanos(missing - std::max(rounds, 0.0) * kRound * period_);
  }
  judge();
}

void Lateness::judge() noexcept {
  lag_ = std::max(lag_, Nanos::zero());
  late_ = lag_ >= (late_ ? std::min(kTimely, late_from_) : late_from_);
}

}  // namespace kerb::can
