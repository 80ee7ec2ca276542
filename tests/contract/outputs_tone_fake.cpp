// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/tone.hpp"
#include "tests/contract/outputs_tone_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  ToneFixture fixture;
  fixture.open = [] { return std::make_unique<FakeTone>(); };
  fixture.sounding = [](const Tone& tone) {
    return dynamic_cast<const FakeTone&>(tone).sounding();
  };
  fixture.unplug = [](Tone& tone) { dynamic_cast<FakeTone&>(tone).unplugged = true; };
  return run_tone_suite(fixture);
}
