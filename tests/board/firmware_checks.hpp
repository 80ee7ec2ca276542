// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/board/checks.hpp"
#include "tests/board/world.hpp"

namespace kerb::board {

/// Our V4L2 driver alone, on the loop. Nothing else may have the camera.
void check_driver(Checks& checks);

/// The firmware from its start to ACTIVE. False: the checks below make no sense.
bool check_start(Checks& checks, World& world);
/// Status message, workshop tests at standstill and their refusal on the road. Firmware is ACTIVE.
void check_messages(Checks& checks, World& world);
/// Each fault of camera, bus, vehicle and board: told in time, with its cause, and over when it
/// ends. Firmware is ACTIVE before and after.
void check_faults(Checks& checks, World& world);
/// SIGTERM: exit code, event log, lamps and watchdog as they must be left.
void check_stop(Checks& checks, World& world);
/// A configuration without a model gets the image's own, or is told that it has none.
void check_shipped_model(Checks& checks);
/// A camera that does not exist: a strict run ends with exit code 2 and one line. No firmware is
/// running.
void check_missing_camera(Checks& checks);

}  // namespace kerb::board
