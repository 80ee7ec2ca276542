// SPDX-License-Identifier: Apache-2.0
// `kerblab bench flow` for a machine without OpenCV: one JSON line a method and size.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/bench/flow_bench.hpp"
#include "tools/bench/street.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

int usage() {
  std::fputs("usage: bench_flow [auto|cpu|cuda] [REPEATS]\n", stderr);
  return 2;
}

int fail(const Error& error) {
  std::fprintf(stderr, "bench_flow: error: %s\n", describe(error).c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  BackendChoice choice = BackendChoice::automatic;
  if (argc > 3 || (argc > 1 && !parse(argv[1], choice))) return usage();
  FlowBench bench;
  if (argc > 2) bench.repeats = std::atoi(argv[2]);  // NOLINT(cert-err34-c): checked below
  if (bench.repeats < 1 || bench.repeats > 100000) return usage();
  const Result<Context> context = Context::create(choice);
  if (!context) return fail(context.error());
  bench.cpu = choice != BackendChoice::cuda;
  bench.cuda = context->backend() == Backend::cuda;
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  const Result<std::vector<FlowRow>> rows = bench_flow(SystemClock{}, bench);
  if (!rows) return fail(rows.error());
  std::printf("{\"machine\":\"%s\",\"repeats\":%d}\n",
              bench.cuda ? context->info().device.c_str() : "cpu", bench.repeats);
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
