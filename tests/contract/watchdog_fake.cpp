// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/clock.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/contract/watchdog_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  using namespace std::chrono_literals;
  FakeClock clock;
  FakeWatchdogTimer timer{clock, 7s};
  FakeWatchdog* last = nullptr;
  WatchdogFixture fixture;
  fixture.timeout = 7s;
  fixture.open = [&] {
    timer.bitten = false;
    auto watchdog = std::make_unique<FakeWatchdog>(timer);
    last = watchdog.get();
    return watchdog;
  };
  fixture.kicks = [&] { return last->kicks; };
  fixture.armed = [&] { return timer.armed; };
  fixture.bites_unkicked = [&] {
    clock.advance(8s);
    return timer.expired();
  };
  return run_watchdog_suite(fixture);
}
