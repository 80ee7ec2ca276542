// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "firmware/track/colour_appearance.hpp"
#include "firmware/track/tracker.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using test::World;
using track::Person;
using track::PersonList;
using track::Senses;
using track::Tracker;

namespace {

constexpr double kFrame = 1.0 / 30;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void assert_sound(const PersonList& people) {
  TEST_ASSERT_TRUE(people.count >= 0 && people.count <= PersonList::kCapacity);
  for (int i = 0; i < people.count; ++i) {
    const Person& p = people.items[i];
    TEST_ASSERT_TRUE(std::isfinite(p.x_m) && std::isfinite(p.y_m) && std::isfinite(p.vx_mps) &&
                     std::isfinite(p.vy_mps) && std::isfinite(p.height_m));
    for (int k = 0; k < 4; ++k) TEST_ASSERT_TRUE(p.covariance[static_cast<std::size_t>(5 * k)] > 0);
    TEST_ASSERT_TRUE(p.certainty > 0 && p.certainty < 1);
    TEST_ASSERT_TRUE(p.id > 0);
    for (int k = 0; k < i; ++k) TEST_ASSERT_TRUE(people.items[k].id != p.id);
  }
}

TEST(nobody_for_an_hour) {
  World w{1};
  w.speed = 14;
  Tracker tracker{w.camera, {}, track::make_colour_appearance()};
  const auto senses = std::make_unique<Senses>();
  const auto people = std::make_unique<PersonList>();
  w.sense(true, *senses);
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 108'000; ++i) {
    senses->captured += std::chrono::nanoseconds{33'333'333};
    tracker.step(*senses, *people);
    TEST_ASSERT_EQUAL(0, people->count);
  }
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
  // And then somebody.
  for (int i = 0; i < 4; ++i) {
    senses->captured += std::chrono::nanoseconds{33'333'333};
    senses->count = 1;
    senses->boxes[0] = {600, 300, 60, 150, 20};
    tracker.step(*senses, *people);
  }
  TEST_ASSERT_EQUAL(1, people->count);
  TEST_ASSERT_TRUE(people->items[0].confirmed);
  TEST_ASSERT_EQUAL(1, people->items[0].id);
}

TEST(impossible_boxes_are_passed_over) {
  World w{2};
  w.walkers = {{20, 0, 0, 0}};
  Tracker tracker{w.camera, {}, nullptr};
  Senses s;
  PersonList people;
  const Detection bad[] = {
      {kNan, 10, 50, 100, 20},    {10, kNan, 50, 100, 20},  {10, 10, kNan, 100, 20},
      {10, 10, 50, kNan, 20},     {10, 10, 50, 100, kNan},  {10, 10, 0, 0, 20},
      {10, 10, -50, 100, 20},     {10, 10, 50, -100, 20},   {kInfinity, 10, 50, 10, 5},
      {10, 10, 1e30F, 1e30F, 20}, {-1e9F, 10, 50, 100, 20}, {640, 0, 1280, 20000, 30},
      {600, -5000, 50, 100, 20},  {640, 710, 2, 3, 20}};
  for (int i = 0; i < 60; ++i) {
    w.sense(true, s);
    for (const Detection& b : bad) s.boxes[static_cast<std::size_t>(s.count++)] = b;
    tracker.step(s, people);
    assert_sound(people);
    w.move(kFrame);
  }
  bool there = false;
  for (int i = 0; i < people.count; ++i)
    there = there || (people.items[i].confirmed && std::abs(people.items[i].x_m - 20) < 3);
  TEST_ASSERT_TRUE(there);
}

TEST(impossible_signals_are_survived) {
  World w{3};
  w.walkers = {{20, 1, 0, 0}, {30, -2, 0, 1}};
  Tracker tracker{w.camera, {}, nullptr};
  Senses s;
  PersonList people;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double bad[] = {nan, 1e300, -1e300, std::numeric_limits<double>::infinity(), -40, 0};
  for (int i = 0; i < 300; ++i) {
    w.sense(i % 2 == 0, s);
    const double value = bad[i % 6];
    if (i % 5 != 0) s.vehicle.speed_mps = value;
    if (i % 7 != 0) s.vehicle.yaw_rate_radps = bad[i % 4];
    if (i % 3 == 0) s.yaw_rate_radps = value;
    if (i % 4 == 0) s.pitch_rad = value;
    s.pitch_sigma_rad = bad[(i + 2) % 6];
    if (i % 11 == 0) s.count = -3;
    s.followed = i % 13 == 0 ? 1000 : people.count;
    for (track::BoxFlow& f : s.flows)
      f = {i % 2 == 0 ? 9 : -4,
           i % 3 == 0 ? kNan : 1e6F,
           kInfinity,
           kNan,
           i % 5 == 0 ? 0 : kNan,
           kNan};
    tracker.step(s, people);
    assert_sound(people);
    w.move(kFrame);
  }
}

TEST(driving_backwards_is_a_negative_speed) {
  World w{4};
  w.speed = -2;
  w.walkers = {{12, 1, 0, 0}};
  w.wander = 0;
  Tracker tracker{w.camera, {}, nullptr};
  Senses s;
  PersonList people;
  for (int i = 0; i < 90; ++i) {
    w.sense(true, s);
    tracker.step(s, people);
    w.move(kFrame);
  }
  TEST_ASSERT_EQUAL(1, people.count);
  TEST_ASSERT_EQUAL(1, people.items[0].id);
  TEST_ASSERT_DOUBLE_WITHIN(0.7, 0, people.items[0].vx_mps);
}

TEST(time_that_goes_back_or_jumps_begins_anew) {
  World w{5};
  w.walkers = {{20, 0, 0, 0}};
  Tracker tracker{w.camera, {}, nullptr};
  Senses s;
  PersonList people;
  const auto run = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      w.sense(true, s);
      tracker.step(s, people);
      w.move(kFrame);
    }
  };
  run(10);
  TEST_ASSERT_TRUE(people.count == 1 && people.items[0].confirmed);
  const std::uint32_t first = people.items[0].id;
  w.now -= std::chrono::seconds{50};
  run(1);
  TEST_ASSERT_TRUE(people.count == 1 && !people.items[0].confirmed && people.items[0].id > first);
  run(10);
  TEST_ASSERT_TRUE(people.items[0].confirmed);
  w.now += std::chrono::hours{24 * 365 * 100};
  run(1);
  TEST_ASSERT_TRUE(people.count == 1 && !people.items[0].confirmed);
  tracker.step(s, people);  // the same frame again
  tracker.step(s, people);
  assert_sound(people);
  tracker.forget();
  s.count = 0;
  tracker.step(s, people);
  TEST_ASSERT_EQUAL(0, people.count);
}

TEST(impossible_calibrations_are_survived) {
  for (int k = 0; k < 6; ++k) {
    World w{6};
    Camera m = w.camera;
    if (k == 0) m.focal_px = 1e-3;
    if (k == 1) m.height_m = 0;
    if (k == 2) m.pitch_rad = 1.5;
    if (k == 3) m.k1 = -50;
    if (k == 4) m.pitch_sigma_rad = 0;
    if (k == 5) m.focal_px = 1e9;
    w.walkers = {{20, 0, 0, 0}, {15, 2, 0, 1}};
    Tracker tracker{m, {}, nullptr};
    Senses s;
    PersonList people;
    for (int i = 0; i < 30; ++i) {
      w.sense(true, s);
      tracker.step(s, people);
      assert_sound(people);
      w.move(kFrame);
    }
  }
}

/// Hundreds of detections a second that nobody caused, and people who come and go.
TEST(a_storm_of_detections_stays_sound) {
  World w{7};
  test::Dice dice{8};
  Tracker tracker{w.camera, {}, nullptr};
  const auto s = std::make_unique<Senses>();
  const auto people = std::make_unique<PersonList>();
  w.speed = 10;
  for (int i = 0; i < 300; ++i) {
    w.sense(true, *s);
    s->count = Senses::kMost;
    for (Detection& b : s->boxes) {
      const double h = 30 + 300 * dice.uniform();
      b = {static_cast<float>(1280 * dice.uniform()),
           static_cast<float>(720 * dice.uniform() - h / 2), static_cast<float>(0.4 * h),
           static_cast<float>(h), static_cast<float>(2 + 10 * dice.uniform())};
    }
    const std::uint64_t before = test::allocations();
    tracker.step(*s, *people);
    TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
    assert_sound(*people);
    w.move(kFrame);
  }
}

/// Everything that is told, as bytes.
void append(std::vector<unsigned char>& bytes, const PersonList& people) {
  const auto add = [&bytes](const auto& value) {
    const auto* from = reinterpret_cast<const unsigned char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  add(people.count);
  for (int i = 0; i < people.count; ++i) {
    const Person& p = people.items[i];
    add(p.id);
    add(p.x_m), add(p.y_m), add(p.vx_mps), add(p.vy_mps), add(p.covariance);
    add(p.height_m), add(p.height_sigma_m), add(p.certainty);
    add(p.box.x), add(p.box.y), add(p.box.w), add(p.box.h), add(p.box.score);
    add(p.confirmed), add(p.seen);
  }
}

TEST(the_same_senses_give_the_same_people_bit_for_bit) {
  World w{9};
  w.speed = 6;
  w.yaw_rate = 0.05;
  w.camera.k1 = -0.2;
  for (int i = 0; i < 12; ++i)
    w.walkers.push_back({15.0 + 3 * i, 4 - 0.7 * i, 0.2 * i, 1 - 0.2 * i});
  std::vector<Senses> told(120);
  for (Senses& s : told) {
    w.sense(w.dice.uniform() < 0.8, s);
    w.move(kFrame);
  }
  std::vector<unsigned char> runs[2];
  for (auto& bytes : runs) {
    Tracker tracker{w.camera, {}, track::make_colour_appearance()};
    PersonList people;
    for (const Senses& s : told) {
      tracker.step(s, people);
      append(bytes, people);
    }
  }
  TEST_ASSERT_EQUAL(runs[0].size(), runs[1].size());
  TEST_ASSERT_EQUAL_MEMORY(runs[0].data(), runs[1].data(), runs[0].size());
}

/// A drive told in numbers that every machine makes alike, and the people it must lead to: a
/// warning recorded in a car is judged again on a desk.
TEST(people_are_the_same_on_every_machine) {
  World w{11};
  w.speed = 9;
  w.camera.k1 = -0.2;
  w.camera.p1 = 0.001;
  w.camera.roll_rad = 0.01;
  for (int i = 0; i < 10; ++i) {
    w.walkers.push_back({18.0 + 4 * i, 5 - 1.1 * i, 0.1 * i, 0.9 - 0.2 * i, 1.2 + 0.06 * i});
    w.walkers.back().colour = 1 + i;
  }
  Tracker tracker{w.camera, {}, track::make_colour_appearance()};
  Senses s;
  PersonList people;
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<unsigned char> bytes;
  int told = 0;
  for (int i = 0; i < 90; ++i) {
    w.sense(i % 3 != 2, s);
    s.vehicle.yaw_rate_radps = 0.001 * (i % 7);
    if (i % 5 == 0) s.vehicle.yaw_rate_radps.reset();
    s.pitch_rad = 0.0005 * (i % 4);
    s.pitch_sigma_rad = 0.002;
    s.followed = people.count;
    for (int k = 0; k < people.count; ++k)
      s.flows[static_cast<std::size_t>(k)] = {
          12, 0.25F * static_cast<float>(k % 5), 0, 0.0078125F, 0.5F, 0.015625F};
    tracker.step(s, people);
    bytes.clear();
    append(bytes, people);
    for (const unsigned char b : bytes) hash = (hash ^ b) * 0x100000001b3u;
    told += people.count;
    w.move(kFrame);
  }
  TEST_ASSERT_GREATER_THAN(400, told);
  TEST_ASSERT_EQUAL_HEX64(0xBC3BF1A97E64CDDAu, hash);
}

}  // namespace
