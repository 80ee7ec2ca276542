// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/command.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace kerb::lab {
namespace {

void say(const char* kind, std::string_view text) {
  std::string line{text};
  std::replace(line.begin(), line.end(), '\n', ' ');  // OpenCV's messages have several lines
  std::fprintf(stderr, "kerblab: %s: %s\n", kind, line.c_str());
}

}  // namespace

int fail(std::string_view text) {
  say("error", text);
  return kBadInput;
}

void warn(std::string_view text) { say("warning", text); }

std::string not_empty(const std::string& value) {
  return value.empty() ? "the value is empty" : std::string{};
}

int fail(const Error& error) { return fail(describe(error)); }

}  // namespace kerb::lab
