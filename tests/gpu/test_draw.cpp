// SPDX-License-Identifier: Apache-2.0
// The simulator's pictures drawn on the GPU against those of the CPU. Nothing is fused, and what
// both compute is one source (render/pixel_lanes.hpp): the bound is no difference at all, but where
// lamps light fog or rain. There a logarithm is taken, whose last bit may differ.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/gpu/device.hpp"
#include "tests/support/draw_scenes.hpp"
#include "tools/simulator/render/renderer.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

/// Where there is a logarithm: the largest difference of a channel, and the share of bytes that
/// differ at all.
constexpr int kMostDifference = 2;
constexpr double kMostDiffering = 1e-4;

bool takes_logarithms(const Scenario& s) {
  const bool dark = s.light.kind == Daylight::night || s.light.kind == Daylight::dusk;
  return dark && (s.weather.fog_m > 0 || s.weather.rain_mm_h > 0);
}

BEFORE_SUITE(words) {
  static_cast<void>(words);
  return test::open_gpu();
}
AFTER_SUITE() { test::gpu.reset(); }

/// The largest of a channel, the mean, and the shares of bytes that differ, and by more than one.
struct Difference {
  int largest = 0;
  double mean = 0, any = 0, more_than_one = 0;
};
Difference difference_of(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  Difference out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int d = std::abs(int{a[i]} - int{b[i]});
    out.largest = std::max(out.largest, d);
    out.mean += d;
    out.any += d > 0 ? 1 : 0;
    out.more_than_one += d > 1 ? 1 : 0;
  }
  const auto n = static_cast<double>(a.size());
  out.mean /= n;
  out.any /= n;
  out.more_than_one /= n;
  return out;
}
template <typename T>
std::size_t differing(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t out = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out += a[i] == b[i] ? 0 : 1;
  return out;
}

TEST(pictures_of_the_gpu_are_those_of_the_cpu) {
  const bool small = test::small_sizes();
  std::string wrong;
  for (const test::DrawScene& scene : test::draw_scenes(small ? 161 : 1281, small ? 92 : 721)) {
    const World world{scene.scenario};
    Renderer cpu{scene.scenario, {.truth = true, .threads = 4}};
    Renderer gpu{scene.scenario, {.truth = true, .threads = 4, .gpu = &*test::gpu}};
    Rendered expected, actual;
    for (const double t : {0.0, 0.5, 0.8}) {
      cpu.draw(world, t, expected);
      gpu.draw(world, t, actual);
      if (gpu.gpu_error()) TEST_FAIL_MESSAGE(describe(*gpu.gpu_error()).c_str());
      TEST_ASSERT_TRUE_MESSAGE(gpu.by_pixels(), scene.name);
      TEST_ASSERT_EQUAL_MESSAGE(expected.pixels.size(), actual.pixels.size(), scene.name);
      const Difference d = difference_of(expected.pixels, actual.pixels);
      const std::size_t depths = differing(expected.depth, actual.depth),
                        objects = differing(expected.objects, actual.objects);
      std::printf(
          "%-32s t %.1f: largest %d, mean %.2g, differ %.2g, by more than one %.2g; depths %zu, "
          "objects %zu of %zu\n",
          scene.name, t, d.largest, d.mean, d.any, d.more_than_one, depths, objects,
          expected.depth.size());
      const bool within = takes_logarithms(scene.scenario)
                              ? d.largest <= kMostDifference && d.any <= kMostDiffering
                              : d.largest == 0;
      if (!within || depths + objects > 0) wrong += std::string{scene.name} + "; ";
    }
  }
  TEST_ASSERT_TRUE_MESSAGE(wrong.empty(), wrong.c_str());
}

/// Shadows are kept on the device from picture to picture: a drive must not draw old ones.
TEST(a_drive_stays_the_same_to_its_end) {
  Scenario s = test::draw_scenes(test::small_sizes() ? 160 : 640, test::small_sizes() ? 90 : 360)[0]
                   .scenario;
  s.car.speeds = {{0, 25, 3}};
  const World world{s};
  Renderer cpu{s, {.truth = false, .threads = 4}};
  Renderer gpu{s, {.truth = false, .threads = 4, .gpu = &*test::gpu}};
  Rendered expected, actual;
  for (int i = 0; i < (test::small_sizes() ? 3 : 30); ++i) {
    const double t = 0.33 * i;
    cpu.draw(world, t, expected);
    gpu.draw(world, t, actual);
    TEST_ASSERT_TRUE(gpu.by_pixels());
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, difference_of(expected.pixels, actual.pixels).largest,
                                  std::to_string(t).c_str());
  }
}

TEST(a_context_without_a_gpu_draws_on_the_cpu) {
  Result<Context> none = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(none);
  const Scenario s = test::draw_scenes(64, 36)[0].scenario;
  Renderer renderer{s, {.truth = false, .threads = 1, .gpu = &*none}};
  Rendered out;
  renderer.draw(World{s}, 0, out);
  TEST_ASSERT_FALSE(renderer.by_pixels());
  TEST_ASSERT_FALSE(renderer.gpu_error().has_value());
}

}  // namespace
