// SPDX-License-Identifier: Apache-2.0
// `kerblab bench hog` for a machine without OpenCV: one JSON line a detector and search. The dense
// weights are random, which costs the same.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/bench/hog_bench.hpp"
#include "tools/bench/random.hpp"
#include "tools/bench/street.hpp"
#include "tools/bench/workload.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

hog::Model random_people() {
  hog::DenseModel model;
  Random random{1};
  model.weights.resize(static_cast<std::size_t>(model.blocks_x()) *
                       static_cast<std::size_t>(model.blocks_y()) * hog::DenseModel::kBlockValues);
  for (float& weight : model.weights) weight = random.unit() - 0.5F;
  return {"random", std::move(model)};
}

int usage() {
  std::fputs(
      "usage: bench_hog [auto|cpu|cuda] [REPEATS]\n"
      "       bench_hog profile [SCALE]   ten searches with the cascade on CUDA, for a profiler\n",
      stderr);
  return 2;
}

int fail(const Error& error) {
  std::fprintf(stderr, "bench_hog: error: %s\n", describe(error).c_str());
  return 2;
}

int profile(double scale) {
  const Result<Context> context = Context::create(BackendChoice::cuda);
  if (!context) return fail(context.error());
  Workers workers;
  hog::SearchSettings settings;
  settings.scale_step = scale;
  const std::vector<std::uint8_t> samples = street_picture(1280, 960);
  const ImageView<Space::host, const std::uint8_t> grey{samples.data(), 1280, 960, 1280};
  const Result<hog::Model> model = make_workload(workers, {}, settings, grey);
  if (!model) return fail(model.error());
  const auto engine = hog::make_cascade_cuda(*context, *model, settings, 1280, 960);
  if (!engine) return fail(engine.error());
  for (int i = 0; i < 10; ++i) {
    const auto hits = (*engine)->search(hog::Picture<Space::host>{grey, {}}, 0);
    if (!hits) return fail(hits.error());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  BackendChoice choice = BackendChoice::automatic;
  HogBench bench;
  bench.repeats = 101;
  if (argc > 1 && std::string_view{argv[1]} == "profile")
    return argc > 3 ? usage() : profile(argc == 3 ? std::atof(argv[2]) : 1.05);
  if (argc > 3 || (argc > 1 && !parse(argv[1], choice))) return usage();
  if (argc > 2) bench.repeats = std::atoi(argv[2]);
  if (bench.repeats < 1) return usage();
  const Result<Context> context = Context::create(choice);
  if (!context) return fail(context.error());
  bench.cpu = choice != BackendChoice::cuda;
  bench.cuda = context->backend() == Backend::cuda;
  bench.people = random_people();
  bench.hits_of_people = 60;  // as many as OpenCV's detector has on the street
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  std::printf("{\"machine\":\"%s\",\"repeats\":%d}\n",
              bench.cuda ? context->info().device.c_str() : "cpu", bench.repeats);
  const Result<std::vector<HogRow>> rows = bench_hog(SystemClock{}, bench);
  if (!rows) return fail(rows.error());
  for (const HogRow& row : *rows)
    std::printf(
        "{\"width\":%d,\"height\":%d,\"stride\":%d,\"scale\":%g,\"tables\":\"%s\","
        "\"detector\":\"%s\",\"backend\":\"%s\",\"threads\":%d,\"median_ms\":%.4f,"
        "\"best_ms\":%.4f,\"worst_ms\":%.4f,\"windows\":%d,\"blocks_per_window\":%.3f,"
        "\"hits\":%d,\"boxes\":%d,\"device_bytes\":%zu}\n",
        row.search.width, row.search.height, row.search.stride, row.search.scale, row.search.tables,
        row.name.c_str(), row.backend.c_str(), row.threads, row.times.median_ms, row.times.best_ms,
        row.times.worst_ms, row.windows, row.per_window, row.hits, row.people, row.device_bytes);
  return 0;
}
