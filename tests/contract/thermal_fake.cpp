// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/thermal.hpp"
#include "tests/contract/thermal_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  ThermalFixture fixture;
  fixture.change = [](Thermal& thermal, const std::vector<WantedZone>& wanted) {
    auto& fake = dynamic_cast<FakeThermal&>(thermal);
    fake.zones.clear();
    for (const WantedZone& zone : wanted)
      fake.zones.push_back({std::string_view{zone.name}, zone.celsius});
  };
  fixture.open = [&](const std::vector<WantedZone>& wanted) {
    auto fake = std::make_unique<FakeThermal>();
    fixture.change(*fake, wanted);
    return fake;
  };
  return run_thermal_suite(fixture);
}
