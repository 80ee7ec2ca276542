// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tests/board/checks.hpp"
#include "tools/simulator/hil/play_file.hpp"
#include "tools/simulator/judge/trace.hpp"

namespace kerb::board {

/// Plays a scenario to a firmware of its own and prints what that sent as "TRACE NAME LINE", for
/// the judge on the host, and what it wrote as "LOG NAME LINE". The checks are of the playing, not
/// of what was said. Nothing when the firmware did not start. Throws BoardError.
std::optional<sim::Trace> play_scenario(Checks& checks, const sim::Play& play,
                                        const std::string& config_path);

/// Plays every scenario that the host has put on the board (sim::kBoardFolder): NAME.kwplay, and
/// NAME.toml for the firmware.
void play_scenarios(Checks& checks);

/// A short play made by these tests. It uses every way back from the board (bus, lamps, sound), and
/// the judge reads it.
void check_play(Checks& checks);

}  // namespace kerb::board
