// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace kerb::board {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] inline std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

/// Counts checks and says each on one line, with what was seen. The host's run.sh reads these lines
/// from the console: "PASS name: saw" and "FAIL name: saw".
class Checks {
 public:
  bool check(bool holds, const std::string& name, const std::string& saw) {
    ++(holds ? passed_ : failed_);
    std::printf("%s %s: %s\n", holds ? "PASS" : "FAIL", name.c_str(), saw.c_str());
    std::fflush(stdout);
    return holds;
  }
  /// Runs a group of checks; a board that is not as they need it is one failed check.
  template <typename Group>
  void group(const std::string& name, Group&& run) {
    try {
      run();
    } catch (const std::exception& error) {
      check(false, name, error.what());
    }
  }
  int failed() const { return failed_; }
  /// 0 when there was at least one check and none failed.
  int exit_code() const { return passed_ > 0 && failed_ == 0 ? 0 : 1; }

 private:
  int passed_ = 0;
  int failed_ = 0;
};

}  // namespace kerb::board
