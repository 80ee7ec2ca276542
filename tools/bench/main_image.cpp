// SPDX-License-Identifier: Apache-2.0
// `kerblab bench image` for a machine without OpenCV: one JSON line an operator and backend.
#include <cstdio>
#include <cstdlib>

#include "tools/bench/image_bench.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

int usage() {
  std::fputs("usage: bench_image [auto|cpu|cuda] [REPEATS]\n", stderr);
  return 2;
}

int fail(const Error& error) {
  std::fprintf(stderr, "bench_image: error: %s\n", describe(error).c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  BackendChoice choice = BackendChoice::automatic;
  if (argc > 3 || (argc > 1 && !parse(argv[1], choice))) return usage();
  ImageBench bench;
  if (argc > 2) bench.repeats = std::atoi(argv[2]);  // NOLINT(cert-err34-c): checked below
  if (bench.repeats < 1 || bench.repeats > 100000) return usage();
  const Result<Context> context = Context::create(choice);
  if (!context) return fail(context.error());
  bench.cpu = choice != BackendChoice::cuda;
  bench.cuda = context->backend() == Backend::cuda;
  const Result<std::vector<ImageRow>> rows = bench_image(SystemClock{}, bench);
  if (!rows) return fail(rows.error());
  std::printf("{\"machine\":\"%s\",\"repeats\":%d}\n",
              bench.cuda ? context->info().device.c_str() : "cpu", bench.repeats);
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
