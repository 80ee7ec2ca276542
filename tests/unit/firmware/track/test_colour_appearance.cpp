// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/colour_appearance.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using track::Signature;

namespace {

struct Colour {
  int r, g, b;
};

/// A picture of people in two colours each.
class Picture {
 public:
  Picture() : grey_(kWidth * kHeight), rgb_(3 * kWidth * kHeight, 120) {}
  void dress(const Detection& box, Colour upper, Colour lower, std::uint64_t seed, int light = 0) {
    test::Dice dice{seed};
    for (int y = static_cast<int>(box.y); y < static_cast<int>(box.y + box.h); ++y)
      for (int x = static_cast<int>(box.x); x < static_cast<int>(box.x + box.w); ++x) {
        const Colour c = static_cast<float>(y) < box.y + 0.5F * box.h ? upper : lower;
        const int noise = static_cast<int>(12 * dice.normal()) + light;
        set(x, y, 0, c.r + noise);
        set(x, y, 1, c.g + noise);
        set(x, y, 2, c.b + noise);
      }
  }
  PreparedImage view(bool colour) {
    for (std::size_t i = 0; i < grey_.size(); ++i)
      grey_[i] = static_cast<std::uint8_t>(
          (rgb_[i] + 2 * rgb_[i + grey_.size()] + rgb_[i + 2 * grey_.size()]) / 4);
    PreparedImage image;
    image.grey = {grey_.data(), kWidth, kHeight, kWidth};
    if (colour)
      image.rgb = {rgb_.data(), 3, kWidth, kHeight, kWidth, std::ptrdiff_t{kWidth} * kHeight};
    return image;
  }

 private:
  static constexpr int kWidth = 640, kHeight = 360;
  void set(int x, int y, int plane, int value) {
    if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) return;
    rgb_[static_cast<std::size_t>((plane * kHeight + y) * kWidth + x)] =
        static_cast<std::uint8_t>(std::clamp(value, 0, 255));
  }
  std::vector<std::uint8_t> grey_, rgb_;
};

constexpr Colour kRed{190, 40, 40}, kBlue{40, 60, 170}, kDark{40, 40, 45}, kLight{200, 200, 195};

TEST(the_same_clothes_look_the_same_and_others_do_not) {
  Picture picture;
  const Detection red{50, 50, 60, 150, 1}, again{200, 80, 50, 130, 1}, blue{350, 60, 60, 150, 1};
  picture.dress(red, kRed, kDark, 1);
  picture.dress(again, kRed, kDark, 2, 10);  // a little lighter, too
  picture.dress(blue, kBlue, kLight, 3);
  const auto appearance = track::make_colour_appearance();
  for (const bool colour : {true, false}) {
    const PreparedImage image = picture.view(colour);
    Signature a, b, c;
    appearance->sign(image, red, a);
    appearance->sign(image, again, b);
    appearance->sign(image, blue, c);
    TEST_ASSERT_TRUE(a.known && b.known && c.known);
    double sum = 0;
    for (const float v : a.values) sum += static_cast<double>(v);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1, sum);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, appearance->distance(a, a));
    TEST_ASSERT_TRUE(appearance->distance(a, b) < 0.25);
    TEST_ASSERT_TRUE(appearance->distance(a, c) > 0.5);
    TEST_ASSERT_EQUAL_DOUBLE(appearance->distance(a, c), appearance->distance(c, a));
  }
}

TEST(colour_tells_apart_what_grey_cannot) {
  Picture picture;
  const Detection one{50, 50, 60, 150, 1}, other{350, 60, 60, 150, 1};
  picture.dress(one, {160, 80, 80}, kDark, 1);     // the same brightness,
  picture.dress(other, {80, 110, 100}, kDark, 2);  // another hue
  const auto appearance = track::make_colour_appearance();
  double distance[2] = {};
  for (const bool colour : {false, true}) {
    const PreparedImage image = picture.view(colour);
    Signature a, b;
    appearance->sign(image, one, a);
    appearance->sign(image, other, b);
    distance[colour ? 1 : 0] = appearance->distance(a, b);
  }
  TEST_ASSERT_TRUE(distance[0] < 0.1);
  TEST_ASSERT_TRUE(distance[1] > 0.3);
}

TEST(what_is_not_in_the_picture_is_not_known) {
  Picture picture;
  const auto appearance = track::make_colour_appearance();
  const PreparedImage image = picture.view(true);
  Signature s, known;
  appearance->sign(image, {100, 100, 50, 120, 1}, known);
  for (const Detection& box : {Detection{-500, 20, 60, 150, 1}, Detection{630, 20, 100, 150, 1},
                               Detection{100, 300, 60, 400, 1}, Detection{100, 100, 1, 2, 1}}) {
    appearance->sign(image, box, s);
    TEST_ASSERT_FALSE(s.known);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, appearance->distance(s, known));
  }
  appearance->sign({}, {100, 100, 50, 120, 1}, s);
  TEST_ASSERT_FALSE(s.known);
}

TEST(it_allocates_nothing) {
  Picture picture;
  const auto appearance = track::make_colour_appearance();
  const PreparedImage image = picture.view(true);
  Signature a;
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 50; ++i)
    appearance->sign(image, {static_cast<float>(5 * i), 50, 40, 100, 1}, a);
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

}  // namespace
