// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/board/posix.hpp"

namespace kerb::board {

/// Listens to the loudspeaker's line from a thread of its own. Any thread.
class Ear {
 public:
  struct Loud {
    RealClock::time_point begin, end;
    std::vector<std::int16_t> samples;  ///< the first seconds of it
  };
  Ear() : thread_([this] { run(); }) {}
  Ear(const Ear&) = delete;
  Ear& operator=(const Ear&) = delete;
  ~Ear();
  std::vector<Loud> heard() const;

 private:
  void run();
  void listen();

  mutable std::mutex mutex_;
  std::vector<Loud> heard_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace kerb::board
