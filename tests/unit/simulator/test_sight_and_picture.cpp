// SPDX-License-Identifier: Apache-2.0
// Who the judge says can be seen, against the pictures that are drawn.
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/test.hpp"
#include "tools/simulator/judge/truth.hpp"
#include "tools/simulator/render/renderer.hpp"
#include "tools/simulator/scenario/load.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

/// The share of the first person's pixels that the picture shows.
class Pictures {
 public:
  explicit Pictures(const Scenario& scenario)
      : world_{scenario}, renderer_{scenario, RenderOptions{true, 1}} {}
  double visible(double t) {
    const Renderer::Outline whole = renderer_.outline(world_, 0, t);
    if (whole.pixels == 0) return 0;
    renderer_.draw(world_, t, rendered_);
    const auto seen = std::count(rendered_.objects.begin(), rendered_.objects.end(), 1);
    return static_cast<double>(seen) / whole.pixels;
  }
  /// When half of them is first seen, to 20 ms; between `from` and `to`.
  double half_visible(double from, double to) {
    while (to - from > 0.02) {
      const double middle = (from + to) / 2;
      (visible(middle) >= kHalfShare ? to : from) = middle;
    }
    return to;
  }

 private:
  World world_;
  Renderer renderer_;
  Rendered rendered_;
};

TEST(the_child_between_parked_cars_is_half_visible_when_the_picture_shows_it) {
  const Loaded suite = load_suite("euroncap");
  TEST_ASSERT_TRUE(suite.ok());
  int compared = 0;
  for (Scenario s : suite.scenarios) {
    if (s.name != "CPNCO-50-10kmh" && s.name != "CPNCO-50-30kmh") continue;
    s.camera.width = 480;  // as few pixels as will do: this also runs under emulation
    s.camera.height = 270;
    const Truth truth = find_truth(World{s});
    TEST_ASSERT_TRUE_MESSAGE(truth.half_visible.has_value(), s.name.c_str());
    Pictures pictures{s};
    const double drawn =
        pictures.half_visible(*truth.half_visible - 0.3, *truth.half_visible + 0.3);
    const std::string text = s.name + ": the judge says " + std::to_string(*truth.half_visible) +
                             " s, the picture " + std::to_string(drawn);
    TEST_ASSERT_TRUE_MESSAGE(std::abs(drawn - *truth.half_visible) < 0.1, text.c_str());
    ++compared;
  }
  TEST_ASSERT_EQUAL_INT(2, compared);
}

}  // namespace
