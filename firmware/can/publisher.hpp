// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <span>

#include "firmware/can/codec.hpp"
#include "firmware/can/messages.hpp"
#include "hal/base/clock.hpp"

namespace kerb::can {

inline constexpr Nanos kStatusPeriod = std::chrono::milliseconds{100};
inline constexpr Nanos kWarningPeriod = std::chrono::milliseconds{50};       ///< while there is one
inline constexpr Nanos kWarningIdlePeriod = std::chrono::milliseconds{100};  ///< of "none"
inline constexpr Nanos kObjectsPeriod = std::chrono::milliseconds{100};
inline constexpr Nanos kReadyPeriod = std::chrono::milliseconds{500};
inline constexpr Nanos kMinimumGap = std::chrono::milliseconds{10};  ///< between two of one message
inline constexpr int kWarningRepeats = 3;  ///< of "none" after a warning, every kWarningPeriod

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

/// When KW_Warning goes out: at once when level or test changes, every kWarningPeriod while there
/// is a warning and kWarningRepeats times after it ended, else every kWarningIdlePeriod: a receiver
/// that hears nothing knows that it would not hear a warning. One thread at a time.
class WarningPublisher {
 public:
  [[nodiscard]] std::optional<CanFrame> poll(Nanos now, WarningMessage message) noexcept;
  /// The bus did not take the last frame: another is due kMinimumGap after it.
  void refused() noexcept;
  /// The last frame of a run: no warning.
  [[nodiscard]] CanFrame end() noexcept;

 private:
  std::optional<WarningMessage> sent_;
  Nanos next_{}, sent_at_{};
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

/// Spreads the frames of a list over time. Thirty at once are more than an interface's transmit
/// queue holds (txqueuelen is 10 by default), and a warning would wait behind them. One thread at a
/// time.
class FramePacer {
 public:
  static constexpr Nanos kFrameTime =
      std::chrono::microseconds{2500};  ///< in the long run: 4 in 10 ms
  static constexpr int kMostAtOnce =
      6;  ///< with the three other messages, fewer than the queue holds

  /// For the frames of the next list, before start().
  [[nodiscard]] std::span<CanFrame, kMaxObjectFrames> room() noexcept { return frames_; }
  /// The first `count` frames of room() are to be sent. What is left of the last list is dropped.
  void start(int count, Nanos now) noexcept;
  /// The frame to send at `now`; null: none, or not yet. The same again until it is sent().
  [[nodiscard]] const CanFrame* next(Nanos now) const noexcept;
  void sent(Nanos now) noexcept;
  /// The rest is not sent: the receiver drops the list.
  void drop() noexcept { next_ = count_ = 0; }
  [[nodiscard]] bool idle() const noexcept { return next_ == count_; }
  [[nodiscard]] Nanos started() const noexcept { return started_; }

 private:
  std::array<CanFrame, kMaxObjectFrames> frames_{};
  std::size_t next_ = 0, count_ = 0;
  Nanos started_{};
  Nanos paid_until_{};  ///< each frame takes kFrameTime of it; it may be ahead by a few
};

}  // namespace kerb::can
