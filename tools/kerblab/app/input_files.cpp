// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/input_files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <sstream>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"

namespace kerb::lab {

using replay::failure;

Status check_plain(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return Done{};
  return failure(Errc::invalid_argument, "not a regular file", path);
}

Result<std::vector<std::string>> expand_list(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    if (word.empty() || word.front() != '@') {
      paths.push_back(word);
      continue;
    }
    const std::string list = word.substr(1);
    if (Status plain = check_plain(list); !plain) return plain.error();
    const Result<std::vector<std::uint8_t>> file = replay::read_file(list);
    if (!file) return failure(file.error().code, "read list", list, file.error().native);
    std::istringstream text{std::string{file->begin(), file->end()}};
    for (std::string line; std::getline(text, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) paths.push_back(line);
    }
  }
  if (paths.empty()) return Error{Errc::invalid_argument, 0, "detect", "no picture is given"};
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      return failure(Errc::invalid_argument, "a folder, not a picture", path);
    if (Status plain = check_plain(path); !plain) return plain.error();
    if (::access(path.c_str(), R_OK) != 0)
      return failure(Errc::not_found, "read picture", path, errno);
  }
  return paths;
}

}  // namespace kerb::lab
