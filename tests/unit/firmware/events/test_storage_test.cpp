// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/storage_test.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
namespace fs = std::filesystem;

namespace {

TestResult wait_for(const StorageTest& test) {
  for (int i = 0; i < 20000 && test.result() == TestResult::not_run; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  return test.result();
}

TEST(a_folder_that_takes_a_file_passes_and_is_left_as_it_was) {
  const test::TempFolder folder;
  const fs::path place = folder.path() / "a" / "b";
  TEST_ASSERT_OK(check_storage(place.string()));
  TEST_ASSERT_TRUE(fs::is_empty(place));
  const StorageTest test{{place.string(), folder.path().string(), place.string()}};
  TEST_ASSERT_TRUE(wait_for(test) == TestResult::passed);
  TEST_ASSERT_NULL(test.error());
  TEST_ASSERT_TRUE(fs::is_empty(place));
}

TEST(a_folder_that_takes_none_fails_and_is_named) {
  const test::TempFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream{file} << "not a folder";
  TEST_ASSERT_ERROR(Errc::io, check_storage(file.string()));
  const StorageTest test{{folder.path().string(), file.string()}};
  TEST_ASSERT_TRUE(wait_for(test) == TestResult::failed);
  TEST_ASSERT_NOT_NULL(test.error());
  TEST_ASSERT_EQUAL_INT(ENOTDIR, test.error()->native);
  TEST_ASSERT_TRUE(describe(*test.error()).find(file.string()) != std::string::npos);
}

TEST(a_disk_that_gets_room_passes_then) {
  const test::TempFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream{file} << "not a folder";
  const StorageTest test{{file.string()}};
  TEST_ASSERT_TRUE(wait_for(test) == TestResult::failed);
  fs::remove(file);
  for (int i = 0; i < 20000 && test.result() == TestResult::failed; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  TEST_ASSERT_TRUE(test.result() == TestResult::passed);
  TEST_ASSERT_NULL(test.error());
}

TEST(a_folder_that_is_read_only_fails) {
  const Status full = check_storage("/proc/self");  // nothing can be made there, by root neither
  TEST_ASSERT_FALSE(static_cast<bool>(full));
}

TEST(without_a_folder_there_is_nothing_to_test) {
  const StorageTest test{{}};
  TEST_ASSERT_TRUE(test.result() == TestResult::not_run);
}

}  // namespace
