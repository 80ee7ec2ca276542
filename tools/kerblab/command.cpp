// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/command.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace kerb::lab {

int fail(std::string_view text) {
  std::string line{text};
  std::replace(line.begin(), line.end(), '\n', ' ');  // OpenCV's messages have several
  std::fprintf(stderr, "kerblab: error: %s\n", line.c_str());
  return kBadInput;
}

int fail(const Error& error) { return fail(describe(error)); }

}  // namespace kerb::lab
