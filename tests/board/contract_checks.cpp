// SPDX-License-Identifier: Apache-2.0
#include "tests/board/contract_checks.hpp"

#include <algorithm>
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

struct Totals {
  int tests = 0, failures = 0, ignored = 0;
};

/// Unity's last line: "12 Tests 0 Failures 1 Ignored". Says every failed or ignored test on the
/// way.
Totals read_unity(const std::string& output) {
  Totals totals;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(":FAIL") != std::string::npos || line.find(":IGNORE") != std::string::npos)
      std::printf("SAW   %s\n", line.c_str());
    Totals found;
    if (std::sscanf(line.c_str(), "%d Tests %d Failures %d Ignored", &found.tests, &found.failures,
                    &found.ignored) == 3)
      totals = found;
  }
  return totals;
}

void check_suite(Checks& checks, const std::filesystem::path& program) {
  const std::string name = "suite " + program.filename().string();
  checks.group(name, [&] {
    Process suite({program.string()}, "/tmp/" + program.filename().string() + ".log",
                  {"KERB_TEST_CAN=vcan0"});
    const auto code = suite.wait(kSuiteLimit);
    if (!code) {
      checks.check(false, name, text("no end after %.0f s", kSuiteLimit));
      return;
    }
    const Totals totals = read_unity(suite.output());
    if (*code == kSkipped) {
      checks.check(false, name, "says that its hardware is not here");
      return;
    }
    checks.check(*code == 0 && totals.tests > 0 && totals.failures == 0 && totals.ignored == 0,
                 name,
                 text("%d tests, %d failures, %d ignored, exit code %d", totals.tests,
                      totals.failures, totals.ignored, *code));
  });
}

}  // namespace

void check_contracts(Checks& checks) {
  std::vector<std::filesystem::path> suites;
  for (const auto& entry : std::filesystem::directory_iterator("/bin"))
    if (entry.path().filename().string().starts_with("contract_")) suites.push_back(entry.path());
  std::sort(suites.begin(), suites.end());
  if (suites.empty()) checks.check(false, "contract suites", "none was packed");
  for (const auto& program : suites) check_suite(checks, program);
}

}  // namespace kerb::board
