// SPDX-License-Identifier: Apache-2.0
// Block matching on the CPU: what its header says, on pictures whose motion is known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/block_matching_plan.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/gpu/flow_bm_oracle.hpp"
#include "tests/unit/gpu/flow_bm_scenes.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::unique_ptr<Estimator> make(const BlockMatchingSettings& settings, int width, int height) {
  Result<std::unique_ptr<Estimator>> made =
      make_block_matching(*cpu, *workers, settings, width, height);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

Vectors run(const BlockMatchingSettings& settings, const GreyPicture& first,
            const GreyPicture& second) {
  Vectors out{first.width, first.height};
  TEST_ASSERT_OK(
      make(settings, first.width, first.height)->run(first.view(), second.view(), out.view()));
  return out;
}

BlockMatchingSettings with(Cost cost, int levels = 5, int reach = 48) {
  BlockMatchingSettings settings;
  settings.cost = cost;
  settings.levels = levels;
  settings.reach = reach;
  return settings;
}

/// Where the wanted pixels are the same; returns how many there were.
int assert_same_where(const Vectors& expected, const Vectors& actual, const GreyPicture& mask) {
  int count = 0;
  for (int y = 0; y < expected.height; ++y)
    for (int x = 0; x < expected.width; ++x) {
      if (mask.view().data[y * mask.row_stride + x] == 0) continue;
      ++count;
      if (!same_at(expected, actual, x, y)) {
        const std::size_t e = expected.index(x, y), a = actual.index(x, y);
        char text[160];
        std::snprintf(text, sizeof text, "at %d, %d: (%g, %g) is not (%g, %g)", x, y,
                      static_cast<double>(actual.u[a]), static_cast<double>(actual.v[a]),
                      static_cast<double>(expected.u[e]), static_cast<double>(expected.v[e]));
        TEST_FAIL_MESSAGE(text);
      }
    }
  return count;
}
GreyPicture everything(int width, int height) {
  GreyPicture mask{width, height};
  std::fill(mask.bytes.begin(), mask.bytes.end(), std::uint8_t{1});
  return mask;
}

/// Vectors to a thousandth of a pixel, qualities to 1, flags the same.
void assert_as_defined(const BlockMatchingSettings& settings, const Scene& scene) {
  const Vectors actual = run(settings, scene.first, scene.second);
  const Vectors expected =
      block_matching_by_definition(settings, scene.first.view(), scene.second.view());
  int off = 0, unlike = 0;
  double worst = 0;
  for (std::size_t i = 0; i < actual.u.size(); ++i) {
    const double error =
        std::max(std::fabs(actual.u[i] - expected.u[i]), std::fabs(actual.v[i] - expected.v[i]));
    worst = std::max(worst, error);
    if (error > 1e-3) ++off;
    // Where a vector ends on the very edge, rounding decides whether that is out of view.
    const int x = static_cast<int>(i) % actual.width, y = static_cast<int>(i) / actual.width;
    const auto on_edge = [](double at, int side) {
      return std::fabs(at) < 1e-3 || std::fabs(at - (side - 1)) < 1e-3;
    };
    const bool edge = on_edge(x + double{expected.u[i]}, actual.width) ||
                      on_edge(y + double{expected.v[i]}, actual.height);
    const int differ = actual.flags[i] ^ expected.flags[i];
    if ((edge ? differ & (kTexturePoor | kInconsistent) : differ) != 0 ||
        std::abs(int{actual.quality[i]} - int{expected.quality[i]}) > 1)
      ++unlike;
  }
  char text[160];
  std::snprintf(text, sizeof text, "%s %dx%d: %d vectors off (the worst by %g), %d unlike",
                name_of(settings.cost), actual.width, actual.height, off, worst, unlike);
  TEST_ASSERT_TRUE_MESSAGE(off == 0 && unlike == 0, text);
}

void test_blocks_find_what_a_brute_force_search_of_the_definition_finds() {
  struct Case {
    Cost cost;
    int width, height, levels, reach, steps;
    float noise;
  };
  const Case cases[] = {
      {Cost::ncc, 16, 16, 5, 9, 2, 0.5F}, {Cost::ncc, 45, 30, 2, 4, 2, 0.5F},
      {Cost::ncc, 61, 49, 3, 8, 2, 3.0F}, {Cost::ncc, 34, 41, 2, 4, 0, 0.0F},
      {Cost::ssd, 33, 38, 2, 4, 2, 0.5F}, {Cost::sad, 33, 38, 2, 4, 3, 0.5F},
  };
  for (const Case& c : cases) {
    BlockMatchingSettings settings = with(c.cost, c.levels, c.reach);
    settings.steps = c.steps;
    settings.noise = c.noise;
    assert_as_defined(settings, busy_scene(c.width, c.height, 21));
  }
}

void test_black_and_white_overflow_nothing() {
  // Squares of 0 and 255: sums and products are as large as they get.
  for (const Cost cost : {Cost::ncc, Cost::ssd, Cost::sad}) {
    Scene scene{GreyPicture{40, 36}, GreyPicture{40, 36}};
    Random random{31};
    for (GreyPicture* picture : {&scene.first, &scene.second})
      for (int y = 0; y < 36; y += 6)
        for (int x = 0; x < 40; ++x) {
          const bool white = x % 6 == 0 ? random.next() % 2 == 0 : picture->at(x - 1, y) != 0;
          for (int k = 0; k < 6; ++k) picture->at(x, y + k) = white ? 255 : 0;
        }
    assert_as_defined(with(cost, 2, 5), scene);
  }
}

void test_equal_pictures_give_exactly_zero() {
  for (const Cost cost : {Cost::ncc, Cost::ssd, Cost::sad})
    for (const auto& [width, height] : {std::pair{131, 97}, std::pair{16, 16}}) {
      const Scene scene = busy_scene(width, height, 2);
      const Vectors out = run(with(cost), scene.first, scene.first);
      for (std::size_t i = 0; i < out.u.size(); ++i)
        TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0);
    }
}

void test_shifts_by_whole_pixels_are_found_exactly_inside_the_picture() {
  constexpr int kWidth = 224, kHeight = 192;
  const Surface surface{5};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const std::pair<int, int> shifts[] = {{1, 0}, {-3, 2}, {7, -9}, {32, 32}, {-17, -30}};
  for (const auto& [u, v] : shifts) {
    const GreyPicture second = moved(surface, kWidth, kHeight, u, v);
    const Vectors out = run({}, first, second);
    int wrong = 0;
    // Farther from the edges than blocks, medians and vectors reach.
    for (int y = 48; y < kHeight - 48; ++y)
      for (int x = 48; x < kWidth - 48; ++x) {
        const std::size_t i = out.index(x, y);
        if (out.u[i] != static_cast<float>(u) || out.v[i] != static_cast<float>(v)) ++wrong;
        if (out.flags[i] != kValid || out.quality[i] < 200) ++wrong;
      }
    char text[80];
    std::snprintf(text, sizeof text, "shift %d, %d: %d pixels are wrong", u, v, wrong);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, wrong, text);
  }
}

void test_fractions_of_a_pixel_are_found_to_a_twentieth() {
  constexpr int kWidth = 160, kHeight = 120;
  const Surface surface{6};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  for (const double u : {0.25, 0.5, -1.7, 4.4}) {
    const Vectors out = run({}, first, moved(surface, kWidth, kHeight, u, -0.6 * u));
    double error = 0;
    int count = 0;
    for (int y = 16; y < kHeight - 16; ++y)
      for (int x = 16; x < kWidth - 16; ++x, ++count)
        error += std::hypot(out.u[out.index(x, y)] - u, out.v[out.index(x, y)] + 0.6 * u);
    TEST_ASSERT_TRUE_MESSAGE(error / count < 0.05, "the mean error is too large");
  }
}

void test_brightness_and_contrast_do_not_matter_to_ncc() {
  constexpr int kWidth = 160, kHeight = 120;
  const Surface surface{7};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  GreyPicture second = moved(surface, kWidth, kHeight, 3, 2);
  for (std::uint8_t& pixel : second.bytes) pixel = static_cast<std::uint8_t>(pixel * 0.7 + 30);
  const auto error_of = [&](Cost cost) {
    const Vectors out = run(with(cost), first, second);
    double error = 0;
    int count = 0;
    for (int y = 16; y < kHeight - 16; ++y)
      for (int x = 16; x < kWidth - 16; ++x, ++count)
        error += std::hypot(out.u[out.index(x, y)] - 3, out.v[out.index(x, y)] - 2);
    return error / count;
  };
  TEST_ASSERT_TRUE(error_of(Cost::ncc) < 0.05);
  TEST_ASSERT_TRUE(error_of(Cost::ncc) < error_of(Cost::ssd));
}

void test_flat_pictures_are_marked_and_trusted_nowhere() {
  GreyPicture flat{120, 90}, other{120, 90};
  std::fill(other.bytes.begin(), other.bytes.end(), std::uint8_t{200});
  const Vectors out = run({}, flat, other);
  for (std::size_t i = 0; i < out.u.size(); ++i) {
    TEST_ASSERT_EQUAL_UINT8(kTexturePoor, out.flags[i]);
    TEST_ASSERT_EQUAL_UINT8(0, out.quality[i]);
    TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0);
  }
}

void test_noise_around_flat_grey_is_not_trusted() {
  GreyPicture first{160, 120}, second{160, 120};
  Random random{9};
  for (GreyPicture* picture : {&first, &second})
    for (std::uint8_t& pixel : picture->bytes)
      pixel = static_cast<std::uint8_t>(100 + random.next() % 7);  // 97 +- 3, anew in each
  const Vectors out = run({}, first, second);
  int trusted = 0;
  for (const std::uint8_t flags : out.flags) trusted += flags == kValid ? 1 : 0;
  TEST_ASSERT_TRUE_MESSAGE(trusted < static_cast<int>(out.flags.size()) / 50,
                           "more than 2 % of what is noise alone is called valid");
}

void test_vectors_out_of_the_picture_are_flagged() {
  const Surface surface{10};
  const GreyPicture first = moved(surface, 160, 120, 0, 0);
  const Vectors out = run({}, first, moved(surface, 160, 120, -6, 0));
  for (int y = 20; y < 100; ++y) {
    TEST_ASSERT_EQUAL_UINT8(kOutOfView, out.flags[out.index(1, y)] & kOutOfView);
    TEST_ASSERT_EQUAL_UINT8(0, out.flags[out.index(80, y)] & kOutOfView);
  }
}

void test_masked_results_equal_those_of_the_whole_picture() {
  constexpr int kWidth = 179, kHeight = 137;
  const Scene scene = busy_scene(kWidth, kHeight, 11);
  const auto estimator = make({}, kWidth, kHeight);
  Vectors whole{kWidth, kHeight};
  TEST_ASSERT_OK(estimator->run(scene.first.view(), scene.second.view(), whole.view()));
  Random random{3};
  for (int kind = 0; kind < 4; ++kind) {
    // The last one wants every second square.
    GreyPicture mask{kWidth, kHeight, 5};
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        bool wanted = false;
        if (kind == 0) wanted = x >= 100 && x < 121 && y >= 50 && y < 67;
        if (kind == 1) wanted = (x == 0 && y == 0) || (x == kWidth - 1 && y == kHeight - 1);
        if (kind == 2) wanted = random.next() % 2000 == 0;
        if (kind == 3) wanted = (x / 40 + y / 40) % 2 == 0;
        mask.at(x, y) = wanted ? 1 : 0;
      }
    // A new estimator and one that has seen other pictures: what is left over must not matter.
    for (const bool fresh : {true, false}) {
      const Scene other = busy_scene(kWidth, kHeight, 12);
      const auto another = make({}, kWidth, kHeight);
      Vectors out{kWidth, kHeight};
      if (!fresh) TEST_ASSERT_OK(another->run(other.first.view(), other.second.view(), out.view()));
      TEST_ASSERT_OK(
          another->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
      assert_same_where(whole, out, mask);
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
          if (mask.at(x, y) != 0) continue;
          const std::size_t i = out.index(x, y);
          TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0 && out.quality[i] == 0);
          TEST_ASSERT_EQUAL_UINT8(kMaskedOut, out.flags[i]);
        }
    }
  }
}

void test_tiles_equal_the_whole_picture() {
  struct Case {
    int width, height, levels, reach, tile;
  };
  const Case cases[] = {
      {431, 209, 2, 8, 64}, {450, 75, 2, 4, 100}, {301, 99, 3, 5, 4000}, {377, 64, 1, 9, 64}};
  for (const Case& c : cases) {
    const BlockMatchingSettings settings = with(Cost::ncc, c.levels, c.reach);
    const Scene scene = busy_scene(c.width, c.height, 13);
    const Vectors whole = run(settings, scene.first, scene.second);
    Result<std::unique_ptr<Estimator>> tiled =
        make_tiled_block_matching(*cpu, *workers, settings, c.width, c.height, c.tile);
    TEST_ASSERT_OK(tiled);
    Vectors out{c.width, c.height};
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), out.view()));
    assert_same_where(whole, out, everything(c.width, c.height));
    GreyPicture mask{c.width, c.height};
    for (int y = 20; y < 50; ++y)
      for (int x = 90; x < 300; ++x) mask.at(x, y) = 1;
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
    TEST_ASSERT_EQUAL_INT(30 * 210, assert_same_where(whole, out, mask));
    TEST_ASSERT_EQUAL_UINT8(kMaskedOut, out.flags[out.index(0, 0)]);
  }
}

void test_tiles_hold_less_memory_than_the_whole() {
  BlockMatchingSettings settings = with(Cost::ncc, 3, 12);
  const auto whole = make(settings, 2000, 1500);
  Result<std::unique_ptr<Estimator>> tiled =
      make_tiled_block_matching(*cpu, *workers, settings, 2000, 1500, 256);
  TEST_ASSERT_OK(tiled);
  TEST_ASSERT_TRUE((*tiled)->bytes() < whole->bytes());
}

void test_rows_may_be_padded_and_quality_and_flags_left_out() {
  constexpr int kWidth = 101, kHeight = 67;
  const Scene plain = busy_scene(kWidth, kHeight, 14), padded = busy_scene(kWidth, kHeight, 14, 9);
  const Vectors expected = run({}, plain.first, plain.second);
  Vectors out{kWidth, kHeight, 13};
  FieldView<Space::host> view = out.view();
  view.quality = view.flags = nullptr;
  TEST_ASSERT_OK(make({}, kWidth, kHeight)->run(padded.first.view(), padded.second.view(), view));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x)
      TEST_ASSERT_TRUE(out.u[out.index(x, y)] == expected.u[expected.index(x, y)]);
    for (int x = kWidth; x < kWidth + 13; ++x)
      TEST_ASSERT_TRUE(out.u[out.index(x, y)] == 77.0F);  // what lies between rows is not ours
  }
  TEST_ASSERT_EQUAL_UINT8(77, out.flags[0]);
}

void test_one_thread_gives_what_many_give() {
  const Scene scene = busy_scene(203, 151, 15);
  Workers one{1}, four{4};
  Vectors a{203, 151}, b{203, 151};
  Result<std::unique_ptr<Estimator>> with_one = make_block_matching(*cpu, one, {}, 203, 151);
  Result<std::unique_ptr<Estimator>> with_four = make_block_matching(*cpu, four, {}, 203, 151);
  TEST_ASSERT_OK((*with_one)->run(scene.first.view(), scene.second.view(), a.view()));
  TEST_ASSERT_OK((*with_four)->run(scene.first.view(), scene.second.view(), b.view()));
  assert_same_where(a, b, everything(203, 151));
}

void test_running_allocates_nothing() {
  const Scene scene = busy_scene(203, 151, 16);
  const GreyPicture mask = everything(203, 151);
  const auto estimator = make({}, 203, 151);
  Vectors out{203, 151};
  const std::uint64_t before = allocations();
  for (int i = 0; i < 3; ++i) {
    (void)estimator->run(scene.first.view(), scene.second.view(), out.view());
    (void)estimator->run(scene.first.view(), scene.second.view(), mask.view(), out.view());
  }
  TEST_ASSERT_EQUAL_UINT64(before, allocations());
}

void test_pictures_it_cannot_take_are_refused_with_a_clear_line() {
  const auto refused = [](int width, int height) {
    return make_block_matching(*cpu, *workers, {}, width, height);
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(0, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(1, 1));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(15, 200));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(100000, 200));
  TEST_ASSERT_EQUAL_STRING("block matching: a picture's side must be at least 16 pixels",
                           describe(refused(1, 1).error()).c_str());

  const GreyPicture picture{64, 48}, other{64, 49}, small{63, 48};
  Vectors out{64, 48}, wrong{63, 48};
  const auto estimator = make({}, 64, 48);
  const auto run_with = [&](const GreyPicture& a, const GreyPicture& b, Vectors& to) {
    return estimator->run(a.view(), b.view(), to.view());
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, run_with(picture, other, out));
  TEST_ASSERT_EQUAL_STRING("block matching: the two pictures differ in size",
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

void test_settings_out_of_range_are_refused() {
  const auto refused = [](auto change) {
    BlockMatchingSettings settings;
    change(settings);
    return make_block_matching(*cpu, *workers, settings, 64, 64);
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.levels = 0; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.levels = 13; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.reach = 0; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.reach = 257; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.steps = -1; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.noise = NAN; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.doubt = 1.5F; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_tiled_block_matching(*cpu, *workers, {}, 640, 480, 63));
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  UNITY_BEGIN();
  RUN_TEST(test_blocks_find_what_a_brute_force_search_of_the_definition_finds);
  RUN_TEST(test_black_and_white_overflow_nothing);
  RUN_TEST(test_equal_pictures_give_exactly_zero);
  RUN_TEST(test_shifts_by_whole_pixels_are_found_exactly_inside_the_picture);
  RUN_TEST(test_fractions_of_a_pixel_are_found_to_a_twentieth);
  RUN_TEST(test_brightness_and_contrast_do_not_matter_to_ncc);
  RUN_TEST(test_flat_pictures_are_marked_and_trusted_nowhere);
  RUN_TEST(test_noise_around_flat_grey_is_not_trusted);
  RUN_TEST(test_vectors_out_of_the_picture_are_flagged);
  RUN_TEST(test_masked_results_equal_those_of_the_whole_picture);
  RUN_TEST(test_tiles_equal_the_whole_picture);
  RUN_TEST(test_tiles_hold_less_memory_than_the_whole);
  RUN_TEST(test_rows_may_be_padded_and_quality_and_flags_left_out);
  RUN_TEST(test_one_thread_gives_what_many_give);
  RUN_TEST(test_running_allocates_nothing);
  RUN_TEST(test_pictures_it_cannot_take_are_refused_with_a_clear_line);
  RUN_TEST(test_settings_out_of_range_are_refused);
  return UNITY_END();
}
