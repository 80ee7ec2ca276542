// SPDX-License-Identifier: Apache-2.0
// Whole trainings on pictures made by code.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/cascade.hpp"
#include "tools/train/channels.hpp"
#include "tools/train/judge.hpp"
#include "tools/train/svm.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;
using kerb::test::TempFolder;

constexpr hog::Geometry kSmall{32, 64, 6, 8, 20, 48, Scaling::octaves};
constexpr int kPeople = 60, kPlaces = 12;

train::Observer g_nobody;

Result<PictureSet> open(const std::string& kind, int from, int count) {
  PictureSet::Options options;
  options.least_width = kSmall.window_width;
  options.least_height = kSmall.window_height;
  return PictureSet::open(test::names(kind, from, count), test::made_pictures(32, 64), options,
                          "pictures", g_nobody);
}

hog::SearchSettings search(double scale, int stride) {
  hog::SearchSettings s;
  s.scale_step = scale;
  s.stride = stride;
  return s;
}

CascadeSettings small_cascade() {
  CascadeSettings s;
  s.geometry = kSmall;
  s.sample = 8;
  s.stages = 3;
  s.f_max = 0.4;
  s.target = 0;
  s.max_learners = 6;
  s.negatives = 150;
  s.least_negatives = 20;
  s.cost = 30;
  s.searches = {search(1.2, 8), search(1.1, 4)};
  s.checkpoint_every = 1;
  return s;
}

SvmSettings small_svm() {
  SvmSettings s;
  s.geometry = kSmall;
  s.kind = hog::DenseKind::cells;
  s.negatives = 100;
  s.hard_negatives = 60;
  s.margin = -1;
  s.rounds = 2;
  s.searches = {search(1.2, 8)};
  return s;
}

ChannelSettings small_channels() {
  ChannelSettings s;
  s.geometry = kSmall;
  s.channels.colour = false;
  s.crops.shift = 1;
  s.rounds = {8, 140};  // a checkpoint after 128
  s.pool = 200;
  s.boost.sample = 40;
  s.first_negatives = 150;
  s.round_negatives = 100;
  s.most_negatives = 220;
  s.step = 1.2;
  s.padding = 8;
  return s;
}

struct Bench {
  explicit Bench(int threads = 1) : workers{threads} {}
  Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers;
  SystemClock clock;
  Result<PictureSet> people = open("crop", 0, kPeople), places = open("place", 0, kPlaces);
};

Result<hog::Model> run(Bench& bench, const CascadeSettings& s, const TrainFiles& files) {
  Session session{bench.clock, files, "cascade", text_of(s), 1};
  Result<hog::Model> model = train_cascade(*bench.context, bench.workers, s, *bench.people,
                                           *bench.places, session, g_nobody);
  if (model && !files.checkpoint.empty()) TEST_ASSERT_OK(session.finish());
  return model;
}

Result<hog::Model> run(Bench& bench, const SvmSettings& s, const TrainFiles& files) {
  Session session{bench.clock, files, "svm", text_of(s), 1};
  Result<hog::Model> model =
      train_svm(*bench.context, bench.workers, s, *bench.people, *bench.places, session, g_nobody);
  if (model && !files.checkpoint.empty()) TEST_ASSERT_OK(session.finish());
  return model;
}

Result<hog::Model> run(Bench& bench, const ChannelSettings& s, const TrainFiles& files) {
  Session session{bench.clock, files, "channels", text_of(s), 1};
  Result<hog::Model> model = train_channels(*bench.context, bench.workers, s, *bench.people,
                                            *bench.places, session, g_nobody);
  if (model && !files.checkpoint.empty()) TEST_ASSERT_OK(session.finish());
  return model;
}

/// On people and places it has not seen.
Judgement judge_new(Bench& bench, const hog::Model& model, float threshold) {
  Result<PictureSet> people = open("crop", 5000, 40), places = open("place", 5000, 6);
  JudgeSettings settings;
  settings.search = search(1.1, 4);
  settings.threshold = threshold;
  settings.fusion.kind = hog::FusionKind::suppression;
  const Result<Judgement> judged =
      judge(*bench.context, bench.workers, model, settings, *people, *places, g_nobody);
  TEST_ASSERT_OK(judged);
  return *judged;
}

std::string lines_of(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Stops it after its 1st, 2nd, 3rd ... checkpoint and goes on, until it is through.
template <typename Settings>
void check_that_stopping_changes_nothing(const Settings& settings) {
  Bench bench;
  const TempFolder folder;
  const Result<hog::Model> whole = run(bench, settings, {"", "", false});
  TEST_ASSERT_OK(whole);
  const TrainFiles files{folder.at("c"), folder.at("log"), true};
  Settings stopping = settings;
  stopping.stop_after = 1;
  int stops = 0;
  Result<hog::Model> model = run(bench, stopping, files);
  for (; !model; ++stops) {
    TEST_ASSERT_ERROR(Errc::end, model);
    TEST_ASSERT_LESS_THAN(100, stops);
    model = run(bench, stopping, files);
  }
  TEST_ASSERT_GREATER_THAN(2, stops);
  TEST_ASSERT_TRUE(hog::serialise(*whole) == hog::serialise(*model));
  TEST_ASSERT_FALSE(std::filesystem::exists(folder.at("c")));
  const std::string log = lines_of(folder.at("log"));
  TEST_ASSERT_EQUAL_size_t(0, log.find("{\"trainer\""));
  TEST_ASSERT_TRUE(log.find("{\"trainer\"", 1) == std::string::npos);
}

template <typename Settings>
void check_that_threads_change_nothing(const Settings& settings) {
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3}) {
    Bench bench{threads};
    const Result<hog::Model> model = run(bench, settings, {"", "", false});
    TEST_ASSERT_OK(model);
    if (threads == 1) first = hog::serialise(*model);
    TEST_ASSERT_TRUE(first == hog::serialise(*model));
  }
}

/// The part of these windows that passes all stages, by the definition.
double part_that_passes(const hog::CascadeModel& cascade, const Histograms& windows) {
  std::size_t passed = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::int32_t votes = 0;
    bool lost = false;
    for (const hog::Stage& stage : cascade.stages) {
      if (!cascade.cumulative) votes = 0;
      for (int k = stage.first; k < stage.first + stage.count; ++k) {
        const hog::LinearLearner& l = cascade.linear[static_cast<std::size_t>(k)];
        float weights[kBlockValues];
        to_arithmetic_order(l.weights.data(), weights);
        votes += vote_of(
            l, Histograms::value(windows.window(i), windows.corners({l.x, l.y, l.width, l.height}),
                                 weights, l.offset));
      }
      lost = lost || votes < stage.threshold;
    }
    passed += lost ? 0 : 1;
  }
  return static_cast<double>(passed) / static_cast<double>(windows.size());
}

TEST(a_cascade_finds_people_it_has_not_seen) {
  Bench bench;
  Result<PictureSet> people = open("crop", 5000, 100), places = open("place", 5000, 10);
  Patches people_patches{Planes::grey, 32, 64}, place_patches{Planes::grey, 32, 64};
  TEST_ASSERT_OK(add_crops(*people, {}, bench.workers, people_patches));
  const Result<Mined> drawn = draw_windows(kSmall, *places, search(1.1, 4), 1000, 3);
  TEST_ASSERT_OK(add_windows(*places, drawn->windows, kSmall, {search(1.1, 4)}, bench.workers,
                             place_patches, "cut", g_nobody));
  Histograms with{32, 64, 4, Planes::grey}, without{32, 64, 4, Planes::grey};
  with.add(people_patches, 0, bench.workers);
  without.add(place_patches, 0, bench.workers);
  for (const bool chain : {true, false})
    for (const Votes votes : {Votes::real, Votes::step}) {
      CascadeSettings settings = small_cascade();
      settings.chain = chain;
      settings.votes = votes;
      const Result<hog::Model> model = run(bench, settings, {"", "", false});
      TEST_ASSERT_OK(model);
      const auto& cascade = std::get<hog::CascadeModel>(model->kind);
      const double found = part_that_passes(cascade, with);
      const double wrong = part_that_passes(cascade, without);
      const std::string said =
          std::to_string(found) + " of people, " + std::to_string(wrong) + " of places";
      TEST_ASSERT_TRUE_MESSAGE(found >= 0.85 && wrong <= 0.1, said.c_str());
    }
}

TEST(an_svm_finds_people_it_has_not_seen) {
  Bench bench;
  const Result<hog::Model> model = run(bench, small_svm(), {"", "", false});
  TEST_ASSERT_OK(model);
  const Judgement judged = judge_new(bench, *model, -1);
  TEST_ASSERT_TRUE_MESSAGE(judged.miss_rate[Judgement::kPoints - 1] <= 0.2,
                           std::to_string(judged.miss_rate[Judgement::kPoints - 1]).c_str());
}

TEST(channels_find_people_they_have_not_seen) {
  Bench bench;
  const Result<hog::Model> model = run(bench, small_channels(), {"", "", false});
  TEST_ASSERT_OK(model);
  const Judgement judged = judge_new(bench, *model, 0);
  TEST_ASSERT_TRUE_MESSAGE(judged.log_average <= 0.1, std::to_string(judged.log_average).c_str());
}

TEST(channels_are_the_same_for_any_number_of_threads) {
  check_that_threads_change_nothing(small_channels());
}
TEST(channels_stopped_anywhere_and_resumed_are_the_same) {
  check_that_stopping_changes_nothing(small_channels());
}

TEST(stages_keep_what_was_asked_of_them) {
  Bench bench;
  const TempFolder folder;
  const CascadeSettings settings = small_cascade();
  const Result<hog::Model> model = run(bench, settings, {folder.at("c"), folder.at("log"), false});
  TEST_ASSERT_OK(model);
  const auto& cascade = std::get<hog::CascadeModel>(model->kind);
  TEST_ASSERT_TRUE(cascade.cumulative);
  TEST_ASSERT_EQUAL_INT(0, hog::grid_of(cascade) % 4);  // what blocks of the grid of 4 share
  Patches patches{Planes::grey, 32, 64};
  TEST_ASSERT_OK(add_crops(*bench.people, {}, bench.workers, patches));
  Histograms windows{32, 64, 4, Planes::grey};
  windows.add(patches, 0, bench.workers);
  // Of the people it was trained with, no stage loses more than allowed.
  hog::CascadeModel some = cascade;
  some.stages.clear();
  double left = 1;
  for (const hog::Stage& stage : cascade.stages) {
    some.stages.push_back(stage);
    const double now = part_that_passes(some, windows);
    TEST_ASSERT_TRUE(now >= settings.d_min * left - 1e-9);
    left = now;
  }
}

TEST(a_cascade_is_the_same_for_any_number_of_threads) {
  check_that_threads_change_nothing(small_cascade());
}
TEST(an_svm_is_the_same_for_any_number_of_threads) {
  check_that_threads_change_nothing(small_svm());
}
TEST(a_cascade_stopped_anywhere_and_resumed_is_the_same) {
  check_that_stopping_changes_nothing(small_cascade());
  CascadeSettings separate = small_cascade();
  separate.chain = false;
  separate.votes = Votes::step;
  separate.last_learners = 4;
  check_that_stopping_changes_nothing(separate);
}
TEST(an_svm_stopped_anywhere_and_resumed_is_the_same) {
  check_that_stopping_changes_nothing(small_svm());
}

TEST(another_seed_gives_another_model) {
  Bench bench;
  CascadeSettings settings = small_cascade();
  settings.stages = 1;
  const Result<hog::Model> a = run(bench, settings, {"", "", false});
  settings.seed = 2;
  const Result<hog::Model> b = run(bench, settings, {"", "", false});
  TEST_ASSERT_FALSE(hog::serialise(*a) == hog::serialise(*b));
}

TEST(an_unfinished_training_is_not_written_over_nor_resumed_with_other_settings) {
  Bench bench;
  const TempFolder folder;
  CascadeSettings settings = small_cascade();
  settings.stop_after = 2;
  TrainFiles files{folder.at("c"), folder.at("log"), false};
  TEST_ASSERT_ERROR(Errc::end, run(bench, settings, files));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(bench, settings, files));
  files.resume = true;
  settings.d_min = 0.98;
  const Result<hog::Model> other = run(bench, settings, files);
  TEST_ASSERT_ERROR(Errc::invalid_argument, other);
  TEST_ASSERT_TRUE(describe(other.error()).find("d_min 0.98") != std::string::npos);
}

TEST(a_judgements_threshold_lets_through_what_it_says) {
  Bench bench;
  const Result<hog::Model> model = run(bench, small_svm(), {"", "", false});
  TEST_ASSERT_OK(model);
  const Judgement all = judge_new(bench, *model, -1);
  constexpr int kLast = Judgement::kPoints - 1;
  TEST_ASSERT_TRUE_MESSAGE(all.threshold[kLast] > -1, "no false positives to judge by");
  for (int i = 1; i <= kLast; ++i) TEST_ASSERT_TRUE(all.threshold[i] <= all.threshold[i - 1]);
  // As the least score it lets through no more than the point allows; a little less is too much.
  const Judgement at = judge_new(bench, *model, all.threshold[kLast]);
  TEST_ASSERT_EQUAL_FLOAT(all.threshold[kLast], at.threshold[kLast]);
  const float less = std::nextafter(all.threshold[kLast], -10.0F);
  TEST_ASSERT_TRUE(judge_new(bench, *model, less).threshold[kLast] > less);
}

TEST(settings_out_of_range_are_refused_by_name) {
  CascadeSettings settings = small_cascade();
  settings.d_min = 1.5;
  TEST_ASSERT_EQUAL_STRING("--d-min", validate(settings).error().where);
  settings = small_cascade();
  settings.grid = 3;
  TEST_ASSERT_EQUAL_STRING("--pool", validate(settings).error().where);
  SvmSettings svm = small_svm();
  svm.cost = 0;
  TEST_ASSERT_EQUAL_STRING("--cost", validate(svm).error().where);
  ChannelSettings channels = small_channels();
  channels.boost.depth = 7;
  TEST_ASSERT_EQUAL_STRING("--depth", validate(channels).error().where);
  channels = small_channels();
  channels.hard = channels.rejection - 1;
  TEST_ASSERT_EQUAL_STRING("--hard", validate(channels).error().where);
}

}  // namespace
