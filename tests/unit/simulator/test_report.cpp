// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/report/report.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/run/run.hpp"

using namespace kerb;
using namespace kerb::sim;
using Json = nlohmann::json;

namespace {

Scenario crossing(double kmh, const std::string& name) {
  Scenario s;
  s.name = name;
  s.group = "crossing";
  s.title = "Somebody crosses & <nobody> is \"hurt\"";
  s.seconds = 5;
  s.car.speeds = {{0, kmh / 3.6, 3}};
  PersonSpec person;
  person.start.at = {4 * kmh / 3.6 + 0.25, -4};
  person.walk = {{{4 * kmh / 3.6 + 0.25, 6}, 1.0, 0}};
  s.people = {person};
  s.criteria.impact_expected = true;
  s.criteria.collision_warning_before_impact_s = 1.5;
  s.criteria.share = 0.95;
  return s;
}

ReportedRun run(const Scenario& scenario, Candidate candidate) {
  RunOptions options;
  options.candidate = candidate;
  FakeLog log;
  Result<Run> done = run_scenario(scenario, options, log);
  if (!done) TEST_FAIL_MESSAGE(describe(done.error()).c_str());
  ReportedRun out;
  out.suite = "test";
  out.scenario = scenario;
  out.truth = std::move(done->truth);
  out.judgement = std::move(done->judgement);
  return out;
}

/// `bad` of 20 runs are by somebody who never warns.
Report twenty(int bad) {
  Report report;
  report.candidate = "oracle";
  report.latency_s = 0.033;
  for (int i = 0; i < 20; ++i)
    report.runs.push_back(run(crossing(20 + 2 * i, "crossing-" + std::to_string(i)),
                              i < bad ? Candidate::never : Candidate::oracle));
  sum_up(report, {{"test", "A suite", std::nullopt}});
  return report;
}

TEST(a_share_forgives_one_of_twenty_and_not_two) {
  TEST_ASSERT_TRUE(twenty(0).passed());
  const Report one = twenty(1);
  TEST_ASSERT_TRUE(one.passed());
  TEST_ASSERT_EQUAL_INT(19, one.suites[0].groups[0].passed_runs);
  TEST_ASSERT_FALSE(twenty(2).passed());
}

TEST(no_share_forgives_a_broken_house_rule) {
  Report report = twenty(0);
  for (Verdict& verdict : report.runs[7].judgement.verdicts)
    if (verdict.rule == "messages") verdict.passed = false;
  sum_up(report, {{"test", "A suite", std::nullopt}});
  TEST_ASSERT_EQUAL_INT(19, report.suites[0].groups[0].passed_runs);
  TEST_ASSERT_FALSE(report.passed());
}

TEST(false_informations_are_counted_over_the_suite) {
  Scenario quiet;
  quiet.name = "quiet";
  quiet.seconds = 300;
  Report report;
  for (int i = 0; i < 2; ++i) {
    ReportedRun r;
    r.suite = "quiet";
    r.scenario = quiet;
    r.judgement.sent.warnings = {{WarningLevel::information, 1, 2, false, {}}};
    report.runs.push_back(r);
  }
  sum_up(report, {{"quiet", "", 2.0}});
  TEST_ASSERT_TRUE(report.passed());
  sum_up(report, {{"quiet", "", 1.0}});
  TEST_ASSERT_FALSE(report.passed());
  TEST_ASSERT_EQUAL_STRING("2 information signals with nobody close in 10.0 minutes, 1 allowed",
                           report.suites[0].verdicts[0].reason.c_str());
  report.runs[0].truth.close = {{0, 0.5, 3}};  // one had its reason
  sum_up(report, {{"quiet", "", 1.0}});
  TEST_ASSERT_TRUE(report.passed());
}

TEST(the_json_says_what_happened) {
  const Json json = Json::parse(render_json(twenty(2)));
  TEST_ASSERT_FALSE(json["passed"].get<bool>());
  TEST_ASSERT_EQUAL_INT(20, static_cast<int>(json["runs"].size()));
  TEST_ASSERT_EQUAL_INT(18, json["suites"][0]["groups"][0]["passed_runs"].get<int>());
  TEST_ASSERT_FALSE(json["runs"][0]["passed"].get<bool>());
  TEST_ASSERT_TRUE(json["runs"][0]["warned_before_impact_s"].is_null());
  const Json& good = json["runs"][5];
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 2.4, good["warned_before_impact_s"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 4, good["truth"]["impact"]["at_s"].get<double>());
  TEST_ASSERT_EQUAL_STRING("collision",
                           good["said"]["warnings"][0]["level"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("ACTIVE", good["said"]["states"][1]["state"].get<std::string>().c_str());
}

TEST(the_page_needs_nothing_from_outside) {
  Report report = twenty(3);
  Picture picture;
  picture.t = 1;
  picture.caption = "a \"picture\"";
  picture.jpeg = {0xFF, 0xD8, 0xFF};
  report.runs[4].pictures = {picture};
  const std::string page = render_html(report);
  if (const char* out = std::getenv("KERB_REPORT_PAGE")) std::ofstream{out} << page;
  for (const char* outside : {"http:", "https:", "//cdn", "@import", "<link", "src=\"/"})
    TEST_ASSERT_TRUE_MESSAGE(page.find(outside) == std::string::npos, outside);
  TEST_ASSERT_TRUE(page.find("Somebody crosses &amp; &lt;nobody&gt; is &quot;hurt&quot;") !=
                   std::string::npos);
  TEST_ASSERT_TRUE(page.find("<nobody>") == std::string::npos);
  TEST_ASSERT_TRUE(page.find("data:image/jpeg;base64,/9j/") != std::string::npos);
  std::size_t details = 0;
  for (std::size_t at = 0; (at = page.find("<details", at)) != std::string::npos; ++at) ++details;
  TEST_ASSERT_EQUAL_INT(20, static_cast<int>(details));
  TEST_ASSERT_TRUE_MESSAGE(page.size() < 20 * 14000, std::to_string(page.size()).c_str());
}

TEST(the_moments_that_matter_are_in_order_and_apart) {
  const ReportedRun r = run(crossing(36, "c"), Candidate::oracle);
  const std::vector<MomentThatMatters> moments = moments_of(r.scenario, r.truth, r.judgement);
  TEST_ASSERT_TRUE(moments.size() >= 3);
  for (std::size_t i = 1; i < moments.size(); ++i)
    TEST_ASSERT_TRUE(moments[i].t - moments[i - 1].t >= 0.1);
  TEST_ASSERT_EQUAL_STRING("collision warning from 1.6", moments[1].caption.substr(0, 26).c_str());
}

TEST(an_empty_scenario_has_a_page_too) {
  Report report;
  ReportedRun empty;
  empty.suite = "nothing";
  report.runs = {empty};
  sum_up(report, {{"nothing", "", std::nullopt}});
  TEST_ASSERT_TRUE(render_html(report).size() > 1000);
  TEST_ASSERT_TRUE(Json::parse(render_json(report))["passed"].get<bool>());
}

}  // namespace
