// SPDX-License-Identifier: Apache-2.0
// KERB_TEST_WATCHDOG names a watchdog that may be armed and stopped again, such as /dev/watchdog.
// If this test is ended half-way, the machine restarts.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "drivers/watchdog/hardware_watchdog.hpp"
#include "tests/contract/watchdog_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  const char* device = std::getenv("KERB_TEST_WATCHDOG");
  if (device == nullptr) {
    std::puts("KERB_TEST_WATCHDOG is not set: no watchdog to test with");
    return 77;
  }
  HardwareWatchdogOptions options;
  options.device = device;
  options.timeout = std::chrono::seconds{40};
  {
    const auto probe = HardwareWatchdog::open(options);
    if (!probe) {
      std::printf("%s\n", describe(probe.error()).c_str());
      return 77;
    }
    std::printf("%s: %s\n", device, (*probe)->identity());
    if (Status stopped = (*probe)->disarm(); !stopped) {
      std::printf("%s\n", describe(stopped.error()).c_str());
      return 1;
    }
    if (!(*probe)->guards_after_crash()) std::puts("this driver stops whenever it is closed");
  }
  WatchdogFixture fixture;
  fixture.timeout = options.timeout;
  fixture.open = [&]() -> std::unique_ptr<Watchdog> {
    auto watchdog = HardwareWatchdog::open(options);
    if (watchdog) return std::move(*watchdog);
    std::printf("%s\n", describe(watchdog.error()).c_str());
    std::exit(1);
  };
  const char* state = "/sys/class/watchdog/watchdog0/state";  // /dev/watchdog is the first
  if (std::ifstream{state})
    fixture.armed = [state] {
      std::string word;
      std::ifstream{state} >> word;
      return word == "active";
    };
  return run_watchdog_suite(fixture);
}
