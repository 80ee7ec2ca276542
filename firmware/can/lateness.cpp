// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/lateness.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::can {
namespace {

/// What decides whether messages are late. Tuned with the vehicles of the simulator and with
/// senders that pause, lose messages or run at another period.
struct LatenessSettings {
  double learn_ns = 10e9;  ///< time over which the real period is learned; longer: steadier, slower
  double known_after_ns = 2e9;   ///< time of messages after which the period counts as known
  int undecided_messages = 12;   ///< messages for which another stream may still decide
  double period_ratio_max = 8;   ///< the learned period differs from the expected by this at most
  double on_time_periods = 1.5;  ///< tolerance after a silence; more: lost messages count as late
  double jitter_periods = 2;     ///< tolerance between two messages; more is a jump of the counter
  Nanos recovered_lag =
      std::chrono::milliseconds{80};            ///< lateness ends below this: jitter is left
  Nanos hold_up_max = std::chrono::seconds{3};  ///< a longer silence is a restart, not a delay
  double forget_rate = 0.01;  ///< share of the time by which small delays are forgotten
};
constexpr LatenessSettings kSettings;

Nanos nanos(double x) { return Nanos{std::llround(x)}; }

}  // namespace

Lateness::Lateness(Nanos period, Nanos late, int counter_values) noexcept
    : counter_values_{counter_values},
      late_from_{late},
      nominal_{static_cast<double>(period.count())},
      period_{nominal_} {}

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
    const bool goes_on = steps == 1 && follows && dt <= kSettings.hold_up_max;
    waiting_ = goes_on ? elapsed : 0;
    if (learned_ * nominal_ < kSettings.known_after_ns) return clear();
    // Messages between the counter and what the elapsed time demands: at most half a round.
    const double off = std::remainder(elapsed / period_ - steps, counter_values_);
    const Nanos held = nanos(elapsed - period_);
    if (std::abs(off) <= kSettings.on_time_periods) {
      if (goes_on) {
        could_be_ = held;
        unsure_ = kSettings.undecided_messages;
      }
      return;  // messages were lost, most likely: the lag stays
    }
    if (!goes_on) return clear();  // the sender restarted
    lag_ += held;
    return judge();
  }
  const double early = steps * period_ - elapsed;
  const bool waited = waiting_ > 0 && early > period_ / 2;
  if (waited) waiting_ -= early;
  if (!late_) {
    // Messages that waited come at once: as the silence was not learned from, neither are they.
    if (!waited) learn(elapsed / steps);
    if (learned_ * nominal_ >= kSettings.known_after_ns)
      lag_ -= nanos(early + kSettings.forget_rate * elapsed);
  } else if (early <= kSettings.jitter_periods * period_) {
    lag_ -= nanos(early);
  } else {
    // The counter jumps over the missing messages, as far as its steps can tell.
    const double missing = static_cast<double>(lag_.count()) - early;
    const double rounds =
        std::floor((missing / period_ + kSettings.jitter_periods) / counter_values_);
    lag_ = nanos(missing - std::max(rounds, 0.0) * counter_values_ * period_);
  }
  judge();
}

void Lateness::learn(double period) noexcept {
  if (learned_ * nominal_ < kSettings.learn_ns) ++learned_;
  // The mean is bounded, not what goes into it: a long interval and the short ones that make up for
  // it must count in full.
  period_ =
      std::clamp(period_ + (period - period_) / learned_, nominal_ / kSettings.period_ratio_max,
                 nominal_ * kSettings.period_ratio_max);
}

void Lateness::judge() noexcept {
  lag_ = std::max(lag_, Nanos::zero());
  late_ = lag_ >= (late_ ? std::min(kSettings.recovered_lag, late_from_) : late_from_);
}

}  // namespace kerb::can
