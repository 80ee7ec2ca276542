// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_source.hpp"
#include "tests/contract/exposure_control_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  const FakeClock clock;
  ExposureRange gain_only = FakeExposureControl::default_range();
  gain_only.shortest = gain_only.longest = Nanos::zero();
  ExposureRange decibel = FakeExposureControl::default_range();
  decibel.step = std::chrono::microseconds{333};
  decibel.gain = {GainKind::decibel, 10, 0, 240, 3};
  int failures = 0;
  for (const auto& [name, range] : {std::pair{"fake", FakeExposureControl::default_range()},
                                    {"fake, gain alone", gain_only},
                                    {"fake, decibel", decibel}}) {
    contract::ExposureControlFixture fixture;
    fixture.name = name;
    fixture.open = [&clock, range = range]() -> Result<std::unique_ptr<FrameSource>> {
      auto source = std::make_unique<FakeFrameSource>(clock);
      source->offer_exposure(range);
      return std::unique_ptr<FrameSource>{std::move(source)};
    };
    failures += contract::run_exposure_control_suite(fixture);
  }
  return failures;
}
