// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "tools/bench/contest.hpp"

/// `kerblab bench hog`, less what needs OpenCV: a bare GPU machine can run it too.
namespace kerb::bench {

/// One search, and the thesis's tables it belongs to.
struct HogCase {
  int width = 0, height = 0, stride = 8;
  double scale = 1.05;
  const char* tables = "";
  int padding = 0;
};

/// All that the thesis has times for.
[[nodiscard]] const std::vector<HogCase>& thesis_cases();

/// For somebody's own model: the thesis's searches of 1280 x 960 and, in that size and in
/// 640 x 480, the search that the model's advice asks for.
[[nodiscard]] std::vector<HogCase> model_cases(const hog::Model& model);

/// A detector of another library, prepared for one case.
struct Rival {
  std::string name;
  std::function<Status(int& people)> frame;  ///< grey picture to boxes
};

struct HogBench {
  std::vector<HogCase> cases = thesis_cases();
  int repeats = 11;
  int threads = 0;  ///< 0: one for each core
  bool cpu = true, cuda = false;
  /// Run these instead of all that follows, with their own thresholds and fusion.
  std::vector<hog::Model> models;
  hog::Model people;  ///< dense, kind rhog; the other kinds run with its weights
  /// Over 0: `people` is not trained; its bias is chosen to give this number of hits.
  int hits_of_people = 0;
  /// The picture in this size: grey, rows without gaps. All cases should show the same thing.
  std::function<std::vector<std::uint8_t>(int width, int height)> picture;
  /// The same as R, G and B planes, for models that need colour.
  std::function<std::vector<std::uint8_t>(int width, int height)> colours;
  /// Other detectors to measure, alternating with Kerbwatch's; ratios are relative to the first.
  /// May be empty.
  std::function<std::vector<Rival>(const HogCase&,
                                   const ImageView<Space::host, const std::uint8_t>&, int threads)>
      rivals;
  std::function<void(const std::string& what, int done, int all)> on_progress;
};

/// Random weights in the place of a trained `people`, which cost the same.
void set_random_people(HogBench& bench);

/// What one detector took for one case, from the picture, grey or (models that need it) in colour,
/// to fused boxes.
struct HogRow {
  HogCase search;
  std::string name;
  std::string backend;  ///< "cpu"; "cuda": upload and boxes read back; "cuda, on device": no upload
  int threads = 0;      ///< of the CPU; 0 for CUDA
  Times times;
  double ratio = 0;          ///< the reference's median over this one's; 0: there was none
  int windows = 0;           ///< 0: not known
  int hits = 0, people = 0;  ///< before and after fusion
  double per_window = 0;     ///< blocks (learners) a window; 0: not known
  std::size_t device_bytes = 0;
};

/// Runs every case, contestants by turns. The cascades are make_workload()'s on grids of 4 and 2
/// pixels, calibrated once for each picture size, on its case with the most windows. The kinds
/// `cells` and `integral` get a threshold that leaves them as many hits as `rhog` has: their
/// weights were trained for that one. Fails with the first error.
Result<std::vector<HogRow>> bench_hog(const Clock& clock, const HogBench& bench);

}  // namespace kerb::bench
