// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "hal/fake/clock.hpp"
#include "tests/support/test.hpp"
#include "tools/bench/contest.hpp"
#include "tools/bench/hog_bench.hpp"
#include "tools/bench/image_bench.hpp"
#include "tools/bench/net_bench.hpp"
#include "tools/bench/night_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/bench/tree_workload.hpp"
#include "tools/bench/workload.hpp"

namespace {

using namespace kerb;
using namespace kerb::bench;

// --- contests

TEST(contestants_run_by_turns_and_the_first_rounds_do_not_count) {
  FakeClock clock;
  std::string order;
  int calls = 0;
  const std::vector<Contestant> two = {
      {"a", "cpu",
       [&]() -> Status {
         order += 'a';
         // 100 ms while warming up; then 1, 2, 3 ms.
         clock.advance(std::chrono::milliseconds{order.size() < 5 ? 100 : ++calls});
         return Done{};
       }},
      {"b", "cpu", [&]() -> Status {
         order += 'b';
         clock.advance(std::chrono::milliseconds{8});
         return Done{};
       }}};
  std::vector<std::pair<int, int>> rounds;
  const Result<std::vector<Times>> times =
      contest(clock, two, 3, [&](int done, int all) { rounds.emplace_back(done, all); });
  TEST_ASSERT_OK(times);
  TEST_ASSERT_EQUAL_STRING("ababababab", order.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(2, (*times)[0].median_ms);
  TEST_ASSERT_EQUAL_DOUBLE(1, (*times)[0].best_ms);
  TEST_ASSERT_EQUAL_DOUBLE(3, (*times)[0].worst_ms);
  TEST_ASSERT_EQUAL_DOUBLE(8, (*times)[1].median_ms);
  TEST_ASSERT_EQUAL_size_t(5, rounds.size());
  TEST_ASSERT_TRUE(rounds.back() == std::make_pair(5, 5));
}

TEST(the_median_of_an_even_count_lies_between_the_middle_two) {
  FakeClock clock;
  int calls = 0;
  const std::vector<Contestant> one = {{"a", "cpu", [&]() -> Status {
                                          clock.advance(std::chrono::milliseconds{++calls});
                                          return Done{};
                                        }}};
  const Result<std::vector<Times>> times = contest(clock, one, 4);  // 3, 4, 5, 6 ms
  TEST_ASSERT_OK(times);
  TEST_ASSERT_EQUAL_DOUBLE(4.5, times->front().median_ms);
}

TEST(a_contestant_that_fails_ends_the_contest) {
  FakeClock clock;
  const std::vector<Contestant> one = {{"a", "cpu", []() -> Status {
                                          return Error{Errc::device, 0, "a"};
                                        }}};
  TEST_ASSERT_ERROR(Errc::device, contest(clock, one, 3));
}

// --- the street

TEST(a_street_is_the_same_every_time_and_has_much_to_see) {
  for (const auto& [width, height] : {std::pair{320, 240}, {97, 61}, {1, 1}, {3, 200}}) {
    const std::vector<std::uint8_t> street = street_picture(width, height);
    TEST_ASSERT_EQUAL_size_t(static_cast<std::size_t>(width * height), street.size());
    TEST_ASSERT_TRUE(street == street_picture(width, height));
  }
  const std::vector<std::uint8_t> street = street_picture(320, 240);
  TEST_ASSERT_FALSE(street == street_picture(320, 240, 2));
  TEST_ASSERT_GREATER_THAN(100, std::set<std::uint8_t>(street.begin(), street.end()).size());
  TEST_ASSERT_TRUE(street_picture(0, 10).empty());
}

// --- the workload

/// Learners a window of these settings meets on average, when every stage keeps its rate.
double expected_work(const WorkloadSettings& settings) {
  double reach = 1, sum = 0;
  for (std::size_t i = 0; i < settings.stage_sizes.size(); ++i) {
    sum += reach * settings.stage_sizes[i];
    reach *= 1 - (static_cast<int>(i) < settings.early_stages ? settings.early_reject
                                                              : settings.late_reject);
  }
  return sum;
}

TEST(the_default_workload_is_the_thesis_average) {
  const WorkloadSettings settings;
  TEST_ASSERT_EQUAL_size_t(23, settings.stage_sizes.size());
  TEST_ASSERT_EQUAL_INT(16, settings.stage_sizes[0] + settings.stage_sizes[1] +
                                settings.stage_sizes[2] + settings.stage_sizes[3]);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 6.7, expected_work(settings));
}

TEST(every_stage_of_a_workload_rejects_its_part) {
  const int width = 130, height = 190;
  const std::vector<std::uint8_t> street = street_picture(width, height);
  const ImageView<Space::host, const std::uint8_t> picture{street.data(), width, height, width};
  hog::SearchSettings search;
  search.stride = 4;
  search.scale_step = 1.1;
  WorkloadSettings settings;
  settings.stage_sizes = {2, 3, 5, 6, 6, 7};
  Workers workers{1};
  for (const int grid : {4, 2}) {
    settings.grid = grid;
    const Result<hog::Model> model = make_workload(workers, settings, search, picture);
    TEST_ASSERT_OK(model);
    TEST_ASSERT_OK(hog::validate(*model));
    TEST_ASSERT_EQUAL_INT(0, hog::grid_of(std::get<hog::CascadeModel>(model->kind)) % grid);
    Result<std::unique_ptr<hog::Engine>> engine =
        hog::make_cascade_cpu(workers, *model, search, width, height);
    TEST_ASSERT_OK(engine);
    const Result<hog::Work> work = (*engine)->count_work({picture, {}});
    TEST_ASSERT_OK(work);
    TEST_ASSERT_EQUAL_size_t(settings.stage_sizes.size(), work->windows_at_stage.size());
    TEST_ASSERT_EQUAL_INT64((*engine)->plan().window_count, work->windows);
    TEST_ASSERT_GREATER_THAN(400, work->windows);
    for (std::size_t i = 0; i + 1 < settings.stage_sizes.size(); ++i) {
      const auto reached = static_cast<double>(work->windows_at_stage[i]);
      const auto passed = static_cast<double>(work->windows_at_stage[i + 1]);
      const double reject = i < 4 ? settings.early_reject : settings.late_reject;
      TEST_ASSERT_DOUBLE_WITHIN(2, reached * (1 - reject), passed);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.15, expected_work(settings), per_window(*work));
  }
}

TEST(a_workload_is_the_same_every_time) {
  const std::vector<std::uint8_t> street = street_picture(80, 140);
  const ImageView<Space::host, const std::uint8_t> picture{street.data(), 80, 140, 80};
  WorkloadSettings settings;
  settings.stage_sizes = {2, 3};
  Workers workers{1};
  const Result<hog::Model> a = make_workload(workers, settings, {}, picture);
  const Result<hog::Model> b = make_workload(workers, settings, {}, picture);
  TEST_ASSERT_OK(a);
  TEST_ASSERT_OK(b);
  const auto& first = std::get<hog::CascadeModel>(a->kind);
  const auto& second = std::get<hog::CascadeModel>(b->kind);
  for (std::size_t i = 0; i < first.stages.size(); ++i)
    TEST_ASSERT_EQUAL_INT32(first.stages[i].threshold, second.stages[i].threshold);
  for (std::size_t i = 0; i < first.linear.size(); ++i)
    TEST_ASSERT_TRUE(first.linear[i].weights == second.linear[i].weights);
}

TEST(a_workload_that_makes_no_sense_is_refused) {
  const std::vector<std::uint8_t> street = street_picture(80, 140);
  const ImageView<Space::host, const std::uint8_t> picture{street.data(), 80, 140, 80};
  Workers workers{1};
  WorkloadSettings settings;
  settings.grid = 3;
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_workload(workers, settings, {}, picture));
  settings = {};
  settings.stage_sizes = {};
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_workload(workers, settings, {}, picture));
  settings.stage_sizes = {1, 0};
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_workload(workers, settings, {}, picture));
  settings.stage_sizes = {1};
  settings.early_reject = 1;
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_workload(workers, settings, {}, picture));
  settings.early_reject = 0.5;
  const ImageView<Space::host, const std::uint8_t> tiny{street.data(), 63, 127, 80};
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_workload(workers, settings, {}, tiny));
}

// --- soft cascades of trees

struct StreetInColour {
  StreetInColour(int w, int h)
      : width{w}, height{h}, grey{street_picture(w, h)}, rgb{street_colours(w, h)} {}
  [[nodiscard]] hog::Picture<Space::host> picture() const {
    return {{grey.data(), width, height, width},
            {rgb.data(), 3, width, height, width, std::ptrdiff_t{width} * height}};
  }
  int width, height;
  std::vector<std::uint8_t> grey, rgb;
};

TEST(the_street_in_colour_is_the_same_street) {
  const StreetInColour street{160, 120};
  TEST_ASSERT_EQUAL_size_t(3 * street.grey.size(), street.rgb.size());
  TEST_ASSERT_TRUE(street.rgb == street_colours(160, 120));
  const std::size_t plane = street.grey.size();
  long apart = 0, coloured = 0;
  for (std::size_t i = 0; i < plane; ++i) {
    const int r = street.rgb[i], g = street.rgb[plane + i], b = street.rgb[2 * plane + i];
    apart += std::abs(street.grey[i] - (2 * r + 5 * g + b) / 8);
    coloured += std::abs(r - b);
  }
  TEST_ASSERT_LESS_THAN(static_cast<long>(12 * plane), apart);
  TEST_ASSERT_GREATER_THAN(static_cast<long>(10 * plane), coloured);
  TEST_ASSERT_TRUE(street_colours(0, 10).empty());
}

TEST(windows_leave_a_tree_workload_as_they_should) {
  const StreetInColour street{150, 200};
  hog::SearchSettings search;
  search.stride = 4;
  search.scale_step = 1.1;
  Workers workers{1};
  for (const bool colour : {true, false}) {
    TreeWorkloadSettings settings;
    settings.trees = 100;
    settings.colour = colour;
    settings.divided = colour ? 0.3 : 0;
    settings.depth = colour ? 2 : 3;
    settings.mean = 10;
    settings.grouped = colour;
    const Result<hog::Model> model =
        make_tree_workload(workers, settings, search, street.picture());
    TEST_ASSERT_OK(model);
    TEST_ASSERT_OK(hog::validate(*model));
    const auto& cascade = std::get<hog::CascadeModel>(model->kind);
    TEST_ASSERT_EQUAL_INT(100, cascade.learner_count());
    TEST_ASSERT_TRUE(cascade.cumulative && cascade.channels.colour == colour);
    Result<std::unique_ptr<hog::Engine>> engine =
        hog::make_cascade_cpu(workers, *model, search, 150, 200);
    TEST_ASSERT_OK(engine);
    const Result<hog::Work> work = (*engine)->count_work(street.picture());
    TEST_ASSERT_OK(work);
    TEST_ASSERT_GREATER_THAN(400, work->windows);
    for (std::size_t i = 0; i < cascade.stages.size(); ++i) {
      if (i > 0 && i < 4) continue;  // so few leaves have been met that many windows are level
      const double reach = 1 + cascade.stages[i].first / settings.mean;
      TEST_ASSERT_DOUBLE_WITHIN(12, static_cast<double>(work->windows) / (reach * reach),
                                static_cast<double>(work->windows_at_stage[i]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(2, 10, per_window(*work));
  }
}

TEST(a_tree_workload_that_makes_no_sense_is_refused) {
  const StreetInColour street{80, 140};
  Workers workers{1};
  const auto refused = [&](auto change, const hog::Picture<Space::host>& picture) {
    TreeWorkloadSettings settings;
    settings.trees = 3;
    change(settings);
    TEST_ASSERT_ERROR(Errc::invalid_argument, make_tree_workload(workers, settings, {}, picture));
  };
  refused([](TreeWorkloadSettings& s) { s.grid = 3; }, street.picture());
  refused([](TreeWorkloadSettings& s) { s.trees = 0; }, street.picture());
  refused([](TreeWorkloadSettings& s) { s.depth = 7; }, street.picture());
  refused([](TreeWorkloadSettings& s) { s.divided = 2; }, street.picture());
  refused([](TreeWorkloadSettings& s) { s.mean = 0; }, street.picture());
  refused([](TreeWorkloadSettings&) {}, {street.picture().grey, {}});
  const StreetInColour tiny{63, 127};
  refused([](TreeWorkloadSettings&) {}, tiny.picture());
}

// --- the benchmarks themselves

TEST(the_image_benchmark_runs_every_operator) {
  const SystemClock clock;
  ImageBench bench;
  bench.repeats = 1;
  bench.small = true;
  bench.threads = 1;
  int told = 0;
  bench.on_progress = [&](const std::string&, int, int) { ++told; };
  const Result<std::vector<ImageRow>> rows = bench_image(clock, bench);
  TEST_ASSERT_OK(rows);
  TEST_ASSERT_EQUAL_size_t(static_cast<std::size_t>(told), rows->size());
  for (const ImageRow& row : *rows) {
    TEST_ASSERT_EQUAL_STRING("cpu", row.backend.c_str());
    TEST_ASSERT_TRUE(row.bytes > 0 && row.width > 0 && row.height > 0);
  }
  for (const char* name :
       {"to_grey", "to_rgb", "to_luv", "split_mosaic", "resize", "pyramid", "remap", "gradients",
        "scan_rows", "transpose", "integral", "tree_integral"})
    TEST_ASSERT_TRUE_MESSAGE(
        std::any_of(rows->begin(), rows->end(), [&](const ImageRow& r) { return r.name == name; }),
        name);
}

TEST(the_night_benchmark_runs_both_operators) {
  const SystemClock clock;
  NightBench bench;
  bench.cases = {{160, 128}, {96, 64}};
  bench.repeats = 2;
  bench.threads = 1;
  int told = 0;
  bench.on_progress = [&](int, int all) {
    TEST_ASSERT_EQUAL_INT(2, all);
    ++told;
  };
  const Result<std::vector<NightRow>> rows = bench_night(clock, bench);
  TEST_ASSERT_OK(rows);
  TEST_ASSERT_EQUAL_INT(2, told);
  TEST_ASSERT_EQUAL_size_t(10, rows->size());  // three curves and two films, in two sizes
  for (const NightRow& row : *rows) {
    TEST_ASSERT_EQUAL_STRING("cpu", row.backend.c_str());
    TEST_ASSERT_TRUE(row.times.median_ms > 0 && row.of_detector == 0);
  }
}

TEST(the_net_benchmark_runs_a_valid_network) {
  const net::Network network = typical_network();
  TEST_ASSERT_OK(net::validate(network));
  TEST_ASSERT_EQUAL_INT64(11170304, net::products_of(network));
  NetBench bench;
  bench.width = 320;
  bench.height = 420;
  bench.crops = 2;
  bench.repeats = 2;
  const Result<std::vector<NetRow>> rows = bench_net(SystemClock{}, bench);
  TEST_ASSERT_OK(rows);
  TEST_ASSERT_EQUAL_size_t(4, rows->size());  // cut and look, with one and two threads
  for (const NetRow& row : *rows) {
    TEST_ASSERT_EQUAL_STRING("cpu", row.backend.c_str());
    TEST_ASSERT_TRUE(row.times.median_ms > 0);
    TEST_ASSERT_EQUAL(row.name == "look", row.products_per_s > 0);
  }
}

TEST(the_hog_benchmark_compares_all_with_the_first_rival) {
  FakeClock clock;
  HogBench bench;
  bench.cases = {{80, 144, 8, 1.1, "none"}};
  bench.repeats = 1;
  bench.threads = 1;
  hog::DenseModel dense;
  dense.weights.assign(3780, 0.01F);
  dense.weights[7] = -1;
  bench.people = {"people", dense};
  bench.hits_of_people = 3;
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  bench.rivals = [&](const HogCase& c, const ImageView<Space::host, const std::uint8_t>& grey,
                     int threads) -> std::vector<Rival> {
    TEST_ASSERT_EQUAL_INT(c.width, grey.width);
    TEST_ASSERT_EQUAL_INT(1, threads);
    return {{"rival", [&](int& people) -> Status {
               clock.advance(std::chrono::milliseconds{10});
               people = 7;
               return Done{};
             }}};
  };
  const Result<std::vector<HogRow>> rows = bench_hog(clock, bench);
  TEST_ASSERT_OK(rows);
  TEST_ASSERT_EQUAL_size_t(6, rows->size());  // the rival, three dense kinds, two cascades
  TEST_ASSERT_EQUAL_DOUBLE(10, rows->front().times.median_ms);
  TEST_ASSERT_EQUAL_DOUBLE(1, rows->front().ratio);
  TEST_ASSERT_EQUAL_INT(7, rows->front().people);
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const HogRow& row = (*rows)[i];
    TEST_ASSERT_GREATER_THAN(5, row.windows);
    if (i < 4) {
      TEST_ASSERT_EQUAL_DOUBLE(105, row.per_window);
      TEST_ASSERT_INT_WITHIN(1, 3, row.hits);
    } else {
      TEST_ASSERT_TRUE(row.per_window > 2 && row.per_window < 20);
    }
  }
  bench.people = {"none", hog::CascadeModel{}};
  TEST_ASSERT_ERROR(Errc::invalid_argument, bench_hog(clock, bench));
}

TEST(a_model_of_ones_own_is_timed_beside_the_rivals) {
  const StreetInColour street{128, 160};
  Workers workers{1};
  TreeWorkloadSettings settings;
  settings.trees = 20;
  hog::SearchSettings search;
  search.scale_step = 1.3;
  Result<hog::Model> model = make_tree_workload(workers, settings, search, street.picture());
  TEST_ASSERT_OK(model);
  model->advice.stride = 4;
  model->advice.padding = 8;
  model->advice.fusion = hog::FusionKind::suppression;
  HogBench bench;
  bench.cases = {{128, 160, 8, 1.3, "small"}, {128, 160, 4, 1.3, "padded", 8}};
  bench.repeats = 1;
  bench.threads = 1;
  bench.models = {*model};
  bench.picture = [](int width, int height) { return street_picture(width, height); };
  bench.rivals = [](const HogCase&, const ImageView<Space::host, const std::uint8_t>&, int) {
    return std::vector<Rival>{{"rival", [](int& people) -> Status {
                                 people = 3;
                                 return Done{};
                               }}};
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, bench_hog(SystemClock{}, bench));  // no colours
  bench.colours = [](int width, int height) { return street_colours(width, height); };
  const Result<std::vector<HogRow>> rows = bench_hog(SystemClock{}, bench);
  TEST_ASSERT_OK(rows);
  TEST_ASSERT_EQUAL_size_t(4, rows->size());
  TEST_ASSERT_EQUAL_STRING("rival", (*rows)[0].name.c_str());
  TEST_ASSERT_EQUAL_STRING("tree-workload", (*rows)[1].name.c_str());
  TEST_ASSERT_GREATER_THAN(3 * (*rows)[1].windows, (*rows)[3].windows);
  TEST_ASSERT_TRUE((*rows)[1].per_window > 5);

  const std::vector<HogCase> cases = model_cases(*model);
  TEST_ASSERT_EQUAL_size_t(5, cases.size());
  TEST_ASSERT_EQUAL_INT(4, cases.back().stride);
  TEST_ASSERT_EQUAL_INT(8, cases.back().padding);
}

TEST(the_thesis_cases_cover_its_tables) {
  std::string all;
  for (const HogCase& c : thesis_cases()) all += std::string{c.tables} + " ";
  for (const char* table : {"3-1", "4-1", "5-1 sparse", "5-1 dense", "7-1"})
    TEST_ASSERT_TRUE_MESSAGE(all.find(table) != std::string::npos, table);
}

}  // namespace
