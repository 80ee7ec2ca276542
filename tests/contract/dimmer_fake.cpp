// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/dimmer.hpp"
#include "tests/contract/dimmer_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  DimmerFixture fixture;
  const FakeDimmer* current = nullptr;
  fixture.open = [&] {
    auto dimmer = std::make_unique<FakeDimmer>();
    current = dimmer.get();
    return dimmer;
  };
  fixture.seen = [&] { return current->share(); };
  return run_dimmer_suite(fixture);
}
