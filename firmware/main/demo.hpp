// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/base/log.hpp"

namespace kerb {

/// The whole product on a desk: the built-in test pattern as camera, a bus and lamps in memory, and
/// a car on that bus. With a `model` (may be empty) it looks for people, too. On the way the
/// workshop tests the lamp and somebody pulls the camera's cable, so that the health has something
/// to say. Prints what happens and, at the end, what ran. The exit code: 0 when it did what a
/// healthy one does, however slow this machine is; 1 when it did not; 2 for a bad model.
int run_demo(double seconds, const std::string& model, Log& log);

}  // namespace kerb
