// SPDX-License-Identifier: Apache-2.0
// KERB_TEST_GPIO names a line that may be driven, such as "/dev/gpiochip0:5". KERB_TEST_GPIO_VALUE
// may name a file that shows its level as 0 or 1 (gpio-sim has one for each line).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "drivers/gpio/linux_output_line.hpp"
#include "tests/contract/outputs_line_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

std::unique_ptr<OutputLine> open_or_exit(const LinuxOutputLineOptions& options) {
  Result<std::unique_ptr<LinuxOutputLine>> line = LinuxOutputLine::open(options);
  if (line) return std::move(*line);
  std::printf("%s\n", describe(line.error()).c_str());
  std::exit(1);
}

// The line is ours alone, and shows both to whoever asks and to whoever reads the pin.
int check_being_held(const LinuxOutputLineOptions& options) {
  const std::unique_ptr<OutputLine> held = open_or_exit(options);
  const auto second = LinuxOutputLine::open(options);
  if (!second && second.error().code == Errc::io) return 0;
  std::puts("a line that is held was given out again:FAIL");
  return 1;
}

// The amber lamp is lit from the moment its line is taken.
int check_being_lit_at_once(LinuxOutputLineOptions options) {
  options.on_when_opened = true;
  const std::unique_ptr<OutputLine> lit = open_or_exit(options);
  if (const Result<bool> level = lit->get(); level && *level) return 0;
  std::puts("a line that is to be on from its opening is off:FAIL");
  return 1;
}

}  // namespace

SUITE_MAIN(words) {
  const char* where = std::getenv("KERB_TEST_GPIO");
  const std::string text = where == nullptr ? "" : where;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    std::puts("KERB_TEST_GPIO is not set to CHIP:LINE: no line to test with");
    return 77;
  }
  LinuxOutputLineOptions options;
  options.chip = text.substr(0, colon);
  options.line = static_cast<std::uint32_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
  if (const auto probe = LinuxOutputLine::open(options); !probe) {
    std::printf("%s\n", describe(probe.error()).c_str());
    return 77;
  }
  int failed = check_being_held(options);
  for (const bool active_low : {false, true}) {
    options.active_low = active_low;
    failed += check_being_lit_at_once(options);
    OutputLineFixture fixture;
    fixture.open = [&] { return open_or_exit(options); };
    if (const char* path = std::getenv("KERB_TEST_GPIO_VALUE"))
      fixture.seen = [path, active_low] {
        int level = -1;
        std::ifstream{path} >> level;
        return (level == 1) != active_low;
      };
    failed += run_output_line_suite(fixture);
  }
  return failed;
}
