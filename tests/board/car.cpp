// SPDX-License-Identifier: Apache-2.0
#include "tests/board/car.hpp"

#include <algorithm>

#include "tests/board/raw_can.hpp"

namespace kerb::board {
namespace {

using std::chrono::milliseconds;

constexpr double kAcceleration = 8;  // m/s2 of firmware time; more than 12 is implausible
constexpr double kMotionPeriod = 0.02;
constexpr int kMotionsPerBody = 5;

template <typename Message>
std::vector<Heard<Message>> since(const std::vector<Heard<Message>>& all,
                                  RealClock::time_point from) {
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&](const Heard<Message>& heard) { return heard.time >= from; });
  return {first, all.end()};
}

}  // namespace

Car::Car(const std::string& interface, double rate)
    : rate_(rate),
      bus_(open_can(interface, {can::kStatusId, can::kWarningId, can::kObjectsId})),
      sender_([this] { send_loop(); }),
      receiver_([this] { receive_loop(); }) {}

Car::~Car() {
  stop_ = true;
  sender_.join();
  receiver_.join();
}

bool Car::send(const CanFrame& frame) { return write_can(bus_, frame); }

void Car::send_loop() {
  const auto period =
      std::chrono::duration_cast<RealClock::duration>(Seconds(kMotionPeriod / rate_));
  auto due = RealClock::now();
  can::VehicleMotion motion;
  can::VehicleBody body{TurnSignal::off, Gear::drive, 0};
  motion.yaw_rate_radps = 0;
  for (int turn = 0; !stop_; turn = (turn + 1) % kMotionsPerBody) {
    std::this_thread::sleep_until(due);
    const bool too_late = RealClock::now() - due > 2 * period;  // not all are made up for
    due += period;
    // A counter that stood still meanwhile would say that what comes now is late.
    motion.counter = (motion.counter + 1) & 0xFU;
    if (turn == 0) body.counter = (body.counter + 1) & 0xFU;
    if (!talks_ || too_late) continue;
    constexpr double kStep = kAcceleration * kMotionPeriod;
    speed_ = speed_ + std::clamp(wanted_speed_ - speed_, -kStep, kStep);
    motion.speed_mps = speed_;
    send(can::encode(motion));
    if (turn != 0) continue;
    send(can::encode(body));
  }
}

void Car::receive_loop() {
  while (!stop_)
    if (const std::optional<ReadFrame> read = read_can(bus_, 100)) keep(read->frame, read->time);
}

void Car::keep(const CanFrame& frame, RealClock::time_point time) {
  const std::lock_guard lock(mutex_);
  if (frame.id == can::kStatusId) {
    const auto status = can::decode_status(frame);
    if (status) statuses_.push_back({time, can::StatusMessage(*status)});
    if (!status) ++undecodable_;
  } else if (frame.id == can::kWarningId) {
    const auto warning = can::decode_warning(frame);
    if (warning) warnings_.push_back({time, can::WarningMessage(*warning)});
    if (!warning) ++undecodable_;
  } else if (frame.id == can::kObjectsId) {
    const auto part = can::decode_objects(frame);
    if (part) keep(*part, time);
    if (!part) ++undecodable_;
  }
}

void Car::keep(const can::ObjectFrame& part, RealClock::time_point time) {
  const bool is_place = part.part == can::ObjectFrame::Part::place;
  const int place = part.count == 0 ? 0 : 2 * part.index + (is_place ? 0 : 1);
  if (place == 0) {
    if (list_frames_ != 0) ++torn_lists_;
    list_ = {time, {part.counter, part.count}};
    list_frames_ = 0;
  } else if (place != list_frames_ || part.counter != list_.message.counter ||
             part.count != list_.message.count) {
    if (list_frames_ != 0) ++torn_lists_;
    list_frames_ = 0;
    return;
  }
  if (++list_frames_ < 2 * part.count) return;
  lists_.push_back(list_);
  list_frames_ = 0;
}

void Car::drive(double speed_mps) {
  wanted_speed_ = speed_mps;
  while (std::abs(speed_ - speed_mps) > 0.01) std::this_thread::sleep_for(milliseconds(20));
}

void Car::ask(can::ServiceMessage request) {
  request.counter = ++service_counter_ & 0xFU;
  if (!send(can::encode(request))) fail_with_errno("send KW_Service");
}

std::vector<HeardStatus> Car::statuses(RealClock::time_point from) const {
  const std::lock_guard lock(mutex_);
  return since(statuses_, from);
}

std::vector<HeardList> Car::lists(RealClock::time_point from) const {
  const std::lock_guard lock(mutex_);
  return since(lists_, from);
}

std::vector<HeardWarning> Car::warnings(RealClock::time_point from) const {
  const std::lock_guard lock(mutex_);
  return since(warnings_, from);
}

}  // namespace kerb::board
