// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>

#include "firmware/can/codec.hpp"
#include "firmware/can/messages.hpp"
#include "hal/base/clock.hpp"

namespace kerb::can {

inline constexpr Nanos kStatusPeriod = std::chrono::milliseconds{100};
inline constexpr Nanos kWarningPeriod = std::chrono::milliseconds{50};
inline constexpr Nanos kObjectsPeriod = std::chrono::milliseconds{100};
inline constexpr Nanos kReadyPeriod = std::chrono::milliseconds{500};
inline constexpr Nanos kMinimumGap = std::chrono::milliseconds{10};  ///< between two of one message
inline constexpr int kWarningRepeats = 3;                            ///< of "none" after a warning

/// A timetable start, start + period, ...: late calls do not shift it, and what was missed is not
/// made up for.
class Timetable {
 public:
  Timetable(Nanos period, Nanos start) noexcept : period_{period}, next_{start} {}
  [[nodiscard]] bool due(Nanos now) const noexcept { return now >= next_; }
  [[nodiscard]] Nanos next() const noexcept { return next_; }
  /// The next entry after `now`.
  void advance(Nanos now) noexcept {
    if (now >= next_) next_ += period_ * ((now - next_) / period_ + 1);
  }

 private:
  Nanos period_, next_;
};

/// When KW_Status goes out: ten times a second, and at once when the state changes (so that a lost
/// camera shows on the bus without waiting for its turn). Counts and encodes; whoever calls sends.
/// One thread at a time.
class StatusPublisher {
 public:
  explicit StatusPublisher(Nanos start) noexcept : timetable_{kStatusPeriod, start} {}
  /// The frame to send at `now`, if one is due. `message.counter` is set here.
  [[nodiscard]] std::optional<CanFrame> poll(Nanos now, StatusMessage message) noexcept;
  /// When poll() wants to be called again, if nothing changes.
  [[nodiscard]] Nanos next() const noexcept { return timetable_.next(); }

 private:
  Timetable timetable_;
  std::optional<HealthState> sent_state_;
  Nanos sent_at_{};
  std::uint8_t counter_ = 0;
};

/// When KW_Warning goes out: at once when level or test changes, every 50 ms while there is one,
/// and kWarningRepeats times after it ended. One thread at a time.
class WarningPublisher {
 public:
  [[nodiscard]] std::optional<CanFrame> poll(Nanos now, WarningMessage message) noexcept;

 private:
  std::optional<WarningMessage> sent_;
  Timetable timetable_{kWarningPeriod, Nanos::zero()};
  Nanos sent_at_{};
  int repeats_left_ = 0;
  std::uint8_t counter_ = 0;
};

/// When KW_Ready goes out: twice a second, and at once when it changes. One thread at a time.
class ReadyPublisher {
 public:
  explicit ReadyPublisher(Nanos start) noexcept : timetable_{kReadyPeriod, start} {}
  [[nodiscard]] std::optional<CanFrame> poll(Nanos now, ReadyMessage message) noexcept;

 private:
  Timetable timetable_;
  std::optional<Readiness> sent_;
  Nanos sent_at_{};
  std::uint8_t counter_ = 0;
};

/// When KW_Objects goes out: ten times a second, the whole list under one counter. One thread at a
/// time.
class ObjectPublisher {
 public:
  explicit ObjectPublisher(Nanos start) noexcept : timetable_{kObjectsPeriod, start} {}
  /// How many frames of `out` to send at `now`; 0 when none is due.
  int poll(Nanos now, std::span<const ObjectMessage> objects,
           std::span<CanFrame, kMaxObjectFrames> out) noexcept;

 private:
  Timetable timetable_;
  std::uint8_t counter_ = 0;
};

}  // namespace kerb::can
