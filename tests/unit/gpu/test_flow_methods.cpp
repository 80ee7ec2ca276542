// SPDX-License-Identifier: Apache-2.0
// What every method of dense flow promises on the CPU (gpu/flow/flow.hpp), for each of them.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "tests/support/allocations.hpp"
#include "tests/support/flow_methods.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

Vectors run(const FlowMethod& method, const GreyPicture& first, const GreyPicture& second) {
  Vectors out{first.width, first.height};
  TEST_ASSERT_OK(method.made(*cpu, *workers, first.width, first.height)
                     ->run(first.view(), second.view(), out.view()));
  return out;
}

TEST(equal_pictures_give_exactly_zero) {
  for (const FlowMethod& method : all_methods())
    for (const auto& [width, height] : {std::pair{131, 97}, std::pair{16, 16}}) {
      const Scene scene = busy_scene(width, height, 2);
      const Vectors out = run(method, scene.first, scene.first);
      for (std::size_t i = 0; i < out.u.size(); ++i)
        TEST_ASSERT_TRUE_MESSAGE(out.u[i] == 0 && out.v[i] == 0, method.name);
    }
}

TEST(flat_pictures_are_marked_and_trusted_nowhere) {
  GreyPicture flat{120, 90}, other{120, 90};
  std::fill(other.bytes.begin(), other.bytes.end(), std::uint8_t{200});
  for (const FlowMethod& method : plain_methods()) {
    const Vectors out = run(method, flat, other);
    for (std::size_t i = 0; i < out.u.size(); ++i) {
      TEST_ASSERT_EQUAL_UINT8_MESSAGE(kTexturePoor, out.flags[i], method.name);
      TEST_ASSERT_EQUAL_UINT8_MESSAGE(0, out.quality[i], method.name);
      TEST_ASSERT_TRUE_MESSAGE(out.u[i] == 0 && out.v[i] == 0, method.name);
    }
  }
}

TEST(noise_around_flat_grey_is_not_trusted) {
  GreyPicture first{160, 120}, second{160, 120};
  Random random{9};
  for (GreyPicture* picture : {&first, &second})
    for (std::uint8_t& pixel : picture->bytes)
      pixel = static_cast<std::uint8_t>(100 + random.next() % 7);  // 103 +- 3, anew in each
  for (const FlowMethod& method : {FlowMethod{"lk", true}, bm_with("ncc", Cost::ncc)}) {
    const Vectors out = run(method, first, second);
    const auto trusted = std::count(out.flags.begin(), out.flags.end(), kValid);
    TEST_ASSERT_TRUE_MESSAGE(trusted < static_cast<std::ptrdiff_t>(out.flags.size()) / 50,
                             "more than 2 % of what is noise alone is called valid");
  }
}

TEST(vectors_out_of_the_picture_are_flagged) {
  const Surface surface{10};
  const GreyPicture first = moved(surface, 160, 120, 0, 0);
  const GreyPicture second = moved(surface, 160, 120, -6, 0);
  for (const FlowMethod& method : {FlowMethod{"lk", true}, bm_with("ncc", Cost::ncc)}) {
    const Vectors out = run(method, first, second);
    for (int y = 20; y < 100; ++y) {
      TEST_ASSERT_EQUAL_UINT8(kOutOfView, out.flags[out.index(1, y)] & kOutOfView);
      TEST_ASSERT_EQUAL_UINT8(0, out.flags[out.index(80, y)] & kOutOfView);
    }
  }
}

/// Every mask, with an estimator that has seen other pictures whole, and one that has not: what is
/// left over must not matter.
void assert_masks_equal(const FlowMethod& method, const Scene& scene, const Scene& other) {
  const int width = scene.first.width, height = scene.first.height;
  const Vectors whole = run(method, scene.first, scene.second);
  const auto seasoned = method.made(*cpu, *workers, width, height);
  Vectors out{width, height};
  for (const Wanted wanted : kMasks) {
    GreyPicture mask = mask_of(wanted, width, height, 5);
    if (wanted == Wanted::rectangle || wanted == Wanted::one_cell)
      TEST_ASSERT_OK(seasoned->run(other.first.view(), other.second.view(), out.view()));
    TEST_ASSERT_OK(seasoned->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
    (void)assert_same_where(whole, out, mask, method.name);
    if (wanted != Wanted::one_cell) continue;
    const auto fresh = method.made(*cpu, *workers, width, height);
    TEST_ASSERT_OK(fresh->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
    (void)assert_same_where(whole, out, mask, method.name);
  }
}

TEST(masked_results_equal_those_of_the_whole_picture) {
  const Scene scene = busy_scene(139, 115, 11), other = busy_scene(139, 115, 12);
  for (const FlowMethod& method : plain_methods()) assert_masks_equal(method, scene, other);
}

TEST(masked_results_equal_the_whole_where_most_of_the_picture_is_not_looked_at) {
  const Scene scene = busy_scene(183, 131, 11), other = busy_scene(183, 131, 12);
  for (const FlowMethod& method : near_methods()) assert_masks_equal(method, scene, other);
}

TEST(masked_results_equal_the_whole_wherever_vectors_lead) {
  const Scene scene = wild_scene(183, 131, 11), other = wild_scene(183, 131, 12);
  for (const FlowMethod& method : wild_methods()) assert_masks_equal(method, scene, other);
}

TEST(masked_vectors_are_followed_back_from_wherever_they_end) {
  constexpr int kWidth = 240, kHeight = 208;
  const Surface surface{5};
  const Scene scene{moved(surface, kWidth, kHeight, 0, 0), moved(surface, kWidth, kHeight, 12, 18)};
  const Scene other{moved(surface, kWidth, kHeight, 7, -9), moved(surface, kWidth, kHeight, 0, 0)};
  assert_masks_equal(lk_with("lk, checked", 5, 2, 0, true), scene, other);
}

TEST(masks_without_flags_have_the_same_vectors) {
  constexpr int kWidth = 151, kHeight = 97;
  const Scene scene = busy_scene(kWidth, kHeight, 17);
  for (const FlowMethod& method : all_methods()) {
    const Vectors whole = run(method, scene.first, scene.second);
    const GreyPicture mask = mask_of(Wanted::squares, kWidth, kHeight);
    Vectors out{kWidth, kHeight};
    FieldView<Space::host> view = out.view();
    view.quality = view.flags = nullptr;
    TEST_ASSERT_OK(method.made(*cpu, *workers, kWidth, kHeight)
                       ->run(scene.first.view(), scene.second.view(), mask.view(), view));
    for (std::size_t i = 0; i < out.u.size(); ++i) {
      const bool wanted = mask.bytes[i] != 0;
      TEST_ASSERT_TRUE_MESSAGE(out.u[i] == (wanted ? whole.u[i] : 0.0F), method.name);
      TEST_ASSERT_TRUE_MESSAGE(out.v[i] == (wanted ? whole.v[i] : 0.0F), method.name);
    }
    TEST_ASSERT_EQUAL_UINT8(77, out.flags[0]);
  }
}

TEST(tiles_equal_the_whole_picture) {
  struct Case {
    FlowMethod method;
    int width, height, tile;
    bool in_parts;
  };
  const Case cases[] = {
      {lk_with("lk, 3 levels", 1, 1, 3, false, 6), 411, 190, 64, true},
      {lk_with("lk, 2 levels", 3, 3, 2, false, 8), 450, 70, 100, true},
      {lk_with("lk, a large tile", 2, 2, 3, false, 5), 301, 120, 4000, false},
      {lk_with("lk, checked", 1, 1, 2, true, 3), 333, 64, 64, true},
      {FlowMethod{"lk, default", true}, 200, 90, 64, false},
      {bm_with("ncc, 2 levels", Cost::ncc, 2, 8), 640, 100, 64, true},
      {bm_with("ncc, low", Cost::ncc, 2, 4), 450, 75, 100, true},
      {bm_with("ncc, a large tile", Cost::ncc, 3, 5), 301, 99, 4000, false},
      {bm_with("ncc, one level", Cost::ncc, 1, 9), 377, 64, 64, true},
  };
  for (const Case& c : cases) {
    const Scene scene = busy_scene(c.width, c.height, 13);
    const Vectors whole = run(c.method, scene.first, scene.second);
    const MadeEstimator tiled = c.method.make_tiled(*cpu, *workers, c.width, c.height, c.tile);
    TEST_ASSERT_OK(tiled);
    TEST_ASSERT_TRUE_MESSAGE(c.in_parts == ((*tiled)->windows() > 1), c.method.name);
    Vectors out{c.width, c.height};
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), out.view()));
    assert_same(whole, out, c.method.name);
    GreyPicture mask = mask_of(Wanted::rectangle, c.width, c.height, 3);
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
    TEST_ASSERT_TRUE(assert_same_where(whole, out, mask, c.method.name) > 400);
  }
}

TEST(tiles_never_hold_more_than_the_whole) {
  for (const FlowMethod& method : all_methods())
    for (const auto& [width, height] : {std::pair{900, 700}, std::pair{1400, 200}}) {
      const auto whole = method.made(*cpu, *workers, width, height);
      const MadeEstimator tiled = method.make_tiled(*cpu, *workers, width, height, 256);
      TEST_ASSERT_OK(tiled);
      if ((*tiled)->windows() > 1)
        TEST_ASSERT_TRUE_MESSAGE((*tiled)->bytes() < whole->bytes(), method.name);
      else
        TEST_ASSERT_EQUAL_size_t(whole->bytes(), (*tiled)->bytes());
    }
}

TEST(a_small_reach_makes_tiles_of_the_defaults_save_memory) {
  constexpr int kWidth = 2000, kHeight = 1500, kTile = 256, kReach = 8;
  FlowMethod lk{"lk", true}, bm{"ncc", false};
  lk.lk = within_reach(lk.lk, kReach, kWidth, kHeight);
  bm.bm = within_reach(bm.bm, kReach);
  for (const FlowMethod& method : {lk, bm}) {
    const auto whole = method.made(*cpu, *workers, kWidth, kHeight);
    const MadeEstimator tiled = method.make_tiled(*cpu, *workers, kWidth, kHeight, kTile);
    TEST_ASSERT_OK(tiled);
    TEST_ASSERT_TRUE_MESSAGE((*tiled)->windows() > 1, method.name);
    TEST_ASSERT_TRUE_MESSAGE((*tiled)->bytes() < whole->bytes() / 2, method.name);
    TEST_ASSERT_ERROR(Errc::invalid_argument, method.make_tiled(*cpu, *workers, 640, 480, 63));
  }
}

TEST(motions_within_the_reach_are_found_with_the_levels_it_leaves) {
  constexpr int kWidth = 200, kHeight = 160;
  const Surface surface{5};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const GreyPicture second = moved(surface, kWidth, kHeight, 7, -6);
  for (const int reach : {8, 16, 48}) {
    FlowMethod lk{"lk", true}, bm{"ncc", false};
    lk.lk = within_reach(lk.lk, 2 * reach, kWidth, kHeight);  // see its header
    bm.bm = within_reach(bm.bm, reach);
    for (const FlowMethod& method : {lk, bm}) {
      const Vectors out = run(method, first, second);
      int right = 0, all = 0;
      for (int y = 40; y < kHeight - 40; ++y)
        for (int x = 40; x < kWidth - 40; ++x, ++all)
          right += out.u[out.index(x, y)] == 7 && out.v[out.index(x, y)] == -6 ? 1 : 0;
      char text[80];
      std::snprintf(text, sizeof text, "%s, reach %d: %d of %d are right", method.name, reach,
                    right, all);
      TEST_ASSERT_TRUE_MESSAGE(right >= all * 99 / 100, text);
    }
  }
}

TEST(rows_may_be_padded_and_quality_and_flags_left_out) {
  constexpr int kWidth = 101, kHeight = 67;
  const Scene plain = busy_scene(kWidth, kHeight, 14), padded = busy_scene(kWidth, kHeight, 14, 9);
  for (const FlowMethod& method : all_methods()) {
    const Vectors expected = run(method, plain.first, plain.second);
    Vectors out{kWidth, kHeight, 13};
    FieldView<Space::host> view = out.view();
    view.quality = view.flags = nullptr;
    TEST_ASSERT_OK(method.made(*cpu, *workers, kWidth, kHeight)
                       ->run(padded.first.view(), padded.second.view(), view));
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x)
        TEST_ASSERT_TRUE_MESSAGE(out.u[out.index(x, y)] == expected.u[expected.index(x, y)],
                                 method.name);
      for (int x = kWidth; x < kWidth + 13; ++x)
        TEST_ASSERT_TRUE(out.u[out.index(x, y)] == 77.0F);  // what lies between rows is not ours
    }
    TEST_ASSERT_EQUAL_UINT8(77, out.flags[0]);
  }
}

TEST(one_thread_gives_what_many_give) {
  const Scene scene = busy_scene(203, 151, 15);
  const GreyPicture mask = mask_of(Wanted::rectangle, 203, 151);
  Workers one{1}, four{4};
  for (const FlowMethod& method : plain_methods()) {
    Vectors a{203, 151}, b{203, 151};
    const auto with_one = method.made(*cpu, one, 203, 151);
    const auto with_four = method.made(*cpu, four, 203, 151);
    TEST_ASSERT_OK(with_one->run(scene.first.view(), scene.second.view(), a.view()));
    TEST_ASSERT_OK(with_four->run(scene.first.view(), scene.second.view(), b.view()));
    assert_same(a, b, method.name);
    TEST_ASSERT_OK(with_one->run(scene.first.view(), scene.second.view(), mask.view(), a.view()));
    TEST_ASSERT_OK(with_four->run(scene.first.view(), scene.second.view(), mask.view(), b.view()));
    assert_same(a, b, method.name);
  }
}

TEST(running_allocates_nothing) {
  constexpr int kWidth = 70, kHeight = 50;
  const Scene scene = busy_scene(kWidth, kHeight, 16);
  const GreyPicture all = mask_of(Wanted::everything, kWidth, kHeight);
  const GreyPicture few = mask_of(Wanted::two_corners, kWidth, kHeight);
  for (const FlowMethod& method : all_methods()) {
    const auto estimator = method.made(*cpu, *workers, kWidth, kHeight);
    Vectors out{kWidth, kHeight};
    const std::uint64_t before = allocations();
    for (int i = 0; i < 2; ++i) {
      (void)estimator->run(scene.first.view(), scene.second.view(), out.view());
      (void)estimator->run(scene.first.view(), scene.second.view(), all.view(), out.view());
      (void)estimator->run(scene.first.view(), scene.second.view(), few.view(), out.view());
    }
    TEST_ASSERT_EQUAL_UINT64(before, allocations());
  }
}

TEST(pictures_it_cannot_take_are_refused_with_a_clear_line) {
  const GreyPicture picture{64, 48}, other{64, 49}, small{63, 48};
  for (const FlowMethod& method : {FlowMethod{"lk", true}, bm_with("ncc", Cost::ncc)}) {
    const auto refused = [&](int width, int height) {
      return method.make(*cpu, *workers, width, height);
    };
    const std::string where = method.where();
    TEST_ASSERT_ERROR(Errc::invalid_argument, refused(0, 0));
    TEST_ASSERT_ERROR(Errc::invalid_argument, refused(1, 1));
    TEST_ASSERT_ERROR(Errc::invalid_argument, refused(15, 200));
    TEST_ASSERT_ERROR(Errc::invalid_argument, refused(100000, 200));
    TEST_ASSERT_EQUAL_STRING(
        (where + ": pictures of 1 x 1: a side must be at least 16 pixels").c_str(),
        describe(refused(1, 1).error()).c_str());
    TEST_ASSERT_EQUAL_STRING(
        (where + ": pictures of 20000 x 20: a side must be at most 16384 pixels").c_str(),
        describe(refused(20000, 20).error()).c_str());

    Vectors out{64, 48}, wrong{63, 48};
    const auto estimator = method.made(*cpu, *workers, 64, 48);
    const auto run_with = [&](const GreyPicture& a, const GreyPicture& b, Vectors& to) {
      return estimator->run(a.view(), b.view(), to.view());
    };
    TEST_ASSERT_EQUAL_STRING((where + ": the two pictures differ in size").c_str(),
                             describe(run_with(picture, other, out).error()).c_str());
    TEST_ASSERT_ERROR(Errc::invalid_argument, run_with(other, other, out));
    TEST_ASSERT_ERROR(Errc::invalid_argument, run_with(picture, picture, wrong));
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      estimator->run(picture.view(), flow::Picture<Space::host>{}, out.view()));
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      estimator->run(picture.view(), picture.view(), small.view(), out.view()));
    TEST_ASSERT_ERROR(Errc::unsupported,
                      estimator->run(flow::Picture<Space::device>{}, flow::Picture<Space::device>{},
                                     FieldView<Space::device>{}));
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  return Start::run;
}
