// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>

#include "drivers/base/unique_fd.hpp"
#include "drivers/guard/lamp_guard.hpp"
#include "hal/output_line.hpp"

namespace kerb {

/// The variable in which a guard names the pipes of its process: "STATUS,WARNING", two numbers of
/// descriptors. What is written to a pipe is a lamp's level: '0' or '1'.
inline constexpr const char* kGuardVariable = "KERBWATCH_GUARD";

/// The guarded process's end: its lamps are lines of this, and beat() keeps the amber one dark. One
/// thread at a time.
class GuardLink {
 public:
  /// Takes the pipes that the environment names, which no later child will see. Null: nobody
  /// guards this process.
  static std::unique_ptr<GuardLink> take();
  GuardLink(const GuardLink&) = delete;
  GuardLink& operator=(const GuardLink&) = delete;

  /// A lamp that the guard drives. Fails with gone when the guard has died. Its get() is what was
  /// set. Must not outlive this.
  Result<std::unique_ptr<OutputLine>> line(GuardedLamp lamp);
  /// Says that this process lives, with the status lamp's level: at least every 100 ms. Never
  /// waits. Fails as say() does.
  Status beat() noexcept;
  /// Writes a level. Fails: gone (the guard has died), io. A full pipe is no failure: the guard is
  /// late, and what it reads then is said again.
  Status say(GuardedLamp lamp, bool on) noexcept;

 private:
  GuardLink(UniqueFd status, UniqueFd warning) : pipes_{std::move(status), std::move(warning)} {}
  std::array<UniqueFd, kGuardedLamps.size()> pipes_;
  bool status_on_ = true;
};

}  // namespace kerb
