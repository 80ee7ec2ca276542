// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/timeliness.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

constexpr double kMemory = 60;        // seconds: evidence fades, drives are long
constexpr double kEnough = 0.01;      // rad^2/s: 0.1 rad/s apart for a second
constexpr double kClearly = 0.25;     // of the other's
constexpr double kLongestStep = 0.2;  // seconds one picture counts for at most
constexpr Nanos kNearby = std::chrono::milliseconds{100};  // of the instant looked for

}  // namespace

void Timeliness::reset() noexcept {
  count_ = 0;
  off_now_ = off_then_ = 0;
}

void Timeliness::add(Nanos at, double seen, double told, Nanos lag) noexcept {
  const Sample* then = nullptr;
  const std::size_t kept = std::min(count_, kKept);
  for (std::size_t i = 0; i < kept; ++i) {
    const Sample& s = samples_[i];
    if (then == nullptr ||
        std::chrono::abs(s.at - (at - lag)) < std::chrono::abs(then->at - (at - lag)))
      then = &s;
  }
  if (then != nullptr && std::chrono::abs(then->at - (at - lag)) <= kNearby) {
    const Sample& last = samples_[(count_ - 1) % kKept];
    const double dt =
        std::clamp(std::chrono::duration<double>{at - last.at}.count(), 0.0, kLongestStep);
    const double fade = 1 - dt / kMemory;
    off_now_ = fade * off_now_ + dt * (told - seen) * (told - seen);
    off_then_ = fade * off_then_ + dt * (told - then->seen) * (told - then->seen);
  }
  samples_[count_ % kKept] = {at, seen};
  ++count_;
}

bool Timeliness::is_timely() const noexcept {
  return off_then_ >= kEnough && off_now_ <= kClearly * off_then_;
}

}  // namespace kerb
