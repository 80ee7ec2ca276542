// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/box_flow.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using track::BoxFlow;

namespace {

constexpr Detection kBox{400, 200, 60, 150, 10};

/// Vectors on a grid over the whole picture: those in the box's inner part move with the person,
/// the others with what is behind.
struct Scene {
  double dx = 3, dy = -0.5, growth = 0.01, noise = 0.2;
  double back_dx = -8, back_dy = 1;
  double lost = 0;  // share of the person's vectors that lie on what is behind
  double step = 6;
};

std::unique_ptr<MotionField> field_of(const Scene& s, std::uint64_t seed) {
  test::Dice dice{seed};
  auto field = std::make_unique<MotionField>();
  field->has_previous = true;
  const double cx = 430, cy = 275;
  for (double y = 150; y < 400; y += s.step)
    for (double x = 340; x < 520; x += s.step) {
      const bool person =
          std::abs(x - cx) < 18 && std::abs(y - cy) < 72 && dice.uniform() >= s.lost;
      FlowVector& f = field->items[field->count++];
      const double dx = person ? s.dx + s.growth * (x - cx) : s.back_dx;
      const double dy = person ? s.dy + s.growth * (y - cy) : s.back_dy;
      f = {static_cast<float>(x), static_cast<float>(y),
           static_cast<float>(dx + s.noise * dice.normal()),
           static_cast<float>(dy + s.noise * dice.normal()), 1};
    }
  return field;
}

TEST(it_finds_motion_and_growth_within_its_own_doubt) {
  double dx_chi = 0, growth_chi = 0;
  constexpr int kRounds = 200;
  const Scene s;
  for (int i = 0; i < kRounds; ++i) {
    const BoxFlow f =
        track::flow_within({}, *field_of(s, 1000U + static_cast<unsigned>(i)), kBox, {}, {}).flow;
    TEST_ASSERT_GREATER_THAN(20, f.points);
    TEST_ASSERT_FLOAT_WITHIN(0.3F, 3, f.dx);
    TEST_ASSERT_FLOAT_WITHIN(0.3F, -0.5F, f.dy);
    dx_chi += std::pow((static_cast<double>(f.dx) - s.dx) / static_cast<double>(f.sigma_px), 2);
    growth_chi += std::pow(
        (static_cast<double>(f.growth) - s.growth) / static_cast<double>(f.growth_sigma), 2);
  }
  // Not overconfident; twice the variance is what neighbours that err together are given.
  TEST_ASSERT_DOUBLE_WITHIN(0.45, 0.6, dx_chi / kRounds);
  TEST_ASSERT_DOUBLE_WITHIN(0.45, 0.6, growth_chi / kRounds);
}

TEST(a_third_of_the_vectors_on_what_is_behind_change_little) {
  Scene s;
  s.lost = 0.33;
  for (unsigned i = 0; i < 50; ++i) {
    const BoxFlow f = track::flow_within({}, *field_of(s, 50 + i), kBox, {}, {}).flow;
    TEST_ASSERT_FLOAT_WITHIN(0.5F, 3, f.dx);
    TEST_ASSERT_FLOAT_WITHIN(0.02F, 0.01F, f.growth);
  }
}

/// A narrow post of which few vectors are its own: the rest show what is behind, as beside the box.
TEST(what_is_seen_past_a_narrow_thing_is_not_its_motion) {
  Scene s;
  s.lost = 1;
  const track::FlowWithin past = track::flow_within({}, *field_of(s, 7), kBox, {}, {});
  TEST_ASSERT_TRUE(past.like_surroundings);
  s.lost = 0.6;  // two fifths of the vectors are the thing's own: they alone count
  const track::FlowWithin own = track::flow_within({}, *field_of(s, 8), kBox, {}, {});
  TEST_ASSERT_FALSE(own.like_surroundings);
  TEST_ASSERT_FLOAT_WITHIN(0.4F, 3, own.flow.dx);
  s.lost = 0;
  TEST_ASSERT_FALSE(track::flow_within({}, *field_of(s, 9), kBox, {}, {}).like_surroundings);
}

/// Walls and roads beside the box move the faster the nearer they are: the motion behind the box
/// follows from both sides.
TEST(surroundings_may_be_a_slanted_plane) {
  Scene s;
  s.lost = 1;
  auto field = field_of(s, 10);
  for (int i = 0; i < field->count; ++i) {
    FlowVector& f = field->items[i];
    f.dx += 0.02F * (f.x - 430) - 0.03F * (f.y - 275);
  }
  TEST_ASSERT_TRUE(track::flow_within({}, *field, kBox, {}, {}).like_surroundings);
}

TEST(who_stands_before_is_left_out) {
  const Detection before{400, 250, 60, 120, 10};
  const BoxFlow all = track::flow_within({}, *field_of({}, 5), kBox, {}, {}).flow;
  const BoxFlow part =
      track::flow_within({}, *field_of({}, 5), kBox, {&before, 1}, {&before, 1}).flow;
  TEST_ASSERT_TRUE(part.points > 0 && part.points < all.points);
  const BoxFlow none = track::flow_within({}, *field_of({}, 5), kBox, {&kBox, 1}, {&kBox, 1}).flow;
  TEST_ASSERT_EQUAL(0, none.points);
}

/// Of two who walk side by side, neither is the background of the other.
TEST(who_walks_beside_is_not_the_background) {
  Scene s;
  s.back_dx = s.dx;  // all that is beside the box is of those who walk along
  s.back_dy = s.dy;
  s.growth = 0;
  const Detection beside[] = {{330, 200, 75, 150, 10}, {455, 200, 75, 150, 10}};
  TEST_ASSERT_TRUE(track::flow_within({}, *field_of(s, 11), kBox, {}, {}).like_surroundings);
  const track::FlowWithin own = track::flow_within({}, *field_of(s, 11), kBox, {}, beside);
  TEST_ASSERT_FALSE(own.like_surroundings);
  TEST_ASSERT_FLOAT_WITHIN(0.3F, 3, own.flow.dx);

  // On the left somebody walks along, on the right there is the street: it decides.
  Scene half;
  half.lost = 1;
  auto street = field_of(half, 12);
  for (int i = 0; i < street->count; ++i)
    if (street->items[i].x < 397) street->items[i].dx = 40;
  TEST_ASSERT_TRUE(track::flow_within({}, *street, kBox, {}, {beside, 1}).like_surroundings);
}

TEST(few_or_broken_vectors_say_nothing) {
  auto field = std::make_unique<MotionField>();
  TEST_ASSERT_EQUAL(0, track::flow_within({}, *field, kBox, {}, {}).flow.points);
  field->has_previous = true;
  field->count = 3;
  for (int i = 0; i < 3; ++i) field->items[i] = {430, 260 + static_cast<float>(i), 1, 1, 1};
  TEST_ASSERT_EQUAL(0, track::flow_within({}, *field, kBox, {}, {}).flow.points);
  field->count = 40;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 40; ++i) field->items[i] = {430, 260, i % 2 == 0 ? nan : 1, nan, nan};
  TEST_ASSERT_EQUAL(0, track::flow_within({}, *field, kBox, {}, {}).flow.points);
  for (int i = 0; i < 40; ++i) field->items[i] = {430, 260, 1, 1, 1};  // all in one place
  TEST_ASSERT_EQUAL(0, track::flow_within({}, *field, kBox, {}, {}).flow.points);
}

}  // namespace
