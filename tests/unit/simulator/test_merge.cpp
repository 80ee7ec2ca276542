// SPDX-License-Identifier: Apache-2.0
// Intervals against scipy's, and parts of suites that are merged against the whole.
#include "tools/simulator/report/merge.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::sim;
using Json = nlohmann::json;

namespace {

TEST(wilson_intervals_are_scipys) {
  // python3 -c "from scipy.stats import binomtest; print(*(binomtest(k, n).proportion_ci(0.95,
  //   'wilson') for k, n in ((0, 10), (10, 10), (93, 100), (2, 12), (1, 1), (190, 200))))"
  // with scipy 1.17.1
  struct Case {
    int passed, runs;
    double low, high;
  };
  for (const Case& c :
       {Case{0, 10, 0, 0.277532799863}, Case{10, 10, 0.722467200137, 1},
        Case{93, 100, 0.862504852609, 0.965680738933}, Case{2, 12, 0.046965142184, 0.448030862253},
        Case{1, 1, 0.206549314377, 1}, Case{190, 200, 0.910421851861, 0.972617354399}}) {
    const Interval i = wilson_interval(c.passed, c.runs);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, c.low, i.low);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, c.high, i.high);
  }
  TEST_ASSERT_EQUAL_DOUBLE(0, wilson_interval(0, 0).low);
  TEST_ASSERT_EQUAL_DOUBLE(1, wilson_interval(0, 0).high);
}

TEST(poisson_intervals_are_scipys) {
  // python3 -c "from scipy.stats import chi2; print(*((chi2.ppf(0.025, 2 * k) / 2,
  //   chi2.ppf(0.975, 2 * k + 2) / 2) for k in (0, 1, 2, 4, 10, 100, 2000)))"
  // with scipy 1.17.1 (the lower end for 0 is 0)
  struct Case {
    int count;
    double low, high;
  };
  for (const Case& c :
       {Case{0, 0, 3.6888794541}, Case{1, 0.0253178080, 5.5716433909},
        Case{2, 0.2422092785, 7.2246876677}, Case{4, 1.0898653736, 10.2415886754},
        Case{10, 4.7953886961, 18.3903560420}, Case{100, 81.3639912509, 121.6267937924},
        Case{2000, 1913.2987096256, 2089.6174394458}}) {
    const Interval i = poisson_interval(c.count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, c.low, i.low);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, c.high, i.high);
  }
}

/// A run that asks for a warning 1.5 s before the impact and got one `before` it; none: never.
ReportedRun warned(const std::string& name, std::optional<double> before) {
  ReportedRun run;
  run.suite = "s";
  run.scenario.name = name;
  run.scenario.group = "crossing";
  run.scenario.seconds = 5;
  run.scenario.criteria.collision_warning_before_impact_s = 1.5;
  run.scenario.criteria.share = 0.5;
  run.judgement.warned_before_impact = before;
  run.judgement.verdicts = {
      {"collision_warning_before_impact", before.value_or(0) >= 1.5, "reason", false},
      {"messages", true, "all of them", true}};
  if (before)
    run.judgement.sent.warnings = {{WarningLevel::collision, 4 - *before, 5, true, *before}};
  return run;
}
/// A run that asks for silence and got this many collision warnings.
ReportedRun silent(const std::string& name, double seconds, int warnings) {
  ReportedRun run;
  run.suite = "s";
  run.scenario.name = name;
  run.scenario.group = "quiet";
  run.scenario.seconds = seconds;
  run.scenario.criteria.no_collision_warning = true;
  run.judgement.verdicts = {{"no_collision_warning", warnings == 0, "reason", false}};
  for (int i = 0; i < warnings; ++i)
    run.judgement.sent.warnings.push_back(
        {WarningLevel::collision, 1.0 + 2 * i, 2.0 + 2 * i, false, {}});
  run.judgement.sent.warnings.push_back({WarningLevel::information, 0.2, 0.7, false, {}});
  return run;
}

Report report_of(std::vector<ReportedRun> runs) {
  Report out;
  out.candidate = "product";
  out.version = "0.1.0";
  out.commit = "abc";
  out.models = {{"default.kwm", "00112233"}};
  out.configuration_crc32 = "44556677";
  out.latency_s = 0.033;
  out.runs = std::move(runs);
  sum_up(out, {{"s", "A suite", 3.0}});
  return out;
}
NamedReport read_back(const std::string& name, const Report& report) {
  std::variant<Report, std::string> read = parse_report(render_json(report));
  if (const auto* why = std::get_if<std::string>(&read)) TEST_FAIL_MESSAGE(why->c_str());
  return {name, std::get<Report>(std::move(read))};
}
std::string refusal(const std::vector<NamedReport>& parts, bool mixed = false) {
  const std::variant<Report, std::string> merged = merge_reports(parts, mixed);
  const auto* why = std::get_if<std::string>(&merged);
  return why != nullptr ? *why : "";
}
Report merged(const std::vector<NamedReport>& parts, bool mixed = false) {
  std::variant<Report, std::string> out = merge_reports(parts, mixed);
  if (const auto* why = std::get_if<std::string>(&out)) TEST_FAIL_MESSAGE(why->c_str());
  return std::get<Report>(std::move(out));
}

TEST(false_warnings_have_a_rate_with_its_interval) {
  const Report report = report_of({silent("a", 600, 3), silent("b", 390, 1), warned("c", 2)});
  const SuiteResult& suite = report.suites.at(0);
  TEST_ASSERT_EQUAL_INT(2, suite.silence.runs);
  TEST_ASSERT_EQUAL_INT(4, suite.silence.collision_warnings);
  // 4 in 16.5 minutes: 14.5 an hour; by scipy 1.0898653736 .. 10.2415886754 in that time.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4 / 990.0 * 3600, suite.silence.per_hour());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.0898653736 / 990 * 3600, suite.silence.per_hour_95().low);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 10.2415886754 / 990 * 3600, suite.silence.per_hour_95().high);
  const Json json = Json::parse(render_json(report));
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 16.5, json["suites"][0]["silence"]["minutes"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 3.9631,
                            json["suites"][0]["silence"]["per_hour_95"][0].get<double>());
  TEST_ASSERT_TRUE(json["suites"][0]["groups"][1]["silence"].is_null());
  const std::string table = render_table(suite);
  TEST_ASSERT_TRUE_MESSAGE(
      table.find("16.5 min of silence asked: 4 collision warnings, 14.55 per hour (3.96..37.24)") !=
          std::string::npos,
      table.c_str());
}

TEST(who_is_never_warned_of_is_worse_than_any_time) {
  const auto group = [](std::vector<ReportedRun> runs) {
    return report_of(std::move(runs)).suites.at(0).groups.at(0);
  };
  const GroupResult odd = group({warned("a", 1), warned("b", 3), warned("c", 2)});
  TEST_ASSERT_EQUAL_DOUBLE(2, odd.median_before_impact.value());
  TEST_ASSERT_EQUAL_DOUBLE(1, odd.least_before_impact.value());
  TEST_ASSERT_EQUAL_INT(0, odd.never_warned);
  const GroupResult even = group({warned("a", 1), warned("b", 3), warned("c", {}), warned("d", 2)});
  TEST_ASSERT_EQUAL_DOUBLE(1.5, even.median_before_impact.value());
  TEST_ASSERT_EQUAL_INT(1, even.never_warned);
  const GroupResult half = group({warned("a", 1), warned("b", {})});
  TEST_ASSERT_FALSE(half.median_before_impact.has_value());
}

TEST(parts_merged_are_the_whole) {
  const std::vector<ReportedRun> runs{warned("a", 2), warned("b", 1.2), warned("c", {}),
                                      silent("d", 600, 1), silent("e", 30, 0)};
  const Report whole = report_of(runs);
  const NamedReport one = read_back("1.json", report_of({runs[0], runs[1]}));
  const NamedReport two = read_back("2.json", report_of({runs[2], runs[3], runs[4]}));
  TEST_ASSERT_EQUAL_STRING(render_json(whole).c_str(), render_json(merged({one, two})).c_str());
  TEST_ASSERT_EQUAL_STRING(render_json(whole).c_str(),
                           render_json(merged({one, one, two, one})).c_str());
  // Neither part is judged as the whole is: informations of the suite, the share of the group.
  TEST_ASSERT_FALSE(whole.passed());
  TEST_ASSERT_TRUE(render_html(merged({one, two})).size() > 1000);
}

TEST(a_run_with_two_results_is_refused) {
  const NamedReport one = read_back("1.json", report_of({warned("a", 2), warned("b", 2)}));
  const NamedReport two = read_back("2.json", report_of({warned("b", 1.9)}));
  TEST_ASSERT_EQUAL_STRING(
      "2.json: the run s/b has another result than in 1.json: see warned_before_impact_s",
      refusal({one, two}).c_str());
  TEST_ASSERT_TRUE(!refusal({one, two}, true).empty());
  Report slower = report_of({warned("b", 2)});  // on another machine
  slower.runs[0].took_s = 99;
  TEST_ASSERT_EQUAL_STRING("", refusal({one, read_back("3.json", slower)}).c_str());
}

TEST(another_candidate_is_refused_unless_mixed) {
  const NamedReport one = read_back("1.json", report_of({warned("a", 2)}));
  struct Case {
    void (*change)(Report&);
    const char* part;
  };
  for (const Case& c :
       {Case{[](Report& r) { r.candidate = "oracle"; }, "another candidate: oracle, not product"},
        Case{[](Report& r) { r.version = "0.2.0"; },
             "another version of kerblab: 0.2.0, not 0.1.0"},
        Case{[](Report& r) { r.commit = ""; }, "another commit of kerblab: none, not abc"},
        Case{[](Report& r) { r.models[0].crc32 = "ff"; },
             "another model: default.kwm (ff), not default.kwm (00112233)"},
        Case{[](Report& r) { r.configuration_crc32 = "1"; }, "another configuration: 1"},
        Case{[](Report& r) { r.latency_s = 0.05; }, "another latency: 0.05 s, not 0.033 s"}}) {
    Report other = report_of({warned("b", 2)});
    c.change(other);
    const NamedReport two = read_back("2.json", other);
    const std::string why = refusal({one, two});
    TEST_ASSERT_TRUE_MESSAGE(why.find(c.part) != std::string::npos, why.c_str());
    const Report both = merged({one, two}, true);
    TEST_ASSERT_EQUAL(2, both.runs.size());
    TEST_ASSERT_TRUE(render_json(both).find("several") != std::string::npos ||
                     Json::parse(render_json(both))["latency_s"].is_null());
  }
  Report renamed = report_of({warned("b", 2)});  // the same model under another name
  renamed.models[0].name = "mine.kwm";
  TEST_ASSERT_EQUAL_STRING("", refusal({one, read_back("2.json", renamed)}).c_str());
}

TEST(other_rules_of_a_suite_are_refused) {
  Report other = report_of({warned("b", 2)});
  sum_up(other, {{"s", "A suite", std::nullopt}});
  TEST_ASSERT_TRUE(
      refusal({read_back("1.json", report_of({warned("a", 2)})), read_back("2.json", other)})
          .find("the suite s has other rules") != std::string::npos);
}

TEST(what_is_no_report_is_told) {
  const std::string good = render_json(report_of({warned("a", 2)}));
  for (const std::string& text :
       {std::string{}, std::string{"[]"}, std::string{"{}"}, std::string{"\xff\xfe"},
        good.substr(0, good.size() / 2), std::string{"{\"kerblab\":1,\"commit\":2,\"runs\":3}"},
        std::string(1000000, '['),
        R"({"kerblab":"1","commit":"","runs":[)" + std::string(99, '[')}) {
    const std::variant<Report, std::string> read = parse_report(text);
    TEST_ASSERT_TRUE(std::holds_alternative<std::string>(read));
    TEST_ASSERT_TRUE(std::get<std::string>(read).find("is not a report") != std::string::npos);
  }
}

/// All places of a tree at which there is no other tree.
void leaves(const Json& tree, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
  if (!tree.is_structured() || tree.empty()) out.push_back(at);
  if (tree.is_object())
    for (const auto& [key, value] : tree.items()) leaves(value, at / key, out);
  if (tree.is_array())
    for (std::size_t i = 0; i < tree.size(); ++i) leaves(tree[i], at / i, out);
}

/// Read, printed and merged with itself, whatever it is: nothing but a refusal may come of it.
void survive(const std::string& text) {
  std::variant<Report, std::string> read = parse_report(text);
  if (const auto* why = std::get_if<std::string>(&read)) {
    TEST_ASSERT_TRUE_MESSAGE(why->find("is not a report") != std::string::npos ||
                                 why->find("of an older kerblab") != std::string::npos,
                             why->c_str());
    return;
  }
  const NamedReport one{"1.json", std::get<Report>(std::move(read))};
  const std::variant<Report, std::string> both = merge_reports({one, one}, true);
  if (const auto* all = std::get_if<Report>(&both)) {
    TEST_ASSERT_TRUE(render_json(*all).size() > 2);
    TEST_ASSERT_TRUE(render_html(*all).size() > 1000);
  }
}

TEST(whatever_stands_in_a_report_is_read_or_refused) {
  const std::string good =
      render_json(report_of({warned("a", 2), warned("b", {}), silent("c", 60, 1)}));
  for (std::size_t length = 0; length < good.size(); length += 7) survive(good.substr(0, length));
  const Json tree = Json::parse(good);
  std::vector<Json::json_pointer> places;
  leaves(tree, Json::json_pointer{}, places);
  TEST_ASSERT_TRUE(places.size() > 100);
  int refused = 0;
  for (const Json::json_pointer& place : places)
    for (const char* value : {"null", "true", "-1", "0.5", "1e300", "18446744073709551615",
                              "\"<script>\"", "\"\"", "[]", "[[1]]", "{}"}) {
      Json changed = tree;
      changed[place] = Json::parse(value);
      survive(changed.dump());
      refused += std::holds_alternative<std::string>(parse_report(changed.dump()));
    }
  TEST_ASSERT_TRUE(refused > 500);
  for (const char* run : {R"({"seed":-1})", R"({"seed":4294967296})", R"({"seed":1.5})",
                          R"({"seconds":-1})", R"({"pictures":1e300})", R"({"verdicts":null})",
                          R"({"criteria":{"share":2,"no_collision_warning":true}})",
                          R"({"said":{"warnings":[{"level":"loud","begin_s":1,"end_s":2}]}})"}) {
    Json changed = tree;
    changed["runs"][0].merge_patch(Json::parse(run));
    if (Json::parse(run).contains("verdicts")) changed["runs"][0]["verdicts"] = nullptr;
    TEST_ASSERT_TRUE_MESSAGE(std::holds_alternative<std::string>(parse_report(changed.dump())),
                             run);
  }
  // Bytes that were damaged.
  std::uint64_t random = 1;
  for (int n = 0; n < 2000; ++n) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      bad[(random >> 33) % bad.size()] = static_cast<char>(random >> 25);
    }
    survive(bad);
  }
}

}  // namespace
