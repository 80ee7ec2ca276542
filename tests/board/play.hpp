// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/board/checks.hpp"

namespace kerb::board {

/// Where the host puts scenarios to be played: NAME.kwplay, and NAME.toml for the firmware.
inline constexpr const char* kPlayFolder = "/play";

/// Plays every scenario of the folder to a firmware of its own, and prints what that sent as
/// "TRACE NAME LINE", for the judge on the host. The checks here are of the playing, not of what
/// was said.
void play_scenarios(Checks& checks);

}  // namespace kerb::board
