// SPDX-License-Identifier: Apache-2.0
// `kerblab bench flow` for a machine without OpenCV: one JSON line a method and size.
#include <cstdio>
#include <optional>

#include "tools/bench/arguments.hpp"
#include "tools/bench/flow_bench.hpp"
#include "tools/bench/street.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText = "usage: bench_flow [auto|cpu|cuda] [REPEATS]\n";

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) return usage(kUsageText);
  FlowBench bench;
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_flow", context.error());
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  const Result<std::vector<FlowRow>> rows = bench_flow(SystemClock{}, bench);
  if (!rows) return fail("bench_flow", rows.error());
  print_machine(*context, bench);
  bool equal = true;
  for (const FlowRow& row : *rows) {
    std::printf(
        "{\"width\":%d,\"height\":%d,\"wanted\":%.2f,\"method\":\"%s\",\"backend\":\"%s\","
        "\"threads\":%d,\"median_ms\":%.4f,\"best_ms\":%.4f,\"worst_ms\":%.4f,\"bytes_held\":%zu,"
        "\"bytes_moved\":%.0f,\"operations\":%.0f,\"equals_cpu\":%s}\n",
        row.size.width, row.size.height, row.size.wanted, row.name.c_str(), row.backend.c_str(),
        row.threads, row.times.median_ms, row.times.best_ms, row.times.worst_ms, row.bytes_held,
        row.bytes_moved, row.operations,
        !row.equals_cpu   ? "null"
        : *row.equals_cpu ? "true"
                          : "false");
    equal = equal && row.equals_cpu.value_or(true);
  }
  return equal ? 0 : 1;
}
