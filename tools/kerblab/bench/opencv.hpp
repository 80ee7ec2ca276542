// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "tools/bench/emd_bench.hpp"
#include "tools/bench/flow_bench.hpp"
#include "tools/bench/hog_bench.hpp"

/// What the benchmarks use of OpenCV: its operators, to compare with, and reading of pictures.
/// Without OpenCV (no_opencv.cpp), there is nothing to compare with, and the only picture is the
/// synthetic street.
namespace kerb::lab {

using BenchPicture = std::function<std::vector<std::uint8_t>(int width, int height)>;

/// Adds OpenCV's detector to the comparison, and sets the dense model all kinds run with: OpenCV's
/// own, or one of random weights, which costs the same.
Status add_opencv(bench::HogBench& bench);
void add_opencv(bench::FlowBench& bench);
void add_opencv(bench::EmdBench& bench);

/// A picture file, cut and scaled to any size: grey, and R, G and B planes. Fails: as
/// load_picture(); unsupported (no OpenCV).
struct FittedPicture {
  BenchPicture grey, colours;
};
Result<FittedPicture> fitted_picture(const std::string& path);
/// As it is. Fails: as above.
Result<bench::GreyPicture> grey_file(const std::string& path);

}  // namespace kerb::lab
