// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "hal/output_line.hpp"

namespace kerb {

/// What the OutputLine suite needs of an implementation. Tests of a hook that is not
/// set are ignored.
struct OutputLineFixture {
  std::function<std::unique_ptr<OutputLine>()> open;
  std::function<void(OutputLine&)> unplug;
  /// The level seen from outside, also when nobody holds the line.
  std::function<bool()> seen;
};

/// Runs the suite; how many tests failed.
int run_output_line_suite(const OutputLineFixture& fixture);

}  // namespace kerb
