// SPDX-License-Identifier: Apache-2.0
#include "tests/board/contract_checks.hpp"

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/board/process.hpp"

namespace kerb::board {
namespace {

constexpr double kSuiteLimit = 60;  // real seconds
constexpr int kSkipped = 77;

/// The suites of the drivers, and what tells them which device is theirs. /dev/video2 is the webcam
/// of init.sh; lines 0 and 1 are for the firmware's lamps.
struct Suite {
  const char* name;  // of the program `contract`
  int ignored;       // tests that this board's hardware cannot be brought to; more is a failure
  std::vector<std::string> environment;
};
const std::vector<Suite>& suites() {
  static const std::vector<Suite> list{
      {"can_bus_slcan", 0, {}},  // brings an interface of its own
      {"can_bus_socketcan", 2, {"KERB_TEST_CAN=vcan0"}},
      {"diagnostic_link_isotp", 0, {"KERB_TEST_CAN=vcan0"}},
      {"frame_source_v4l2", 0, {"KERB_TEST_CAMERA=/dev/video2"}},
      {"outputs_line_gpio", 2, {"KERB_TEST_GPIO=/dev/gpiochip0:5"}},
      {"thermal_sysfs", 0, {}},
      {"outputs_tone_alsa",
       1,
       {"KERB_TEST_ALSA=hw:Loopback,0,0", "KERB_TEST_ALSA_CAPTURE=hw:Loopback,1,0"}},
      {"watchdog_hardware", 0, {"KERB_TEST_WATCHDOG=/dev/watchdog"}},
  };
  return list;
}

struct Totals {
  int tests = 0, failures = 0, ignored = 0;
};

/// Adds up Unity's closing lines, "12 Tests 0 Failures 1 Ignored": a suite has one for each variant
/// of its device. Says every failed or ignored test on the way.
Totals read_unity(const std::string& output) {
  Totals totals;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(":FAIL") != std::string::npos || line.find(":IGNORE") != std::string::npos)
      std::printf("SAW   %s\n", line.c_str());
    Totals found;
    if (std::sscanf(line.c_str(), "%d Tests %d Failures %d Ignored", &found.tests, &found.failures,
                    &found.ignored) == 3)
      totals = {totals.tests + found.tests, totals.failures + found.failures,
                totals.ignored + found.ignored};
  }
  return totals;
}

std::string first_line(const std::string& output) { return output.substr(0, output.find('\n')); }

void check_suite(Checks& checks, const Suite& wanted) {
  const std::string name = std::string("suite contract_") + wanted.name;
  checks.group(name, [&] {
    const std::string program = "/bin/contract";
    if (!std::filesystem::exists(program)) {
      checks.check(false, name, "not built for this board");
      return;
    }
    Process suite({program, wanted.name}, std::string("/tmp/") + wanted.name + ".log",
                  wanted.environment);
    const auto code = suite.wait(kSuiteLimit);
    if (!code) {
      checks.check(false, name, text("no end after %.0f s", kSuiteLimit));
      return;
    }
    const Totals totals = read_unity(suite.output());
    if (*code == kSkipped) {
      checks.check(false, name, "says: " + first_line(suite.output()));
      return;
    }
    checks.check(
        *code == 0 && totals.tests > 0 && totals.failures == 0 && totals.ignored <= wanted.ignored,
        name,
        text("%d tests, %d failures, %d ignored, exit code %d", totals.tests, totals.failures,
             totals.ignored, *code));
  });
}

}  // namespace

void check_contracts(Checks& checks) {
  for (const Suite& suite : suites()) check_suite(checks, suite);
}

}  // namespace kerb::board
