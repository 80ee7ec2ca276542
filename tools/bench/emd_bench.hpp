// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/emd/distances.hpp"
#include "tools/bench/contest.hpp"

/// `kerblab bench emd`, less what needs OpenCV: a bare GPU machine can run it too. The experiment
/// of the paper: local histograms of a picture, the distance of each to that of another picture, by
/// a ground distance in general position; with an empty and with a full cache, with and without
/// transfers. And what the paper does not show: signatures of which no two are alike, and the
/// solvers by themselves.
namespace kerb::bench {

struct GreyPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> samples;
};

struct EmdBench {
  std::vector<int> bins = {3, 4, 5, 6, 7, 8, 9, 10, 11};
  GreyPicture picture;  ///< at least 1280 x 720; 1920 x 1080 and more: that size too
  GreyPicture target;   ///< distances are to its histogram
  int repeats = 11;
  int threads = 0;  ///< of the CPU; 0: one for each core
  bool cpu = true, cuda = false;
  bool frames = true;             ///< else the solvers by themselves alone
  bool small = false;             ///< for tests of the benchmark itself: a corner of the picture
  std::size_t problems = 100000;  ///< of a solver by itself
  /// Somebody else's solver, of one problem: masses, and costs as rows of bins. May be empty.
  std::function<double(int bins, const std::uint8_t* from, const std::uint8_t* to,
                       const float* costs)>
      rival;
  std::string rival_name;
  std::function<void(const std::string& what)> on_progress;
  std::function<void(const struct EmdRow& row)> on_row;  ///< called for each finished row
};

/// What a frame took.
struct EmdRow {
  std::string what;  ///< "picture", "random", "solver", ...
  int width = 0, height = 0, bins = 0;
  std::string solver, backend;
  std::string cache;      ///< "cold": nothing known; "warm": the same frame again; "": none
  std::string transfers;  ///< "": none; "planes": signatures in, costs out; "picture": grey in
  int threads = 0;        ///< of the CPU; 0 for CUDA
  Times times;            ///< of a frame; for solvers by themselves, of all problems
  double rate = 0;        ///< frames a second; for solvers by themselves, problems
  emd::DistanceCounts counts;
  std::optional<bool> equals_cpu;  ///< all costs; unset: not compared
};

/// Fails: invalid_argument (pictures too small), and as Distances.
Result<std::vector<EmdRow>> bench_emd(const Clock& clock, const EmdBench& bench);

}  // namespace kerb::bench
