// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/engine.hpp"
#include "gpu/image/pyramid.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"
#include "tests/unit/gpu/hits.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;
using kerb::test::gpu;

namespace {

TEST(the_pyramid_equals_the_cpus_bit_for_bit) {
  const Scene scene{317, 243, 1, 9, 0};
  Workers workers{2};
  for (const double step : {1.05, 1.3, 2.0, 1.4}) {
    std::vector<LevelArea> areas;
    for (double scale = 0.7; scale < 20; scale *= step)
      areas.push_back({scale, -5, 3, scaled_side(317, scale) + 4, scaled_side(243, scale)});
    const Result<PyramidPlan> plan = plan_pyramid(
        317, 243, areas, step == 1.05 || step == 2.0 ? Scaling::octaves : Scaling::plain);
    TEST_ASSERT_OK(plan);
    std::vector<std::uint8_t> expected(plan->samples, 0xA5);
    TEST_ASSERT_OK(cpu::pyramid(workers, *plan, scene.view(), expected.data()));
    auto tables = PyramidTables::create(*gpu, *plan);
    TEST_ASSERT_OK(tables);
    const DeviceBuffer<std::uint8_t> in = kerb::test::upload(scene.planes[0]);
    const DeviceBuffer<std::uint8_t> out =
        kerb::test::upload(std::vector<std::uint8_t>(plan->samples, 0xA5));
    TEST_ASSERT_OK(
        pyramid(gpu->stream(), *tables, {in.device_data(), 317, 243, 317}, out.device_data()));
    std::vector<std::uint8_t> actual = kerb::test::download(out, plan->samples);
    for (const Octave& o : plan->octaves)
      for (int y = 0; y < o.height; ++y) {
        const std::size_t row = o.offset + static_cast<std::size_t>(y * o.row_stride);
        for (int x = o.width; x < o.row_stride; ++x)
          actual[row + static_cast<std::size_t>(x)] = expected[row + static_cast<std::size_t>(x)] =
              0;
      }
    for (const Level& level : plan->levels)  // what lies between rows is undefined
      for (int y = 0; y < level.height + 2; ++y) {
        const std::size_t row = level.offset + static_cast<std::size_t>(y * level.row_stride);
        for (int x = level.width + 2; x < level.row_stride; ++x)
          actual[row + static_cast<std::size_t>(x)] = expected[row + static_cast<std::size_t>(x)] =
              0;
      }
    kerb::test::assert_equal_bits(expected, actual, "pyramid");
    TEST_ASSERT_ERROR(
        Errc::invalid_argument,
        pyramid(gpu->stream(), *tables, {in.device_data(), 316, 243, 317}, out.device_data()));
  }
}

TEST(it_finds_what_the_cpu_finds_bit_for_bit) {
  Workers workers{2};
  for (const CascadeCase& c : kCascadeCases) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Model model = model_for(c, seed);
      const Scene scene{c.width, c.height, c.colour ? 3 : 1, seed};
      auto host = make_cascade_cpu(workers, model, c.search, c.width, c.height);
      TEST_ASSERT_OK(host);
      auto device = make_cascade_cuda(*gpu, model, c.search, c.width, c.height);
      TEST_ASSERT_OK(device);
      const float threshold = seed % 2 == 1 ? -1e9F : 0.1F;
      for (int again = 0; again < 2; ++again) {
        const auto expected = (*host)->search(scene.picture(), threshold);
        TEST_ASSERT_OK(expected);
        const auto hits = (*device)->search(scene.picture(), threshold);
        TEST_ASSERT_OK(hits);
        expect_same(*expected, *hits, c.name);
      }
    }
  }
}

/// More windows than a block has, more hits than come back at once, more candidates than warps.
TEST(a_large_picture_with_many_hits) {
  Workers workers;
  const CascadeCase c{"large", 1283, 723, false, search(1.1, 8)};
  for (int kind_of = 0; kind_of < 8; ++kind_of) {
    const bool trees = kind_of % 2 != 0, soft = kind_of / 2 % 2 != 0, open = kind_of / 4 != 0;
    CascadeCase kind = c;
    kind.trees = trees;
    kind.cumulative = soft;
    Model model = model_for(kind, 2);
    auto& m = std::get<CascadeModel>(model.kind);
    if (soft) {  // one learner to a stage
      m.stages.clear();
      for (int i = 0; i < m.learner_count(); ++i) m.stages.push_back({i, 1, -40000 * (i + 1)});
    }
    if (open)  // every window is a hit
      for (Stage& stage : m.stages) stage.threshold = -200000000;
    const Scene scene{1283, 723, 1, 3};
    auto host = make_cascade_cpu(workers, model, kind.search, 1283, 723);
    auto device = make_cascade_cuda(*gpu, model, kind.search, 1283, 723);
    TEST_ASSERT_OK(host);
    TEST_ASSERT_OK(device);
    const auto expected = (*host)->search(Picture<Space::host>{scene.view(), {}}, -1e9F);
    const auto hits = (*device)->search(Picture<Space::host>{scene.view(), {}}, -1e9F);
    TEST_ASSERT_OK(expected);
    TEST_ASSERT_OK(hits);
    if (open) TEST_ASSERT_EQUAL_INT((*host)->plan().window_count, expected->count);
    expect_same(*expected, *hits, trees ? "trees" : "linear");
    // The same from device memory, and from another place there.
    for (const int padding : {0, 13}) {
      const Scene copy{1283, 723, 1, 3, padding};
      const DeviceBuffer<std::uint8_t> in = kerb::test::upload(copy.planes[0]);
      Picture<Space::device> picture;
      picture.grey = {in.device_data(), 1283, 723, copy.stride};
      auto same = make_cascade_cpu(workers, model, kind.search, 1283, 723);
      TEST_ASSERT_OK(same);
      const auto by_cpu = (*same)->search(Picture<Space::host>{copy.view(), {}}, -1e9F);
      const auto by_gpu = (*device)->search(picture, -1e9F);
      TEST_ASSERT_OK(by_cpu);
      TEST_ASSERT_OK(by_gpu);
      expect_same(*by_cpu, *by_gpu, "on the device");
    }
  }
}

/// All windows reach the stages that a block looks at: several to a chunk, one larger than a block,
/// more of them than a chunk takes.
TEST(the_last_stages) {
  Workers workers;
  const Scene scene{211, 307, 1, 5};
  struct Sizes {
    const char* name;
    std::vector<int> stages;
    bool soft;
  };
  for (const Sizes& sizes : {Sizes{"small ones", std::vector<int>(60, 3), false},
                             Sizes{"large ones", {1, 20, 300, 7, 129, 128, 127}, false},
                             Sizes{"one by one", std::vector<int>(400, 1), true},
                             Sizes{"first one large", {150}, false}}) {
    for (const bool trees : {false, true}) {
      CascadeCase c{sizes.name, 211, 307, trees, search(1.1, 8)};
      c.stages = 38;  // 741 learners
      Model model = model_for(c, 3);
      auto& m = std::get<CascadeModel>(model.kind);
      m.cumulative = sizes.soft;
      m.stages.clear();
      int first = 0;
      for (const int size : sizes.stages) {
        m.stages.push_back({first, size, -60000 * (sizes.soft ? first + 1 : size)});
        first += size;
      }
      // Every learner is used once; a tree has 3 nodes and 4 leaves.
      const auto used = static_cast<std::size_t>(first);
      if (trees) {
        m.trees.resize(used);
        m.nodes.resize(3 * used);
        m.leaves.resize(4 * used);
      } else {
        m.linear.resize(used);
      }
      auto host = make_cascade_cpu(workers, model, c.search, 211, 307);
      auto device = make_cascade_cuda(*gpu, model, c.search, 211, 307);
      TEST_ASSERT_OK(host);
      TEST_ASSERT_OK(device);
      const auto expected = (*host)->search(scene.picture(), -1e9F);
      const auto hits = (*device)->search(scene.picture(), -1e9F);
      TEST_ASSERT_OK(expected);
      TEST_ASSERT_OK(hits);
      TEST_ASSERT_GREATER_THAN_INT(10, expected->count);
      expect_same(*expected, *hits, sizes.name);
    }
  }
}

/// Rows of more cells than a block holds at once; planes that lie anywhere on the device.
TEST(wide_pictures_and_planes_apart) {
  Workers workers;
  for (const int stride : {8, 5}) {
    const int width = stride == 8 ? 2203 : 1141;
    CascadeCase c{"wide", width, 140, false, search(1.3, stride)};
    const Model model = model_for(c, 2);
    const Scene scene{width, 140, 1, 8};
    auto host = make_cascade_cpu(workers, model, c.search, width, 140);
    auto device = make_cascade_cuda(*gpu, model, c.search, width, 140);
    TEST_ASSERT_OK(host);
    TEST_ASSERT_OK(device);
    const auto expected = (*host)->search(scene.picture(), -1e9F);
    const auto hits = (*device)->search(scene.picture(), -1e9F);
    TEST_ASSERT_OK(expected);
    TEST_ASSERT_OK(hits);
    TEST_ASSERT_GREATER_THAN_INT(10, expected->count);
    expect_same(*expected, *hits, "wide");
  }
  CascadeCase c{"colour", 103, 167, true, search(1.2, 8), false, true};
  const Model model = model_for(c, 1);
  auto device = make_cascade_cuda(*gpu, model, c.search, 103, 167);
  auto host = make_cascade_cpu(workers, model, c.search, 103, 167);
  TEST_ASSERT_OK(device);
  TEST_ASSERT_OK(host);
  // The same memory, once as planes one after the other, once as rows of planes by turns.
  const Scene scene{103, 3 * 167, 1, 4, 0};
  const DeviceBuffer<std::uint8_t> in = kerb::test::upload(scene.planes[0]);
  for (const std::ptrdiff_t apart : {103 * 167, 103 * 60}) {
    Picture<Space::device> picture;
    picture.rgb = {in.device_data(), 3, 103, 167, 103, apart};
    Picture<Space::host> same;
    same.rgb = {scene.planes[0].data(), 3, 103, 167, 103, apart};
    const auto expected = (*host)->search(same, -1e9F);
    const auto hits = (*device)->search(picture, -1e9F);
    if (!expected) {  // planes that overlap are refused by both
      TEST_ASSERT_FALSE(hits);
      continue;
    }
    TEST_ASSERT_OK(hits);
    expect_same(*expected, *hits, "planes");
  }
}

TEST(what_it_refuses) {
  const Model model = linear_cascade();
  auto engine = make_cascade_cuda(*gpu, model, search(1.1, 8), 100, 200);
  TEST_ASSERT_OK(engine);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*engine)->search(Picture<Space::host>{Scene(101, 200, 1, 1).view(), {}}, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(Picture<Space::device>{}, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_cascade_cuda(*gpu, dense_model(), search(1.1, 8), 100, 200));
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(cpu);
  TEST_ASSERT_ERROR(Errc::unsupported, make_cascade_cuda(*cpu, model, search(1.1, 8), 100, 200));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }
