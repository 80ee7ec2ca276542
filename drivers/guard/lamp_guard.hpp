// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"

namespace kerb {

/// The lamps that a guard holds.
enum class GuardedLamp : std::uint8_t { status, warning };
inline constexpr std::array kGuardedLamps{GuardedLamp::status, GuardedLamp::warning};

/// Decides what the lamps show for a process that asks for levels and may die or hang. The status
/// lamp is lit unless a process that was heard within `patience` wants it dark. The warning lamp is
/// lit while the process wants it so and lives: a warning is not cut short by a hang. Pure logic;
/// one thread.
class LampGuard {
 public:
  explicit LampGuard(Nanos patience) noexcept : patience_{patience} {}

  /// The process asked for this level. It repeats that of the status lamp while it lives.
  void heard(GuardedLamp lamp, bool on, Nanos now) noexcept {
    if (lamp == GuardedLamp::status) heard_at_ = now;
    wanted_[static_cast<std::size_t>(lamp)] = on;
  }
  /// The process is dead, or a new one has begun: nothing is known.
  void forget() noexcept {
    heard_at_.reset();
    wanted_ = {true, false};
  }
  [[nodiscard]] bool lit(GuardedLamp lamp, Nanos now) const noexcept;
  /// When the status lamp must be looked at again, if nothing is heard; nothing: it is lit already.
  [[nodiscard]] std::optional<Nanos> deadline() const noexcept {
    if (!heard_at_) return std::nullopt;
    return *heard_at_ + patience_;
  }
  /// When the process was last heard; nothing: not yet.
  [[nodiscard]] const std::optional<Nanos>& heard_at() const noexcept { return heard_at_; }

 private:
  Nanos patience_;
  std::optional<Nanos> heard_at_;
  std::array<bool, kGuardedLamps.size()> wanted_{true, false};
};

}  // namespace kerb
