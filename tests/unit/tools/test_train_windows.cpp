// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "gpu/hog/dense_descriptor.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/blocks.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/random.hpp"
#include "tools/train/session.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;

train::Observer g_nobody;

Result<PictureSet> open_places(int count, bool mirror = false) {
  PictureSet::Options options;
  options.mirror = mirror;
  return PictureSet::open(test::names("place", 0, count), test::made_pictures(32, 64), options,
                          "places", g_nobody);
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

TEST(a_learner_s_votes_are_the_engine_s_bit_for_bit) {
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

TEST(dense_descriptors_of_windows_score_as_the_engine_bit_for_bit) {
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

TEST(mining_gives_the_same_windows_for_any_number_of_threads) {
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

TEST(mined_windows_pass_the_model_and_too_few_lead_to_the_next_search) {
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

TEST(windows_with_people_in_them_are_neither_drawn_nor_mined) {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{2};
  Result<PictureSet> set = open_places(2);
  MineSettings settings;
  settings.searches = {fine_search()};
  settings.wanted = 1000000;
  const Result<Mined> before =
      mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
  const Area person{30, 20, 16, 50};
  set->avoid({{person}, {}});
  const Result<Mined> mined =
      mine(*context, workers, easy_model(), *set, settings, "mine", g_nobody);
  const Result<Mined> drawn = draw_windows(kSmall, *set, fine_search(), 1000000, 1);
  TEST_ASSERT_OK(mined);
  TEST_ASSERT_OK(drawn);
  // By the count of pixels: those of a window's person that are the avoided person's.
  const auto is_clear = [&](const WindowRef& ref) {
    if (ref.picture != 0) return true;
    const Result<hog::SearchPlan> plan =
        hog::plan_search(kSmall, fine_search(), set->width(0), set->height(0));
    const hog::SearchPlan::Place at = plan->place(ref.window);
    const Detection box = plan->box(kSmall, at.level, at.x, at.y, 0);
    int inside = 0, all = 0;
    for (double y = 0.05; y < 1; y += 0.1)
      for (double x = 0.05; x < 1; x += 0.1) {
        const double px = box.x + x * box.w, py = box.y + y * box.h;
        ++all;
        inside += px >= person.x && px < person.x + person.w && py >= person.y &&
                  py < person.y + person.h;
      }
    return inside <= (kAvoidedShare + 0.12) * all;
  };
  TEST_ASSERT_TRUE(std::all_of(mined->windows.begin(), mined->windows.end(), is_clear));
  TEST_ASSERT_TRUE(std::all_of(drawn->windows.begin(), drawn->windows.end(), is_clear));
  TEST_ASSERT_FALSE(std::all_of(before->windows.begin(), before->windows.end(), is_clear));
  TEST_ASSERT_LESS_THAN(before->found, mined->found);
  TEST_ASSERT_GREATER_THAN(before->found / 2, mined->found);
  TEST_ASSERT_TRUE(std::includes(before->windows.begin(), before->windows.end(),
                                 mined->windows.begin(), mined->windows.end()));
}

TEST(the_hardest_are_those_with_the_highest_scores_of_the_others) {
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

TEST(people_moved_at_random_stay_within_their_crops) {
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

}  // namespace
