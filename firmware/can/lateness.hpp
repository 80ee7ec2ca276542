// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/clock.hpp"

namespace kerb::can {

/// How late the messages of one stream come. The counter says how many were sent, the clock how
/// many should have been: a stream that goes on where it was after a silence was held up (or its
/// sender paused, which from here is the same), and all that comes now is as old as the silence was
/// long. It is made up for when messages come faster than they are sent until the counter has
/// caught up, or when the counter jumps over what is missing.
///
/// What is no lateness: messages that got lost (the counter has gone on meanwhile), jitter,
/// hold-ups of less than `late` in all (forgotten by and by), another period than the one expected
/// (it is learned, over 10 s), a sender that starts anew (its counter goes on anywhere; one in
/// sixteen where it was, by chance). The counter runs to 16 only: where what is missing is a
/// multiple of that, within a message, it does not say whether they are late or lost; could_be()
/// then tells by how much, and another stream with another period may decide. Pure logic; one
/// thread.
class Lateness {
 public:
  /// `period`: as expected. `late`: from this on.
  Lateness(Nanos period, Nanos late) noexcept;

  /// A fresh message: `dt` after the one before, `steps` (1..16) of its counter later.
  /// `after_silence`: nothing came for so long that it was a fault. `follows`: what it says may
  /// have been sent right after the one before.
  void heard(Nanos dt, int steps, bool after_silence, bool follows) noexcept;

  /// What comes is so old. Zero: it is as young as it can be, for all that is known.
  [[nodiscard]] Nanos lag() const noexcept { return late_ ? lag_ : Nanos::zero(); }
  /// It may be so old since a silence just now; zero: it is known.
  [[nodiscard]] Nanos could_be() const noexcept { return could_be_; }
  /// It is so old, whoever knows that.
  void set(Nanos lag) noexcept;
  /// It is not late, whoever knows that.
  void clear() noexcept { set(Nanos::zero()); }

 private:
  void judge() noexcept;

  Nanos late_from_, lag_{}, could_be_{};
  double nominal_, period_;  // nanoseconds; the second as it is in truth
  int learned_ = 0;          // from so many messages
  int unsure_ = 0;           // for so many more messages it could be
  bool late_ = false;
};

}  // namespace kerb::can
