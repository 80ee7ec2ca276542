// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/mot.hpp"

#include <optional>

#include "tools/eval/text.hpp"

namespace kerb::eval {
namespace {
constexpr const char* kWhere = "read MOT text";
constexpr double kFarthest = 1e6;  // pixels, frames, numbers of people
}  // namespace

Result<MotBoxes> parse_mot(std::string_view text, std::string_view file) {
  MotBoxes out;
  Lines lines{text};
  std::string_view line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string_view> parts = split(line, ',');
    if (parts.size() < 7)
      return line_error(kWhere, file, lines.number(), "must be frame,id,x,y,w,h,conf,...");
    double values[8] = {};
    for (std::size_t i = 0; i < 8 && i < parts.size(); ++i) {
      const std::optional<double> value = number(parts[i]);
      if (!value || *value < -kFarthest || *value > kFarthest)
        return line_error(kWhere, file, lines.number(),
                          "'" + std::string{parts[i].substr(0, 24)} + "' is no number");
      values[i] = *value;
    }
    if (values[0] < 1) return line_error(kWhere, file, lines.number(), "frames count from 1");
    if (values[4] <= 0 || values[5] <= 0)
      return line_error(kWhere, file, lines.number(), "width and height must be over 0");
    const bool other_class = parts.size() == 9 && values[7] != 1;
    if (values[6] == 0 || other_class) continue;
    out[static_cast<int>(values[0])].push_back(
        {static_cast<int>(values[1]), {values[2], values[3], values[4], values[5]}});
  }
  return out;
}

Result<MotBoxes> read_mot(const std::string& path) {
  const Result<std::string> text = read_text(kWhere, path);
  if (!text) return text.error();
  return parse_mot(*text, path);
}

}  // namespace kerb::eval
