// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "firmware/log/write_some.hpp"

namespace kerb {
namespace {

constexpr Nanos kErrorLimit = std::chrono::milliseconds{500};
int g_refused = 0;  // errno of the first write that failed

}  // namespace

int fail(std::string_view text) {
  const std::string line = fmt::format("kerbwatch: error: {}\n", text);
  static_cast<void>(write_within(STDERR_FILENO, line, kErrorLimit));
  return kBadInput;
}

void print_text(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && g_refused == 0)
    g_refused = errno;
}

void print_within(std::string_view text, Nanos limit) {
  flush_output();
  if (const int error = write_within(STDOUT_FILENO, text, limit); error != 0 && g_refused == 0)
    g_refused = error;
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 && g_refused == 0) g_refused = errno;
}

int finish_output(int code) {
  flush_output();
  if (g_refused == 0 && std::ferror(stdout) == 0) return code;
  return fail(std::string{"write: stdout: "} +
              (g_refused != 0 ? std::strerror(g_refused) : "it did not take all of the output"));
}

}  // namespace kerb
