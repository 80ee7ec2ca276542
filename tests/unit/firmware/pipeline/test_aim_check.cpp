// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/aim_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr double kDegree = 0.017453292519943295;
constexpr int kWidth = 320, kHeight = 180;
constexpr double kFocal = 277;  // 60 degrees across

/// Houses, trees and road as far as the eye sees: spots of many sizes, wider than any turn here.
class Panorama {
 public:
  static constexpr int kAcross = 2400, kDown = 500;
  Panorama() : grey_(std::size_t{kAcross} * kDown, 110) {
    std::mt19937 random{3};
    const auto pick = [&random](int from, int to) {
      return std::uniform_int_distribution{from, to}(random);
    };
    for (int i = 0; i < 6000; ++i) {
      const int x0 = pick(0, kAcross - 1), y0 = pick(0, kDown - 1), value = pick(20, 235);
      const int x1 = std::min(kAcross, x0 + pick(3, 40)), y1 = std::min(kDown, y0 + pick(3, 30));
      for (int y = y0; y < y1; ++y)
        std::fill_n(grey_.begin() + y * kAcross + x0, x1 - x0, static_cast<std::uint8_t>(value));
    }
  }
  [[nodiscard]] std::uint8_t at(double x, double y) const {
    const int column = std::clamp(static_cast<int>(x + kAcross / 2.0), 0, kAcross - 1);
    const int row = std::clamp(static_cast<int>(y + kDown / 2.0), 0, kDown - 1);
    return grey_[static_cast<std::size_t>(row) * kAcross + static_cast<std::size_t>(column)];
  }

 private:
  std::vector<std::uint8_t> grey_;
};
const Panorama& panorama() {
  static const Panorama all;
  return all;
}

Camera camera() {
  Camera c;
  c.focal_px = kFocal;
  c.center_x = kWidth / 2.0;
  c.center_y = kHeight / 2.0;
  return c;
}

/// A car with a camera that may be knocked, 30 pictures a second.
struct Drive {
  void frame(bool seen = true) {
    now += milliseconds{33};
    heading += yaw_rate * 0.033;  // to the left
    way += speed * 0.033;
    if (!seen) return;
    // Turning left and looking right of it: the view goes right; nose up: down. What is below the
    // middle is the nearer the lower, and grows as the car drives.
    const double dx = kFocal * (heading + look_left), dy = kFocal * (pitch + look_up);
    for (int y = 0; y < kHeight; ++y) {
      const double below = std::max(0.0, (y - dy - kHeight / 2.0) / kHeight);
      const double grown = 1 + std::fmod(way, 4.0) * 0.02 * below;
      for (int x = 0; x < kWidth; ++x) {
        const double u = (x - kWidth / 2.0 - dx) / grown, v = (y - kHeight / 2.0 - dy) / grown;
        int value = panorama().at(u, v);
        if (x < covered * kWidth) value = panorama().at(u + lorry, v + 77);
        picture[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)] =
            static_cast<std::uint8_t>(std::clamp(value * light + noise(), 0.0, 255.0));
      }
    }
    ego::VehicleMotion vehicle;
    if (tells_yaw) vehicle.yaw_rate_radps = told_yaw.value_or(yaw_rate);
    check.update({picture.data(), kWidth, kHeight, kWidth}, now, vehicle);
    if (check.off() > 0 && !told) told = now;
    most = std::max(most, check.off());
  }
  void run(Nanos time) {
    for (const Nanos end = now + time; now < end;) frame();
  }
  double noise() {
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 24) / 64.0 - 2;
  }
  [[nodiscard]] double off_deg() const { return check.off() / kDegree; }

  AimCheck check{camera(), kWidth, kHeight};
  Nanos now = seconds{1};
  std::vector<std::uint8_t> picture = std::vector<std::uint8_t>(std::size_t{kWidth} * kHeight);
  double heading = 0, yaw_rate = 0, pitch = 0, speed = 10, way = 0;
  double look_left = 0, look_up = 0;  // of the knocked camera, radians
  double light = 0.8, covered = 0, lorry = 0;
  std::optional<double> told_yaw;
  bool tells_yaw = true;
  std::optional<Nanos> told;
  double most = 0;
  std::uint32_t state = 1;
};

TEST(a_knock_is_told_in_a_third_of_a_second_and_the_way_back_too) {
  struct Case {
    double up, left;
  };
  for (const Case& c : {Case{5, -2.5}, Case{-5, 2.5}, Case{0, 3}, Case{2.2, 0}, Case{-6, -3}}) {
    Drive car;
    car.run(seconds{1});
    TEST_ASSERT_EQUAL_DOUBLE(0, car.most);
    car.look_up = c.up * kDegree;
    car.look_left = c.left * kDegree;
    const Nanos began = car.now;
    TEST_ASSERT_FALSE(car.check.suspects());
    for (int i = 0; i < 9; ++i) {  // from the first picture on
      car.frame();
      TEST_ASSERT_TRUE(car.check.suspects());
    }
    car.run(seconds{2});
    TEST_ASSERT_FALSE(car.check.suspects());
    TEST_ASSERT_TRUE(car.told.has_value());
    TEST_ASSERT_TRUE(*car.told - began <= milliseconds{340});
    TEST_ASSERT_DOUBLE_WITHIN(0.6, std::hypot(c.up, c.left), car.off_deg());
    car.look_up = car.look_left = 0;
    car.run(milliseconds{340});
    TEST_ASSERT_EQUAL_DOUBLE(0, car.off_deg());
    car.run(seconds{1});
    TEST_ASSERT_EQUAL_DOUBLE(0, car.off_deg());
  }
}

TEST(a_knock_that_takes_three_pictures_one_of_them_blurred_is_told) {
  Drive car;
  car.run(seconds{1});
  car.look_up = 2 * kDegree;
  car.frame();
  car.look_up = 4 * kDegree;
  const double light = std::exchange(car.light, 0.02);  // nothing to be seen in it
  car.frame();
  car.light = light;
  car.look_up = 5 * kDegree;
  car.run(milliseconds{400});
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 5, car.off_deg());
}

TEST(a_knock_in_a_bend_is_told_with_and_without_a_yaw_rate) {
  for (const bool tells : {true, false}) {
    Drive car;
    car.tells_yaw = tells;
    car.yaw_rate = 25 * kDegree;
    car.heading = -40 * kDegree;
    car.run(seconds{1});
    car.look_up = 5 * kDegree;
    car.look_left = -2.5 * kDegree;
    car.run(milliseconds{400});
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 5.6, car.off_deg());
  }
}

/// A pothole throws the view for a quarter of a second; braking nods it; a kerb is climbed; a speed
/// bump swings it up and down.
TEST(bumps_and_nods_are_not_told) {
  Drive car;
  car.run(milliseconds{500});
  for (const double jolt : {3.0, -3.0, 5.0}) {
    for (int i = 0; i < 7; ++i) {
      car.pitch = jolt * kDegree;
      car.frame();
    }
    TEST_ASSERT_TRUE(car.check.suspects());
    car.pitch = 0;
    car.frame();
    TEST_ASSERT_FALSE(car.check.suspects());  // back at once
    car.run(milliseconds{600});
  }
  for (int i = 0; i < 60; ++i) {  // nods by 2 degrees in 0.3 s, stays so while it brakes
    car.pitch = -2 * kDegree * std::min(1.0, i * 0.033 / 0.3);
    car.frame();
  }
  for (int i = 0; i < 60; ++i) {  // 1.5 Hz, dying away
    car.pitch = 4 * kDegree * std::sin(i * 0.033 * 9.4) * std::exp(-i * 0.033);
    car.frame();
  }
  for (int i = 0; i < 60; ++i) {  // a ramp of 8 degrees
    car.pitch = 8 * kDegree * std::min(1.0, i * 0.033);
    car.frame();
  }
  TEST_ASSERT_EQUAL_DOUBLE(0, car.most);
}

/// Into a turn as sharp as a car can, at 30 pictures a second and at 10; with the yaw rate, without
/// one, with one that is late, and with one that says nothing happens.
TEST(turns_are_not_told) {
  for (const int skip : {0, 2})
    for (int kind = 0; kind < 4; ++kind) {
      Drive car;
      car.heading = -60 * kDegree;
      car.tells_yaw = kind != 1;
      const auto rate = [](int i) {
        return 45 * kDegree * std::clamp(std::min((i - 15) / 12.0, (95 - i) / 12.0), 0.0, 1.0);
      };
      for (int i = 0; i < 110; ++i) {
        car.yaw_rate = rate(i);
        if (kind == 2) car.told_yaw = rate(i - 24);
        if (kind == 3) car.told_yaw = 0;
        car.frame(skip == 0 || i % (skip + 1) == 0);
      }
      TEST_ASSERT_EQUAL_DOUBLE(0, car.most);
    }
}

/// A view that goes by for another reason than a turn, and a bus that falls silent meanwhile.
TEST(a_view_that_glides_by_is_not_told_whoever_speaks) {
  for (const double rate : {60.0, 120.0, 240.0}) {
    Drive car;
    car.heading = -150 * kDegree;
    car.yaw_rate = rate * kDegree;
    car.told_yaw = 0;
    for (int i = 0; i < 35; ++i) {
      car.tells_yaw = i / 5 % 2 == 0;
      car.frame();
    }
    TEST_ASSERT_EQUAL_DOUBLE(0, car.most);
  }
}

TEST(what_passes_what_hides_and_what_is_not_seen_is_no_knock) {
  Drive car;
  car.run(milliseconds{500});
  for (int i = 0; i < 90; ++i) {  // a lorry overtakes and fills up to all of the view
    car.covered = std::min(1.0, i / 20.0);
    car.lorry = -2.5 * i;
    car.frame();
  }
  car.covered = 0;
  car.run(milliseconds{500});
  for (const double light : {0.01, 0.8, 4.0, 0.8}) {  // dark, light, blinded, light
    car.light = light;
    car.run(milliseconds{500});
  }
  for (int i = 0; i < 30; ++i) car.frame(false);  // silent, while it turns the corner
  car.heading = 30 * kDegree;
  car.run(seconds{1});
  TEST_ASSERT_EQUAL_DOUBLE(0, car.most);
}

TEST(the_road_says_that_a_camera_got_lost_slowly_and_that_it_is_right_again) {
  AimCheck check{camera(), kWidth, kHeight};
  ego::EgoMotion motion;
  motion.state = ego::EgoState::valid;
  motion.travel = ego::Travel::forward;
  motion.foe_measured = true;
  motion.interval = milliseconds{33};
  const auto drive = [&](double degrees, int frames) {
    for (int i = 0; i < frames; ++i) {
      motion.foe_x = kWidth / 2.0;
      // Nods, and is deceived now and then.
      motion.foe_y = kHeight / 2.0 + kFocal * kDegree * (degrees + (i % 2 == 0 ? 1 : -1));
      check.travelled(motion);
    }
  };
  drive(2, 1000);
  TEST_ASSERT_EQUAL_DOUBLE(0, check.off());
  drive(5, 60);
  TEST_ASSERT_EQUAL_DOUBLE(0, check.off());  // two seconds are a hilltop
  drive(5, 900);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 5, check.off() / kDegree);
  motion.yaw_rate_radps = 0.2;  // in a bend it says nothing
  drive(0, 300);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 5, check.off() / kDegree);
  motion.yaw_rate_radps = 0;
  drive(0.3, 900);
  TEST_ASSERT_EQUAL_DOUBLE(0, check.off());
}

TEST(a_knock_whose_way_back_was_not_seen_is_over_when_the_road_says_so) {
  Drive car;
  car.run(seconds{1});
  car.look_up = 5 * kDegree;
  car.run(seconds{1});
  TEST_ASSERT_TRUE(car.off_deg() > 4);
  ego::EgoMotion motion;
  motion.state = ego::EgoState::valid;
  motion.travel = ego::Travel::forward;
  motion.foe_measured = true;
  motion.interval = milliseconds{33};
  motion.foe_x = kWidth / 2.0;
  motion.foe_y = kHeight / 2.0 + 4 * kDegree * kFocal;
  for (int i = 0; i < 600; ++i) car.check.travelled(motion);
  TEST_ASSERT_TRUE(car.off_deg() > 3);
  motion.foe_y = kHeight / 2.0;
  for (int i = 0; i < 100; ++i) car.check.travelled(motion);
  TEST_ASSERT_TRUE(car.off_deg() > 3);
  for (int i = 0; i < 600; ++i) car.check.travelled(motion);
  TEST_ASSERT_EQUAL_DOUBLE(0, car.off_deg());
}

TEST(pictures_too_small_and_lenses_out_of_the_picture_say_nothing) {
  Camera outside = camera();
  outside.center_x = -5;
  for (const AimCheck& made :
       {AimCheck{camera(), 8, 8}, AimCheck{outside, kWidth, kHeight}, AimCheck{camera(), 0, 0}}) {
    AimCheck check = made;
    const std::vector<std::uint8_t> grey(std::size_t{kWidth} * kHeight, 9);
    for (int i = 1; i < 40; ++i)
      check.update({grey.data(), 8, 8, 8}, milliseconds{33 * i}, ego::VehicleMotion{});
    TEST_ASSERT_EQUAL_DOUBLE(0, check.off());
  }
}

}  // namespace
