// SPDX-License-Identifier: Apache-2.0
// Pictures drawn pixel by pixel, as the threads of a GPU do it, against those drawn by lanes: the
// same bytes. The lanes' bytes are judged by test_weather and test_render.
#include <cmath>
#include <cstdio>

#include "tests/support/draw_scenes.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/render/renderer.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

template <typename T>
void assert_same(const std::vector<T>& expected, const std::vector<T>& actual, const char* scene,
                 const char* what) {
  TEST_ASSERT_EQUAL_MESSAGE(expected.size(), actual.size(), scene);
  std::size_t differ = 0, first = 0;
  for (std::size_t i = expected.size(); i-- > 0;)
    if (expected[i] != actual[i]) ++differ, first = i;
  char text[160];
  std::snprintf(text, sizeof text, "%s: %zu of %zu %s differ, the first at %zu", scene, differ,
                expected.size(), what, first);
  TEST_ASSERT_TRUE_MESSAGE(differ == 0, text);
}

TEST(pictures_by_pixels_are_those_by_lanes) {
  for (const test::DrawScene& scene : test::draw_scenes(321, 182)) {  // no multiple of anything
    const World world{scene.scenario};
    Renderer lanes{scene.scenario, {.truth = true, .threads = 1}};
    Renderer pixels{scene.scenario, {.truth = true, .threads = 1, .emulate = true}};
    Rendered expected, actual;
    for (const double t : {0.0, 0.8}) {
      lanes.draw(world, t, expected);
      pixels.draw(world, t, actual);
      TEST_ASSERT_FALSE(lanes.by_pixels());
      TEST_ASSERT_TRUE_MESSAGE(pixels.by_pixels(), scene.name);
      assert_same(expected.pixels, actual.pixels, scene.name, "bytes");
      assert_same(expected.depth, actual.depth, scene.name, "depths");
      assert_same(expected.objects, actual.objects, scene.name, "objects");
      assert_same(expected.carried, actual.carried, scene.name, "things carried");
    }
  }
}

/// What is drawn before must not matter: nothing of it may be left in the drawer's memory.
TEST(pictures_by_pixels_do_not_depend_on_the_one_before) {
  const Scenario s = test::draw_scenes(160, 90)[4].scenario;
  const World world{s};
  Renderer used{s, {.truth = false, .threads = 1, .emulate = true}};
  Rendered before, again, fresh;
  used.draw(world, 1.5, before);
  used.draw(world, 0.5, again);
  Renderer{s, {.truth = false, .threads = 1, .emulate = true}}.draw(world, 0.5, fresh);
  assert_same(fresh.pixels, again.pixels, "rain at night", "bytes");
}

TEST(cameras_of_other_bands_are_drawn_by_lanes) {
  for (const Sensor sensor : {Sensor::thermal, Sensor::bands, Sensor::mosaic}) {
    Scenario s = test::draw_scenes(64, 64)[0].scenario;
    s.camera.sensor = sensor;
    Renderer renderer{s, {.truth = false, .threads = 1, .emulate = true}};
    Rendered out;
    renderer.draw(World{s}, 0, out);
    TEST_ASSERT_FALSE(renderer.by_pixels());
    TEST_ASSERT_FALSE(renderer.gpu_error().has_value());
  }
}

}  // namespace
