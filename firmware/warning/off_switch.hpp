// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"

namespace kerb {

/// How the driver switches warnings off, and on again. Off takes two actions, so that nobody does
/// it by leaning on a button: hold the off button for a second, and within five seconds press the
/// confirm button. On takes one: a press of either. It is on at every start: nothing is stored.
///
/// A press is a button that was seen released and is then pressed: one that is stuck, or held when
/// Kerbwatch starts, does nothing. Where the buttons are not heard (nothing told), they count as
/// released, and what was begun is forgotten; off stays off. One thread; pure logic.
class OffSwitch {
 public:
  struct Buttons {
    bool off = false, confirm = false;  ///< pressed
  };
  enum class State : std::uint8_t {
    on,
    asking,  ///< the off button was held: waits to be confirmed
    off
  };
  static constexpr Nanos kHold = std::chrono::seconds{1};
  static constexpr Nanos kConfirm = std::chrono::seconds{5};

  /// The buttons as they are now. `now` does not go back.
  State step(Nanos now, const std::optional<Buttons>& buttons) noexcept;
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool off() const noexcept { return state_ == State::off; }

 private:
  State state_ = State::on;
  // What was seen last; pressed before anything was seen: no press.
  bool off_was_ = true, confirm_was_ = true;
  std::optional<Nanos> held_since_;  ///< the off button, after a press
  Nanos asked_{};
};
[[nodiscard]] const char* name_of(OffSwitch::State state) noexcept;

}  // namespace kerb
