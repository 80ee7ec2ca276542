// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "hal/base/clock.hpp"

namespace kerb {

/// Decides whether a yaw rate that seems late is late. It compares the yaw rate on the bus with the
/// yaw rate in the pictures now, and with that in the pictures one lag ago. In a bend the two
/// differ, and one agrees better. A message counter alone cannot tell a delayed message from a
/// sender that paused; this can. Pure logic; one thread; allocates nothing.
class Timeliness {
 public:
  /// Drops all evidence: for a new lag.
  void reset() noexcept;
  /// At `at` the pictures showed the yaw rate `seen`, and the bus said `told`, which may be `lag`
  /// old; rad/s.
  void add(Nanos at, double seen, double told, Nanos lag) noexcept;
  /// Enough bends have shown that the yaw rate on the bus is not late.
  [[nodiscard]] bool is_timely() const noexcept;

 private:
  struct Sample {
    Nanos at{};
    double seen = 0;
  };
  static constexpr std::size_t kKept = 256;  // pictures: at 60 a second, 4 s
  std::array<Sample, kKept> samples_{};
  std::size_t count_ = 0;              // ever
  double off_now_ = 0, off_then_ = 0;  // rad^2/s: integrals of the squared differences
};

}  // namespace kerb
