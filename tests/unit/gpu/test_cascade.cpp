// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gpu/hog/engine.hpp"
#include "gpu/image/pyramid.hpp"
#include "gpu/image/to_luv.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"
#include "tests/unit/gpu/cascade_oracle.hpp"
#include "tests/unit/gpu/hits.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;

namespace {

TEST(every_level_is_what_its_definition_says) {
  const Scene scene{93, 71, 1, 5};
  Workers workers{2};
  const std::vector<LevelArea> areas{
      {1, 0, 0, 93, 71},      {1, 5, 3, 40, 30},  {1.05, 0, 0, 89, 68}, {1.7, -7, -9, 70, 60},
      {0.6, 10, 10, 100, 90}, {9.1, 0, 0, 10, 8}, {40, -3, -3, 8, 8}};
  for (const Scaling scaling : {Scaling::plain, Scaling::octaves}) {
    const Result<PyramidPlan> plan = plan_pyramid(93, 71, areas, scaling);
    TEST_ASSERT_OK(plan);
    TEST_ASSERT_EQUAL(scaling == Scaling::plain ? 0 : 4, plan->octaves.size());
    TEST_ASSERT_EQUAL(scaling == Scaling::plain ? 0 : 3, plan->levels[5].octave);
    TEST_ASSERT_EQUAL(0, plan->levels[3].octave);
    std::vector<std::uint8_t> out(plan->samples);
    TEST_ASSERT_OK(cpu::pyramid(workers, *plan, scene.view(), out.data()));
    for (const Level& level : plan->levels) {
      const std::vector<std::uint8_t> expected = level_by_definition(*plan, level, scene.view());
      for (int y = 0; y < level.height + 2; ++y)
        TEST_ASSERT_EQUAL_MEMORY(
            expected.data() + y * (level.width + 2),
            out.data() + level.offset + static_cast<std::size_t>(y * level.row_stride),
            static_cast<std::size_t>(level.width + 2));
    }
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      cpu::pyramid(workers, *plan, Scene(92, 71, 1, 1).view(), out.data()));
  }
  TEST_ASSERT_ERROR(Errc::invalid_argument, plan_pyramid(0, 5, {}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, plan_pyramid(5, 5, {{1, 0, 0, 0, 5}}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, plan_pyramid(5, 5, {{100, 0, 0, 5, 5}}));
  for (const double scale : {0.0, -1.0, 1e-300, std::nan("")})
    TEST_ASSERT_ERROR(Errc::invalid_argument, plan_pyramid(10, 10, {{scale, 0, 0, 5, 5}}));
  TEST_ASSERT_OK(plan_pyramid(65535, 2, {{1, -16, -16, 65567, 34}}));
}

/// The grey plane, or L, U and V.
std::vector<ImageView<Space::host, const std::uint8_t>> looked_at(const Scene& scene) {
  if (scene.planes.size() == 1) return {scene.view()};
  static std::vector<std::uint8_t> luv;
  luv.assign(scene.rgb.size(), 0);
  const PlanesView<Space::host, std::uint8_t> out{
      luv.data(), 3, scene.width, scene.height, scene.stride, scene.stride * scene.height};
  TEST_ASSERT_OK(cpu::to_luv(scene.picture().rgb, out));
  return {out.plane(0), out.plane(1), out.plane(2)};
}

TEST(it_finds_what_its_definition_finds) {
  Workers workers{2};
  int some = 0, all = 0;
  for (const CascadeCase& c : kCascadeCases) {
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
      const Model model = model_for(c, seed);
      const Scene scene{c.width, c.height, c.colour ? 3 : 1, seed};
      auto engine = make_cascade_cpu(workers, model, c.search, c.width, c.height);
      TEST_ASSERT_OK(engine);
      const float threshold = seed == 1 ? -1e9F : 0.1F;
      const std::vector<Hit> expected =
          cascade_by_definition(model, (*engine)->plan(), looked_at(scene), threshold);
      for (int again = 0; again < 2; ++again) {
        const auto hits = (*engine)->search(scene.picture(), threshold);
        TEST_ASSERT_OK(hits);
        expect_same({expected.data(), static_cast<int>(expected.size())}, *hits, c.name);
      }
      if (c.nodes > 0 && seed == 1) {
        TEST_ASSERT_GREATER_THAN_size_t_MESSAGE(2, expected.size(), c.name);
        TEST_ASSERT_LESS_THAN_MESSAGE((*engine)->plan().window_count, expected.size(), c.name);
      }
      some += static_cast<int>(expected.size());
      all += (*engine)->plan().window_count;
    }
  }
  // The cases would show nothing if all windows passed, or none.
  TEST_ASSERT_GREATER_THAN_INT(all / 50, some);
  TEST_ASSERT_LESS_THAN_INT(all * 9 / 10, some);
}

TEST(work_is_counted) {
  Workers workers{1};
  const Model model = model_for(kCascadeCases[3], 1);
  const Scene scene{151, 203, 1, 1};
  auto engine = make_cascade_cpu(workers, model, search(1.1, 8), 151, 203);
  TEST_ASSERT_OK(engine);
  const Result<Work> work = (*engine)->count_work({scene.view(), {}});
  TEST_ASSERT_OK(work);
  TEST_ASSERT_EQUAL_INT64((*engine)->plan().window_count, work->windows);
  TEST_ASSERT_EQUAL_INT64(work->windows, work->windows_at_stage[0]);
  std::int64_t learners = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    learners += work->windows_at_stage[i] * static_cast<std::int64_t>(i + 1);
    if (i > 0) TEST_ASSERT_TRUE(work->windows_at_stage[i] <= work->windows_at_stage[i - 1]);
  }
  TEST_ASSERT_EQUAL_INT64(learners, work->learners);
  TEST_ASSERT_GREATER_THAN_INT64(work->windows, work->learners);

  // Of trees too: who reaches a stage is who passes the cascade that ends before it.
  const CascadeCase& t = kCascadeCases[12];
  const Model trees = model_for(t, 1);
  const Scene other{t.width, t.height, 1, 1};
  auto whole = make_cascade_cpu(workers, trees, t.search, t.width, t.height);
  TEST_ASSERT_OK(whole);
  const Result<Work> counted = (*whole)->count_work(other.picture());
  TEST_ASSERT_OK(counted);
  for (std::size_t stages = 1; stages < 4; ++stages) {
    Model part = trees;
    auto& m = std::get<CascadeModel>(part.kind);
    m.stages.resize(stages);
    m.trees.resize(static_cast<std::size_t>(m.stages.back().first + m.stages.back().count));
    m.nodes.resize(3 * m.trees.size());
    m.leaves.resize(4 * m.trees.size());
    auto shorter = make_cascade_cpu(workers, part, t.search, t.width, t.height);
    TEST_ASSERT_OK(shorter);
    const auto passed = (*shorter)->search(other.picture(), -1e9F);
    TEST_ASSERT_OK(passed);
    TEST_ASSERT_EQUAL_INT64(passed->count, counted->windows_at_stage[stages]);
  }
}

TEST(searching_allocates_nothing) {
  Workers workers{2};
  const CascadeCase c{"", 151, 203, false, search(1.1, 8)};
  const Scene scene{151, 203, 1, 1};
  auto engine = make_cascade_cpu(workers, model_for(c, 1), c.search, 151, 203);
  TEST_ASSERT_OK(engine);
  const std::uint64_t before = kerb::test::allocations();
  for (int i = 0; i < 3; ++i)
    TEST_ASSERT_TRUE(static_cast<bool>((*engine)->search(scene.picture(), -1e9F)));
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());

  const CascadeCase t{"", 151, 203, true, search(1.1, 8), true, true};
  const Scene colours{151, 203, 3, 1};
  auto trees = make_cascade_cpu(workers, model_for(t, 1), t.search, 151, 203);
  TEST_ASSERT_OK(trees);
  const std::uint64_t made = kerb::test::allocations();
  for (int i = 0; i < 3; ++i)
    TEST_ASSERT_TRUE(static_cast<bool>((*trees)->search(colours.picture(), -1e9F)));
  TEST_ASSERT_EQUAL_UINT64(made, kerb::test::allocations());
}

/// A legal picture that no machine has the memory for is an error, not the end of the program.
TEST(a_huge_picture_is_searched_or_refused) {
  Workers workers{1};
  CascadeCase c{"", 16384, 16384, false, search(1.9, 256)};
  c.search.max_levels = 2;
  auto engine = make_cascade_cpu(workers, model_for(c, 1), c.search, 16384, 16384);
  if (!engine) {
    TEST_ASSERT_ERROR(Errc::io, engine);
    return;
  }
  TEST_ASSERT_GREATER_THAN_INT(4000, (*engine)->plan().window_count);
}

TEST(many_sloped_learners_are_no_overflow) {
  Workers workers{1};
  Model model = linear_cascade(1, 40);  // 820 learners
  for (LinearLearner& l : std::get<CascadeModel>(model.kind).linear) {
    l.slope = 1;
    l.pass = l.fail = 0;
  }
  TEST_ASSERT_OK(make_cascade_cpu(workers, model, search(1.2, 8), 100, 200));
}

TEST(what_it_refuses) {
  Workers workers{1};
  const Model model = linear_cascade();
  auto engine = make_cascade_cpu(workers, model, search(1.1, 8), 100, 200);
  TEST_ASSERT_OK(engine);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*engine)->search(Picture<Space::host>{Scene(101, 200, 1, 1).view(), {}}, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(Picture<Space::host>{}, 0));
  TEST_ASSERT_ERROR(Errc::unsupported, (*engine)->search(Picture<Space::device>{}, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_cascade_cpu(workers, dense_model(), search(1.1, 8), 100, 200));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_cascade_cpu(workers, model, search(0.9, 8), 100, 200));
  auto colour = make_cascade_cpu(workers, tree_cascade(), search(1.1, 8), 100, 200);
  TEST_ASSERT_OK(colour);
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*colour)->search(Scene(100, 200, 1, 1).picture(), 0));
  Model loud = model;
  for (LinearLearner& l : std::get<CascadeModel>(loud.kind).linear) l.pass = 0x7FFFFFFF;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_cascade_cpu(workers, loud, search(1.1, 8), 100, 200));
}

}  // namespace
