// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kerb::test {

/// What a program that was run left behind.
struct Outcome {
  int code = -1;
  std::string out, err;
  [[nodiscard]] long lines_of_error() const { return std::count(err.begin(), err.end(), '\n'); }
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace kerb::test
