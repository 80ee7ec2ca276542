// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/off_switch.hpp"

namespace kerb {

OffSwitch::State OffSwitch::step(Nanos now, const std::optional<Buttons>& buttons) noexcept {
  if (!buttons) {  // when the signal returns, the buttons must first be released
    off_was_ = confirm_was_ = true;
    held_since_.reset();
    if (state_ == State::asking) state_ = State::on;
    return state_;
  }
  const bool off_pressed = buttons->off && !off_was_;
  const bool confirm_pressed = buttons->confirm && !confirm_was_;
  off_was_ = buttons->off;
  confirm_was_ = buttons->confirm;
  if (off_pressed) held_since_ = now;
  if (!buttons->off) held_since_.reset();

  switch (state_) {
    case State::on:
      if (held_since_ && now - *held_since_ >= kHold) {
        state_ = State::asking;
        asked_ = now;
        held_since_.reset();  // asking again needs a new press
      }
      break;
    case State::asking:
      if (now - asked_ > kConfirm) {
        state_ = State::on;
      } else if (confirm_pressed) {
        state_ = State::off;
      }
      break;
    case State::off:
      if (off_pressed || confirm_pressed) {
        state_ = State::on;
        held_since_.reset();  // this press is used up
      }
      break;
  }
  return state_;
}

void OffSwitch::ignition(std::uint8_t cycle) noexcept {
  if (cycle == 0 || cycle == cycle_) return;
  if (cycle_ != 0) {
    state_ = State::on;
    held_since_.reset();
  } else if (cycle == kept_) {
    state_ = State::off;
  }
  kept_ = 0;  // once: what the driver does from here on counts
  cycle_ = cycle;
}

const char* name_of(OffSwitch::State state) noexcept {
  constexpr const char* kNames[] = {"on", "asking", "off"};
  return kNames[static_cast<int>(state)];
}

}  // namespace kerb
