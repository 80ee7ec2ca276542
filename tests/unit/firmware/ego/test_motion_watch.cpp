// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/motion_watch.hpp"

#include "hal/fake/flow_estimator.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/firmware/ego/scene.hpp"

using namespace kerb;
using namespace kerb::ego;
using namespace kerb::ego::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

void setUp() {}
void tearDown() {}

namespace {

struct Bench {
  FakeFlowEstimator* flow;
  MotionWatch watch;
  Nanos now = seconds{100};
  explicit Bench(MotionWatchSettings settings = {})
      : Bench{std::make_unique<FakeFlowEstimator>(), settings} {}
  Result<bool> frame(Nanos after = milliseconds{33}) {
    now += after;
    return watch.measure({}, now);
  }

 private:
  Bench(std::unique_ptr<FakeFlowEstimator> fake, const MotionWatchSettings& settings)
      : flow{fake.get()}, watch{std::move(fake), Street{}.camera, {}, settings} {}
};

void test_people_of_a_scene_are_judged_in_their_order() {
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

void test_after_a_gap_or_a_jump_back_in_time_it_starts_anew() {
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

void test_a_failing_flow_is_told_and_the_next_frame_starts_anew() {
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

void test_a_flow_that_takes_too_long_leaves_frames_out_but_never_for_long() {
  MotionWatchSettings settings;
  settings.flow_budget = milliseconds{5};
  Bench b{settings};
  int looked = 0;
  Nanos last{}, longest{};
  for (int i = 0; i < 300; ++i) {
    const Result<bool> measured = b.frame();
    TEST_ASSERT_OK(measured);
    if (!*measured) continue;
    ++looked;
    if (last > Nanos::zero()) longest = std::max(longest, b.now - last);
    last = b.now;
    b.watch.spent(milliseconds{12});  // of a budget of five
  }
  // 12 ms once in 2.4 frames of 5 ms.
  TEST_ASSERT_INT_WITHIN(15, 125, looked);
  TEST_ASSERT_LESS_OR_EQUAL_INT64(153, std::chrono::duration_cast<milliseconds>(longest).count());
  // Fast again: every frame.
  for (int i = 0; i < 20; ++i) {
    if (const Result<bool> measured = b.frame(); *measured) b.watch.spent(milliseconds{1});
  }
  for (int i = 0; i < 20; ++i) {
    const Result<bool> measured = b.frame();
    TEST_ASSERT_TRUE(*measured);
    b.watch.spent(milliseconds{1});
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_people_of_a_scene_are_judged_in_their_order);
  RUN_TEST(test_after_a_gap_or_a_jump_back_in_time_it_starts_anew);
  RUN_TEST(test_a_failing_flow_is_told_and_the_next_frame_starts_anew);
  RUN_TEST(test_a_flow_that_takes_too_long_leaves_frames_out_but_never_for_long);
  return UNITY_END();
}
