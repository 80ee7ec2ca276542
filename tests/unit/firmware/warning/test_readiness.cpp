// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/readiness.hpp"

#include <set>

#include "tests/support/test.hpp"

using namespace kerb;

namespace {

ReadinessFacts well() {
  ReadinessFacts facts;
  facts.starting = false;
  facts.detector_present = true;
  facts.speed_mps = 10;
  facts.gear = Gear::drive;
  return facts;
}
void expect(Readiness expected, const ReadinessFacts& facts) {
  ReadinessJudge judge;
  TEST_ASSERT_EQUAL_STRING(name_of(expected), name_of(judge.step(facts)));
}

TEST(where_the_view_is_too_short_it_says_so_instead_of_ready) {
  ReadinessFacts facts = well();
  facts.speed_mps = 14;
  facts.view = ViewReport{true, 12, 2, 45, ViewLimit::light};
  ReadinessJudge judge;
  const auto after = [&](int ms) {
    Readiness told = Readiness::starting;
    for (int i = 0; i < ms / 10; ++i) {
      facts.now += std::chrono::milliseconds{10};
      told = judge.step(facts);
    }
    return told;
  };
  TEST_ASSERT_TRUE(after(400) == Readiness::ready);
  TEST_ASSERT_TRUE(after(400) == Readiness::limited_view);
  // Whatever stops warnings comes first.
  facts.switched_off = true;
  TEST_ASSERT_TRUE(after(10) == Readiness::switched_off);
  facts.switched_off = false;
  TEST_ASSERT_TRUE(after(10) == Readiness::limited_view);
  facts.view->distance_m = 44;
  TEST_ASSERT_TRUE(after(1900) == Readiness::limited_view);
  TEST_ASSERT_TRUE(after(300) == Readiness::ready);
}

TEST(all_well_is_ready_standing_or_driving) {
  ReadinessFacts facts = well();
  for (const double kmh : {0.0, 1.0, 30.0, 80.0, 81.9}) {
    facts.speed_mps = kmh / 3.6;
    expect(Readiness::ready, facts);
  }
  facts.gear.reset();  // whoever does not tell the gear is not reversing
  expect(Readiness::ready, facts);
}

TEST(each_reason_is_named) {
  ReadinessFacts facts = well();
  facts.switched_off = true;
  expect(Readiness::switched_off, facts);
  facts = well();
  facts.starting = true;
  expect(Readiness::starting, facts);
  facts = well();
  facts.failed = true;
  expect(Readiness::not_active, facts);
  facts = well();
  facts.detector_present = false;
  expect(Readiness::no_detector, facts);
  facts = well();
  facts.speed_mps.reset();
  expect(Readiness::no_speed, facts);
  facts = well();
  facts.speed_mps = 82.1 / 3.6;
  expect(Readiness::too_fast, facts);
  facts = well();
  facts.gear = Gear::reverse;
  expect(Readiness::reversing, facts);
  facts = well();
  facts.gear.reset();
  facts.speed_mps = -1;
  expect(Readiness::reversing, facts);
}

TEST(of_several_reasons_the_first_is_named) {
  ReadinessFacts facts;  // starting, no detector, no speed
  facts.switched_off = true;
  expect(Readiness::switched_off, facts);
  facts.switched_off = false;
  expect(Readiness::starting, facts);
  facts.starting = false;
  facts.failed = true;
  expect(Readiness::no_detector, facts);
  facts.detector_present = true;
  expect(Readiness::not_active, facts);
  facts.failed = false;
  expect(Readiness::no_speed, facts);
}

TEST(too_fast_begins_above_82_and_ends_at_80) {
  ReadinessJudge judge;
  ReadinessFacts facts = well();
  const auto at = [&](double kmh) {
    facts.speed_mps = kmh / 3.6;
    return judge.step(facts);
  };
  TEST_ASSERT_TRUE(at(81.9) == Readiness::ready);
  TEST_ASSERT_TRUE(at(82.1) == Readiness::too_fast);
  TEST_ASSERT_TRUE(at(80.5) == Readiness::too_fast);
  TEST_ASSERT_TRUE(at(79.9) == Readiness::ready);
  TEST_ASSERT_TRUE(at(81.9) == Readiness::ready);
}

TEST(a_car_that_rolls_back_a_little_is_not_reversing) {
  ReadinessJudge judge;
  ReadinessFacts facts = well();
  const auto at = [&](double mps) {
    facts.speed_mps = mps;
    return judge.step(facts);
  };
  TEST_ASSERT_TRUE(at(-0.2) == Readiness::ready);
  TEST_ASSERT_TRUE(at(-0.5) == Readiness::reversing);
  TEST_ASSERT_TRUE(at(-0.2) == Readiness::reversing);
  TEST_ASSERT_TRUE(at(0) == Readiness::ready);
}

TEST(the_causes_that_stop_warnings_and_no_others) {
  const std::set<Cause> stops{Cause::camera_silent, Cause::camera_no_signal,  Cause::camera_gone,
                              Cause::camera_frozen, Cause::camera_blinded,    Cause::camera_dark,
                              Cause::camera_dirty,  Cause::camera_misaligned, Cause::vision_failed,
                              Cause::vision_stalled};
  for (int i = 0; i < kCauseCount; ++i) {
    const Cause cause = static_cast<Cause>(i);
    TEST_ASSERT_TRUE_MESSAGE(stops_warnings(cause) == stops.contains(cause), name_of(cause));
  }
}

TEST(what_a_monitor_knows_is_taken_not_the_worst_alone) {
  const Nanos now = std::chrono::seconds{10};
  HealthMonitor monitor{std::chrono::seconds{5}, std::chrono::seconds{1}};
  monitor.frames_flow();
  const auto readiness = [&](int cameras) {
    ReadinessFacts facts = well();
    take_health(monitor, monitor.evaluate(now), cameras, facts);
    ReadinessJudge judge;
    return judge.step(facts);
  };
  TEST_ASSERT_TRUE(readiness(1) == Readiness::ready);
  monitor.report(Cause::flow_missing, PartState::degraded, 1, now - std::chrono::seconds{3});
  monitor.report(Cause::output_refused, PartState::degraded, 5, now - std::chrono::seconds{2});
  TEST_ASSERT_TRUE(readiness(1) == Readiness::ready);  // degraded, and warns all the same
  monitor.report(Cause::camera_blinded, PartState::degraded, 250, now);
  TEST_ASSERT_TRUE(monitor.evaluate(now).cause == Cause::flow_missing);  // it has lasted longest
  TEST_ASSERT_TRUE(readiness(1) == Readiness::not_active);
}

TEST(one_camera_that_sees_is_enough) {
  const Nanos now = std::chrono::seconds{10};
  HealthMonitor monitor{std::chrono::seconds{5}, std::chrono::seconds{1}};
  monitor.frames_flow();
  monitor.report(Cause::camera_frozen, PartState::degraded, 500, now, 1);
  ReadinessFacts facts = well();
  take_health(monitor, monitor.evaluate(now), 2, facts);
  expect(Readiness::ready, facts);
  TEST_ASSERT_TRUE(ReadinessJudge::sees(facts, 0));
  TEST_ASSERT_FALSE(ReadinessJudge::sees(facts, 1));
  TEST_ASSERT_FALSE(ReadinessJudge::sees(facts, 2));
  TEST_ASSERT_FALSE(ReadinessJudge::sees(facts, -1));
  monitor.report(Cause::camera_dark, PartState::degraded, 1, now, 0);
  take_health(monitor, monitor.evaluate(now), 2, facts);
  expect(Readiness::not_active, facts);
}

TEST(a_camera_that_failed_does_not_count_and_the_others_do) {
  const Nanos now = std::chrono::seconds{10};
  // One that stops warnings by itself, and one that does so only when it is a failure.
  for (const Cause cause : {Cause::vision_failed, Cause::camera_gone, Cause::camera_damaged}) {
    HealthMonitor monitor{std::chrono::seconds{5}, std::chrono::seconds{1}, 2};
    monitor.frames_flow();
    monitor.report(cause, PartState::failed, 1, now, 1);
    ReadinessFacts facts = well();
    take_health(monitor, monitor.evaluate(now), 2, facts);
    expect(Readiness::ready, facts);
    TEST_ASSERT_TRUE(ReadinessJudge::sees(facts, 0));
    TEST_ASSERT_FALSE(ReadinessJudge::sees(facts, 1));
    monitor.report(Cause::camera_dark, PartState::degraded, 1, now, 0);
    take_health(monitor, monitor.evaluate(now), 2, facts);
    expect(Readiness::not_active, facts);
  }
}

TEST(every_readiness_has_a_name) {
  std::set<std::string> names;
  for (int i = 0; i < kReadinessCount; ++i) names.insert(name_of(static_cast<Readiness>(i)));
  TEST_ASSERT_EQUAL(kReadinessCount, names.size());
}

}  // namespace
