// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/mot.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "tools/files/text.hpp"

namespace kerb::eval {
namespace {
constexpr const char* kWhere = "read MOT text";
constexpr double kFarthest = 1e6;  // pixels, frames, numbers of people

/// The columns of one line that anybody asks for.
struct MotLine {
  double frame, id, x, y, w, h, conf = 1, kind = 1;
  std::size_t columns = 0;

  [[nodiscard]] MotBox box() const { return {static_cast<int>(id), {x, y, w, h}, conf, false}; }
};

bool is_whole(double value) { return value == static_cast<double>(static_cast<int>(value)); }

/// What is wrong with a line, or nothing.
std::string read_line(std::string_view line, std::size_t least, MotLine& out) {
  const std::vector<std::string_view> parts = files::split(line, ',');
  out.columns = parts.size();
  if (parts.size() < least)
    return least > 6 ? "must be frame,id,x,y,w,h,conf,..." : "must be frame,id,x,y,w,h,...";
  double* const members[] = {&out.frame, &out.id, &out.x,    &out.y,
                             &out.w,     &out.h,  &out.conf, &out.kind};
  for (std::size_t i = 0; i < std::size(members) && i < parts.size(); ++i) {
    const std::optional<double> value = files::number(parts[i]);
    if (!value || *value < -kFarthest || *value > kFarthest)
      return "'" + std::string{parts[i].substr(0, 24)} + "' is not a number";
    *members[i] = *value;
  }
  if (out.frame < 1) return "frame numbers start at 1";
  if (!is_whole(out.frame) || !is_whole(out.id)) return "frame and id must be whole numbers";
  if (out.w <= 0 || out.h <= 0) return "width and height must be greater than 0";
  return {};
}

/// What `take` makes of every line: a box, or none. With `ids_are_unique` in each frame.
template <typename Take>
Result<MotBoxes> parse_lines(std::string_view text, std::string_view file, std::size_t least,
                             bool ids_are_unique, const Take& take) {
  MotBoxes out;
  std::set<std::pair<int, int>> known;
  files::Lines lines{text};
  std::string_view line;
  while (lines.next(line)) {
    if (files::trimmed(line).empty()) continue;
    MotLine values;
    if (const std::string wrong = read_line(line, least, values); !wrong.empty())
      return files::line_error(kWhere, file, lines.number(), wrong);
    const std::optional<MotBox> box = take(values);
    if (!box) continue;
    const int frame = static_cast<int>(values.frame);
    if (ids_are_unique && !known.emplace(frame, box->id).second)
      return files::line_error(
          kWhere, file, lines.number(),
          "id " + std::to_string(box->id) + " occurs twice in frame " + std::to_string(frame));
    out[frame].push_back(*box);
  }
  return out;
}

template <typename Parse>
Result<MotBoxes> read_with(const std::string& path, const Parse& parse) {
  const Result<std::string> text = files::read_text(kWhere, path);
  if (!text) return text.error();
  return parse(*text, path);
}

}  // namespace

Result<MotBoxes> parse_mot(std::string_view text, std::string_view file) {
  return parse_lines(text, file, 7, false, [](const MotLine& line) -> std::optional<MotBox> {
    const bool other_class = line.columns == 9 && line.kind != 1;
    if (line.conf == 0 || other_class) return std::nullopt;
    return line.box();
  });
}

Result<MotBoxes> read_mot(const std::string& path) { return read_with(path, parse_mot); }

Result<MotBoxes> parse_mot_truth_tracks(std::string_view text, std::string_view file) {
  return parse_lines(text, file, 7, true, [](const MotLine& line) -> std::optional<MotBox> {
    const double like_people[] = {2, 7, 8, 12};
    const bool is_like = line.columns == 9 &&
                         std::count(std::begin(like_people), std::end(like_people), line.kind) > 0;
    if (line.columns == 9 && line.kind != 1 && !is_like) return std::nullopt;
    MotBox box = line.box();
    box.ignore = line.conf == 0 || is_like;
    return box;
  });
}

Result<MotBoxes> read_mot_truth_tracks(const std::string& path) {
  std::error_code ignored;
  const bool is_sequence = std::filesystem::is_directory(path, ignored);
  return read_with(is_sequence ? (std::filesystem::path{path} / "gt" / "gt.txt").string() : path,
                   parse_mot_truth_tracks);
}

Result<MotBoxes> parse_mot_tracks(std::string_view text, std::string_view file) {
  return parse_lines(text, file, 6, true,
                     [](const MotLine& line) { return std::optional{line.box()}; });
}

Result<MotBoxes> read_mot_tracks(const std::string& path) {
  return read_with(path, parse_mot_tracks);
}

Result<MotBoxes> parse_mot_detections(std::string_view text, std::string_view file) {
  return parse_lines(text, file, 7, false,
                     [](const MotLine& line) { return std::optional{line.box()}; });
}

Result<MotBoxes> read_mot_detections(const std::string& path) {
  return read_with(path, parse_mot_detections);
}

}  // namespace kerb::eval
