// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/models.hpp"

#include <fstream>
#include <string_view>

#include "gpu/hog/model_file.hpp"
#include "tools/import/opencv_models.hpp"

namespace kerb::lab {

Result<hog::Model> load_model(const std::string& path) {
  constexpr std::string_view kOurs = "KWMODEL";
  char start[kOurs.size()] = {};
  std::ifstream{path, std::ios::binary}.read(start, sizeof start);
  if (std::string_view{start, sizeof start} == kOurs) return hog::load(path);
  return read_opencv_model(path);  // also says why a file cannot be opened
}

Result<hog::Model> default_model() { return default_people_detector(); }

}  // namespace kerb::lab
