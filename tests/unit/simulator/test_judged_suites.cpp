// SPDX-License-Identifier: Apache-2.0
// The judge judged: who warns from the truth passes every suite, who always or never warns fails
// them for the right reasons.
#include <map>
#include <set>
#include <string>

#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/report/report.hpp"
#include "tools/simulator/run/run.hpp"
#include "tools/simulator/scenario/load.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

constexpr double kLongRun = 60;  // seconds; those are for kerblab, not for a quick test

Report run_suite(const std::string& name, Candidate candidate, std::size_t every,
                 std::uint32_t seed = 0) {
  const Loaded suite = load_suite(name, seed);
  TEST_ASSERT_TRUE_MESSAGE(suite.ok(), suite.problems.empty() ? "" : suite.problems[0].c_str());
  RunOptions options;
  options.candidate = candidate;
  options.person_light = false;  // pictures: for kerblab
  FakeLog log;
  Report report;
  for (std::size_t i = 0; i < suite.scenarios.size(); i += every) {
    const Scenario& scenario = suite.scenarios[i];
    if (scenario.seconds > kLongRun) continue;
    Result<Run> run = run_scenario(scenario, options, log);
    if (!run) TEST_FAIL_MESSAGE(describe(run.error()).c_str());
    ReportedRun one;
    one.suite = name;
    one.scenario = scenario;
    one.truth = std::move(run->truth);
    one.judgement = std::move(run->judgement);
    report.runs.push_back(std::move(one));
  }
  sum_up(report, {{name, suite.title, suite.most_informations_per_10min}});
  return report;
}

std::map<std::string, int> failures(const Report& report) {
  std::map<std::string, int> counts;
  for (const ReportedRun& run : report.runs)
    for (const Verdict& verdict : run.judgement.verdicts)
      if (!verdict.passed) ++counts[verdict.rule];
  return counts;
}

void expect_passed(const std::string& suite, std::size_t every, std::uint32_t seed = 0) {
  const Report report = run_suite(suite, Candidate::oracle, every, seed);
  std::string why = suite;
  for (const ReportedRun& run : report.runs)
    for (const Verdict& verdict : run.judgement.verdicts)
      if (!verdict.passed) why += "; " + run.scenario.name + ": " + verdict.reason;
  TEST_ASSERT_TRUE_MESSAGE(report.passed(), why.c_str());
  for (const ReportedRun& run : report.runs)
    TEST_ASSERT_TRUE_MESSAGE(run.judgement.passed(), why.c_str());
}

/// Every run fails, and by one of these rules alone.
void expect_failed(const std::string& suite, Candidate candidate,
                   const std::set<std::string>& rules) {
  const Report report = run_suite(suite, candidate, 5);
  TEST_ASSERT_FALSE(report.passed());
  for (const ReportedRun& run : report.runs)
    TEST_ASSERT_FALSE_MESSAGE(run.judgement.passed(), run.scenario.name.c_str());
  for (const auto& [rule, count] : failures(report))
    TEST_ASSERT_TRUE_MESSAGE(rules.contains(rule), rule.c_str());
}

TEST(the_oracle_passes_euroncap) { expect_passed("euroncap", 1); }
TEST(the_oracle_passes_r159) { expect_passed("r159", 1); }
TEST(the_oracle_passes_faults) { expect_passed("faults", 1); }
TEST(the_oracle_passes_hiccups) { expect_passed("hiccups", 1); }
TEST(the_oracle_passes_quiet) { expect_passed("quiet", 3); }
TEST(the_oracle_passes_brief) { expect_passed("brief", 1); }
TEST(the_oracle_passes_camouflage) { expect_passed("camouflage", 1); }
TEST(the_oracle_passes_night) { expect_passed("night", 1); }
TEST(the_oracle_passes_weather) { expect_passed("weather", 1); }
TEST(the_oracle_passes_turns) { expect_passed("turns", 1); }

TEST(the_oracle_passes_whatever_the_seed) {
  // So what is drawn is fair: who knows the truth can do what is asked.
  for (const std::uint32_t seed : {7u, 20261118u}) {
    expect_passed("euroncap", 3, seed);
    for (const char* suite : {"r159", "faults", "quiet"}) expect_passed(suite, 5, seed);
    for (const char* suite : {"brief", "camouflage", "hiccups"}) expect_passed(suite, 1, seed);
  }
}

TEST(who_always_warns_fails_every_suite) {
  expect_failed("euroncap", Candidate::always, {"collision_warning_not_too_early"});
  expect_failed("r159", Candidate::always, {"no_collision_warning"});
  expect_failed("quiet", Candidate::always, {"no_collision_warning"});
  expect_failed("faults", Candidate::always, {"no_collision_warning", "fault_told_within"});
  expect_failed("hiccups", Candidate::always,
                {"collision_warning_not_too_early", "fault_told_within"});
}

TEST(who_never_warns_fails_every_suite_that_asks_for_a_warning) {
  expect_failed("euroncap", Candidate::never,
                {"collision_warning_before_impact", "collision_warning_after_half_visible"});
  expect_failed("night", Candidate::never, {"collision_warning_before_impact"});
  expect_failed("r159", Candidate::never, {"information_within"});
  expect_failed("faults", Candidate::never, {"fault_told_within"});
  expect_failed("hiccups", Candidate::never,
                {"collision_warning_before_impact", "fault_told_within"});
  TEST_ASSERT_TRUE(run_suite("quiet", Candidate::never, 5).passed());
}

TEST(who_always_says_that_somebody_is_close_fails_every_suite_about_people) {
  expect_failed("r159", Candidate::informs, {"most_informations"});
  expect_failed("euroncap", Candidate::informs,
                {"collision_warning_before_impact", "collision_warning_after_half_visible"});
  const Report quiet = run_suite("quiet", Candidate::informs, 5);
  TEST_ASSERT_FALSE(quiet.passed());
  TEST_ASSERT_EQUAL_STRING("most_informations_per_10min", quiet.suites[0].verdicts[0].rule.c_str());
}

}  // namespace
