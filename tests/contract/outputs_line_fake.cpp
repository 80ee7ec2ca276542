// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/output_line.hpp"
#include "tests/contract/outputs_line_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  OutputLineFixture fixture;
  fixture.open = [] { return std::make_unique<FakeOutputLine>(); };
  fixture.unplug = [](OutputLine& line) { dynamic_cast<FakeOutputLine&>(line).unplugged = true; };
  return run_output_line_suite(fixture);
}
