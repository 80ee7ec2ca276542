// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "tools/simulator/hil/play_file.hpp"
#include "tools/simulator/judge/judge.hpp"
#include "tools/simulator/run/painter.hpp"

namespace kerb::sim {

/// Default rate of playing on the board: seconds of the scenario per second of real time.
inline constexpr double kBoardRate = 0.25;
/// The camera of the board (tests/board): vivid's, looped from its output.
inline constexpr int kBoardWidth = 1280, kBoardHeight = 720;
inline constexpr double kBoardPictureRate = 30;  ///< new pictures, a second of the scenario

/// Where the plays, and models that come with them, lie on the board.
inline constexpr const char* kBoardFolder = "/play";

/// A scenario made ready for the board: every picture drawn, with its faults, and every message of
/// the car. With `enlarge` over 1, pictures are rendered smaller than the camera's by this factor,
/// to save time. Fails: unsupported (camera_silent, because the board's camera always delivers
/// frames; a mosaic with `enlarge` over 1).
Result<Play> make_play(const Scenario& scenario, const PainterMaker& painter, int threads,
                       int enlarge = 1);

/// The firmware's configuration for it: the scenario's lens, mounting and filters on the board's
/// devices, and a clock that runs at `rate`. `base` gives all other settings, such as those of
/// detection, tracking and warning.
[[nodiscard]] Config board_config(const Config& base, const Scenario& scenario,
                                  double rate = kBoardRate);

/// The rules by which it is judged: as in process, with tolerances for the timing of the board.
[[nodiscard]] CommonRules board_rules();

}  // namespace kerb::sim
