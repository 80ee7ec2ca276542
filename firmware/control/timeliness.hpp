// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "hal/base/clock.hpp"

namespace kerb {

/// Whether a yaw rate that may be late is: it is held against what the pictures show of the car's
/// turning now, and against what they showed as long ago as it is said to be late. Wherever the two
/// differ, in every bend, one of them agrees better. A counter alone cannot tell a message that was
/// held up from a sender that paused; this can. Pure logic; one thread; allocates nothing.
class Timeliness {
 public:
  /// Forgets all it has seen: another doubt.
  void reset() noexcept;
  /// At `at` the pictures showed the car turn at `seen`, while it told `told`, which may be `lag`
  /// old; rad/s.
  void add(Nanos at, double seen, double told, Nanos lag) noexcept;
  /// Bends enough have shown that what is told is of now.
  [[nodiscard]] bool is_timely() const noexcept;

 private:
  struct Sample {
    Nanos at{};
    double seen = 0;
  };
  static constexpr std::size_t kKept = 256;  // pictures: at 60 a second, 4 s
  std::array<Sample, kKept> samples_{};
  std::size_t count_ = 0;              // ever
  double off_now_ = 0, off_then_ = 0;  // rad^2/s: squared differences over time
};

}  // namespace kerb
