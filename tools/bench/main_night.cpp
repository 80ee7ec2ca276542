// SPDX-License-Identifier: Apache-2.0
// `kerblab bench night` for a machine without OpenCV: one JSON line an operator, size and backend.
#include <cstdio>
#include <optional>
#include <string>

#include "gpu/hog/model_file.hpp"
#include "gpu/hog/shipped_models.hpp"
#include "tools/bench/arguments.hpp"
#include "tools/bench/night_bench.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText = "usage: bench_night [auto|cpu|cuda] [REPEATS]\n";

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) return usage(kUsageText);
  NightBench bench;
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_night", context.error());
  if (const std::string file = hog::shipped_model(hog::kDefaultModel); !file.empty()) {
    Result<hog::Model> model = hog::load(file);
    if (!model) return fail("bench_night", model.error());
    bench.model = std::move(*model);
  }
  const Result<std::vector<NightRow>> rows = bench_night(SystemClock{}, bench);
  if (!rows) return fail("bench_night", rows.error());
  print_machine(*context, bench);
  for (const NightRow& row : *rows)
    std::printf(
        "{\"width\":%d,\"height\":%d,\"operator\":\"%s\",\"detail\":\"%s\",\"backend\":\"%s\","
        "\"threads\":%d,\"median_ms\":%.4f,\"best_ms\":%.4f,\"worst_ms\":%.4f,"
        "\"of_detector\":%.4f}\n",
        row.size.width, row.size.height, row.name.c_str(), row.detail.c_str(), row.backend.c_str(),
        row.threads, row.times.median_ms, row.times.best_ms, row.times.worst_ms, row.of_detector);
  return 0;
}
