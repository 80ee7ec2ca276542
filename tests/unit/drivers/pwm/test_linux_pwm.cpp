// SPDX-License-Identifier: Apache-2.0
#include "drivers/pwm/linux_pwm.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
namespace fs = std::filesystem;

namespace {

/// A chip with one channel exported, as /sys/class/pwm shows it.
struct Chip {
  test::TempFolder folder;
  Chip() {
    folder.write("npwm", "2\n");
    channel("period", 0);
    channel("duty_cycle", 0);
    channel("enable", 0);
  }
  void channel(const char* file, long value) const {
    folder.write(std::string{"pwm0/"} + file, std::to_string(value) + "\n");
  }
  [[nodiscard]] long number(const std::string& file) const {
    long value = -1;
    std::ifstream{folder.path() / file} >> value;
    return value;
  }
  [[nodiscard]] std::string path() const { return folder.path().string(); }
};

TEST(the_frequency_and_the_brightness_become_times) {
  const Chip chip;
  auto pwm = LinuxPwm::open({chip.path(), 0, 500});
  TEST_ASSERT_OK(pwm);
  TEST_ASSERT_EQUAL_INT64(2'000'000, chip.number("pwm0/period"));
  TEST_ASSERT_EQUAL_INT64(1, chip.number("pwm0/enable"));
  TEST_ASSERT_OK((*pwm)->set(0.25));
  TEST_ASSERT_EQUAL_INT64(500'000, chip.number("pwm0/duty_cycle"));
}

TEST(active_low_turns_the_pulse_over) {
  const Chip chip;
  auto pwm = LinuxPwm::open({chip.path(), 0, 1000, true});
  TEST_ASSERT_OK(pwm);
  TEST_ASSERT_EQUAL_INT64(0, chip.number("pwm0/duty_cycle"));
  TEST_ASSERT_OK((*pwm)->set(0.25));
  TEST_ASSERT_EQUAL_INT64(750'000, chip.number("pwm0/duty_cycle"));
}

// The kernel refuses a period shorter than the pulse that is set.
TEST(a_longer_pulse_left_by_another_program_is_taken_back_first) {
  const Chip chip;
  chip.channel("period", 20'000'000);
  chip.channel("duty_cycle", 15'000'000);
  auto pwm = LinuxPwm::open({chip.path(), 0, 1000});
  TEST_ASSERT_OK(pwm);
  TEST_ASSERT_EQUAL_INT64(1'000'000, chip.number("pwm0/period"));
  TEST_ASSERT_EQUAL_INT64(1'000'000, chip.number("pwm0/duty_cycle"));
}

TEST(an_inversed_polarity_is_turned_back) {
  const Chip chip;
  chip.folder.write("pwm0/polarity", "inversed\n");
  chip.channel("enable", 1);
  TEST_ASSERT_OK(LinuxPwm::open({chip.path(), 0}));
  std::string now;
  std::ifstream{chip.folder.path() / "pwm0/polarity"} >> now;
  TEST_ASSERT_TRUE_MESSAGE(now.starts_with("normal"), now.c_str());
  TEST_ASSERT_EQUAL_INT64(1, chip.number("pwm0/enable"));
}

TEST(a_channel_that_is_not_there_is_exported) {
  const Chip chip;
  chip.folder.write("export", "");
  // No kernel makes the folder here: the export was asked for, and the open fails.
  TEST_ASSERT_ERROR(Errc::not_found, LinuxPwm::open({chip.path(), 1}));
  TEST_ASSERT_EQUAL_INT64(1, chip.number("export"));
}

TEST(what_is_not_there_is_told_from_what_is_refused) {
  const Chip chip;
  TEST_ASSERT_ERROR(Errc::not_found, LinuxPwm::open({chip.path() + "/none", 0}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, LinuxPwm::open({chip.path(), 2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, LinuxPwm::open({chip.path(), -1}));
  fs::remove(chip.folder.path() / "pwm0/duty_cycle");
  fs::create_symlink("/dev/full", chip.folder.path() / "pwm0/duty_cycle");
  const auto refused = LinuxPwm::open({chip.path(), 0});
  TEST_ASSERT_ERROR(Errc::io, refused);
  TEST_ASSERT_EQUAL_INT(ENOSPC, refused.error().native);
}

}  // namespace
