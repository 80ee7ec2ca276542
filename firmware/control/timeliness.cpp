// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/timeliness.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

/// How the two explanations are compared.
struct TimelinessSettings {
  double memory_s = 60;         ///< evidence fades over this time; longer: slower, surer
  double enough = 0.01;         ///< rad^2/s of evidence that decides: 0.1 rad/s apart for 1 s
  double ratio_max = 0.25;      ///< "now" must fit this much better than "then"; less: surer
  double longest_step_s = 0.2;  ///< most time that one picture counts for
  Nanos match_within = std::chrono::milliseconds{100};  ///< of the time of a picture and the lag
};
constexpr TimelinessSettings kSettings;

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
  if (then != nullptr && std::chrono::abs(then->at - (at - lag)) <= kSettings.match_within) {
    const Sample& last = samples_[(count_ - 1) % kKept];
    const double dt = std::clamp(std::chrono::duration<double>{at - last.at}.count(), 0.0,
                                 kSettings.longest_step_s);
    const double fade = 1 - dt / kSettings.memory_s;
    off_now_ = fade * off_now_ + dt * (told - seen) * (told - seen);
    off_then_ = fade * off_then_ + dt * (told - then->seen) * (told - then->seen);
  }
  samples_[count_ % kKept] = {at, seen};
  ++count_;
}

bool Timeliness::is_timely() const noexcept {
  return off_then_ >= kSettings.enough && off_now_ <= kSettings.ratio_max * off_then_;
}

}  // namespace kerb
