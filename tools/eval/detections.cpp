// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/detections.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/files/text.hpp"

namespace kerb::eval {
namespace {

using Json = nlohmann::json;

constexpr const char* kWhere = "read detections";
constexpr double kFarthest = 1e6;

/// A finite number of an object's member, or nothing.
std::optional<double> number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

/// A number of pixels, or 0.
int side_of(const Json& object, const char* key) {
  const double value = number_of(object, key).value_or(0);
  return value >= 1 && value <= kFarthest ? static_cast<int>(value) : 0;
}

/// What is wrong with a detection, or nothing.
std::string read_one(const Json& item, ScoredBox& out) {
  if (!item.is_object()) return "a detection is not an object";
  double* const members[] = {&out.box.x, &out.box.y, &out.box.w, &out.box.h, &out.score};
  constexpr const char* kKeys[] = {"x", "y", "w", "h", "score"};
  for (int i = 0; i < 5; ++i) {
    const std::optional<double> value = number_of(item, kKeys[i]);
    if (!value || (i < 4 && std::abs(*value) > kFarthest))
      return std::string{"a detection's \""} + kKeys[i] + "\" is missing or not a number";
    *members[i] = *value;
  }
  return out.box.w > 0 && out.box.h > 0 ? ""
                                        : "a detection's \"w\" and \"h\" must be greater than 0";
}

std::string read_line(std::string_view line, PictureDetections& out) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return "not a JSON object";
  const auto image = object.find("image");
  if (image == object.end() || !image->is_string()) return "\"image\" is missing or not a string";
  out.image = image->get<std::string>();
  if (out.image.empty()) return "\"image\" is empty";
  out.ms = number_of(object, "ms");
  const int width = side_of(object, "width"), height = side_of(object, "height");
  if (width > 0 && height > 0) {
    out.width = width;
    out.height = height;
  }
  const auto list = object.find("detections");
  if (list == object.end() || !list->is_array()) return "\"detections\" is missing or not a list";
  for (const Json& item : *list) {
    ScoredBox box;
    if (std::string fault = read_one(item, box); !fault.empty()) return fault;
    out.boxes.push_back(box);
  }
  return {};
}

}  // namespace

Result<std::vector<PictureDetections>> parse_detections(std::string_view text,
                                                        std::string_view file) {
  std::vector<PictureDetections> pictures;
  files::Lines lines{text};
  for (std::string_view line; lines.next(line);) {
    if (files::trimmed(line).empty()) continue;
    PictureDetections picture;
    if (const std::string fault = read_line(line, picture); !fault.empty())
      return files::line_error(kWhere, file, lines.number(), fault);
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

Result<std::vector<PictureDetections>> read_detections(const std::string& path) {
  const Result<std::string> text = files::read_text(kWhere, path);
  if (!text) return text.error();
  return parse_detections(*text, path);
}

}  // namespace kerb::eval
