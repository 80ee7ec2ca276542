// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/model/models.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "gpu/hog/model_file.hpp"
#include "gpu/hog/shipped_models.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/input_files.hpp"

namespace kerb::lab {

bool is_our_model(const std::string& path) {
  if (!check_plain(path)) return false;
  constexpr std::string_view kOurs = "KWMODEL";
  char start[kOurs.size()] = {};
  std::ifstream{path, std::ios::binary}.read(start, sizeof start);
  return std::string_view{start, sizeof start} == kOurs;
}

Result<hog::Model> load_model(const std::string& path) {
  if (Status plain = check_plain(path); !plain) return plain.error();
  // A file of our kind with a damaged beginning is one of ours too, and is told so.
  if (is_our_model(path) || path.ends_with(".kwm")) return hog::load(path);
  return read_opencv_model(path);  // also says why a file cannot be opened
}

Result<hog::Model> default_model() {
  const std::string shipped = hog::shipped_model(hog::kDefaultModel);
  return shipped.empty() ? default_people_detector() : hog::load(shipped);
}

std::string default_model_note() {
  if (!hog::shipped_model(hog::kDefaultModel).empty()) return {};
  return fmt::format("no {} in {}: using OpenCV's people detector; --model selects another",
                     hog::kDefaultModel, hog::shipped_models());
}

}  // namespace kerb::lab
