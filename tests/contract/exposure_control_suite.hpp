// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "hal/exposure_control.hpp"
#include "hal/frame_source.hpp"

namespace kerb::contract {

struct ExposureControlFixture {
  const char* name = "";  ///< said in failures
  /// A source that offers exposure controls, just opened.
  std::function<Result<std::unique_ptr<FrameSource>>()> open;
};

/// Runs the suite: how many tests failed.
int run_exposure_control_suite(const ExposureControlFixture& fixture);

}  // namespace kerb::contract
