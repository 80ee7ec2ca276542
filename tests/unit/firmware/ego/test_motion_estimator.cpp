// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/motion_estimator.hpp"

#include "hal/fake/flow_estimator.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/scene.hpp"

using namespace kerb;
using namespace kerb::ego;
using namespace kerb::ego::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

struct Bench {
  FakeFlowEstimator* flow;
  MotionEstimator watch;
  Nanos now = seconds{100};
  explicit Bench(MotionEstimatorSettings settings = {})
      : Bench{std::make_unique<FakeFlowEstimator>(), settings} {}
  Result<bool> frame(Nanos after = milliseconds{33}) {
    now += after;
    return watch.measure({}, now);
  }

 private:
  Bench(std::unique_ptr<FakeFlowEstimator> fake, const MotionEstimatorSettings& settings)
      : flow{fake.get()}, watch{std::move(fake), Street{}.camera, {}, settings} {}
};

TEST(people_of_a_scene_are_judged_in_their_order) {
  Bench b;
  Street s;
  s.things = {person(-2, 10, {1.4, 0, 0}), person(3, 14)};
  Drive d;
  d.speed = 0;
  d.dt = 0.033;
  b.flow->scene = [&](MotionField& field) { fill(s, d, 5, field); };
  const auto report = std::make_unique<MotionReport>();
  DetectionList people;
  for (const Thing& t : s.things) {
    const Region r = box_of(s, d, t);
    people.items[people.count++] = {static_cast<float>(r.x), static_cast<float>(r.y),
                                    static_cast<float>(r.w), static_cast<float>(r.h), 1};
  }
  const Result<bool> first = b.frame();
  TEST_ASSERT_OK(first);
  TEST_ASSERT_TRUE(*first);
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_EQUAL_STRING("no_previous", name_of(report->ego.state));
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_EQUAL_STRING("valid", name_of(report->ego.state));
  TEST_ASSERT_EQUAL_INT64(b.now.count(), report->at.count());
  TEST_ASSERT_EQUAL_INT(2, report->people);
  TEST_ASSERT_EQUAL_STRING("moving", name_of(report->of[0].verdict));
  TEST_ASSERT_EQUAL_STRING("standing", name_of(report->of[1].verdict));
  TEST_ASSERT_EQUAL_FLOAT(people.items[1].x, report->boxes[1].x);
  TEST_ASSERT_EQUAL_UINT64(2, report->totals.frames);
  TEST_ASSERT_EQUAL_UINT64(1, report->totals.valid);
  TEST_ASSERT_EQUAL_UINT64(1, report->totals.moving);
  TEST_ASSERT_EQUAL_UINT64(1, report->totals.standing);
  TEST_ASSERT_EQUAL_UINT64(2, report->totals.unknown);
}

TEST(after_a_gap_or_a_jump_back_in_time_it_starts_anew) {
  Bench b;
  TEST_ASSERT_OK(b.frame());
  TEST_ASSERT_OK(b.frame());
  const int before = b.flow->forgotten;
  TEST_ASSERT_OK(b.frame(milliseconds{100}));
  TEST_ASSERT_EQUAL_INT(before, b.flow->forgotten);
  TEST_ASSERT_OK(b.frame(milliseconds{400}));
  TEST_ASSERT_EQUAL_INT(before + 1, b.flow->forgotten);
  TEST_ASSERT_OK(b.frame(-seconds{10}));
  TEST_ASSERT_EQUAL_INT(before + 2, b.flow->forgotten);
}

TEST(a_failing_flow_is_told_and_the_next_frame_starts_anew) {
  Bench b;
  TEST_ASSERT_OK(b.frame());
  b.flow->fail_next = Error{Errc::device, 700, "launch"};
  const Result<bool> failed = b.frame();
  TEST_ASSERT_FALSE(failed);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Errc::device), static_cast<int>(failed.error().code));
  const auto report = std::make_unique<MotionReport>();
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({}, {}, *report);
  TEST_ASSERT_EQUAL_STRING("no_previous", name_of(report->ego.state));
}

/// Drives a camera of 30 Hz for a while with a flow that takes `look`, of a budget of 5 ms.
struct Pace {
  int looked = 0, kept = 0, frames = 0;
  Nanos spent{}, longest_pair{}, longest_pause{};
};
Pace drive_at(Bench& b, Nanos look, Nanos duration, Nanos keep = Nanos::zero()) {
  Pace out;
  const auto report = std::make_unique<MotionReport>();
  Nanos last{};
  for (const Nanos end = b.now + duration; b.now < end; ++out.frames) {
    const int calls = b.flow->calls;
    const Result<bool> measured = b.frame(milliseconds{33});
    TEST_ASSERT_OK(measured);
    if (*measured) {
      b.watch.judge({0.0, 0.0}, {}, *report);
      out.longest_pair = std::max(out.longest_pair, b.watch.to() - b.watch.from());
      if (last > Nanos::zero()) out.longest_pause = std::max(out.longest_pause, b.now - last);
      last = b.now;
      ++out.looked;
      out.spent += look;
      b.watch.spent(look);
    } else {
      const bool was_kept = b.flow->calls > calls;
      if (was_kept) ++out.kept;
      out.spent += was_kept ? keep : Nanos::zero();
      b.watch.spent(was_kept ? keep : Nanos::zero());
    }
  }
  return out;
}

MotionEstimatorSettings with_budget(Nanos budget) {
  MotionEstimatorSettings settings;
  settings.flow_budget = budget;
  settings.frame_interval = milliseconds{33};
  return settings;
}

TEST(a_flow_takes_no_more_than_its_share_of_the_time) {
  for (const int look : {3, 5, 12, 40, 100, 140}) {
    Bench b{with_budget(milliseconds{5})};
    const Pace pace = drive_at(b, milliseconds{look}, seconds{20}, milliseconds{1});
    const double share = std::chrono::duration<double>(pace.spent) / seconds{20};
    TEST_ASSERT_TRUE(share < 5.0 / 33 * 1.05);  // one look more at the end
    if (look >= 5) TEST_ASSERT_TRUE(share > 5.0 / 33 * 0.75);
    if (look <= 5) TEST_ASSERT_EQUAL_INT(pace.frames, pace.looked);
    // The two frames compared are close together, however long the pause was.
    TEST_ASSERT_LESS_OR_EQUAL_INT64(Nanos{milliseconds{132}}.count(), pace.longest_pair.count());
    if (look >= 40) TEST_ASSERT_INT_WITHIN(1, pace.looked, pace.kept);
    TEST_ASSERT_LESS_OR_EQUAL_INT64(Nanos{milliseconds{1050}}.count(), pace.longest_pause.count());
    TEST_ASSERT_FALSE(b.watch.too_slow());
  }
}

TEST(what_was_learned_outlasts_a_pause_of_its_own) {
  Bench b{with_budget(milliseconds{5})};
  const auto report = std::make_unique<MotionReport>();
  static_cast<void>(drive_at(b, milliseconds{60}, seconds{5}));
  const int forgotten = b.flow->forgotten;
  const Pace pace = drive_at(b, milliseconds{60}, seconds{5});
  TEST_ASSERT_EQUAL_INT(pace.kept, b.flow->forgotten - forgotten);  // no reset but for the pauses
  // Nobody is told of a frame that was only kept: no report says no_previous.
  for (int i = 0; i < 100; ++i) {
    const Result<bool> measured = b.frame();
    if (!*measured) continue;
    b.watch.judge({}, {}, *report);
    TEST_ASSERT_TRUE(report->ego.state != EgoState::no_previous);
    b.watch.spent(milliseconds{60});
  }
}

TEST(fast_again_it_looks_at_every_frame) {
  Bench b{with_budget(milliseconds{5})};
  static_cast<void>(drive_at(b, milliseconds{12}, seconds{5}));
  static_cast<void>(drive_at(b, milliseconds{1}, seconds{1}));
  const Pace pace = drive_at(b, milliseconds{1}, seconds{1});
  TEST_ASSERT_EQUAL_INT(pace.frames, pace.looked);
}

TEST(less_than_a_look_a_second_is_none_and_it_says_so) {
  Bench b{with_budget(milliseconds{5})};
  const Pace slow = drive_at(b, milliseconds{400}, seconds{60});  // one in 2.6 s at this share
  TEST_ASSERT_TRUE(b.watch.too_slow());
  TEST_ASSERT_EQUAL_INT64(Nanos{milliseconds{400}}.count(), b.watch.measurement_time().count());
  TEST_ASSERT_LESS_OR_EQUAL_INT(8, slow.looked);  // it did not go on
  MotionReport report;
  b.watch.report_too_slow(b.now, report);
  TEST_ASSERT_EQUAL_STRING("too_slow", name_of(report.ego.state));
  TEST_ASSERT_EQUAL_INT64(b.now.count(), report.at.count());
  // After ever longer rests it tries again, once each; when that is fast it stays.
  static_cast<void>(drive_at(b, milliseconds{400}, std::chrono::minutes{10}));
  const Pace rested = drive_at(b, milliseconds{400}, std::chrono::minutes{16});
  TEST_ASSERT_EQUAL_INT(3, rested.looked);
  TEST_ASSERT_TRUE(b.watch.too_slow());
  static_cast<void>(drive_at(b, milliseconds{2}, std::chrono::minutes{6}));
  TEST_ASSERT_FALSE(b.watch.too_slow());
  const Pace again = drive_at(b, milliseconds{2}, seconds{1});
  TEST_ASSERT_EQUAL_INT(again.frames, again.looked);
}

TEST(slow_only_at_the_start_it_looks_soon) {
  Bench b{with_budget(milliseconds{5})};
  b.watch.expect(milliseconds{400});
  TEST_ASSERT_TRUE(b.watch.too_slow());
  static_cast<void>(drive_at(b, milliseconds{2}, seconds{6}));
  TEST_ASSERT_FALSE(b.watch.too_slow());
  const Pace pace = drive_at(b, milliseconds{2}, seconds{1});
  TEST_ASSERT_EQUAL_INT(pace.frames, pace.looked);
}

TEST(a_frame_that_was_kept_is_compared_with_the_next) {
  for (const int keep : {2, 12, 16, 40})
    for (const int look : {20, 60, 80}) {
      Bench b{with_budget(milliseconds{4})};
      const Pace pace = drive_at(b, milliseconds{look}, seconds{30}, milliseconds{keep});
      TEST_ASSERT_TRUE(pace.looked > 10 || b.watch.too_slow());
      TEST_ASSERT_TRUE(pace.kept <= pace.looked + 1);
    }
}

TEST(a_stall_is_not_made_up_for_by_minutes_without_motion) {
  Bench b{with_budget(milliseconds{4})};
  static_cast<void>(drive_at(b, milliseconds{2}, seconds{1}));
  TEST_ASSERT_TRUE(*b.frame());
  b.watch.spent(seconds{20});
  const Pace after = drive_at(b, milliseconds{2}, seconds{3});
  TEST_ASSERT_TRUE(after.looked > after.frames / 2);
}

TEST(one_hiccup_is_not_slowness) {
  Bench b{with_budget(milliseconds{5})};
  static_cast<void>(drive_at(b, milliseconds{2}, seconds{1}));
  for (int i = 0; i < 3; ++i) {
    TEST_ASSERT_TRUE(*b.frame());
    b.watch.spent(milliseconds{300});
    static_cast<void>(drive_at(b, milliseconds{2}, seconds{4}));
    TEST_ASSERT_FALSE(b.watch.too_slow());
  }
}

TEST(what_is_far_too_slow_is_not_even_begun) {
  Bench b{with_budget(milliseconds{5})};
  b.watch.expect(milliseconds{100});  // fast enough
  TEST_ASSERT_FALSE(b.watch.too_slow());
  b.watch.expect(milliseconds{700});
  TEST_ASSERT_TRUE(b.watch.too_slow());
  TEST_ASSERT_EQUAL_INT(0, drive_at(b, milliseconds{700}, seconds{4}).looked);
  TEST_ASSERT_EQUAL_INT(0, b.flow->calls);
  Bench always;  // no budget, no limit
  always.watch.expect(seconds{7});
  TEST_ASSERT_FALSE(always.watch.too_slow());
}

TEST(frames_that_come_slowly_are_compared_all_the_same) {
  Bench b{with_budget(milliseconds{5})};
  TEST_ASSERT_OK(b.frame());
  for (int i = 0; i < 10; ++i) {  // a camera of 5 Hz, or a detector that takes so long
    TEST_ASSERT_TRUE(*b.frame(milliseconds{200}));
    b.watch.spent(milliseconds{5});
    TEST_ASSERT_EQUAL_INT64(Nanos{milliseconds{200}}.count(),
                            (b.watch.to() - b.watch.from()).count());
  }
}

// Few vectors of the picture's own lie on somebody who is far: looking closer finds those who move.
TEST(it_looks_closer_at_people) {
  Bench b;
  b.flow->scene = [](MotionField& field) {  // nothing moves, and nothing is seen of the person
    field.count = 0;
    for (int i = 0; i < 600; ++i) {
      const auto x = static_cast<float>(i % 30) * 42, y = static_cast<float>(i / 30) * 36;
      if (x < 380 || x > 480 || y < 280 || y > 480) field.items[field.count++] = {x, y, 0, 0, 1};
    }
  };
  DetectionList people;
  people.items[people.count++] = {400, 300, 60, 150, 1};
  const auto report = std::make_unique<MotionReport>();
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_EQUAL_STRING("unknown", name_of(report->of[0].verdict));
  TEST_ASSERT_EQUAL_INT(0, report->of[0].points);
  TEST_ASSERT_EQUAL_INT(2, b.flow->closer_calls);
  TEST_ASSERT_EQUAL_INT(1, b.flow->closer_boxes);
  b.flow->closer = 30;
  b.flow->closer_dx = 6;
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_EQUAL_STRING("moving", name_of(report->of[0].verdict));
  TEST_ASSERT_GREATER_THAN_INT(10, report->of[0].points);
  TEST_ASSERT_FLOAT_WITHIN(0.5F, 6, report->of[0].rx);
  TEST_ASSERT_EQUAL_INT(40, b.flow->closer_asked);
  b.flow->closer_dx = 0;
  TEST_ASSERT_OK(b.frame());
  b.watch.judge({0.0, 0.0}, people, *report);
  TEST_ASSERT_EQUAL_STRING("standing", name_of(report->of[0].verdict));
}

}  // namespace
