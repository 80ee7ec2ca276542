// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "tools/simulator/hil/play_file.hpp"
#include "tools/simulator/judge/judge.hpp"
#include "tools/simulator/run/painter.hpp"

namespace kerb::sim {

/// How slowly the bench plays, unless asked otherwise: seconds of the scenario in a second of life.
inline constexpr double kBenchRate = 0.25;
/// The camera of the bench (tests/board): vivid's, looped from its output.
inline constexpr int kBenchWidth = 1280, kBenchHeight = 720;
inline constexpr double kBenchPictureRate = 30;  ///< new pictures, a second of the scenario

/// Where the plays, and models that come with them, lie on the board.
inline constexpr const char* kBenchFolder = "/play";

/// A scenario made ready for the bench: every picture drawn, with its faults, and every message of
/// the car. With `enlarge` over 1 it is drawn so much smaller than the camera's picture, to save
/// time. Fails: unsupported (camera_silent: the bench's camera cannot fall silent by what is
/// written into it; a mosaic with `enlarge` over 1).
Result<Play> make_play(const Scenario& scenario, const PainterMaker& painter, int threads,
                       int enlarge = 1);

/// The firmware's configuration for it: the scenario's lens, mounting and filters on the bench's
/// devices, and a clock that runs at `rate`. `base` gives all that is not the bench's: how people
/// are looked for, followed and warned of is as the product ships unless it says otherwise.
[[nodiscard]] Config bench_config(const Config& base, const Scenario& scenario,
                                  double rate = kBenchRate);

/// How it is judged: as in process, but the bench's own haste and delay are not the product's.
[[nodiscard]] HouseRules bench_rules();

}  // namespace kerb::sim
