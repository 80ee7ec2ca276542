// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/board/checks.hpp"

namespace kerb::board {

/// Proves the board itself, through the kernel's interfaces alone: when one of these fails, what
/// the firmware does on this board says nothing.
void check_camera_loop(Checks& checks);
void check_camera_faults(Checks& checks);
void check_bus(Checks& checks);
void check_lines(Checks& checks);
void check_sound(Checks& checks);
void check_watchdog(Checks& checks);

}  // namespace kerb::board
