// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/clock.hpp"

namespace kerb::can {

/// Estimates how late the messages of one stream are. The message counter says how many were sent,
/// the clock how many should have been. If the counter continues after a silence where it stopped,
/// the stream was delayed (or the sender paused, which looks the same here), and every later
/// message is as old as the silence was long. The delay ends when messages come faster than their
/// period until the counter has caught up, or when the counter jumps over the missing messages.
///
/// Not counted as late: lost messages (the counter has moved on), jitter, delays of less than
/// `late` in total (slowly forgotten), a period other than the expected one (learned over 10 s),
/// and a sender that restarts (its counter continues anywhere; by chance, once in so many, where it
/// stopped). The counter has few values, mostly 16. If the number of missing messages is a multiple
/// of that, plus or minus one, it cannot tell late from lost; could_be() then gives the possible
/// lag, and another stream with another period may decide. Pure logic; one thread.
class Lateness {
 public:
  /// `period`: the expected one. `late`: the lag from which messages count as late.
  /// `counter_values`: how many the counter has.
  Lateness(Nanos period, Nanos late, int counter_values = 16) noexcept;

  /// A new message: `dt` after the previous one, its counter `steps` (1..counter_values) later.
  /// `after_silence`: the time between them was a fault. `follows`: its values may have been sent
  /// directly after the previous ones.
  void heard(Nanos dt, int steps, bool after_silence, bool follows) noexcept;

  /// How old the messages are on arrival. Zero: not late.
  [[nodiscard]] Nanos lag() const noexcept { return late_ ? lag_ : Nanos::zero(); }
  /// The lag that is possible since the last silence; zero: there is no doubt.
  [[nodiscard]] Nanos could_be() const noexcept { return could_be_; }
  /// Sets the lag, where another source knows it.
  void set(Nanos lag) noexcept;
  /// Not late: another source knows it.
  void clear() noexcept { set(Nanos::zero()); }

 private:
  void learn(double period) noexcept;
  void judge() noexcept;

  int counter_values_;
  Nanos late_from_, lag_{}, could_be_{};
  double nominal_, period_;  // nanoseconds; period_ is the learned one
  double waiting_ = 0;  // nanoseconds: messages held up by the last silence that may still come
  int learned_ = 0;     // number of messages the period was learned from
  int unsure_ = 0;      // messages left for which could_be_ is kept
  bool late_ = false;
};

}  // namespace kerb::can
