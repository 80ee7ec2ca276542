// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/publisher.hpp"

namespace kerb::can {
namespace {

std::uint8_t take(std::uint8_t& counter) noexcept {
  const std::uint8_t now = counter;
  counter = static_cast<std::uint8_t>((counter + 1) & 0xF);
  return now;
}

}  // namespace

std::optional<CanFrame> StatusPublisher::poll(Nanos now, StatusMessage message) noexcept {
  const bool changed = sent_state_ && *sent_state_ != message.health.state;
  const bool turn = timetable_.due(now);
  if (!turn && !(changed && now - sent_at_ >= kMinimumGap)) return std::nullopt;
  timetable_.advance(now);
  sent_state_ = message.health.state;
  sent_at_ = now;
  message.counter = take(counter_);
  return encode(message);
}

std::optional<CanFrame> WarningPublisher::poll(Nanos now, WarningMessage message) noexcept {
  const bool on = message.level != WarningLevel::none;
  const bool changed =
      sent_ ? message.level != sent_->level || message.test != sent_->test : on || message.test;
  if (changed) {
    if (sent_ && now - sent_at_ < kMinimumGap) return std::nullopt;
    timetable_ = Timetable{kWarningPeriod, now};
    repeats_left_ = kWarningRepeats;
  } else {
    if (!sent_ || !timetable_.due(now) || (!on && repeats_left_ == 0)) return std::nullopt;
    if (!on) --repeats_left_;
  }
  timetable_.advance(now);
  message.counter = take(counter_);
  sent_ = message;
  sent_at_ = now;
  return encode(message);
}

std::optional<CanFrame> ReadyPublisher::poll(Nanos now, ReadyMessage message) noexcept {
  const bool changed = sent_ && *sent_ != message.readiness;
  if (!timetable_.due(now) && !(changed && now - sent_at_ >= kMinimumGap)) return std::nullopt;
  timetable_.advance(now);
  sent_ = message.readiness;
  sent_at_ = now;
  message.counter = take(counter_);
  return encode(message);
}

int ObjectPublisher::poll(Nanos now, std::span<const ObjectMessage> objects,
                          std::span<CanFrame, kMaxObjectFrames> out) noexcept {
  if (!timetable_.due(now)) return 0;
  timetable_.advance(now);
  return encode_objects(objects, take(counter_), out);
}

}  // namespace kerb::can
