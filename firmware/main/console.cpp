// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/console.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace kerb {
namespace {

int g_refused = 0;  // errno of the first write that failed

}  // namespace

int fail(std::string_view text) {
  std::fprintf(stderr, "kerbwatch: error: %.*s\n", static_cast<int>(text.size()), text.data());
  return kBadInput;
}

void print_text(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && g_refused == 0)
    g_refused = errno;
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
