// SPDX-License-Identifier: Apache-2.0
// `kerblab bench emd` for a machine without OpenCV: one JSON line a row. Pictures are binary PGM.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "tools/bench/arguments.hpp"
#include "tools/bench/emd_bench.hpp"

#ifdef KERB_OPENCV
#include "tools/bench/opencv_emd.hpp"
#endif

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText =
    "usage: bench_emd PICTURE.pgm TARGET.pgm [auto|cpu|cuda|solvers] [REPEATS] [BINS...]\n";

/// P5, one byte a sample.
bool read_pgm(const char* path, GreyPicture& picture) {
  std::ifstream file{path, std::ios::binary};
  std::string magic;
  int most = 0;
  if (!(file >> magic >> picture.width >> picture.height >> most) || magic != "P5" || most != 255 ||
      picture.width < 1 || picture.height < 1 || picture.width > 65536 || picture.height > 65536)
    return false;
  file.get();
  picture.samples.resize(static_cast<std::size_t>(picture.width) *
                         static_cast<std::size_t>(picture.height));
  file.read(reinterpret_cast<char*>(picture.samples.data()),
            static_cast<std::streamsize>(picture.samples.size()));
  return file.good();
}

void print(const EmdRow& row) {
  std::printf(
      "{\"what\":\"%s\",\"width\":%d,\"height\":%d,\"bins\":%d,\"solver\":\"%s\","
      "\"backend\":\"%s\",\"threads\":%d,\"cache\":\"%s\",\"transfers\":\"%s\","
      "\"median_ms\":%.4f,\"best_ms\":%.4f,\"worst_ms\":%.4f,\"per_second\":%.1f,"
      "\"solved\":%u,\"duplicates\":%u,\"cached\":%u,\"equals_cpu\":%s}\n",
      row.what.c_str(), row.width, row.height, row.bins, row.solver.c_str(), row.backend.c_str(),
      row.threads, row.cache.c_str(), row.transfers.c_str(), row.times.median_ms, row.times.best_ms,
      row.times.worst_ms, row.rate, row.counts.solved, row.counts.duplicates, row.counts.cached,
      !row.equals_cpu   ? "null"
      : *row.equals_cpu ? "true"
                        : "false");
  (void)std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  EmdBench bench;
  if (argc < 3) return usage(kUsageText);
  bench.frames = argc < 4 || std::string_view{argv[3]} != "solvers";
  std::optional<Arguments> arguments = Arguments{BackendChoice::cpu, {}};
  if (bench.frames)
    arguments = read_arguments(std::min(argc, 5), argv, 3);
  else if (argc > 4)
    arguments->repeats = read_repeats(argv[4]);
  if (!arguments || (argc > 4 && !arguments->repeats)) return usage(kUsageText);
  if (!read_pgm(argv[1], bench.picture) || !read_pgm(argv[2], bench.target))
    return usage(kUsageText);
  if (argc > 5) bench.bins.clear();
  for (int i = 5; i < argc; ++i) {
    bench.bins.push_back(read_repeats(argv[i]).value_or(0));
    if (bench.bins.back() < 2 || bench.bins.back() > 16) return usage(kUsageText);
  }
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_emd", context.error());
#ifdef KERB_OPENCV
  bench.rival = opencv_emd;
  bench.rival_name = "cv::EMD";
#endif
  bench.on_progress = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  print_machine(*context, bench);
  bool equal = true;
  bench.on_row = [&](const EmdRow& row) {
    print(row);
    equal = equal && row.equals_cpu.value_or(true);
  };
  const Result<std::vector<EmdRow>> rows = bench_emd(SystemClock{}, bench);
  if (!rows) return fail("bench_emd", rows.error());
  return equal ? 0 : 1;
}
