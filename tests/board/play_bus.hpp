// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hal/can_bus.hpp"
#include "tests/board/posix.hpp"
#include "tools/simulator/hil/play_file.hpp"

namespace kerb::board {

/// The car of a play on a CAN interface: sends its messages at their times, and keeps all that
/// others send. Before it begins, the first of each, with counters that go on, so that the firmware
/// knows the speed. Any thread.
class PlayBus {
 public:
  struct Heard {
    RealClock::time_point time;
    CanFrame frame;
  };
  PlayBus(const std::string& interface, const sim::Play& play, double rate);
  ~PlayBus();
  void begin(RealClock::time_point at);
  int sent() const { return sent_; }  ///< of the play's messages
  bool heard_active() const { return active_; }
  std::vector<Heard> heard() const;

 private:
  void send_loop();
  void receive_loop();
  void send_before();
  void send(const CanFrame& frame);

  const sim::Play& play_;
  const double rate_;
  File bus_;
  RealClock::time_point begin_;
  std::atomic<bool> begun_ = false, stop_ = false, active_ = false;
  std::atomic<int> sent_ = 0;
  unsigned turn_ = 0;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
  std::thread sender_, receiver_;
};

}  // namespace kerb::board
