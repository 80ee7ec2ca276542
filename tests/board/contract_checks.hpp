// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/board/checks.hpp"

namespace kerb::board {

/// Runs the contract suites of the drivers over the board's own devices. Here the hardware is
/// present, so a suite that says otherwise (exit code 77) has failed, as has one that is missing or
/// has no tests.
void check_contracts(Checks& checks);

}  // namespace kerb::board
