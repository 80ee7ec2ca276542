// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"

/// What readers of text files share.
namespace kerb::files {

/// An error that names the file (its end, should it be long), the line (0: none) and what is wrong.
[[nodiscard]] Error line_error(const char* where, std::string_view file, int line,
                               std::string_view wrong, Errc code = Errc::damaged);

/// Lines one after the other, without their ends (LF or CR LF), with their numbers from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_{text} {}
  bool next(std::string_view& line) noexcept;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// Parts between separators, trimmed.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// A finite number, and nothing but it; signs of both kinds.
[[nodiscard]] std::optional<double> number(std::string_view text) noexcept;

/// The whole of a regular file of up to 1 GiB. Fails, naming it: not_found, io, invalid_argument (a
/// folder, a pipe, too large).
Result<std::string> read_text(const char* where, const std::string& path);

}  // namespace kerb::files
