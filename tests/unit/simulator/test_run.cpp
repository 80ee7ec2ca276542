// SPDX-License-Identifier: Apache-2.0
// A firmware in a scenario: the product on the scenario's clock, and the stand-ins.
#include "tools/simulator/run/run.hpp"

#include <string>

#include "firmware/can/codec.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/plain_painter.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/simulator/crossing.hpp"
#include "tools/simulator/run/camera_faults.hpp"
#include "tools/simulator/run/car.hpp"

using namespace kerb;
using namespace kerb::sim;
using kerb::sim::test::crossing;

namespace {

using Kind = FaultSpec::Kind;

Scenario with_fault(Kind kind, double amount, double from = 2, double to = 3) {
  Scenario s = crossing();
  s.people.clear();
  s.criteria = {};
  s.criteria.fault_told_within_s = 0.8;
  s.seconds = 6.2;
  s.camera.rate_hz = 15;
  s.faults = {{kind, from, to, amount}};
  return s;
}

Run run(const Scenario& scenario, Candidate candidate) {
  RunOptions options;
  options.candidate = candidate;
  options.painter = kerb::test::make_plain_painter;
  options.config.vision_backend = VisionBackend::cpu;
  options.config.vision_threads = 1;
  options.config.detector.enabled = false;
  options.config.flow.enabled = !scenario.people.empty();
  FakeLog log;
  Result<Run> done = run_scenario(scenario, options, log);
  if (!done) TEST_FAIL_MESSAGE(describe(done.error()).c_str());
  return std::move(*done);
}

std::string failures(const Run& run) {
  std::string text;
  for (const Verdict& verdict : run.judgement.verdicts)
    if (!verdict.passed) text += verdict.rule + ": " + verdict.reason + "; ";
  return text;
}

TEST(the_oracle_warns_in_time) {
  const Run r = run(crossing(), Candidate::oracle);
  TEST_ASSERT_TRUE_MESSAGE(r.judgement.passed(), failures(r).c_str());
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 2.4, *r.judgement.warned_before_impact);
  TEST_ASSERT_EQUAL_INT(0, r.pictures);
}

TEST(who_always_warns_warns_too_early) {
  const Run r = run(crossing(), Candidate::always);
  TEST_ASSERT_EQUAL_STRING(
      "collision_warning_not_too_early: collision warning 3.80 s before impact: more than 3.50 is "
      "a false alarm; ",
      failures(r).c_str());
}

TEST(who_never_warns_misses_the_impact) {
  const Run r = run(crossing(), Candidate::never);
  TEST_ASSERT_EQUAL_STRING(
      "collision_warning_before_impact: no collision warning before the impact at 4.00 s, required "
      "1.50 s before impact; ",
      failures(r).c_str());
}

TEST(the_product_runs_to_the_end_and_is_well) {
  const Run r = run(crossing(), Candidate::product);
  TEST_ASSERT_EQUAL_INT(150, r.pictures);  // 30 a second; the last one's result is not known yet
  const Sent& sent = r.judgement.sent;
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(sent.states.size()));
  TEST_ASSERT_EQUAL_STRING("STARTING", name_of(sent.states[0].health.state));
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(sent.states[1].health.state));
  for (const Verdict& verdict : r.judgement.verdicts)
    if (verdict.rule != "collision_warning_before_impact")
      TEST_ASSERT_TRUE_MESSAGE(verdict.passed, verdict.reason.c_str());
}

TEST(two_runs_of_the_product_send_the_same_bytes_at_the_same_time) {
  Scenario s = with_fault(Kind::camera_silent, 1);
  s.people = crossing().people;
  s.seconds = 4;
  const std::string first = render_trace(run(s, Candidate::product).trace);
  for (int i = 0; i < 2; ++i)
    TEST_ASSERT_TRUE(first == render_trace(run(s, Candidate::product).trace));
  TEST_ASSERT_TRUE(first.size() > 1000);
}

struct FaultCase {
  Kind kind;
  double amount;
};

/// Those that show in a plain picture: dirt and a knock need a view.
TEST(the_product_tells_the_faults_it_knows_and_recovers) {
  for (const FaultCase& c :
       {FaultCase{Kind::camera_blinded, 1}, FaultCase{Kind::camera_frozen, 1},
        FaultCase{Kind::camera_dark, 1}, FaultCase{Kind::camera_silent, 1},
        FaultCase{Kind::signals_lost, 1}, FaultCase{Kind::signals_stuck, 1},
        FaultCase{Kind::signals_late, 0.5}, FaultCase{Kind::signals_implausible, 400}}) {
    const Run r = run(with_fault(c.kind, c.amount), Candidate::product);
    TEST_ASSERT_TRUE_MESSAGE(r.judgement.passed(),
                             (std::string{name_of(c.kind)} + ": " + failures(r)).c_str());
  }
}

/// What the suite `faults` asks for, of those that show in a plain picture.
TEST(the_product_tells_most_faults_within_300_ms) {
  for (const FaultCase& c : {FaultCase{Kind::camera_blinded, 1}, FaultCase{Kind::camera_dark, 1},
                             FaultCase{Kind::camera_silent, 1}, FaultCase{Kind::signals_lost, 1},
                             FaultCase{Kind::signals_stuck, 1}, FaultCase{Kind::signals_late, 0.5},
                             FaultCase{Kind::signals_implausible, 400}})
    for (const double from : {2.0, 2.013, 2.031}) {
      Scenario s = with_fault(c.kind, c.amount, from, 3);
      s.criteria.fault_told_within_s = 0.3;
      s.camera.rate_hz = 30;
      s.seconds = 3.1;
      const Run r = run(s, Candidate::product);
      TEST_ASSERT_TRUE_MESSAGE(r.judgement.passed(),
                               (std::string{name_of(c.kind)} + ": " + failures(r)).c_str());
    }
}

/// The thread that processes pictures stands still; the one that takes them goes on.
TEST(a_vision_that_hangs_makes_nothing_of_pictures_and_then_goes_on) {
  Scenario s = with_fault(Kind::vision_hangs, 1, 2, 3);
  s.seconds = 4;
  RunOptions options;
  options.painter = kerb::test::make_plain_painter;
  options.config.vision_backend = VisionBackend::cpu;
  options.config.vision_threads = 1;
  options.config.detector.enabled = false;
  options.config.flow.enabled = false;
  FakeLog log;
  const Result<Run> first = run_scenario(s, options, log);
  TEST_ASSERT_OK(first);
  TEST_ASSERT_EQUAL_INT(60, first->pictures);  // the camera went on
  for (const Sent::State& state : first->judgement.sent.states) {
    TEST_ASSERT_FALSE_MESSAGE(state.health.cause == Cause::camera_silent, "the camera goes on");
    TEST_ASSERT_FALSE_MESSAGE(state.health.cause == Cause::over_budget, "that is no fault");
  }
  // However the threads run, the same is sent.
  const std::string sent = render_trace(first->trace);
  for (int i = 0; i < 3; ++i) {
    const Result<Run> again = run_scenario(s, options, log);
    TEST_ASSERT_OK(again);
    TEST_ASSERT_TRUE(sent == render_trace(again->trace));
  }
}

TEST(a_run_that_ends_while_vision_hangs_ends) {
  Scenario s = with_fault(Kind::vision_hangs, 1, 1, 9);
  s.seconds = 2;
  TEST_ASSERT_EQUAL_INT(30, run(s, Candidate::product).pictures);
}

TEST(a_picture_bears_a_time_that_is_off_while_the_fault_lasts) {
  Scenario s = crossing();
  s.faults = {{Kind::camera_time_jump, 1, 2, -0.5}};
  const CameraFaults faults{s, 1};
  TEST_ASSERT_EQUAL_DOUBLE(0.9, faults.stamp(0.9));
  TEST_ASSERT_EQUAL_DOUBLE(1.0, faults.stamp(1.5));
  TEST_ASSERT_EQUAL_DOUBLE(2.1, faults.stamp(2.1));
}

/// What the car says in a second, one message each 20 and 100 ms.
struct Told {
  std::vector<double> mps;
  std::vector<Gear> gears;
};
Told told_with(Kind kind) {
  Scenario s = crossing();
  s.faults = {{kind, 0.4, 0.8, 1}};
  const World world{s};
  SimClock clock;
  FakeCanWire wire;
  FakeCanBus car_bus{wire, clock}, ours{wire, clock};
  Car car{world, car_bus};
  Told told;
  for (int i = 0; i < 100; ++i) {
    clock.move_to(SimClock::of_scenario(i * 0.01));
    car.tick(i * 0.01);
    while (const Result<CanFrame> frame = ours.receive(Nanos::zero())) {
      if (const auto motion = can::decode_vehicle_motion(*frame))
        told.mps.push_back(*motion->speed_mps);
      if (const auto body = can::decode_vehicle_body(*frame)) told.gears.push_back(body->gear);
    }
  }
  return told;
}

TEST(signals_contradict_what_the_car_does_as_long_as_the_fault_lasts) {
  const Told standing = told_with(Kind::signals_standing),
             backwards = told_with(Kind::signals_reverse);
  TEST_ASSERT_EQUAL_size_t(50, standing.mps.size());
  for (std::size_t i = 0; i < standing.mps.size(); ++i) {
    TEST_ASSERT_DOUBLE_WITHIN(0.01, i >= 20 && i < 40 ? 0 : 10, standing.mps[i]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 10, backwards.mps[i]);
  }
  for (std::size_t i = 0; i < backwards.gears.size(); ++i) {
    TEST_ASSERT_EQUAL(i >= 4 && i < 8 ? Gear::reverse : Gear::drive, backwards.gears[i]);
    TEST_ASSERT_EQUAL(Gear::drive, standing.gears[i]);
  }
}

/// Missing as long as nothing comes, then late as long as it lasts, by its name.
TEST(the_product_calls_late_signals_late) {
  Scenario s = with_fault(Kind::signals_late, 0.8, 2.5, 6);
  s.seconds = 9.2;
  const Run r = run(s, Candidate::product);
  TEST_ASSERT_TRUE_MESSAGE(r.judgement.passed(), failures(r).c_str());
  bool late = false;
  for (const Sent::State& state : r.judgement.sent.states)
    if (state.health.cause == Cause::signals_late) {
      late = true;
      TEST_ASSERT_DOUBLE_WITHIN(50, 800, state.health.number);
    }
  TEST_ASSERT_TRUE(late);
}

TEST(the_oracle_tells_every_fault_and_the_others_none) {
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    const Scenario s = with_fault(static_cast<Kind>(kind), 1);
    const Run oracle = run(s, Candidate::oracle);
    TEST_ASSERT_TRUE_MESSAGE(oracle.judgement.passed(), failures(oracle).c_str());
    if (static_cast<Kind>(kind) == Kind::camera_time_jump) continue;  // need not be told
    TEST_ASSERT_FALSE(run(s, Candidate::never).judgement.passed());
    TEST_ASSERT_FALSE(run(s, Candidate::always).judgement.passed());
  }
}

TEST(a_sensor_without_a_format_is_refused_in_one_line) {
  Scenario s = crossing();
  s.camera.sensor = Sensor::bands;
  s.camera.bands = {{}, {}, {}, {}, {}};
  RunOptions options;
  options.painter = kerb::test::make_plain_painter;
  FakeLog log;
  const Result<Run> done = run_scenario(s, options, log);
  TEST_ASSERT_ERROR(Errc::unsupported, done);
}

TEST(the_cameras_mounting_is_the_scenarios) {
  Scenario s = crossing();
  s.camera.pitch_deg = 3;
  s.camera.height_m = 2.5;
  s.camera.fov_deg = 90;
  const Config config = config_for({}, s);
  TEST_ASSERT_EQUAL_DOUBLE(-3, config.cameras.front().pitch_deg);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, config.cameras.front().height_m);
  TEST_ASSERT_EQUAL_DOUBLE(90, config.cameras.front().fov_deg);
  TEST_ASSERT_EQUAL_INT(160, config.cameras.front().width);
}

}  // namespace
