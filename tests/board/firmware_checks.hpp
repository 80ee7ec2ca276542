// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/board/checks.hpp"
#include "tests/board/world.hpp"

namespace kerb::board {

/// Our V4L2 driver alone, on the loop. Nothing else may have the camera.
void check_driver(Checks& checks);

/// "active" or "inactive".
std::string watchdog_state();

/// The firmware from its start to ACTIVE, under the guard or alone. False: the checks below make no
/// sense.
bool check_start(Checks& checks, World& world, bool guarded = false);
/// Status message, workshop tests at standstill and their refusal on the road. Firmware is ACTIVE.
void check_messages(Checks& checks, World& world);
/// Each fault of camera, bus, vehicle and board: told in time, with its cause, and over when it
/// ends. Firmware is ACTIVE before and after.
void check_faults(Checks& checks, World& world);
/// A flooded bus, a calendar that is set, time stamps and numbers of frames that jump: nothing
/// happens. `is_long`: for longer. Firmware is ACTIVE before and after.
void check_stress(Checks& checks, World& world, bool is_long);
/// The firmware under its guard, with its files on a small disk: a full disk, kill, stop, hang, and
/// the guard's own death. `is_long`: more often. No firmware is running, before and after.
void check_guard(Checks& checks, bool is_long);
/// A workshop's tester over ISO-TP: trouble codes of the faults before, identifiers, outputs,
/// refusals on the road. Firmware is ACTIVE.
void check_workshop(Checks& checks, World& world);
/// SIGTERM: exit code, event log, lamps and watchdog as they must be left.
void check_stop(Checks& checks, World& world);
/// A configuration without a model gets the image's own, or is told that it has none.
void check_shipped_model(Checks& checks);
/// A camera that does not exist: a strict run ends with exit code 2 and one line. No firmware is
/// running.
void check_missing_camera(Checks& checks);

}  // namespace kerb::board
