// SPDX-License-Identifier: Apache-2.0
// A workshop at the running firmware: its tester is workshop.py, a client that others wrote, over
// the kernel's ISO-TP.
#include <filesystem>
#include <sstream>

#include "firmware/diagnostics/dtc.hpp"
#include "tests/board/firmware_checks.hpp"
#include "tests/board/process.hpp"

namespace kerb::board {
namespace {

constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kTester = "/workshop/workshop.py";
constexpr double kLimit = 240;  // real seconds: an emulated CPU starts Python in some

bool says(const Process& tester, const char* line) {
  return tester.output().find(line) != std::string::npos;
}

/// Some of the causes that check_faults has brought about.
std::vector<std::string> command() {
  std::vector<std::string> out{kPython, "-B", kTester, "--interface", "vcan0", "--road"};
  for (const Cause cause :
       {Cause::camera_silent, Cause::camera_gone, Cause::board_hot, Cause::signals_missing}) {
    out.emplace_back("--expect");
    out.push_back(text("0x%06X", diagnostics::dtc_of({cause, 0})));
  }
  return out;
}

}  // namespace

void check_workshop(Checks& checks, World& world) {
  if (!std::filesystem::exists(kTester)) {
    checks.check(false, "workshop", "there is no tester in this image");
    return;
  }
  const auto asked = RealClock::now();
  Process tester(command(), "/tmp/workshop.log");
  const auto end = asked + std::chrono::seconds{static_cast<int>(kLimit)};
  bool driven = false, stood = false;
  while (tester.is_running() && RealClock::now() < end) {
    if (!driven && says(tester, "now drive")) {
      world.car().drive(10);
      driven = true;
    }
    if (!stood && says(tester, "now stand")) {
      world.car().drive(0);
      stood = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  const auto code = tester.wait(1);
  const std::string output = tester.output();
  std::string last;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::printf("SAW   workshop %s\n", line.c_str());
    last = line;
  }
  checks.check(code == 0, "workshop: udsoncan over the kernel's ISO-TP",
               text("exit code %d: %s", code.value_or(-1), last.c_str()));
  const bool lit = world.lamps().warning_lit(asked).has_value();
  checks.check(
      lit && !world.lamps().now().warning, "workshop: the warning lamp was on, and is off",
      text("%s, now %s", lit ? "lit" : "never lit", world.lamps().now().warning ? "lit" : "dark"));
  world.car().drive(0);
}

}  // namespace kerb::board
