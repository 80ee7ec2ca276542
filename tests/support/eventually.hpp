// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace kerb::test {

/// Waits, in real time, until it is so: true; false after a minute, which no machine needs.
inline bool comes_to_be(const std::function<bool()>& so,
                        std::chrono::nanoseconds limit = std::chrono::minutes{1}) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  for (int looks = 0; !so(); ++looks) {
    if (looks < 100) {
      std::this_thread::yield();
      continue;
    }
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  }
  return true;
}

}  // namespace kerb::test
