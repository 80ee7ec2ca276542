// SPDX-License-Identifier: Apache-2.0
// In the place of opencv_models.cpp where the build has no OpenCV.
#include "tools/import/opencv_models.hpp"

namespace kerb::lab {
namespace {

Error without_opencv(std::string_view what) {
  return {Errc::unsupported, 0, "OpenCV model (this build has no OpenCV to read it)", what};
}

}  // namespace

Result<hog::Model> default_people_detector() { return without_opencv("its people detector"); }
Result<hog::Model> parse_opencv_model(std::string_view /*text*/) { return without_opencv({}); }
Result<hog::Model> read_opencv_model(const std::string& path) { return without_opencv(path); }

}  // namespace kerb::lab
