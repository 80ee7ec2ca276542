// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "hal/dimmer.hpp"

namespace kerb {

/// What the Dimmer suite needs of an implementation. Tests of a hook that is not set are ignored.
struct DimmerFixture {
  std::function<std::unique_ptr<Dimmer>()> open;
  std::function<double()> seen;  ///< the brightness seen from outside, 0..1; of the one opened last
  bool seen_after_its_end = false;
};

/// Runs the suite; how many tests failed.
int run_dimmer_suite(const DimmerFixture& fixture);

}  // namespace kerb
