// SPDX-License-Identifier: Apache-2.0
#include "firmware/visibility/view_estimator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

constexpr double kBumper_m = 3.6;
constexpr Nanos kFrame = milliseconds{40};

ViewMeasurement night(double distance_m, double spread = 0.25) {
  return {true, 45, distance_m, spread, 2000, 1, 7, ViewLimit::light};
}
ViewMeasurement day() { return {true, 45, 45, 0.05, 2000, 1, 1.5, ViewLimit::size}; }

/// An estimator and what it is shown.
struct Bench {
  ViewReport run(double seconds, const ViewMeasurement& measured) {
    ViewReport report;
    for (const Nanos end = now + Nanos{std::llround(seconds * 1e9)}; now < end; now += kFrame)
      report = estimator.step(now, measured, *people, true);
    return report;
  }
  /// A confirmed person so far ahead of the bumper.
  track::Person& add(double ahead_m, bool seen, float x = 600) {
    track::Person& person = people->items[people->count++];
    person = {};
    person.x_m = ahead_m + kBumper_m;
    person.confirmed = true;
    person.seen = seen;
    const auto tall = static_cast<float>(1100 * 1.7 / (ahead_m + 2));
    person.box = {x, 340, 0.4f * tall, std::min(tall, 300.0f), 5};
    return person;
  }
  Camera camera;
  ViewEstimator estimator{camera, kBumper_m};
  std::unique_ptr<track::PersonList> people = std::make_unique<track::PersonList>();
  Nanos now = milliseconds{1000};
};

TEST(without_people_it_is_the_pictures_distance) {
  Bench bench;
  const ViewReport report = bench.run(3, night(14));
  TEST_ASSERT_TRUE(report.known);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 14, report.distance_m);
  TEST_ASSERT_DOUBLE_WITHIN(1, 0.25 * 14, report.sigma_m);
  TEST_ASSERT_EQUAL_DOUBLE(45, report.clear_m);
  TEST_ASSERT_TRUE(report.limit == ViewLimit::light);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 45, Bench{}.run(3, day()).distance_m);
}

TEST(it_follows_the_pictures_within_seconds_and_no_single_one) {
  Bench bench;
  bench.run(2, night(40, 0.1));
  TEST_ASSERT_TRUE(bench.run(0.04, night(5, 0.1)).distance_m > 35);
  TEST_ASSERT_TRUE(bench.run(0.3, night(10, 0.1)).distance_m > 20);
  TEST_ASSERT_DOUBLE_WITHIN(1, 10, bench.run(5, night(10, 0.1)).distance_m);
}

TEST(people_who_are_not_found_again_shorten_the_view) {
  Bench bench;
  bench.add(12, false);
  const ViewReport report = bench.run(4, night(14));
  TEST_ASSERT_TRUE(report.distance_m < 12.5);
  TEST_ASSERT_TRUE(report.limit == ViewLimit::people);
  // They count for some ten seconds.
  bench.people->count = 0;
  TEST_ASSERT_DOUBLE_WITHIN(0.7, 14, bench.run(40, night(14)).distance_m);
}

TEST(people_who_are_found_farther_away_lengthen_it_a_little) {
  Bench bench;
  bench.add(20, true);
  const double seen = bench.run(4, night(14)).distance_m;
  TEST_ASSERT_TRUE(seen > 14.7);
  TEST_ASSERT_TRUE(seen < 21);  // their clothes may be light
}

TEST(in_daylight_people_who_are_lost_say_little) {
  Bench bench;
  for (const double ahead : {15.0, 20.0, 28.0, 35.0})
    bench.add(ahead, false, static_cast<float>(100 + 20 * ahead));
  TEST_ASSERT_TRUE(bench.run(10, day()).distance_m > 0.85 * 45);
}

TEST(who_is_hidden_outside_or_not_confirmed_does_not_count) {
  const double alone = Bench{}.run(4, night(14)).distance_m;
  Bench hidden;
  hidden.add(12, false);
  hidden.add(8, false).confirmed = false;  // stands before them
  TEST_ASSERT_EQUAL_DOUBLE(alone, hidden.run(4, night(14)).distance_m);
  Bench outside;
  outside.add(12, false, 1260);
  TEST_ASSERT_EQUAL_DOUBLE(alone, outside.run(4, night(14)).distance_m);
  Bench beside;
  beside.add(12, false).y_m = 9;
  TEST_ASSERT_EQUAL_DOUBLE(alone, beside.run(4, night(14)).distance_m);
}

TEST(what_is_not_measured_is_not_known) {
  Bench bench;
  bench.run(1, night(14));
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  TEST_ASSERT_FALSE(bench.run(0.04, ViewMeasurement{}).known);
  TEST_ASSERT_FALSE(bench.run(0.04, night(kNan)).known);
  TEST_ASSERT_FALSE(bench.run(0.04, night(14, kNan)).known);
  TEST_ASSERT_FALSE(bench.run(0.04, night(-1)).known);
  // And then it begins again: nothing of before.
  TEST_ASSERT_DOUBLE_WITHIN(0.8, 30, bench.run(0.04, night(30)).distance_m);
}

TEST(its_state_survives_a_record) {
  Bench a, b;
  a.add(12, false);
  a.run(3, night(14));
  std::vector<std::byte> bytes(4096);
  FieldWriter out{bytes};
  a.estimator.save(out);
  TEST_ASSERT_TRUE(out.ok());
  FieldReader in{std::span<const std::byte>{bytes}.first(out.size())};
  b.estimator.load(in);
  TEST_ASSERT_TRUE(in.complete());
  b.now = a.now;
  b.add(12, false);
  const ViewReport there = a.run(1, night(13)), here = b.run(1, night(13));
  TEST_ASSERT_EQUAL_MEMORY(&there.distance_m, &here.distance_m, sizeof(double));
  TEST_ASSERT_EQUAL_MEMORY(&there.sigma_m, &here.sigma_m, sizeof(double));
  // Bytes that make no sense are refused.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(bytes.data() + 1 + 8, &nan, sizeof nan);  // behind `known` and `at`
  FieldReader wrong{std::span<const std::byte>{bytes}.first(out.size())};
  b.estimator.load(wrong);
  TEST_ASSERT_FALSE(wrong.ok());
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 14, b.run(0.04, night(14)).distance_m);
}

TEST(a_crowd_takes_little_time_and_nothing_is_allocated) {
  Bench bench;
  for (int i = 0; i < track::PersonList::kCapacity; ++i)
    bench.add(5 + 0.5 * i, i % 2 == 0, static_cast<float>(50 + 17 * i));
  bench.run(1, night(14));
  auto best = std::chrono::steady_clock::duration::max();
  const std::uint64_t before = kerb::test::allocations();
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    bench.estimator.step(bench.now += kFrame, night(14), *bench.people, true);
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  TEST_ASSERT_EQUAL_UINT64(0, kerb::test::allocations() - before);
  const double us = std::chrono::duration<double, std::micro>(best).count();
  std::printf("view_estimator: %.1f us for 64 people\n", us);
  TEST_ASSERT_TRUE(us < 3000);  // sanitizers and emulators
}

}  // namespace
