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
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/flow_bm_oracle.hpp"

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

TEST(blocks_find_what_a_brute_force_search_of_the_definition_finds) {
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

TEST(black_and_white_overflow_nothing) {
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

TEST(shifts_by_whole_pixels_are_found_exactly_inside_the_picture) {
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

TEST(fractions_of_a_pixel_are_found_to_a_twentieth) {
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

TEST(brightness_and_contrast_do_not_matter_to_ncc) {
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

TEST(settings_out_of_range_are_refused) {
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
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  return Start::run;
}
