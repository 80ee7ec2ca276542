// SPDX-License-Identifier: Apache-2.0
#include "drivers/lock/device_lock.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

/// Of this process, so that tests beside each other do not meet.
std::string own(const std::string& name) { return name + std::to_string(::getpid()); }

void expect_refused(const Result<DeviceLock>& lock, const std::string& place, int holder) {
  TEST_ASSERT_FALSE(lock);
  TEST_ASSERT_EQUAL_STRING("would_block", name_of(lock.error().code));
  const std::string line = describe(lock.error());
  TEST_ASSERT_TRUE_MESSAGE(line.find(place) != std::string::npos, line.c_str());
  const std::string by = "by process " + std::to_string(holder) + " (unit_drivers";
  TEST_ASSERT_TRUE_MESSAGE(line.find(by) != std::string::npos, line.c_str());
}

TEST(the_second_is_told_who_has_it_and_the_next_may_have_it) {
  const std::string bus = own("can");
  {
    const Result<DeviceLock> first = DeviceLock::take("bus", bus);
    TEST_ASSERT_OK(first);
    expect_refused(DeviceLock::take("bus", bus), bus, ::getpid());
    TEST_ASSERT_OK(DeviceLock::take("camera", bus));     // another kind
    TEST_ASSERT_OK(DeviceLock::take("bus", bus + "1"));  // another place
  }
  TEST_ASSERT_OK(DeviceLock::take("bus", bus));
}

TEST(a_thing_is_the_same_under_all_its_names) {
  const test::TempFolder folder;
  const std::string file = folder.write("file", "");
  std::filesystem::create_symlink("file", folder.path() / "link");
  const Result<DeviceLock> first = DeviceLock::take("file", file);
  TEST_ASSERT_OK(first);
  TEST_ASSERT_FALSE(DeviceLock::take("file", folder.path() / "link"));
  TEST_ASSERT_FALSE(DeviceLock::take("file", folder.path() / "." / "file"));
  // A device by its number, whatever the link to it is called.
  std::filesystem::create_symlink("/dev/null", folder.path() / "null");
  const std::string kind = own("node");
  const Result<DeviceLock> null = DeviceLock::take(kind, "/dev/null");
  TEST_ASSERT_OK(null);
  TEST_ASSERT_FALSE(DeviceLock::take(kind, folder.path() / "null"));
  TEST_ASSERT_OK(DeviceLock::take(kind, "/dev/zero"));
}

TEST(long_names_that_differ_anywhere_are_different) {
  const std::string tail(150, 'x');
  const Result<DeviceLock> first = DeviceLock::take(own("k"), "/nowhere/a" + tail);
  TEST_ASSERT_OK(first);
  TEST_ASSERT_FALSE(DeviceLock::take(own("k"), "/nowhere/a" + tail));
  TEST_ASSERT_OK(DeviceLock::take(own("k"), "/nowhere/b" + tail));
}

TEST(it_ends_with_a_process_that_is_killed) {
  const std::string bus = own("killed");
  int ready[2] = {};
  TEST_ASSERT_EQUAL_INT(0, ::pipe(ready));
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<DeviceLock> lock = DeviceLock::take("bus", bus);
    const char byte = lock ? '1' : '0';
    static_cast<void>(!::write(ready[1], &byte, 1));
    for (;;) ::pause();
  }
  char byte = 0;
  TEST_ASSERT_EQUAL_INT(1, ::read(ready[0], &byte, 1));
  TEST_ASSERT_EQUAL_CHAR('1', byte);
  expect_refused(DeviceLock::take("bus", bus), bus, child);
  TEST_ASSERT_EQUAL_INT(0, ::kill(child, SIGKILL));
  TEST_ASSERT_EQUAL_INT(child, ::waitpid(child, nullptr, 0));
  TEST_ASSERT_OK(DeviceLock::take("bus", bus));
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
