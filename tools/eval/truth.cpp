// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/truth.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "tools/files/text.hpp"

namespace kerb::eval {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhere = "read truth";
constexpr double kFarthest = 1e6;  // pixels; also keeps areas far from what a double cannot hold

std::string quoted(std::string_view text) {
  return "'" + std::string{text.substr(0, 24)} + (text.size() > 24 ? "...'" : "'");
}

/// The four numbers of a box, or what is wrong with them.
std::string read_box(const std::string_view* parts, Box& box) {
  double* const members[] = {&box.x, &box.y, &box.w, &box.h};
  for (int i = 0; i < 4; ++i) {
    const std::optional<double> value = files::number(parts[i]);
    if (!value || *value < -kFarthest || *value > kFarthest)
      return quoted(parts[i]) + " is not a number of pixels";
    *members[i] = *value;
  }
  return box.w > 0 && box.h > 0 ? "" : "width and height must be greater than 0";
}

class PictureList {
 public:
  TruthPicture& at(std::string_view name) {
    const auto [found, is_new] = index_.try_emplace(std::string{name}, pictures_.size());
    if (is_new) pictures_.push_back({std::string{name}, {}, {}});
    return pictures_[found->second];
  }
  [[nodiscard]] std::vector<TruthPicture> take() { return std::move(pictures_); }

 private:
  std::vector<TruthPicture> pictures_;
  std::unordered_map<std::string, std::size_t> index_;
};

bool is_one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Where the parts of a CSV line stand that come after its box.
struct CsvColumns {
  static constexpr std::size_t kNone = 0;  // the picture's name stands there
  std::vector<std::string> names;          // of the header; none without it
  std::size_t ignore = 5;                  // also behind a header of five
  std::size_t kind = kNone;
  std::vector<std::size_t> least;

  /// What is wrong with it, or nothing.
  std::string read_header(const std::vector<std::string_view>& parts) {
    constexpr std::string_view kBox[] = {"x", "y", "w", "h"};
    if (parts.size() < 5 || !std::equal(std::begin(kBox), std::end(kBox), parts.begin() + 1))
      return "a header must begin with image,x,y,w,h";
    names.assign(parts.begin(), parts.end());
    if (parts.size() > 5) ignore = column("ignore");
    kind = column("class");
    return {};
  }
  /// The first of these columns that is not there, or nothing.
  std::string find(const std::vector<TruthRules::Least>& wanted) {
    for (const TruthRules::Least& one : wanted) {
      least.push_back(column(one.column));
      if (least.back() == kNone) return one.column;
    }
    return {};
  }
  [[nodiscard]] std::size_t column(std::string_view name) const {
    for (std::size_t i = 5; i < names.size(); ++i)
      if (names[i] == name) return i;
    return kNone;
  }
  [[nodiscard]] std::size_t most() const { return std::max<std::size_t>(6, names.size()); }
  [[nodiscard]] std::string text() const {
    if (names.empty()) return "image,x,y,w,h[,ignore]";
    std::string all = names.front();
    for (std::size_t i = 1; i < names.size(); ++i) all += "," + names[i];
    return all;
  }
  /// Empty where the line is shorter.
  [[nodiscard]] static std::string_view part(const std::vector<std::string_view>& parts,
                                             std::size_t column) {
    return column == kNone || column >= parts.size() ? std::string_view{} : parts[column];
  }
};

/// "(a, b) - (c, d)" of a bounding box: its two corners.
std::optional<Box> read_corners(std::string_view text) {
  double values[4];
  constexpr std::string_view kForm[] = {"(", ",", ")-(", ",", ")"};
  std::string packed;
  for (const char c : text)
    if (c != ' ' && c != '\t') packed.push_back(c);
  std::string_view rest = packed;
  for (int i = 0; i < 5; ++i) {
    if (rest.substr(0, kForm[i].size()) != kForm[i]) return std::nullopt;
    rest.remove_prefix(kForm[i].size());
    if (i == 4) break;
    const std::size_t end = rest.find(kForm[i + 1].front());
    const std::optional<double> value = files::number(rest.substr(0, end));
    if (!value || *value < -kFarthest || *value > kFarthest) return std::nullopt;
    values[i] = *value;
    rest.remove_prefix(end);
  }
  if (!rest.empty()) return std::nullopt;
  return Box{values[0], values[1], values[2] - values[0], values[3] - values[1]};
}

/// What stands between the first two quotation marks.
std::optional<std::string_view> quoted_part(std::string_view line) {
  const std::size_t first = line.find('"');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find('"', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return line.substr(first + 1, second - first - 1);
}

bool names_person(std::string_view object) {
  std::string lower{object};
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower.find("person") != std::string::npos || lower.find("pedestrian") != std::string::npos;
}

std::string_view first_line(std::string_view text) {
  files::Lines lines{text};
  for (std::string_view line; lines.next(line);)
    if (const std::string_view content = files::trimmed(line); !content.empty()) return content;
  return {};
}

bool looks_like_mot(std::string_view text) {
  const std::vector<std::string_view> parts = files::split(first_line(text), ',');
  return parts.size() >= 7 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return files::number(part).has_value();
         });
}

bool looks_like_pascal(std::string_view text) {
  return text.find("PASCAL Annotation") != std::string_view::npos ||
         text.find("Bounding box for object") != std::string_view::npos;
}

Result<std::vector<TruthPicture>> read_mot_file(const fs::path& path, std::string_view text) {
  const fs::path folder = path.parent_path();
  const fs::path pictures =
      (folder.filename() == "gt" ? folder.parent_path() : folder) / fs::path{"img1"};
  return parse_mot_truth(text, path.string(), pictures.string());
}

Result<std::vector<TruthPicture>> read_folder(const fs::path& folder) {
  for (const char* name : {"gt/gt.txt", "gt.txt"}) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / name, ignored)) continue;
    const Result<std::string> text = files::read_text(kWhere, (folder / name).string());
    if (!text) return text.error();
    return read_mot_file(folder / name, *text);
  }
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".txt" && at->is_regular_file(ignored))
      files.push_back(at->path().string());
  }
  if (error) return files::line_error(kWhere, folder.string(), 0, "cannot be read", Errc::io);
  if (files.empty())
    return files::line_error(kWhere, folder.string(), 0, "no gt/gt.txt and no *.txt in this folder",
                             Errc::not_found);
  std::sort(files.begin(), files.end());
  std::vector<TruthPicture> pictures;
  for (const std::string& file : files) {
    const Result<std::string> text = files::read_text(kWhere, file);
    if (!text) return text.error();
    Result<TruthPicture> picture = parse_pascal_truth(*text, file);
    if (!picture) return picture.error();
    pictures.push_back(*std::move(picture));
  }
  return pictures;
}

}  // namespace

Result<std::vector<TruthPicture>> parse_csv_truth(std::string_view text, std::string_view file,
                                                  const TruthRules& rules) {
  PictureList pictures;
  files::Lines lines{text};
  CsvColumns columns;
  bool first = true;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") lines = files::Lines{text.substr(3)};  // Windows' mark
  for (std::string_view line; lines.next(line);) {
    const auto wrong = [&](std::string_view what, Errc code = Errc::damaged) {
      return files::line_error(kWhere, file, lines.number(), what, code);
    };
    const std::string_view content = files::trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    const std::vector<std::string_view> parts = files::split(content, ',');
    if (std::exchange(first, false)) {
      const bool is_header = parts.size() > 1 && parts[1] == "x";
      if (is_header)
        if (const std::string fault = columns.read_header(parts); !fault.empty())
          return wrong(fault);
      if (const std::string missing = columns.find(rules.least); !missing.empty())
        return wrong("no column " + quoted(std::string_view{missing}), Errc::invalid_argument);
      if (is_header) continue;
    }
    if (parts[0].empty())
      return wrong("the name of the picture is missing; expected " + columns.text());
    if (std::all_of(parts.begin() + 1, parts.end(),
                    [](std::string_view part) { return part.empty(); })) {
      pictures.at(parts[0]);
      continue;
    }
    if (parts.size() < 5 || parts.size() > columns.most())
      return wrong("expected " + columns.text() + ", found " + std::to_string(parts.size()) +
                   " parts");
    TruthBox box;
    if (const std::string fault = read_box(&parts[1], box.box); !fault.empty()) return wrong(fault);
    TruthPicture& picture = pictures.at(parts[0]);
    if (const std::string_view ignore = columns.part(parts, columns.ignore); !ignore.empty()) {
      if (ignore != "0" && ignore != "1") return wrong(quoted(ignore) + ": ignore must be 0 or 1");
      box.ignore = ignore == "1";
    }
    if (columns.kind != CsvColumns::kNone) {
      const std::string_view kind = columns.part(parts, columns.kind);
      if (kind.empty()) return wrong("the class is missing");
      const bool is_person = is_one_of(rules.people, kind);
      if (!is_person && !is_one_of(rules.ignored, kind)) {
        picture.things.push_back({box.box, std::string{kind}});
        continue;
      }
      box.ignore = box.ignore || !is_person;
    }
    for (std::size_t i = 0; i < rules.least.size(); ++i) {
      const std::string_view value = columns.part(parts, columns.least[i]);
      const std::optional<double> number = files::number(value);
      if (!value.empty() && !number) return wrong(quoted(value) + " is not a number");
      box.ignore = box.ignore || !number || *number < rules.least[i].value;
    }
    picture.boxes.push_back(box);
  }
  return pictures.take();
}

Result<TruthPicture> parse_pascal_truth(std::string_view text, std::string_view file) {
  TruthPicture picture;
  files::Lines lines{text};
  bool said_something = false;
  for (std::string_view line; lines.next(line);) {
    const auto wrong = [&](std::string_view what) {
      return files::line_error(kWhere, file, lines.number(), what);
    };
    const std::string_view content = files::trimmed(line);
    if (content.substr(0, 2) == "# " && content.find("PASCAL Annotation") != std::string_view::npos)
      said_something = true;
    if (content.substr(0, 14) == "Image filename") {
      const std::optional<std::string_view> name = quoted_part(content);
      if (!name || name->empty()) return wrong("expected Image filename : \"NAME\"");
      picture.name = *name;
      said_something = true;
    }
    if (content.substr(0, 23) != "Bounding box for object") continue;
    said_something = true;
    const std::optional<std::string_view> object = quoted_part(content);
    const std::size_t colon = content.rfind(':');
    const std::optional<Box> box = object && colon != std::string_view::npos
                                       ? read_corners(content.substr(colon + 1))
                                       : std::nullopt;
    if (!box)
      return wrong(R"(expected ... "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (a, b) - (c, d))");
    if (!(box->w > 0 && box->h > 0)) return wrong("Xmax, Ymax must be greater than Xmin, Ymin");
    if (names_person(*object)) picture.boxes.push_back({*box});
  }
  if (!said_something) return files::line_error(kWhere, file, 0, "not a PASCAL annotation");
  if (picture.name.empty()) picture.name = fs::path{file}.stem().string();
  return picture;
}

Result<std::vector<TruthPicture>> parse_mot_truth(std::string_view text, std::string_view file,
                                                  std::string_view folder) {
  std::map<int, TruthPicture> frames;
  files::Lines lines{text};
  for (std::string_view line; lines.next(line);) {
    const auto wrong = [&](std::string_view what) {
      return files::line_error(kWhere, file, lines.number(), what);
    };
    const std::string_view content = files::trimmed(line);
    if (content.empty()) continue;
    const std::vector<std::string_view> parts = files::split(content, ',');
    if (parts.size() < 7 || parts.size() > 10)
      return wrong("expected frame,id,x,y,w,h,conf,..., found " + std::to_string(parts.size()) +
                   " parts");
    for (const std::string_view part : parts)
      if (!files::number(part)) return wrong(quoted(part) + " is not a number");
    const double frame = *files::number(parts[0]);
    if (!(frame >= 0 && frame <= 999999) || frame != static_cast<int>(frame))
      return wrong(quoted(parts[0]) + " is not a frame number, 0..999999");
    TruthBox box;
    if (const std::string fault = read_box(&parts[2], box.box); !fault.empty()) return wrong(fault);
    box.ignore = *files::number(parts[6]) == 0;
    TruthPicture& picture = frames[static_cast<int>(frame)];
    if (parts.size() == 9) {
      const double kind = *files::number(parts[7]);
      box.visible = std::clamp(*files::number(parts[8]), 0.0, 1.0);
      const bool like_a_person = kind == 2 || kind == 7 || kind == 8 || kind == 12;
      if (kind != 1 && !like_a_person) continue;
      box.ignore = box.ignore || like_a_person;
    }
    picture.boxes.push_back(box);
  }
  std::vector<TruthPicture> pictures;
  for (auto& [frame, picture] : frames) {
    char number_text[16];
    std::snprintf(number_text, sizeof number_text, "%06d", frame);
    picture.name = (fs::path{folder} / number_text).string();
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

Result<std::vector<TruthPicture>> read_truth(const std::string& path, const TruthRules& rules) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path);
  const Result<std::string> text = files::read_text(kWhere, path);
  if (!text) return text.error();
  if (looks_like_mot(*text)) return read_mot_file(path, *text);
  if (!looks_like_pascal(*text)) return parse_csv_truth(*text, path, rules);
  Result<TruthPicture> picture = parse_pascal_truth(*text, path);
  if (!picture) return picture.error();
  return std::vector<TruthPicture>{*std::move(picture)};
}

}  // namespace kerb::eval
