// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"

namespace kerb {

/// The driver's switch for warnings. Off takes two actions, so that it cannot happen by accident:
/// hold the off button for a second, then press the confirm button within five seconds. On takes
/// one: a press of either button. It is on again with the next ignition. Where the vehicle does not
/// count its ignitions, that is with every start of the program.
///
/// A press is the change from released to pressed: a button that is stuck, or held when Kerbwatch
/// starts, does nothing. While the buttons' signal is missing they count as released, and a
/// sequence that was begun is cancelled; off stays off. One thread; pure logic.
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
  /// What an earlier run left: off, in that ignition cycle (0: the vehicle had not told). It is off
  /// again when the vehicle tells that this is the same ignition, and on until then.
  void remember(bool off, std::uint8_t cycle) noexcept { kept_ = off ? cycle : std::uint8_t{0}; }
  /// The vehicle's count of ignitions, as often as it is told; 0: it does not count them. With
  /// another one than before it is on.
  void ignition(std::uint8_t cycle) noexcept;
  [[nodiscard]] std::uint8_t cycle() const noexcept { return cycle_; }  ///< 0: not told
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool off() const noexcept { return state_ == State::off; }

 private:
  State state_ = State::on;
  // The last known state of the buttons; initially pressed, so that a held button is no press.
  bool off_was_ = true, confirm_was_ = true;
  std::optional<Nanos> held_since_;  ///< the off button, after a press
  Nanos asked_{};
  std::uint8_t cycle_ = 0;  ///< of the ignition; 0: not told
  std::uint8_t kept_ = 0;   ///< in which an earlier run was off; 0: none
};
[[nodiscard]] const char* name_of(OffSwitch::State state) noexcept;

}  // namespace kerb
