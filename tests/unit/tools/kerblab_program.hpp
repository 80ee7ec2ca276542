// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "tests/support/outcome.hpp"
#include "tests/support/unity.hpp"
#include "tools/bench/street.hpp"

/// kerblab as a person meets it: a command line in a folder of the test's own. KERBLAB is the
/// program's path.
namespace kerb::test {

/// Runs `PROGRAM ARGUMENTS` through the shell in `folder`, in which its outputs leave no file.
inline Outcome run_program(const std::filesystem::path& folder, const std::string& program,
                           const std::string& arguments) {
  const std::filesystem::path logs = folder.string() + ".logs";
  std::filesystem::create_directory(logs);
  const std::string out = logs / "out", err = logs / "err";
  const std::string command =
      "cd " + folder.string() + " && " + program + " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  Outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  std::filesystem::remove_all(logs);
  return result;
}

inline Outcome run_kerblab(const std::filesystem::path& folder, const std::string& arguments) {
  return run_program(folder, KERBLAB, arguments);
}

/// A street made by code, as a grey picture.
inline void write_street(const std::filesystem::path& path, int width, int height) {
  std::vector<std::uint8_t> samples = bench::street_picture(width, height);
  TEST_ASSERT_TRUE(cv::imwrite(path.string(), cv::Mat{height, width, CV_8UC1, samples.data()}));
}

inline void expect_done(const Outcome& o) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
}

/// Exit code 2 and one line, with `part` in it.
inline void expect_bad_input(const Outcome& o, const char* part) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, o.lines_of_error(), o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("kerblab: error: ") == 0, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find(part) != std::string::npos, o.err.c_str());
  TEST_ASSERT_EQUAL_STRING("", o.out.c_str());
}

/// All files below a folder, hidden ones too.
inline long file_count(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  return std::count_if(fs::recursive_directory_iterator{folder}, fs::recursive_directory_iterator{},
                       [](const fs::directory_entry& e) { return e.is_regular_file(); });
}

}  // namespace kerb::test
