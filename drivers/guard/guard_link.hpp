// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>

#include "drivers/base/unique_fd.hpp"
#include "drivers/guard/lamp_guard.hpp"
#include "hal/output_line.hpp"

namespace kerb {

/// The variable in which a guard names the pipes of its process: "STATUS,WARNING,ANSWERS", three
/// numbers of descriptors. What is written to one of the first two is a lamp's level: '0' or '1'.
/// From the third comes whether the guard could drive a lamp: answer_of().
inline constexpr const char* kGuardVariable = "KERBWATCH_GUARD";

/// What the guard says of a lamp that it has set: a letter for each lamp, a capital one where its
/// line has failed or does not have the level.
[[nodiscard]] constexpr char answer_of(GuardedLamp lamp, bool works) noexcept {
  return static_cast<char>((works ? 'a' : 'A') + static_cast<int>(lamp));
}

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
  /// set, or the contrary where the guard has answered that its line has failed: that may take a
  /// moment. Must not outlive this.
  Result<std::unique_ptr<OutputLine>> line(GuardedLamp lamp);
  /// Says that this process lives, with the status lamp's level: at least every 100 ms. Never
  /// waits. Fails as say() does.
  Status beat() noexcept;
  /// Writes a level. Fails: gone (the guard has died), io. A full pipe is no failure: the guard is
  /// late, and what it reads then is said again.
  Status say(GuardedLamp lamp, bool on) noexcept;
  /// Whether the guard could set the lamp the last time it tried; true before.
  [[nodiscard]] bool works(GuardedLamp lamp) noexcept;

 private:
  GuardLink(UniqueFd status, UniqueFd warning, UniqueFd answers)
      : pipes_{std::move(status), std::move(warning)}, answers_{std::move(answers)} {}
  std::array<UniqueFd, kGuardedLamps.size()> pipes_;
  UniqueFd answers_;
  std::array<bool, kGuardedLamps.size()> works_{true, true};
  bool status_on_ = true;
};

}  // namespace kerb
