// SPDX-License-Identifier: Apache-2.0
// What goes wrong at open(); needs no GPIO.
#include "drivers/gpio/linux_output_line.hpp"
#include "tests/support/real_kernel.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

TEST(wrong_chips_are_told_apart_and_named) {
  if (!kerb::test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  struct Case {
    const char* chip;
    Errc code;
    const char* text;
  };
  for (const Case& c :
       {Case{"/dev/gpiochip987", Errc::not_found,
             "open GPIO chip: /dev/gpiochip987: No such file or directory"},
        Case{"987", Errc::not_found, "open GPIO chip: /dev/gpiochip987: No such file or directory"},
        Case{"gpiochip987", Errc::not_found,
             "open GPIO chip: /dev/gpiochip987: No such file or directory"},
        Case{"no-such-label", Errc::not_found,
             "open GPIO chip: no chip has this label: no-such-label"},
        Case{"/dev/null", Errc::unsupported,
             "open GPIO chip: not a GPIO chip: /dev/null: Inappropriate ioctl for device"},
        Case{"/proc/version", Errc::unsupported, "open GPIO chip: not a GPIO chip: /proc/version"},
        Case{"/tmp", Errc::unsupported, "open GPIO chip: not a GPIO chip: /tmp"},
        Case{"/proc/version/x", Errc::not_found,
             "open GPIO chip: /proc/version/x: Not a directory"},
        Case{"", Errc::invalid_argument, "open GPIO chip: the name is empty"}}) {
    LinuxOutputLineOptions options;
    options.chip = c.chip;
    const auto line = LinuxOutputLine::open(options);
    TEST_ASSERT_ERROR(c.code, line);
    TEST_ASSERT_EQUAL_STRING(c.text, describe(line.error()).c_str());
  }
}

}  // namespace
