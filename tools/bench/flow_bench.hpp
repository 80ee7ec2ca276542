// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/memory/context.hpp"
#include "hal/base/view.hpp"
#include "tools/bench/contest.hpp"

/// `kerblab bench flow`, less what needs OpenCV: a bare GPU machine can run it too.
namespace kerb::bench {

inline constexpr int kPoints = 1200;

struct FlowCase {
  int width = 0, height = 0;
  double wanted = 1;  ///< part of the picture that the mask asks for, in its middle; 1: no mask
};
/// 1280 x 720 whole and masked, and sizes below and above it.
[[nodiscard]] const std::vector<FlowCase>& flow_cases();

/// A method of another library, prepared for one pair of pictures.
struct FlowRival {
  std::string name;
  std::function<Status()> frame;
};

struct FlowBench {
  std::vector<FlowCase> cases = flow_cases();
  int repeats = 21;
  int threads = 0;  ///< 0: one for each core
  bool cpu = true, cuda = false;
  /// The first picture in this size: grey, rows without gaps. The second one is what a camera sees
  /// after it drove on a little: the first, enlarged by 2 % about its middle.
  std::function<std::vector<std::uint8_t>(int width, int height)> picture;
  /// Other methods to measure, alternating with Kerbwatch's; ratios are relative to the first. May
  /// be empty.
  std::function<std::vector<FlowRival>(const ImageView<Space::host, const std::uint8_t>& previous,
                                       const ImageView<Space::host, const std::uint8_t>& next,
                                       int threads)>
      rivals;
  std::function<void(const std::string& what, int done, int all)> on_progress;
};

/// What one method took for one case. Besides the dense methods, where there is no mask: "points",
/// the point tracker at kPoints corners with one new picture a frame, and "product", the firmware's
/// whole flow with its defaults: the picture made smaller, and what is fastest on the backend.
struct FlowRow {
  FlowCase size;
  std::string name;
  std::string backend;  ///< "cpu"; "cuda": upload and download too; "cuda, on device": neither
  int threads = 0;      ///< of the CPU; 0 for CUDA
  Times times;
  double ratio = 0;                ///< the reference's median over this one's; 0: there was none
  std::size_t bytes_held = 0;      ///< 0: not known
  double bytes_moved = 0;          ///< the least it reads and writes; 0: not known
  double operations = 0;           ///< additions, multiplications, minima: about; 0: not known
  std::optional<bool> equals_cpu;  ///< vectors, qualities and flags; unset: not compared
};

/// Runs every case, contestants by turns. Fails with the first error.
Result<std::vector<FlowRow>> bench_flow(const Clock& clock, const FlowBench& bench);

}  // namespace kerb::bench
