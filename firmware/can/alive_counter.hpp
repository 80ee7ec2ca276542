// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"

namespace kerb::can {

/// Whether a message is a new one, by its alive counter: a gateway that is stuck sends the last
/// message again and again, with a good CRC. Pure logic; one thread.
class AliveCounter {
 public:
  /// `memory`: after a silence of this long, the same counter may be chance and counts as new.
  explicit AliveCounter(Nanos memory) noexcept : memory_{memory} {}

  /// False: the message before it once more.
  [[nodiscard]] bool is_new(std::uint8_t counter, Nanos now) noexcept {
    const bool repeated = counter_ == counter && now - seen_ <= memory_;
    counter_ = counter;
    seen_ = now;
    return !repeated;
  }

 private:
  Nanos memory_;
  std::optional<std::uint8_t> counter_;
  Nanos seen_{};
};

}  // namespace kerb::can
