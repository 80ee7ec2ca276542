// SPDX-License-Identifier: Apache-2.0
#include "tools/files/text.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace kerb::files {

namespace fs = std::filesystem;

Error line_error(const char* where, std::string_view file, int line, std::string_view wrong,
                 Errc code) {
  constexpr std::size_t kRoom = 112;  // of Error::what
  const std::string place = line > 0 ? ":" + std::to_string(line) : std::string{};
  std::string text{wrong.substr(0, kRoom / 2 + 8)};
  text.insert(0, ": ");
  const std::size_t room = kRoom - std::min(kRoom, place.size() + text.size());
  std::string name{file};
  if (name.size() > room) name = "..." + name.substr(name.size() - (room - 3));
  const std::string what = name + place + text;
  return Error{code, 0, where, std::string_view{what}};
}

bool Lines::next(std::string_view& line) noexcept {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> number(std::string_view text) noexcept {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

Result<std::string> read_text(const char* where, const std::string& path) {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return line_error(where, path, 0, "no such file or folder", Errc::not_found);
  if (!fs::is_regular_file(status))
    return line_error(where, path, 0, "not a regular file", Errc::invalid_argument);
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return line_error(where, path, 0, "cannot be read", Errc::io);
  if (size > kMost) return line_error(where, path, 0, "over 1 GiB", Errc::invalid_argument);
  std::ifstream in{path, std::ios::binary};
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) return line_error(where, path, 0, "cannot be read", Errc::io);
  return text;
}

}  // namespace kerb::files
