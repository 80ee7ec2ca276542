// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/base/log.hpp"

namespace kerb {

/// The whole product on a desk: the built-in test pattern as camera, a bus and lamps in memory, and
/// a car on that bus. With a `model` (may be empty) it detects people, too. During the demo a
/// workshop tests the lamp, and the camera is unplugged for a while. Prints what happens and, at
/// the end, a summary. Exit code: 0 when all behaved as expected, however slow this machine is; 1
/// otherwise; 2 for a bad model.
int run_demo(double seconds, const std::string& model, Log& log);

}  // namespace kerb
