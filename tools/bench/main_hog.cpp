// SPDX-License-Identifier: Apache-2.0
// `kerblab bench hog` for a machine without OpenCV: one JSON line a detector and search. The dense
// weights are random, which costs the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "gpu/hog/model_file.hpp"
#include "tools/bench/arguments.hpp"
#include "tools/bench/contest.hpp"
#include "tools/bench/hog_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/bench/tree_workload.hpp"
#include "tools/bench/workload.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText =
    "usage: bench_hog [auto|cpu|cuda] [REPEATS]\n"
    "       bench_hog model FILE [auto|cpu|cuda] [REPEATS]     a model of ours\n"
    "       bench_hog trees [auto|cpu|cuda] [REPEATS] [NAME]   soft cascades of trees, all or "
    "one\n"
    "       bench_hog profile [SCALE]   ten searches with the cascade on CUDA, for a profiler\n";

int profile(double scale) {
  const Result<Context> context = Context::create(BackendChoice::cuda);
  if (!context) return fail("bench_hog", context.error());
  Workers workers;
  hog::SearchSettings settings;
  settings.scale_step = scale;
  const std::vector<std::uint8_t> samples = street_picture(1280, 960);
  const ImageView<Space::host, const std::uint8_t> grey{samples.data(), 1280, 960, 1280};
  const Result<hog::Model> model = make_workload(workers, {}, settings, grey);
  if (!model) return fail("bench_hog", model.error());
  const auto engine = hog::make_cascade_cuda(*context, *model, settings, 1280, 960);
  if (!engine) return fail("bench_hog", engine.error());
  for (int i = 0; i < 10; ++i) {
    const auto hits = (*engine)->search(hog::Picture<Space::host>{grey, {}}, 0);
    if (!hits) return fail("bench_hog", hits.error());
  }
  return 0;
}

struct TreeCase {
  const char* name;
  int stride;
  TreeWorkloadSettings settings;
};

TreeWorkloadSettings with(bool colour, double divided, int depth = 2, bool grouped = true) {
  TreeWorkloadSettings settings;
  settings.colour = colour;
  settings.divided = divided;
  settings.depth = depth;
  settings.grouped = grouped;
  return settings;
}

const TreeCase kTreeCases[] = {
    {"grey", 8, with(false, 0)},
    {"colour", 8, with(true, 0)},
    {"colour, fine", 4, with(true, 0)},
    {"colour, fine, divided", 4, with(true, 0.5)},
    {"colour, fine, one tree a stage", 4, with(true, 0, 2, false)},
    {"colour, fine, depth 3", 4, with(true, 0, 3)},
};

/// Searches alone, without fusion: the trees are random.
int time_trees(BackendChoice choice, int repeats, std::string_view only) {
  constexpr int kWidth = 1280, kHeight = 960;
  const Result<Context> context = Context::create(choice);
  if (!context) return fail("bench_hog", context.error());
  Workers workers;
  const std::vector<std::uint8_t> grey = street_picture(kWidth, kHeight);
  const std::vector<std::uint8_t> colours = street_colours(kWidth, kHeight);
  const hog::Picture<Space::host> picture{
      {grey.data(), kWidth, kHeight, kWidth},
      {colours.data(), 3, kWidth, kHeight, kWidth, std::ptrdiff_t{kWidth} * kHeight}};
  const SystemClock clock;
  for (const TreeCase& one : kTreeCases) {
    if (!only.empty() && only != one.name) continue;
    hog::SearchSettings search;
    search.stride = one.stride;
    const Result<hog::Model> model = make_tree_workload(workers, one.settings, search, picture);
    if (!model) return fail("bench_hog", model.error());
    const auto engine = hog::make_engine(*context, workers, *model, search, kWidth, kHeight);
    if (!engine) return fail("bench_hog", engine.error());
    const Result<hog::Work> work = (*engine)->count_work(picture);
    if (!work) return fail("bench_hog", work.error());
    int hits = 0;
    std::uint64_t sum = 0;
    const Result<std::vector<Times>> times =
        contest(clock,
                {{one.name, name_of(context->backend()),
                  [&]() -> Status {
                    const auto found = (*engine)->search(picture, -1e9F);
                    if (!found) return found.error();
                    hits = found->count;
                    sum = 0;
                    for (int i = 0; i < hits; ++i)
                      sum = sum * 31 + static_cast<std::uint64_t>(found->data[i].window) +
                            static_cast<std::uint64_t>(
                                static_cast<std::int64_t>(found->data[i].score / hog::kVoteUnit));
                    return Done{};
                  }}},
                repeats);
    if (!times) return fail("bench_hog", times.error());
    const Times& t = times->front();
    std::printf(
        "{\"trees\":\"%s\",\"width\":%d,\"height\":%d,\"stride\":%d,\"backend\":\"%s\","
        "\"threads\":%d,\"median_ms\":%.3f,\"best_ms\":%.3f,\"windows\":%d,"
        "\"trees_per_window\":%.2f,\"hits\":%d,\"sum\":\"%016llx\"}\n",
        one.name, kWidth, kHeight, one.stride, name_of(context->backend()),
        context->backend() == Backend::cpu ? workers.count() : 0, t.median_ms, t.best_ms,
        (*engine)->plan().window_count, per_window(*work), hits,
        static_cast<unsigned long long>(sum));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  HogBench bench;
  bench.repeats = 101;
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "profile")
    return argc > 3 ? usage(kUsageText) : profile(argc == 3 ? std::atof(argv[2]) : 1.05);
  if (first == "trees") {
    const std::optional<Arguments> arguments =
        argc > 5 ? std::nullopt : read_arguments(std::min(argc, 4), argv, 2);
    if (!arguments) return usage(kUsageText);
    return time_trees(arguments->choice, arguments->repeats.value_or(11), argc > 4 ? argv[4] : "");
  }
  const bool one_model = argc > 2 && first == "model";
  if (one_model) {
    Result<hog::Model> model = hog::load(argv[2]);
    if (!model) return fail("bench_hog", model.error());
    bench.cases = model_cases(*model);
    bench.models.push_back(*std::move(model));
  }
  const std::optional<Arguments> arguments = read_arguments(argc, argv, one_model ? 3 : 1);
  if (!arguments) return usage(kUsageText);
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_hog", context.error());
  set_random_people(bench);
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  bench.colours = [](int width, int height) { return street_colours(width, height); };
  print_machine(*context, bench);
  const Result<std::vector<HogRow>> rows = bench_hog(SystemClock{}, bench);
  if (!rows) return fail("bench_hog", rows.error());
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
