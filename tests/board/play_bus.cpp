// SPDX-License-Identifier: Apache-2.0
#include "tests/board/play_bus.hpp"

#include <poll.h>

#include <algorithm>

#include "firmware/can/codec.hpp"
#include "tests/board/raw_can.hpp"

namespace kerb::board {
namespace {

constexpr double kMotionPeriod = 0.02;
constexpr unsigned kMotionsPerBody = 5;

RealClock::duration real(double seconds) {
  return std::chrono::duration_cast<RealClock::duration>(Seconds(seconds));
}

}  // namespace

PlayBus::PlayBus(const std::string& interface, const sim::Play& play, double rate)
    : play_(play),
      rate_(rate),
      bus_(open_can(interface)),
      sender_([this] { send_loop(); }),
      receiver_([this] { receive_loop(); }) {}

PlayBus::~PlayBus() {
  stop_ = true;
  sender_.join();
  receiver_.join();
}

void PlayBus::begin(RealClock::time_point at) {
  begin_ = at;
  begun_ = true;
}

std::vector<PlayBus::Heard> PlayBus::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

void PlayBus::send(const CanFrame& frame) { write_can(bus_, frame); }

void PlayBus::send_before() {
  can::VehicleMotion motion;
  can::VehicleBody body;
  for (const sim::Play::Message& message : play_.messages) {
    if (message.at > 0) break;
    if (const auto first = can::decode_vehicle_motion(message.frame)) motion = *first;
    if (const auto first = can::decode_vehicle_body(message.frame)) body = *first;
  }
  motion.counter = turn_ & 0xFU;
  send(can::encode(motion));
  if (turn_ % kMotionsPerBody == 0) {
    body.counter = turn_ / kMotionsPerBody & 0xFU;
    send(can::encode(body));
  }
  ++turn_;
}

void PlayBus::send_loop() {
  auto due = RealClock::now();
  while (!stop_ && !(begun_ && RealClock::now() >= begin_ - real(kMotionPeriod / rate_))) {
    send_before();
    for (due += real(kMotionPeriod / rate_); due < RealClock::now(); ++turn_)  // left out
      due += real(kMotionPeriod / rate_);
    std::this_thread::sleep_until(due);
  }
  for (const sim::Play::Message& message : play_.messages) {
    if (stop_) return;
    std::this_thread::sleep_until(begin_ + real(message.at / rate_));
    send(message.frame);
    ++sent_;
  }
}

void PlayBus::receive_loop() {
  while (!stop_) {
    const std::optional<ReadFrame> read = read_can(bus_, 100);
    if (!read) continue;
    if (const auto status = can::decode_status(read->frame))
      if (status->health.state == HealthState::active) active_ = true;
    const std::lock_guard lock(mutex_);
    heard_.push_back({read->time, read->frame});
  }
}

}  // namespace kerb::board
