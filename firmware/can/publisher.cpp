// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/publisher.hpp"

#include <algorithm>

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
  const bool changed = sent_ && (message.level != sent_->level || message.test != sent_->test);
  if (sent_ && changed && now - sent_at_ < kMinimumGap) return std::nullopt;
  if (sent_ && !changed && now < next_) return std::nullopt;
  if (!sent_ || changed) {
    next_ = now;  // a new timetable
    repeats_left_ = on || !sent_ ? 0 : kWarningRepeats;
  } else if (repeats_left_ > 0) {
    --repeats_left_;
  }
  const Nanos period = on || repeats_left_ > 0 ? kWarningPeriod : kWarningIdlePeriod;
  next_ += period * ((now - next_) / period + 1);
  message.counter = take(counter_);
  sent_ = message;
  sent_at_ = now;
  return encode(message);
}

void WarningPublisher::refused() noexcept { next_ = std::min(next_, sent_at_ + kMinimumGap); }

CanFrame WarningPublisher::end() noexcept {
  WarningMessage none;
  none.counter = take(counter_);
  sent_ = none;
  return encode(none);
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

void FramePacer::start(int count, Nanos now) noexcept {
  next_ = 0;
  count_ = static_cast<std::size_t>(count);
  started_ = now;
}

const CanFrame* FramePacer::next(Nanos now) const noexcept {
  if (idle() || paid_until_ - now > (kMostAtOnce - 1) * kFrameTime) return nullptr;
  return &frames_[next_];
}

void FramePacer::sent(Nanos now) noexcept {
  paid_until_ = std::max(paid_until_, now) + kFrameTime;
  ++next_;
}

}  // namespace kerb::can
