// SPDX-License-Identifier: Apache-2.0
// Lucas-Kanade on the CPU: what its header says, on pictures whose motion is known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "gpu/flow/lucas_kanade.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/gpu/flow_bm_scenes.hpp"
#include "tests/unit/gpu/flow_lk_oracle.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::unique_ptr<Estimator> make(const LucasKanadeSettings& settings, int width, int height) {
  Result<std::unique_ptr<Estimator>> made =
      make_lucas_kanade(*cpu, *workers, settings, width, height);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

Vectors run(const LucasKanadeSettings& settings, const GreyPicture& first,
            const GreyPicture& second) {
  Vectors out{first.width, first.height};
  TEST_ASSERT_OK(
      make(settings, first.width, first.height)->run(first.view(), second.view(), out.view()));
  return out;
}

/// Where the wanted pixels are the same; returns how many there were.
int assert_same_where(const Vectors& expected, const Vectors& actual, const GreyPicture& mask) {
  int count = 0;
  for (int y = 0; y < expected.height; ++y)
    for (int x = 0; x < expected.width; ++x) {
      if (mask.view().data[y * mask.row_stride + x] == 0) continue;
      ++count;
      const std::size_t e = expected.index(x, y), a = actual.index(x, y);
      if (expected.u[e] != actual.u[a] || expected.v[e] != actual.v[a] ||
          expected.quality[e] != actual.quality[a] || expected.flags[e] != actual.flags[a]) {
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

LucasKanadeSettings with(int iterations, int finest, int levels = 0) {
  LucasKanadeSettings settings;
  settings.iterations = iterations;
  settings.finest_iterations = finest;
  settings.pyramid.levels = levels;
  return settings;
}

void test_results_are_those_of_the_definition_bit_for_bit() {
  LucasKanadeSettings other;
  other.prior = 1.5F;
  other.texture = 0.02F;
  other.check_back = true;
  other.reach = 4;
  struct Case {
    int width, height;
    LucasKanadeSettings settings;
  };
  // Tiles are 128 x 64 pixels: on, before and behind their edges.
  const Case cases[] = {
      {16, 16, {}},    {17, 40, {}}, {128, 64, with(2, 1)}, {129, 66, {}}, {61, 49, with(3, 2, 1)},
      {143, 75, other}};
  for (const Case& c : cases) {
    const Scene scene = busy_scene(c.width, c.height, 21);
    const Vectors actual = run(c.settings, scene.first, scene.second);
    const Vectors expected =
        lucas_kanade_by_definition(c.settings, scene.first.view(), scene.second.view());
    TEST_ASSERT_EQUAL_INT(c.width * c.height,
                          assert_same_where(expected, actual, everything(c.width, c.height)));
  }
}

void test_equal_pictures_give_exactly_zero() {
  for (const auto& [width, height] : {std::pair{131, 97}, std::pair{16, 16}}) {
    const Scene scene = busy_scene(width, height, 2);
    const Vectors out = run({}, scene.first, scene.first);
    for (std::size_t i = 0; i < out.u.size(); ++i) TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0);
  }
}

void test_shifts_by_whole_pixels_are_found_exactly_inside_the_picture() {
  constexpr int kWidth = 240, kHeight = 208;
  const Surface surface{5};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  const std::pair<int, int> shifts[] = {{1, 0}, {7, -9}, {-16, 0}, {12, 18}};
  for (const auto& [u, v] : shifts) {
    const GreyPicture second = moved(surface, kWidth, kHeight, u, v);
    const Vectors out = run({}, first, second);
    int wrong = 0;
    // Farther from the edges than vectors reach.
    for (int y = 40; y < kHeight - 40; ++y)
      for (int x = 40; x < kWidth - 40; ++x) {
        const std::size_t i = out.index(x, y);
        if (out.u[i] != static_cast<float>(u) || out.v[i] != static_cast<float>(v)) ++wrong;
      }
    char text[80];
    std::snprintf(text, sizeof text, "shift %d, %d: %d pixels are wrong", u, v, wrong);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, wrong, text);
  }
}

double mean_error(const Vectors& out, double u, double v, int rim) {
  double error = 0;
  int count = 0;
  for (int y = rim; y < out.height - rim; ++y)
    for (int x = rim; x < out.width - rim; ++x, ++count)
      error += std::hypot(out.u[out.index(x, y)] - u, out.v[out.index(x, y)] - v);
  return error / count;
}

void test_fractions_of_a_pixel_are_found_to_a_thirtieth() {
  constexpr int kWidth = 130, kHeight = 100;
  const Surface surface{6};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  for (const double u : {0.5, -1.7, 4.4}) {
    const Vectors out = run({}, first, moved(surface, kWidth, kHeight, u, -0.6 * u));
    TEST_ASSERT_TRUE_MESSAGE(mean_error(out, u, -0.6 * u, 16) < 0.033,
                             "the mean error is too large");
  }
}

void test_a_change_of_light_hardly_matters() {
  constexpr int kWidth = 130, kHeight = 100;
  const Surface surface{7};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  GreyPicture second = moved(surface, kWidth, kHeight, 3, 2), dimmed = second;
  for (std::uint8_t& pixel : second.bytes)
    pixel = static_cast<std::uint8_t>(std::min(pixel + 20, 255));
  for (std::uint8_t& pixel : dimmed.bytes) pixel = static_cast<std::uint8_t>(pixel * 0.8 + 40);
  TEST_ASSERT_TRUE(mean_error(run({}, first, second), 3, 2, 16) < 0.03);
  TEST_ASSERT_TRUE(mean_error(run({}, first, dimmed), 3, 2, 16) < 0.12);
}

void test_vectors_that_do_not_lead_back_are_flagged() {
  constexpr int kWidth = 200, kHeight = 160;
  const Surface back{31}, front{32};
  GreyPicture first = moved(back, kWidth, kHeight, 0, 0), second = first;
  put_square(first, front, 0, 0);
  put_square(second, front, -12, 0);  // covers what lies left of it
  LucasKanadeSettings settings;
  const Vectors without = run(settings, first, second);
  settings.check_back = true;
  const Vectors with_check = run(settings, first, second);
  // The square's left side is at 60; eleven columns before it are covered.
  int covered = 0, plain = 0;
  for (int y = 50; y < 110; ++y)
    for (int x = 50; x < 59; ++x)
      covered += (with_check.flags[with_check.index(x, y)] & kInconsistent) != 0 ? 1 : 0;
  for (int y = 20; y < 140; ++y)
    for (int x = 160; x < 190; ++x)
      plain += (with_check.flags[with_check.index(x, y)] & kInconsistent) != 0 ? 1 : 0;
  TEST_ASSERT_TRUE_MESSAGE(covered > 60 * 9 * 3 / 4, "what is covered is trusted");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, plain, "what is plainly seen is not trusted");
  for (std::size_t i = 0; i < without.u.size(); ++i)
    TEST_ASSERT_TRUE(without.u[i] == with_check.u[i] && without.v[i] == with_check.v[i]);
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
  constexpr int kWidth = 201, kHeight = 147;
  const Scene scene = busy_scene(kWidth, kHeight, 11);
  const auto estimator = make({}, kWidth, kHeight);
  Vectors whole{kWidth, kHeight};
  TEST_ASSERT_OK(estimator->run(scene.first.view(), scene.second.view(), whole.view()));
  Random random{3};
  for (int kind = 0; kind < 5; ++kind) {
    GreyPicture mask{kWidth, kHeight, 5};
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        bool wanted = false;
        if (kind == 0) wanted = x >= 100 && x < 131 && y >= 50 && y < 77;
        if (kind == 1) wanted = (x == 0 && y == 0) || (x == kWidth - 1 && y == kHeight - 1);
        if (kind == 2) wanted = random.next() % 3000 == 0;
        if (kind == 3) wanted = (x / 40 + y / 40) % 2 == 0;
        mask.at(x, y) = wanted ? 1 : 0;
      }
    // A new estimator and one that has seen other pictures: what is left over must not matter.
    for (const bool fresh : {true, false}) {
      if (kind > 1 && fresh) continue;
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
    int width, height, levels, iterations, reach, tile;
    bool check_back;
  };
  const Case cases[] = {{411, 333, 3, 1, 6, 64, false},
                        {450, 70, 2, 3, 8, 100, false},
                        {301, 120, 3, 2, 5, 4000, false},
                        {333, 64, 2, 1, 3, 64, true}};
  for (const Case& c : cases) {
    LucasKanadeSettings settings = with(c.iterations, c.iterations, c.levels);
    settings.reach = c.reach;
    settings.check_back = c.check_back;
    const Scene scene = busy_scene(c.width, c.height, 13);
    const Vectors whole = run(settings, scene.first, scene.second);
    Result<std::unique_ptr<Estimator>> tiled =
        make_tiled_lucas_kanade(*cpu, *workers, settings, c.width, c.height, c.tile);
    TEST_ASSERT_OK(tiled);
    Vectors out{c.width, c.height};
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), out.view()));
    assert_same_where(whole, out, everything(c.width, c.height));
    GreyPicture mask{c.width, c.height};
    for (int y = 20; y < 50; ++y)
      for (int x = 90; x < 290; ++x) mask.at(x, y) = 1;
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), mask.view(), out.view()));
    TEST_ASSERT_EQUAL_INT(30 * 200, assert_same_where(whole, out, mask));
    TEST_ASSERT_EQUAL_UINT8(kMaskedOut, out.flags[out.index(0, 0)]);
  }
}

void test_tiles_hold_less_memory_than_the_whole() {
  LucasKanadeSettings settings = with(3, 2, 3);
  settings.reach = 16;
  const auto whole = make(settings, 2000, 1500);
  Result<std::unique_ptr<Estimator>> tiled =
      make_tiled_lucas_kanade(*cpu, *workers, settings, 2000, 1500, 256);
  TEST_ASSERT_OK(tiled);
  TEST_ASSERT_TRUE((*tiled)->bytes() < whole->bytes());
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_tiled_lucas_kanade(*cpu, *workers, {}, 640, 480, 63));
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
  Result<std::unique_ptr<Estimator>> with_one = make_lucas_kanade(*cpu, one, {}, 203, 151);
  Result<std::unique_ptr<Estimator>> with_four = make_lucas_kanade(*cpu, four, {}, 203, 151);
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
    return make_lucas_kanade(*cpu, *workers, {}, width, height);
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(0, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(1, 1));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(15, 200));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused(100000, 200));
  TEST_ASSERT_EQUAL_STRING("Lucas-Kanade: a picture's side must be at least 16 pixels",
                           describe(refused(1, 1).error()).c_str());

  const GreyPicture picture{64, 48}, other{64, 49}, small{63, 48};
  Vectors out{64, 48}, wrong{63, 48};
  const auto estimator = make({}, 64, 48);
  const auto run_with = [&](const GreyPicture& a, const GreyPicture& b, Vectors& to) {
    return estimator->run(a.view(), b.view(), to.view());
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, run_with(picture, other, out));
  TEST_ASSERT_EQUAL_STRING("Lucas-Kanade: the two pictures differ in size",
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
    LucasKanadeSettings settings;
    change(settings);
    return make_lucas_kanade(*cpu, *workers, settings, 64, 64);
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.pyramid.levels = -1; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.pyramid.levels = 13; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.iterations = 0; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.finest_iterations = 33; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.prior = 0; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.prior = NAN; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.texture = 1.5F; }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, refused([](auto& s) { s.back_tolerance = 0; }));
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  UNITY_BEGIN();
  RUN_TEST(test_results_are_those_of_the_definition_bit_for_bit);
  RUN_TEST(test_equal_pictures_give_exactly_zero);
  RUN_TEST(test_shifts_by_whole_pixels_are_found_exactly_inside_the_picture);
  RUN_TEST(test_fractions_of_a_pixel_are_found_to_a_thirtieth);
  RUN_TEST(test_a_change_of_light_hardly_matters);
  RUN_TEST(test_vectors_that_do_not_lead_back_are_flagged);
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
