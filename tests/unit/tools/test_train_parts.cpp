// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#ifdef KERB_LIBLINEAR
#include <linear.h>
#endif

#include "gpu/hog/dense_descriptor.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/blocks.hpp"
#include "tools/train/checkpoint.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/session.hpp"
#include "tools/train/solver.hpp"

void setUp() {}
void tearDown() {}

namespace {

using namespace kerb;
using namespace kerb::train;
using kerb::test::TempFolder;

train::Observer g_nobody;

Result<PictureSet> open_places(int count, bool mirror = false) {
  PictureSet::Options options;
  options.mirror = mirror;
  return PictureSet::open(test::names("place", 0, count), test::made_pictures(32, 64), options,
                          "places", g_nobody);
}

// --- random numbers

void test_drawing_gives_every_number_once_and_the_same_ones_for_the_same_seed() {
  Random one{7}, two{7}, other{8};
  const std::vector<std::size_t> a = draw(one, 100, 40), b = draw(two, 100, 40);
  TEST_ASSERT_TRUE(a == b);
  TEST_ASSERT_FALSE(a == draw(other, 100, 40));
  TEST_ASSERT_EQUAL_size_t(40, std::set<std::size_t>(a.begin(), a.end()).size());
  TEST_ASSERT_EQUAL_size_t(5, draw(one, 5, 40).size());
}

// --- the pool

void test_the_pool_has_the_thesis_s_5029_blocks() {
  TEST_ASSERT_EQUAL_size_t(5029, block_pool(64, 128, 1).size());
  TEST_ASSERT_EQUAL_size_t(2719, block_pool(64, 128, 2).size());
  TEST_ASSERT_EQUAL_size_t(746, block_pool(64, 128, 4).size());
  TEST_ASSERT_EQUAL_size_t(2521, block_pool(64, 128, 4, true).size());
}

void test_all_blocks_of_a_pool_lie_on_its_grid_and_in_the_window() {
  for (const int grid : {1, 2, 4})
    for (const bool fine : {false, true})
      for (const Block& b : block_pool(32, 64, grid, fine)) {
        TEST_ASSERT_TRUE(b.x >= 0 && b.y >= 0 && b.x + b.width <= 32 && b.y + b.height <= 64);
        for (const int n : {b.x, b.y, b.width / 2, b.height / 2})
          TEST_ASSERT_EQUAL_INT(0, n % grid);
      }
  TEST_ASSERT_GREATER_THAN(block_pool(64, 128, 4).size(), block_pool(64, 128, 4, true).size());
}

// --- pictures

void test_folders_are_listed_by_name_and_other_files_left_out() {
  const TempFolder folder;
  for (const char* name : {"b/2.png", "b/1.JPG", "b/read.me", "a/x.pgm"}) folder.write(name, "x");
  const Result<std::vector<std::string>> list = list_pictures({folder.at("b"), folder.at("a")});
  TEST_ASSERT_OK(list);
  TEST_ASSERT_EQUAL_size_t(3, list->size());
  TEST_ASSERT_EQUAL_STRING(folder.at("b/1.JPG").c_str(), (*list)[0].c_str());
  TEST_ASSERT_EQUAL_STRING(folder.at("a/x.pgm").c_str(), (*list)[2].c_str());
}

void expect_error(const Error& error, Errc code, const char* part) {
  TEST_ASSERT_EQUAL_STRING(name_of(code), name_of(error.code));
  const std::string line = describe(error);
  TEST_ASSERT_TRUE_MESSAGE(line.find(part) != std::string::npos, line.c_str());
}

void test_an_empty_or_missing_folder_is_named() {
  const TempFolder folder;
  folder.write("empty/notes.txt", "x");
  expect_error(list_pictures({folder.at("empty")}).error(), Errc::not_found, "empty");
  expect_error(list_pictures({folder.path() / "nowhere"}).error(), Errc::not_found, "nowhere");
}

void test_a_crop_smaller_than_the_window_is_named() {
  PictureSet::Options options;
  options.least_width = 64;
  options.least_height = 128;
  const Result<PictureSet> set = PictureSet::open(
      test::names("crop", 3, 1), test::made_pictures(32, 64), options, "people", g_nobody);
  expect_error(set.error(), Errc::invalid_argument, "crop 3");
  expect_error(set.error(), Errc::invalid_argument, "48x80");
}

void test_pictures_beyond_the_budget_are_read_again_and_must_be_the_same() {
  int reads = 0;
  bool altered = false;
  const Loader made = test::made_pictures(32, 64);
  PictureSet::Options options;
  options.budget = 100 * 110 + 120 * 110;  // two of the three
  Result<PictureSet> set = PictureSet::open(
      test::names("place", 0, 3),
      [&](const std::string& path, bool colour) {
        ++reads;
        Result<Pixels> pixels = made(path, colour);
        if (altered) pixels->grey[5] ^= 1;
        return pixels;
      },
      options, "places", g_nobody);
  TEST_ASSERT_OK(set);
  for (std::size_t i = 0; i < 3; ++i) TEST_ASSERT_OK(set->get(i));
  TEST_ASSERT_EQUAL_INT(4, reads);
  altered = true;
  TEST_ASSERT_OK(set->get(0));
  expect_error(set->get(2).error(), Errc::damaged, "place 2");
}

void test_the_fingerprint_tells_other_pictures() {
  const Result<PictureSet> a = open_places(3), b = open_places(3), fewer = open_places(2),
                           mirror = open_places(3, true);
  TEST_ASSERT_TRUE(a->fingerprint() == b->fingerprint());
  TEST_ASSERT_FALSE(a->fingerprint() == fewer->fingerprint());
  TEST_ASSERT_FALSE(a->fingerprint() == mirror->fingerprint());
}

void test_mirrored_pictures_are_the_others_the_other_way_round() {
  Result<PictureSet> set = open_places(1, true);
  TEST_ASSERT_EQUAL_size_t(2, set->size());
  const Result<std::shared_ptr<const Pixels>> a = set->get(0), b = set->get(1);
  for (int x = 0; x < 100; ++x)
    TEST_ASSERT_EQUAL_UINT8((*a)->grey[static_cast<std::size_t>(500 + x)],
                            (*b)->grey[static_cast<std::size_t>(500 + 99 - x)]);
}

void test_every_so_manyth_is_held_out() {
  const Split split = hold_out(test::names("crop", 0, 11), 5);
  TEST_ASSERT_EQUAL_size_t(9, split.kept.size());
  TEST_ASSERT_EQUAL_size_t(2, split.held_out.size());
  TEST_ASSERT_EQUAL_STRING("crop 4", split.held_out[0].c_str());
  TEST_ASSERT_EQUAL_STRING("crop 9", split.held_out[1].c_str());
  TEST_ASSERT_EQUAL_size_t(0, hold_out(test::names("crop", 0, 11), 0).held_out.size());
}

void test_crops_of_one_photograph_are_all_held_out_or_none() {
  std::vector<std::string> crops;
  for (int photograph = 0; photograph < 300; ++photograph)
    for (int person = 0; person <= photograph % 4; ++person)
      crops.push_back("street" + std::to_string(1000 + photograph) + "_" + std::to_string(person) +
                      ".png");
  const Split split = hold_out(crops, 3);
  TEST_ASSERT_EQUAL_size_t(crops.size(), split.kept.size() + split.held_out.size());
  TEST_ASSERT_TRUE(split.held_out.size() > crops.size() / 4);
  TEST_ASSERT_TRUE(split.held_out.size() < crops.size() / 2);
  for (const std::string& out : split.held_out)
    for (const std::string& kept : split.kept)
      TEST_ASSERT_FALSE_MESSAGE(out.substr(0, 10) == kept.substr(0, 10), out.c_str());
}

void test_frames_of_a_video_are_held_out_in_runs() {
  std::vector<std::string> frames;  // all of one name but for the number: no end of a photograph
  for (int i = 0; i < 200; ++i) frames.push_back("frame_" + std::to_string(1000 + i) + ".png");
  const Split split = hold_out(frames, 2);
  TEST_ASSERT_TRUE(split.held_out.size() >= 60 && split.held_out.size() <= 140);
}

// --- windows agree with the engines

constexpr hog::Geometry kSmall{32, 64, 6, 8, 20, 48, Scaling::octaves};

hog::SearchSettings fine_search() {
  hog::SearchSettings search;
  search.scale_step = 1.2;
  search.stride = 4;
  return search;
}

/// Every window of a few pictures, some of them of a level of scale 2 and more.
std::vector<WindowRef> all_windows(PictureSet& set) {
  std::vector<WindowRef> all;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Result<hog::SearchPlan> plan =
        hog::plan_search(kSmall, fine_search(), set.width(i), set.height(i));
    TEST_ASSERT_OK(plan);
    for (int w = 0; w < plan->window_count; ++w)
      all.push_back({static_cast<std::int32_t>(i), 0, w});
  }
  return all;
}

Result<PictureSet> large_places() {
  return PictureSet::open(
      test::names("place", 0, 2),
      [](const std::string& path, bool) -> Result<Pixels> {
        return test::make_place(150, 190, path.back() == '0' ? 5 : 6);
      },
      {}, "places", g_nobody);
}

void test_a_learner_s_votes_are_the_engine_s_bit_for_bit() {
  Workers workers{2};
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Result<PictureSet> set = large_places();
  const std::vector<WindowRef> refs = all_windows(*set);
  for (const int grid : {1, 2, 4}) {
    const std::vector<Block> pool = block_pool(32, 64, grid);
    Random random{3};
    hog::CascadeModel cascade;
    cascade.geometry = kSmall;
    for (int i = 0; i < 3; ++i) {
      const Block& b = pool[random.below(pool.size())];
      hog::LinearLearner l;
      l.x = static_cast<std::int16_t>(b.x), l.y = static_cast<std::int16_t>(b.y);
      l.width = static_cast<std::int16_t>(b.width), l.height = static_cast<std::int16_t>(b.height);
      for (float& w : l.weights) w = static_cast<float>(random.below(2001)) / 1000 - 1;
      l.offset = 0.1F;
      l.slope = 10000.5F;
      l.pass = 500, l.fail = -300;
      cascade.linear.push_back(l);
    }
    cascade.stages.push_back({0, 3, -(1 << 20)});
    hog::Model model;
    model.kind = cascade;

    Patches patches{Planes::grey, 32, 64};
    TEST_ASSERT_OK(
        add_windows(*set, refs, kSmall, {fine_search()}, workers, patches, "cut", g_nobody));
    Histograms windows{32, 64, grid, Planes::grey};
    windows.add(patches, 0, workers);
    std::size_t next = 0;
    for (std::size_t i = 0; i < set->size(); ++i) {
      Result<std::unique_ptr<hog::Engine>> engine =
          hog::make_engine(*context, workers, model, fine_search(), set->width(i), set->height(i));
      TEST_ASSERT_OK(engine);
      const Result<std::shared_ptr<const Pixels>> picture = set->get(i);
      const Result<hog::Engine::Hits> hits = (*engine)->search((*picture)->view(), -1e9F);
      TEST_ASSERT_OK(hits);
      TEST_ASSERT_EQUAL_INT((*engine)->plan().window_count, hits->count);
      TEST_ASSERT_TRUE((*engine)->plan().pyramid.levels.back().scale > 2);
      for (int h = 0; h < hits->count; ++h, ++next) {
        std::int32_t votes = 0;
        for (const hog::LinearLearner& l : cascade.linear) {
          float weights[kBlockValues];
          to_arithmetic_order(l.weights.data(), weights);
          votes += vote_of(l, Histograms::value(windows.window(next),
                                                windows.corners({l.x, l.y, l.width, l.height}),
                                                weights, l.offset));
        }
        TEST_ASSERT_EQUAL_FLOAT(static_cast<float>(votes + (1 << 20)) * hog::kVoteUnit,
                                hits->data[h].score);
      }
    }
    TEST_ASSERT_EQUAL_size_t(refs.size(), next);
  }
}

void test_dense_descriptors_of_windows_score_as_the_engine_bit_for_bit() {
  Workers workers{1};
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Result<PictureSet> set = large_places();
  hog::DenseModel dense;
  dense.geometry = kSmall;
  Random random{9};
  dense.weights.resize(3 * 7 * 36);
  for (float& w : dense.weights) w = static_cast<float>(random.below(2001)) / 1000 - 1;
  hog::Model model;
  model.kind = dense;
  Patches patches{Planes::grey, 32, 64};
  Result<std::unique_ptr<hog::Engine>> engine =
      hog::make_engine(*context, workers, model, fine_search(), 150, 190);
  TEST_ASSERT_OK(engine);
  const Result<std::shared_ptr<const Pixels>> picture = set->get(0);
  const Result<hog::Engine::Hits> hits = (*engine)->search((*picture)->view(), -1e9F);
  TEST_ASSERT_OK(hits);
  std::vector<WindowRef> refs;
  for (int h = 0; h < hits->count; h += 7) refs.push_back({0, 0, hits->data[h].window});
  TEST_ASSERT_OK(
      add_windows(*set, refs, kSmall, {fine_search()}, workers, patches, "cut", g_nobody));
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const Result<std::vector<float>> values = hog::descriptor(dense, patches.view(i), 1, 1);
    TEST_ASSERT_OK(values);
    const Result<float> score = hog::score_of(dense, *values);
    TEST_ASSERT_OK(score);
    TEST_ASSERT_EQUAL_FLOAT(hits->data[7 * i].score, *score);
  }
}

// --- mining

hog::Model easy_model() {
  hog::CascadeModel cascade;
  cascade.geometry = kSmall;
  hog::LinearLearner l;
  l.x = 4, l.y = 8, l.width = 16, l.height = 16;
  l.weights[0] = 1;
  l.offset = 0.3F;
  l.slope = 65536;
  cascade.linear.push_back(l);
  cascade.stages.push_back({0, 1, 0});
  hog::Model model;
  model.kind = cascade;
  return model;
}

void test_mining_gives_the_same_windows_for_any_number_of_threads() {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  MineSettings settings;
  settings.searches = {fine_search()};
  settings.wanted = 200;
  settings.seed = 4;
  std::vector<WindowRef> first;
  std::int64_t found = 0;
  for (const int threads : {1, 3}) {
    Workers workers{threads};
    Result<PictureSet> set = open_places(5);
    const Result<Mined> mined =
        mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
    TEST_ASSERT_OK(mined);
    TEST_ASSERT_EQUAL_size_t(200, mined->windows.size());
    TEST_ASSERT_GREATER_THAN(200, mined->found);
    TEST_ASSERT_TRUE(std::is_sorted(mined->windows.begin(), mined->windows.end()));
    if (threads == 1) first = mined->windows, found = mined->found;
    TEST_ASSERT_TRUE(first == mined->windows);
    TEST_ASSERT_EQUAL_INT64(found, mined->found);
  }
}

void test_mined_windows_pass_the_model_and_too_few_lead_to_the_next_search() {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{1};
  Result<PictureSet> set = open_places(4);
  MineSettings settings;
  hog::SearchSettings coarse = fine_search();
  coarse.stride = 32;
  settings.searches = {coarse, fine_search()};
  settings.wanted = 150;
  settings.per_picture = 50;
  const Result<Mined> mined =
      mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
  TEST_ASSERT_OK(mined);
  TEST_ASSERT_EQUAL_INT(1, mined->search);
  std::vector<int> of_picture(4);
  Patches patches{Planes::grey, 32, 64};
  TEST_ASSERT_OK(add_windows(*set, mined->windows, kSmall, settings.searches, workers, patches,
                             "cut", g_nobody));
  Histograms windows{32, 64, 4, Planes::grey};
  windows.add(patches, 0, workers);
  const hog::Model model = easy_model();
  const hog::LinearLearner& l = std::get<hog::CascadeModel>(model.kind).linear[0];
  float weights[kBlockValues];
  to_arithmetic_order(l.weights.data(), weights);
  for (std::size_t i = 0; i < mined->windows.size(); ++i) {
    ++of_picture[static_cast<std::size_t>(mined->windows[i].picture)];
    TEST_ASSERT_TRUE(Histograms::value(windows.window(i), windows.corners({4, 8, 16, 16}), weights,
                                       l.offset) >= -1e-5F);
  }
  for (const int n : of_picture) TEST_ASSERT_LESS_OR_EQUAL(50, n);
}

void test_the_hardest_are_those_with_the_highest_scores_of_the_others() {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{2};
  Result<PictureSet> set = open_places(3);
  MineSettings settings;
  settings.searches = {fine_search()};
  settings.wanted = 30;
  const Result<Mined> drawn =
      mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
  settings.hardest = 40;
  const Result<Mined> both =
      mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
  TEST_ASSERT_OK(both);
  TEST_ASSERT_EQUAL_size_t(70, both->windows.size());
  std::vector<std::pair<float, WindowRef>> all;  // the others
  for (std::size_t i = 0; i < set->size(); ++i) {
    const Result<std::unique_ptr<hog::Engine>> engine = hog::make_engine(
        *context, workers, easy_model(), fine_search(), set->width(i), set->height(i));
    const Result<std::shared_ptr<const Pixels>> picture = set->get(i);
    const Result<hog::Engine::Hits> hits = (*engine)->search((*picture)->view(), 0);
    for (int h = 0; h < hits->count; ++h) {
      const WindowRef ref{static_cast<std::int32_t>(i), 0, hits->data[h].window};
      if (!std::binary_search(drawn->windows.begin(), drawn->windows.end(), ref))
        all.emplace_back(-hits->data[h].score, ref);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<WindowRef> expected = drawn->windows;
  for (std::size_t i = 0; i < 40; ++i) expected.push_back(all[i].second);
  std::sort(expected.begin(), expected.end());
  TEST_ASSERT_TRUE(expected == both->windows);
}

void test_people_moved_at_random_stay_within_their_crops() {
  Workers workers{1};
  PictureSet::Options options;
  Result<PictureSet> crops = PictureSet::open(
      test::names("crop", 0, 3), test::made_pictures(32, 64), options, "people", g_nobody);
  CropOptions moved;
  moved.shift = 3;
  moved.copies = 2;
  Patches patches{Planes::grey, 32, 64}, again{Planes::grey, 32, 64}, tight{Planes::grey, 48, 80};
  TEST_ASSERT_OK(add_crops(*crops, moved, workers, patches));
  TEST_ASSERT_OK(add_crops(*crops, moved, workers, again));
  TEST_ASSERT_EQUAL_size_t(18, patches.size());
  TEST_ASSERT_EQUAL_MEMORY(patches.plane(0), again.plane(0), 18 * patches.patch_size());
  // The crops' own size leaves no room: only the crop and its mirror image.
  TEST_ASSERT_OK(add_crops(*crops, moved, workers, tight));
  TEST_ASSERT_EQUAL_size_t(6, tight.size());
  // Each is somewhere in its crop.
  const Result<std::shared_ptr<const Pixels>> crop = crops->get(0);
  for (std::size_t i = 0; i < 3; ++i) {
    bool found = false;
    for (int y = 5; y <= 11; ++y)
      for (int x = 5; x <= 11; ++x) {
        Patches one{Planes::grey, 32, 64};
        TEST_ASSERT_OK(add_window(**crop, x, y, one));
        found =
            found || std::equal(one.plane(0), one.plane(0) + one.patch_size(), patches.plane(i));
      }
    TEST_ASSERT_TRUE(found);
  }
}

// --- checkpoints

Checkpoint some_checkpoint() {
  Checkpoint c;
  c.trainer = "cascade";
  c.settings = "grid 4\nseed 1\n";
  c.data = 77;
  c.log = "{}\n";
  c.state.assign(100000, std::byte{42});
  return c;
}

std::string text_of_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void test_a_checkpoint_comes_back_as_it_was() {
  const TempFolder folder;
  const std::string path = folder.at("c");
  TEST_ASSERT_OK(save(some_checkpoint(), path));
  const Result<Checkpoint> back = load_checkpoint(path);
  TEST_ASSERT_OK(back);
  TEST_ASSERT_TRUE(back->state == some_checkpoint().state);
  TEST_ASSERT_OK(check_same(*back, "cascade", "grid 4\nseed 1\n", 77));
}

void test_a_damaged_checkpoint_is_refused_wherever_it_was_cut_or_altered() {
  const TempFolder folder;
  Checkpoint small = some_checkpoint();
  small.state.resize(20);
  TEST_ASSERT_OK(save(small, folder.at("c")));
  const std::string whole = text_of_file(folder.at("c"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    TEST_ASSERT_ERROR(Errc::damaged, load_checkpoint(folder.write("cut", whole.substr(0, cut))));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 4);
    TEST_ASSERT_ERROR(Errc::damaged, load_checkpoint(folder.write("cut", other)));
  }
  TEST_ASSERT_ERROR(Errc::not_found, load_checkpoint(folder.at("none")));
}

void test_another_training_s_checkpoint_is_refused_with_what_differs() {
  const Checkpoint c = some_checkpoint();
  expect_error(check_same(c, "svm", c.settings, 77).error(), Errc::invalid_argument, "cascade");
  expect_error(check_same(c, "cascade", "grid 4\nseed 2\n", 77).error(), Errc::invalid_argument,
               "there 'seed 1', here 'seed 2'");
  expect_error(check_same(c, "cascade", c.settings, 78).error(), Errc::invalid_argument,
               "other pictures");
}

/// No file of this process may grow beyond `bytes`: what a full disk is like.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
};

void test_a_full_disk_leaves_the_last_checkpoint_as_it_was() {
  const TempFolder folder;
  const std::string path = folder.at("c");
  TEST_ASSERT_OK(save(some_checkpoint(), path));
  const std::string before = text_of_file(path);
  Checkpoint next = some_checkpoint();
  next.state.assign(200000, std::byte{1});
  Status full = Done{};
  {
    const SmallDisk disk{150000};
    full = save(next, path);
  }
  expect_error(full.error(), Errc::io, path.c_str());
  TEST_ASSERT_TRUE(before == text_of_file(path));
  TEST_ASSERT_EQUAL_INT(1, std::distance(std::filesystem::directory_iterator{folder.path()},
                                         std::filesystem::directory_iterator{}));
}

// --- solvers

struct Problem {
  std::vector<float> values, labels, costs;
  [[nodiscard]] std::size_t count() const { return labels.size(); }
};

/// Two clouds on the unit sphere that overlap.
Problem make_problem(std::size_t count, std::uint64_t seed, double cost) {
  Random random{seed};
  Problem p;
  for (std::size_t i = 0; i < count; ++i) {
    const bool yes = random.below(3) == 0;
    double norm = 0;
    float x[36];
    for (int k = 0; k < 36; ++k) {
      x[k] = static_cast<float>(random.below(1000)) / 1000 + (yes && k % 5 == 0 ? 0.4F : 0);
      norm += static_cast<double>(x[k] * x[k]);
    }
    for (const float v : x) p.values.push_back(v / static_cast<float>(std::sqrt(norm)));
    p.labels.push_back(yes ? 1.0F : -1.0F);
    p.costs.push_back(static_cast<float>(cost * static_cast<double>(1 + random.below(4))));
  }
  return p;
}

double objective_of(const Problem& p, const double* w, double b) {
  double sum = 0;
  for (int k = 0; k < 36; ++k) sum += w[k] * w[k] / 2;
  for (std::size_t i = 0; i < p.count(); ++i) {
    double score = b;
    for (std::size_t k = 0; k < 36; ++k) score += w[k] * static_cast<double>(p.values[36 * i + k]);
    const double lack = std::max(0.0, 1 - static_cast<double>(p.labels[i]) * score);
    sum += static_cast<double>(p.costs[i]) * lack * lack;
  }
  return sum;
}

void test_the_block_solver_finds_the_minimum() {
  BlockSvmScratch scratch;
  for (const double cost : {0.01, 1.0, 50.0}) {
    const Problem p = make_problem(300, 5, cost);
    const BlockSvm svm =
        solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
    double w[36];
    std::copy(svm.weights, svm.weights + 36, w);
    const double best = objective_of(p, w, static_cast<double>(svm.bias));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * best, best, svm.objective);
    TEST_ASSERT_LESS_OR_EQUAL(20, svm.steps);
    // The problem is convex: no neighbour is better, whichever way one steps.
    Random random{1};
    for (int trial = 0; trial < 200; ++trial) {
      double other[36], length = trial % 2 == 0 ? 0.01 : 0.3;
      for (int k = 0; k < 36; ++k)
        other[k] = w[k] + length * (static_cast<double>(random.below(2001)) / 1000 - 1);
      const double b = static_cast<double>(svm.bias) +
                       length * (static_cast<double>(random.below(2001)) / 1000 - 1);
      TEST_ASSERT_TRUE(objective_of(p, other, b) > best * (1 - 1e-4));
    }
  }
}

void test_examples_without_cost_do_not_count() {
  BlockSvmScratch scratch;
  Problem p = make_problem(200, 8, 1);
  const BlockSvm all =
      solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
  for (int i = 0; i < 50; ++i) {  // wrong ones
    for (int k = 0; k < 36; ++k) p.values.push_back(static_cast<float>(k));
    p.labels.push_back(i % 2 == 0 ? 1.0F : -1.0F);
    p.costs.push_back(0);
  }
  const BlockSvm same =
      solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
  for (int k = 0; k < 36; ++k) TEST_ASSERT_FLOAT_WITHIN(1e-3F, all.weights[k], same.weights[k]);
}

class Table final : public Rows {
 public:
  explicit Table(const Problem& p) : p_{p} {}
  [[nodiscard]] std::size_t count() const noexcept override { return p_.count(); }
  [[nodiscard]] std::size_t values() const noexcept override { return 36; }
  [[nodiscard]] const float* row(std::size_t i) const noexcept override {
    return p_.values.data() + 36 * i;
  }

 private:
  const Problem& p_;
};

DualSvm solve_dual(const Problem& p, double tolerance, std::vector<double>& alphas) {
  std::vector<std::int8_t> labels;
  for (const float y : p.labels) labels.push_back(y > 0 ? 1 : -1);
  DualSettings settings;
  settings.tolerance = tolerance;
  return solve_dual_svm(Table{p}, labels, p.costs, settings, alphas);
}

void test_the_dual_solver_closes_the_gap_between_primal_and_dual() {
  for (const double cost : {0.01, 1.0}) {
    const Problem p = make_problem(400, 6, cost);
    std::vector<double> alphas;
    const DualSvm svm = solve_dual(p, 1e-4, alphas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * svm.objective, svm.objective, -svm.dual);
    TEST_ASSERT_LESS_THAN(1000, svm.passes);
  }
}

void test_a_warm_start_reaches_the_same_solution_in_fewer_passes() {
  const Problem p = make_problem(400, 6, 1);
  std::vector<double> alphas;
  const DualSvm cold = solve_dual(p, 1e-3, alphas);
  const DualSvm warm = solve_dual(p, 1e-3, alphas);
  TEST_ASSERT_LESS_THAN(cold.passes, warm.passes);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4 * cold.objective, cold.objective, warm.objective);
}

#ifdef KERB_LIBLINEAR
/// liblinear's primal objective: its own solution, our arithmetic. `bias` as its option -B.
double by_liblinear(const Problem& p, int solver, double bias, double* w_out, double* b_out,
                    double tolerance = 1e-6) {
  std::vector<std::vector<feature_node>> rows(p.count());
  std::vector<feature_node*> x;
  std::vector<double> y(p.labels.begin(), p.labels.end()), weights;
  for (std::size_t i = 0; i < p.count(); ++i) {
    for (int k = 0; k < 36; ++k)
      rows[i].push_back(
          {k + 1, static_cast<double>(p.values[36 * i + static_cast<std::size_t>(k)])});
    rows[i].push_back({37, bias});
    rows[i].push_back({-1, 0});
    x.push_back(rows[i].data());
  }
  ::problem prob{};
  prob.l = static_cast<int>(p.count());
  prob.n = 37;
  prob.x = x.data();
  prob.y = y.data();
  prob.bias = bias;
  ::parameter param{};
  param.solver_type = solver;
  param.C = static_cast<double>(p.costs[0]);  // all the same
  param.eps = tolerance;
  set_print_string_function([](const char*) {});
  ::model* m = ::train(&prob, &param);
  for (int k = 0; k < 36; ++k) w_out[k] = m->w[k] * (m->label[0] == 1 ? 1 : -1);
  *b_out = m->w[36] * (m->label[0] == 1 ? 1 : -1) * bias;
  free_and_destroy_model(&m);
  return objective_of(p, w_out, *b_out);
}

void test_both_solvers_agree_with_liblinear() {
  for (const double cost : {0.02, 2.0}) {
    Problem p = make_problem(300, 12, 1);
    std::fill(p.costs.begin(), p.costs.end(), static_cast<float>(cost));
    double w[36], b = 0;
    // A large constant makes the bias all but free, as in the block solver.
    const double theirs = by_liblinear(p, L2R_L2LOSS_SVC, 100, w, &b);
    BlockSvmScratch scratch;
    const BlockSvm ours =
        solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * theirs, theirs, ours.objective);
    for (int k = 0; k < 36; ++k)
      TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(w[k]), ours.weights[k]);

    const double dual = by_liblinear(p, L2R_L2LOSS_SVC_DUAL, 1, w, &b) + b * b / 2;
    std::vector<double> alphas;
    const DualSvm mine = solve_dual(p, 1e-4, alphas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * dual, dual, mine.objective);
    for (std::size_t k = 0; k < 36; ++k)
      TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(w[k]), mine.weights[k]);
  }
}

/// How long each takes for one block of a round: `unit_train_parts bench`.
void compare_times() {
  for (const std::size_t count : {5000, 20000}) {
    Problem p = make_problem(count, 12, 1);
    std::fill(p.costs.begin(), p.costs.end(), 30.0F / static_cast<float>(count));
    const auto time = [](const char* who, auto&& solve) {
      const auto start = std::chrono::steady_clock::now();
      const double objective = solve();
      const std::chrono::duration<double, std::milli> gone =
          std::chrono::steady_clock::now() - start;
      std::printf("  %-44s %8.2f ms, objective %.6f\n", who, gone.count(), objective);
    };
    std::printf("%zu windows\n", count);
    double w[36], b = 0;
    BlockSvmScratch scratch;
    for (int turn = 0; turn < 3; ++turn) {
      time("ours (Newton)", [&] {
        return solve_block_svm(p.values.data(), p.labels.data(), p.costs.data(), p.count(), scratch)
            .objective;
      });
      time("liblinear, L2R_L2LOSS_SVC (trust region)",
           [&] { return by_liblinear(p, L2R_L2LOSS_SVC, 100, w, &b, 1e-3); });
      time("liblinear, L2R_L2LOSS_SVC_DUAL",
           [&] { return by_liblinear(p, L2R_L2LOSS_SVC_DUAL, 1, w, &b, 0.01); });
    }
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef KERB_LIBLINEAR
  if (argc == 2 && std::string{argv[1]} == "bench") {
    compare_times();
    return 0;
  }
#else
  static_cast<void>(argc), static_cast<void>(argv);
#endif
  UNITY_BEGIN();
  RUN_TEST(test_drawing_gives_every_number_once_and_the_same_ones_for_the_same_seed);
  RUN_TEST(test_the_pool_has_the_thesis_s_5029_blocks);
  RUN_TEST(test_all_blocks_of_a_pool_lie_on_its_grid_and_in_the_window);
  RUN_TEST(test_folders_are_listed_by_name_and_other_files_left_out);
  RUN_TEST(test_an_empty_or_missing_folder_is_named);
  RUN_TEST(test_a_crop_smaller_than_the_window_is_named);
  RUN_TEST(test_pictures_beyond_the_budget_are_read_again_and_must_be_the_same);
  RUN_TEST(test_the_fingerprint_tells_other_pictures);
  RUN_TEST(test_mirrored_pictures_are_the_others_the_other_way_round);
  RUN_TEST(test_every_so_manyth_is_held_out);
  RUN_TEST(test_crops_of_one_photograph_are_all_held_out_or_none);
  RUN_TEST(test_frames_of_a_video_are_held_out_in_runs);
  RUN_TEST(test_a_learner_s_votes_are_the_engine_s_bit_for_bit);
  RUN_TEST(test_dense_descriptors_of_windows_score_as_the_engine_bit_for_bit);
  RUN_TEST(test_mining_gives_the_same_windows_for_any_number_of_threads);
  RUN_TEST(test_mined_windows_pass_the_model_and_too_few_lead_to_the_next_search);
  RUN_TEST(test_the_hardest_are_those_with_the_highest_scores_of_the_others);
  RUN_TEST(test_people_moved_at_random_stay_within_their_crops);
  RUN_TEST(test_a_checkpoint_comes_back_as_it_was);
  RUN_TEST(test_a_damaged_checkpoint_is_refused_wherever_it_was_cut_or_altered);
  RUN_TEST(test_another_training_s_checkpoint_is_refused_with_what_differs);
  RUN_TEST(test_a_full_disk_leaves_the_last_checkpoint_as_it_was);
  RUN_TEST(test_the_block_solver_finds_the_minimum);
  RUN_TEST(test_examples_without_cost_do_not_count);
  RUN_TEST(test_the_dual_solver_closes_the_gap_between_primal_and_dual);
  RUN_TEST(test_a_warm_start_reaches_the_same_solution_in_fewer_passes);
#ifdef KERB_LIBLINEAR
  RUN_TEST(test_both_solvers_agree_with_liblinear);
#endif
  return UNITY_END();
}
