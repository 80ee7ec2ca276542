// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/geometry.hpp"

#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/scene.hpp"

using namespace kerb::ego;

namespace {

TEST(a_rotation_goes_to_its_vector_and_back) {
  for (const std::array<double, 3> w : {std::array{0.0, 0.0, 0.0}, std::array{1e-7, -2e-7, 3e-8},
                                        std::array{0.02, -0.5, 0.1}, std::array{1.2, 0.3, -2.0}}) {
    const std::array<double, 3> back = vector_of(rotation_of(w));
    for (std::size_t i = 0; i < 3; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-12, w[i], back[i]);
  }
}

TEST(turning_back_undoes_a_turn_of_the_camera_exactly) {
  // A point so far away that only the turn moves it, through the street's own projection.
  kerb::Camera c;
  c.ahead_m = 0;
  test::Dice dice{1};
  for (int i = 0; i < 200; ++i) {
    const test::Vec3 far = {dice.uniform(-4e8, 4e8), dice.uniform(-2e8, 2e8), 1e9};
    test::Pose turned;
    turned.heading = dice.uniform(-0.2, 0.2);  // to the left: against y
    turned.pitch = i % 2 == 0 ? 0 : dice.uniform(-0.1, 0.1);
    double x = 0, y = 0, x2 = 0, y2 = 0;
    TEST_ASSERT_TRUE(test::project(c, {}, far, x, y));
    TEST_ASSERT_TRUE(test::project(c, turned, far, x2, y2));
    const Rotation r =
        product(rotation_of({0, -turned.heading, 0}), rotation_of({turned.pitch, 0, 0}));
    const Vec2 back = turned_back(r, c.focal_px, {x2 - c.center_x, y2 - c.center_y});
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, x - c.center_x, back.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, y - c.center_y, back.y);
  }
}

TEST(the_jacobian_is_what_a_small_turn_does) {
  const double f = 900;
  const Vec2 at = {310, -140};
  const TurnJacobian j = turn_jacobian(f, at);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<double, 3> w{};
    w[axis] = 1e-6;
    const Vec2 moved = turned_back(rotation_of(w), f, at);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, j.x[axis], (moved.x - at.x) * 1e6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, j.y[axis], (moved.y - at.y) * 1e6);
  }
}

TEST(normal_equations_are_solved) {
  Normal<3> n;
  const std::array<double, 3> truth = {2, -1, 0.5};
  for (const std::array<double, 3> row : {std::array{1.0, 2.0, 3.0}, std::array{0.0, 1.0, -1.0},
                                          std::array{4.0, 0.0, 1.0}, std::array{1.0, 1.0, 1.0}})
    n.add(row, row[0] * truth[0] + row[1] * truth[1] + row[2] * truth[2], 0.7);
  TEST_ASSERT_TRUE(n.factor());
  const std::array<double, 3> x = n.solve(n.b);
  for (std::size_t i = 0; i < 3; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-9, truth[i], x[i]);
  Normal<3> flat;
  flat.add({1, 1, 0}, 1, 1);
  TEST_ASSERT_FALSE(flat.factor());
}

}  // namespace
