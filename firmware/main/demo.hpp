// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/log.hpp"

namespace kerb {

/// The whole product on a desk: the built-in test pattern as camera, a bus and lamps in memory, and
/// a car on that bus. On the way the workshop tests the lamp and somebody covers the camera, so
/// that the health has something to say. Prints what happens and, at the end, what ran. The exit
/// code: 0 when it did what a healthy one does.
int run_demo(double seconds, Log& log);

}  // namespace kerb
