// SPDX-License-Identifier: Apache-2.0
// `kerblab bench image` for a machine without OpenCV: one JSON line an operator and backend.
#include <cstdio>
#include <optional>

#include "tools/bench/arguments.hpp"
#include "tools/bench/image_bench.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText = "usage: bench_image [auto|cpu|cuda] [REPEATS]\n";

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) return usage(kUsageText);
  ImageBench bench;
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_image", context.error());
  const Result<std::vector<ImageRow>> rows = bench_image(SystemClock{}, bench);
  if (!rows) return fail("bench_image", rows.error());
  print_machine(*context, bench);
  for (const ImageRow& row : *rows)
    std::printf(
        "{\"operator\":\"%s\",\"detail\":\"%s\",\"width\":%d,\"height\":%d,\"backend\":\"%s\","
        "\"threads\":%d,\"median_us\":%.2f,\"best_us\":%.2f,\"worst_us\":%.2f,\"bytes\":%.0f,"
        "\"gbs\":%.1f}\n",
        row.name.c_str(), row.detail.c_str(), row.width, row.height, row.backend.c_str(),
        row.threads, 1e3 * row.times.median_ms, 1e3 * row.times.best_ms, 1e3 * row.times.worst_ms,
        row.bytes, 1e-6 * row.bytes / row.times.median_ms);
  return 0;
}
