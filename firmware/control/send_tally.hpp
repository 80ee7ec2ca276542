// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// What became of the messages of the last half second: how many the bus refused although it is
/// neither down nor bus-off. (Those are faults of the bus itself, see CanState.) Pure logic; one
/// thread.
class SendTally {
 public:
  struct Share {
    int tried = 0, refused = 0;
    [[nodiscard]] double percent() const noexcept {
      return tried == 0 ? 0 : 100.0 * refused / tried;
    }
  };

  void accepted(Nanos now) noexcept { ++slot(now).tried; }
  void refused(Nanos now, const Error& why) noexcept {
    Slot& at = slot(now);
    ++at.tried;
    ++at.refused;
    why_ = why;
  }
  [[nodiscard]] Share share(Nanos now) const noexcept {
    Share all;
    const std::int64_t last = now / kSlot;
    for (const Slot& s : slots_) {
      if (s.number > last || s.number <= last - static_cast<std::int64_t>(kSlots)) continue;
      all.tried += s.tried;
      all.refused += s.refused;
    }
    return all;
  }
  /// Of the last one that was refused.
  [[nodiscard]] const std::optional<Error>& why() const noexcept { return why_; }

 private:
  static constexpr Nanos kSlot = std::chrono::milliseconds{100};
  static constexpr std::size_t kSlots = 5;
  struct Slot {
    std::int64_t number = -1;
    int tried = 0, refused = 0;
  };
  Slot& slot(Nanos now) noexcept {
    const std::int64_t number = now / kSlot;
    Slot& s = slots_[static_cast<std::size_t>(number) % kSlots];
    if (s.number != number) s = {number, 0, 0};
    return s;
  }

  std::array<Slot, kSlots> slots_{};
  std::optional<Error> why_;
};

}  // namespace kerb
