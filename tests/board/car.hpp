// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "firmware/can/codec.hpp"
#include "tests/board/posix.hpp"

namespace kerb::board {

/// A message of the firmware, and when the kernel saw it on the bus.
template <typename Message>
struct Heard {
  RealClock::time_point time;
  Message message;
};
using HeardStatus = Heard<can::StatusMessage>;
using HeardWarning = Heard<can::WarningMessage>;

/// A list of people of which every frame came.
struct PeopleList {
  std::uint8_t counter = 0;
  int count = 0;
};
using HeardList = Heard<PeopleList>;

/// The vehicle around the firmware: sends VEH_Motion every 20 ms and VEH_Body every 100 ms of
/// firmware time, and keeps all that the firmware says. Outlasts an interface that goes down. Any
/// thread.
class Car {
 public:
  /// `rate`: seconds of firmware time per second of real time. Starts sending at once, at
  /// standstill.
  Car(const std::string& interface, double rate);
  Car(const Car&) = delete;
  Car& operator=(const Car&) = delete;
  ~Car();

  /// Changes speed by no more than a car does; returns when it drives that fast.
  void drive(double speed_mps);
  void talk(bool on) { talks_ = on; }  ///< off: a vehicle bus gone quiet
  /// Sends a workshop's request.
  void ask(can::ServiceMessage request);

  std::vector<HeardStatus> statuses(RealClock::time_point from) const;
  std::vector<HeardWarning> warnings(RealClock::time_point from) const;
  std::vector<HeardList> lists(RealClock::time_point from) const;
  /// Lists of people with a frame missing or out of order.
  int torn_lists() const { return torn_lists_; }
  /// Frames under the firmware's identifiers that do not decode: a wrong CRC or length.
  int undecodable() const { return undecodable_; }

 private:
  void send_loop();
  void receive_loop();
  bool send(const CanFrame& frame);
  void keep(const CanFrame& frame, RealClock::time_point time);
  void keep(const can::ObjectFrame& part, RealClock::time_point time);

  const double rate_;
  File bus_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> talks_ = true;
  std::atomic<double> wanted_speed_ = 0;
  std::atomic<double> speed_ = 0;
  std::atomic<int> undecodable_ = 0;
  std::atomic<int> torn_lists_ = 0;
  std::uint8_t service_counter_ = 0;
  mutable std::mutex mutex_;
  std::vector<HeardStatus> statuses_;
  std::vector<HeardWarning> warnings_;
  std::vector<HeardList> lists_;
  HeardList list_;       // the one being heard
  int list_frames_ = 0;  // of it; 0: none is
  std::thread sender_;
  std::thread receiver_;
};

}  // namespace kerb::board
