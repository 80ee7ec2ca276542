// SPDX-License-Identifier: Apache-2.0
// Lucas-Kanade on the CPU: what its header says, on pictures whose motion is known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "gpu/flow/lucas_kanade.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"
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

LucasKanadeSettings with(int iterations, int finest, int levels = 0) {
  LucasKanadeSettings settings;
  settings.iterations = iterations;
  settings.finest_iterations = finest;
  settings.pyramid.levels = levels;
  return settings;
}

TEST(results_are_those_of_the_definition_bit_for_bit) {
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
    assert_same(expected, actual, "by the definition");
  }
}

TEST(shifts_by_whole_pixels_are_found_exactly_inside_the_picture) {
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

TEST(fractions_of_a_pixel_are_found_to_a_thirtieth) {
  constexpr int kWidth = 130, kHeight = 100;
  const Surface surface{6};
  const GreyPicture first = moved(surface, kWidth, kHeight, 0, 0);
  for (const double u : {0.5, -1.7, 4.4}) {
    const Vectors out = run({}, first, moved(surface, kWidth, kHeight, u, -0.6 * u));
    TEST_ASSERT_TRUE_MESSAGE(mean_error(out, u, -0.6 * u, 16) < 0.033,
                             "the mean error is too large");
  }
}

TEST(a_change_of_light_hardly_matters) {
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

TEST(vectors_that_do_not_lead_back_are_flagged) {
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

TEST(settings_out_of_range_are_refused) {
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

BEFORE_SUITE(words) {
  using kerb::test::Start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  return Start::run;
}
