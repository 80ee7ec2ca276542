// SPDX-License-Identifier: Apache-2.0
// A firmware in a scenario: the product on the scenario's clock, and the stand-ins.
#include "tools/simulator/run/run.hpp"

#include <string>

#include "hal/fake/log.hpp"
#include "tests/support/plain_painter.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/simulator/crossing.hpp"

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
  for (int kind = 0; kind <= static_cast<int>(Kind::signals_implausible); ++kind) {
    const Scenario s = with_fault(static_cast<Kind>(kind), 1);
    const Run oracle = run(s, Candidate::oracle);
    TEST_ASSERT_TRUE_MESSAGE(oracle.judgement.passed(), failures(oracle).c_str());
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
