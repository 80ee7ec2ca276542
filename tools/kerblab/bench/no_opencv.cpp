// SPDX-License-Identifier: Apache-2.0
// In the place of opencv.cpp where the build has no OpenCV.
#include "tools/kerblab/bench/opencv.hpp"

namespace kerb::lab {
namespace {

Error no_pictures(const std::string& path) {
  return {Errc::unsupported, 0, "read picture (this build has no OpenCV)", std::string_view{path}};
}

}  // namespace

Status add_opencv(bench::HogBench& bench) {
  if (bench.models.empty()) bench::set_random_people(bench);
  return Done{};
}
void add_opencv(bench::FlowBench& /*bench*/) {}
void add_opencv(bench::EmdBench& /*bench*/) {}

Result<FittedPicture> fitted_picture(const std::string& path) { return no_pictures(path); }
Result<bench::GreyPicture> grey_file(const std::string& path) { return no_pictures(path); }

}  // namespace kerb::lab
