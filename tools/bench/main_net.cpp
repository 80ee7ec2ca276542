// SPDX-License-Identifier: Apache-2.0
// The second look at a frame's candidates: one JSON line a step, backend and number of threads, or
// of blocks that share a crop (0: as in the product).
#include <cstdio>
#include <optional>

#include "tools/bench/arguments.hpp"
#include "tools/bench/net_bench.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText = "usage: bench_net [auto|cpu|cuda] [REPEATS]\n";

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) return usage(kUsageText);
  NetBench bench;
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_net", context.error());
  const Result<std::vector<NetRow>> rows = bench_net(SystemClock{}, bench);
  if (!rows) return fail("bench_net", rows.error());
  print_machine(*context, bench);
  for (const NetRow& row : *rows)
    std::printf(
        "{\"width\":%d,\"height\":%d,\"crops\":%d,\"name\":\"%s\",\"backend\":\"%s\","
        "\"threads\":%d,\"blocks\":%d,\"median_ms\":%.4f,\"best_ms\":%.4f,\"worst_ms\":%.4f,"
        "\"products_per_s\":%.4g}\n",
        bench.width, bench.height, bench.crops, row.name.c_str(), row.backend.c_str(), row.threads,
        row.blocks, row.times.median_ms, row.times.best_ms, row.times.worst_ms, row.products_per_s);
  return 0;
}
