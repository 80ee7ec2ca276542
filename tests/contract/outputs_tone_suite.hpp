// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "hal/tone.hpp"
#include "tests/contract/outputs_tone_measure.hpp"

namespace kerb {

/// What the Tone suite needs of an implementation. Tests of a hook that is not set are
/// ignored.
struct ToneFixture {
  std::function<std::unique_ptr<Tone>()> open;
  /// What the implementation itself says it plays.
  std::function<std::optional<TonePattern>(const Tone&)> sounding;
  /// What is heard from now on, for so many seconds.
  std::function<Recording(double seconds)> listen;
  std::function<void(Tone&)> unplug;
};

/// Runs the suite; how many tests failed.
int run_tone_suite(const ToneFixture& fixture);

}  // namespace kerb
