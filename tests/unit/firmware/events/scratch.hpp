// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"

/// A folder of its own, gone afterwards.
class Scratch {
 public:
  Scratch() : folder{kerb::test::make_temp_folder()} {}
  ~Scratch() { std::filesystem::remove_all(folder); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string path(const std::string& name = "events.jsonl") const {
    return (folder / name).string();
  }
  /// Bytes of all files, and how many there are.
  [[nodiscard]] std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& file : std::filesystem::directory_iterator{folder}) sum += file.file_size();
    return sum;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator{folder}, {});
  }
  std::filesystem::path folder;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void spit(const std::string& path, std::string_view bytes) {
  std::ofstream out{path, std::ios::binary};
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// What lies between line feeds; a rest without one is a line too.
inline std::vector<std::string> lines_of(const std::string& bytes) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    lines.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
