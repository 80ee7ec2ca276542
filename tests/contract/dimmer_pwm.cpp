// SPDX-License-Identifier: Apache-2.0
// A chip as in /sys/class/pwm, in a temporary folder, whose channel is exported already.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "drivers/pwm/linux_pwm.hpp"
#include "tests/contract/dimmer_suite.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  const test::TempFolder folder;
  folder.write("npwm", "4\n");
  for (const char* file : {"period", "duty_cycle", "enable"})
    folder.write(std::string{"pwm2/"} + file, "0\n");
  const auto number = [&](const char* file) {
    double value = -1;
    std::ifstream{folder.path() / "pwm2" / file} >> value;
    return value;
  };
  DimmerFixture fixture;
  fixture.open = [&]() -> std::unique_ptr<Dimmer> {
    auto dimmer = LinuxPwm::open({folder.path().string(), 2});
    if (dimmer) return std::move(*dimmer);
    std::printf("%s\n", describe(dimmer.error()).c_str());
    std::exit(1);
  };
  fixture.seen = [&] {
    return number("enable") == 1 ? number("duty_cycle") / number("period") : -1;
  };
  fixture.seen_after_its_end = true;
  return run_dimmer_suite(fixture);
}
