// SPDX-License-Identifier: Apache-2.0
// The parts of the channel trainer: features against the engine's definition, trees against a
// search of everything.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/features.hpp"
#include "tools/train/random.hpp"
#include "tools/train/trees.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;

constexpr hog::Channels kColour{6, false, true, true};
constexpr int kWidth = 32, kHeight = 64, kGrid = 4;

/// Places in colour: three different greys.
Pixels coloured(std::uint64_t seed) {
  Pixels picture = test::make_place(kWidth + 2, kHeight + 2, seed);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Pixels plane = test::make_place(kWidth + 2, kHeight + 2, 3 * seed + i);
    picture.planes.insert(picture.planes.end(), plane.grey.begin(), plane.grey.end());
  }
  return picture;
}

Patches windows(Planes planes, int count, std::uint64_t seed) {
  Patches patches{planes, kWidth, kHeight};
  for (int i = 0; i < count; ++i)
    TEST_ASSERT_OK(add_window(coloured(seed + static_cast<std::uint64_t>(i)), 1, 1, patches));
  return patches;
}

TEST(features_are_different_and_lie_in_the_window) {
  for (const FeatureMix& mix : {FeatureMix{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
    const std::vector<Feature> features = draw_features(kColour, 8, 16, mix, 500, 7);
    TEST_ASSERT_EQUAL(500, features.size());
    TEST_ASSERT_TRUE(features == draw_features(kColour, 8, 16, mix, 500, 7));
    TEST_ASSERT_FALSE(features == draw_features(kColour, 8, 16, mix, 500, 8));
    int divided = 0;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const Feature& f = features[i];
      TEST_ASSERT_TRUE(std::count(features.begin(), features.end(), f) == 1);
      TEST_ASSERT_TRUE(f.x >= 0 && f.y >= 0 && f.width >= 1 && f.height >= 1 &&
                       f.x + f.width <= 8 && f.y + f.height <= 16);
      TEST_ASSERT_TRUE(f.channel >= 0 && f.channel < kColour.count());
      if (f.divisor < 0) continue;
      ++divided;
      TEST_ASSERT_TRUE(f.divisor_x >= 0 && f.divisor_y >= 0 && f.divisor_width >= 1 &&
                       f.divisor_height >= 1 && f.divisor_x + f.divisor_width <= 8 &&
                       f.divisor_y + f.divisor_height <= 16);
    }
    if (mix.plain == 0 && mix.neighbour == 0) TEST_ASSERT_EQUAL(500, divided);
    if (mix.local == 0 && mix.neighbour == 0) TEST_ASSERT_EQUAL(0, divided);
  }
  // No more than there are.
  TEST_ASSERT_TRUE(draw_features({6, false, false, false}, 1, 1, {1, 0, 0}, 500, 1).size() == 6);
}

/// A model of one question: does the engine put the window where the table does?
bool engine_goes_left(const hog::TreeNode& node, const Pixels& picture, Workers& workers) {
  hog::CascadeModel m;
  m.geometry = {kWidth, kHeight, 6, 8, 20, 48, Scaling::octaves};
  m.channels = kColour;
  m.nodes = {node};
  m.nodes[0].left = ~0;
  m.nodes[0].right = ~1;
  m.trees = {{0, 0, 1, 2}};
  m.leaves = {65536, -65536};
  m.stages = {{0, 1, 0}};
  hog::Model model;
  model.kind = m;
  hog::SearchSettings search;
  search.stride = 1;
  search.max_levels = 1;
  const auto engine = hog::make_cascade_cpu(workers, model, search, picture.width, picture.height);
  TEST_ASSERT_OK(engine);
  const auto hits = (*engine)->search(picture.view(), 0);
  TEST_ASSERT_OK(hits);
  // Windows stand at (0..2, 0..2); the table's is the middle one.
  for (int h = 0; h < hits->count; ++h)
    if (hits->data[h].window == 4) return true;
  return false;
}

TEST(steps_are_where_the_engine_draws_the_line) {
  Workers workers{1};
  const Patches first = windows(Planes::luv, 7, 100), second = windows(Planes::luv, 6, 107);
  const std::vector<Feature> features = draw_features(kColour, 8, 16, {1, 1, 1}, 60, 3);
  const FeatureTable table =
      FeatureTable::build(features, kColour, kGrid, first, second, 13, 5, workers);
  TEST_ASSERT_EQUAL(13, table.windows());
  Random random{9};
  int left = 0, right = 0;
  for (std::size_t f = 0; f < features.size(); ++f) {
    for (int s = 1; s < FeatureTable::kSteps - 1; ++s)
      TEST_ASSERT_TRUE(table.cut(f, s - 1) <= table.cut(f, s));
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = random.below(13);
      const int step = static_cast<int>(random.below(FeatureTable::kSteps - 1));
      hog::TreeNode node = node_of(features[f], kGrid);
      node.threshold = table.cut(f, step);
      const bool below = table.column(f)[i] <= step;
      TEST_ASSERT_EQUAL(below, engine_goes_left(node, coloured(100 + i), workers));
      ++(below ? left : right);
    }
  }
  TEST_ASSERT_TRUE(left > 20 && right > 20);
}

TEST(the_table_is_the_same_for_any_number_of_workers) {
  const Patches first = windows(Planes::luv, 70, 300), second = windows(Planes::luv, 9, 400);
  const std::vector<Feature> features = draw_features(kColour, 8, 16, {1, 1, 1}, 100, 3);
  Workers one{1}, three{3};
  const auto a = FeatureTable::build(features, kColour, kGrid, first, second, 20, 5, one);
  const auto b = FeatureTable::build(features, kColour, kGrid, first, second, 20, 5, three);
  for (std::size_t f = 0; f < features.size(); ++f)
    TEST_ASSERT_EQUAL_MEMORY(a.column(f), b.column(f), a.windows());
}

/// The best question for the root, by trying every feature and every step on plain weights.
double least_confusion(const FeatureTable& table, std::size_t positives) {
  const std::size_t n = table.windows();
  const double p = 0.5 / static_cast<double>(positives),
               q = 0.5 / static_cast<double>(n - positives);
  double best = 1;
  for (std::size_t f = 0; f < table.features(); ++f)
    for (int step = 0; step + 1 < FeatureTable::kSteps; ++step) {
      double side[2][2] = {};
      for (std::size_t i = 0; i < n; ++i)
        side[table.column(f)[i] <= step ? 0 : 1][i < positives ? 0 : 1] += i < positives ? p : q;
      best =
          std::min(best, std::sqrt(side[0][0] * side[0][1]) + std::sqrt(side[1][0] * side[1][1]));
    }
  return best;
}

TEST(the_first_question_is_the_best_there_is) {
  Workers workers{2};
  const Patches first = windows(Planes::luv, 40, 500), second = windows(Planes::luv, 50, 600);
  const std::vector<Feature> features = draw_features(kColour, 8, 16, {1, 1, 1}, 80, 3);
  const auto table = FeatureTable::build(features, kColour, kGrid, first, second, 90, 5, workers);
  BoostSettings settings;
  settings.depth = 1;
  settings.sample = 80;
  settings.trim = 0;
  Booster booster{table, 40, settings, 1, workers};
  booster.grow();
  const Tree& tree = booster.trees()[0];
  TEST_ASSERT_EQUAL(3, tree.size());
  double side[2][2] = {};
  for (std::size_t i = 0; i < 90; ++i)
    side[table.column(static_cast<std::size_t>(tree[0].feature))[i] <= tree[0].step ? 0 : 1]
        [i < 40 ? 0 : 1] += i < 40 ? 0.5 / 40 : 0.5 / 50;
  const double reached = std::sqrt(side[0][0] * side[0][1]) + std::sqrt(side[1][0] * side[1][1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, least_confusion(table, 40), reached);
}

/// Random windows differ by chance alone; boosting learns them by heart all the same.
TEST(boosting_drives_the_error_down_and_votes_add_up) {
  Workers workers{2};
  const Patches first = windows(Planes::luv, 40, 500), second = windows(Planes::luv, 50, 600);
  const std::vector<Feature> features = draw_features(kColour, 8, 16, {1, 1, 1}, 80, 3);
  const auto table = FeatureTable::build(features, kColour, kGrid, first, second, 90, 5, workers);
  for (const bool discrete : {true, false})
    for (const int depth : {1, 2, 3}) {
      BoostSettings settings;
      settings.depth = depth;
      settings.sample = 30;
      settings.discrete = discrete;
      Booster booster{table, 40, settings, 1, workers};
      for (int i = 0; i < 40; ++i) booster.grow();
      TEST_ASSERT_TRUE(booster.error() < (depth == 1 ? 0.15 : 0.02));
      std::vector<std::int32_t> sums(90), votes;
      for (const Tree& tree : booster.trees()) {
        TEST_ASSERT_TRUE(tree.size() <= (2U << depth));
        booster.votes_of(tree, votes);
        for (std::size_t i = 0; i < 90; ++i) sums[i] += votes[i];
        if (!discrete) continue;
        for (const std::int32_t v : votes) TEST_ASSERT_TRUE(std::abs(v) == std::abs(votes[0]));
      }
      TEST_ASSERT_TRUE(sums == booster.scores());
      // Trees that were grown before are as good as grown now.
      const std::vector<Tree> some(booster.trees().begin(), booster.trees().begin() + 17);
      Booster again{table, 40, settings, 1, workers};
      again.take(some);
      while (again.trees().size() < 40) again.grow();
      TEST_ASSERT_TRUE(again.scores() == booster.scores());
    }
}

TEST(windows_cut_short_show_the_picture_mirrored) {
  const Patches whole = windows(Planes::luv, 2, 700);
  for (const bool upper : {false, true}) {
    Patches cut{Planes::luv, kWidth, kHeight};
    constexpr int kRows = 8;
    add_cut_short(whole, kRows, upper, cut);
    TEST_ASSERT_EQUAL(2, cut.size());
    for (std::size_t i = 0; i < 2; ++i)
      for (int p = 0; p < 3; ++p)
        for (int y = -1; y <= kHeight; ++y) {  // rows of the window, rim included
          int from = y;
          if (upper && y < kRows) from = 2 * kRows - y;
          if (!upper && y >= kHeight - kRows) from = 2 * (kHeight - kRows - 1) - y;
          TEST_ASSERT_EQUAL_MEMORY(whole.plane(i, p) + (from + 1) * whole.row_stride(),
                                   cut.plane(i, p) + (y + 1) * cut.row_stride(),
                                   static_cast<std::size_t>(cut.row_stride()));
        }
  }
}

}  // namespace
