// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/frames.hpp"

#include <charconv>
#include <filesystem>
#include <numeric>

namespace kerb::lab {
namespace {

/// The number a file's name ends with, before its extension.
std::optional<int> number_of(const std::string& path) {
  const std::string stem = std::filesystem::path{path}.stem().string();
  const std::size_t last = stem.find_last_not_of("0123456789");
  const std::string digits = last == std::string::npos ? stem : stem.substr(last + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

Result<std::vector<int>> number_frames(const char* where, const std::vector<std::string>& paths,
                                       std::optional<int> first) {
  std::vector<int> frames;
  for (const std::string& path : paths) {
    const std::optional<int> number = number_of(path);
    if (first || !number) break;
    if (!frames.empty() && *number <= frames.back())
      return Error{
          Errc::invalid_argument, 0, where,
          Text<112>{path + ": frames must be in order; --first numbers them in the order given"}};
    frames.push_back(*number);
  }
  if (frames.size() == paths.size()) return frames;
  frames.resize(paths.size());
  std::iota(frames.begin(), frames.end(), first.value_or(1));
  return frames;
}

}  // namespace kerb::lab
