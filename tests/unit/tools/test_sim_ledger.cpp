// SPDX-License-Identifier: Apache-2.0
// The ledger's file, what it keeps of reports, and its page.
#include <string>
#include <variant>

#include "tests/support/test.hpp"
#include "tools/kerblab/sim/ledger_file.hpp"
#include "tools/kerblab/sim/ledger_page.hpp"
#include "tools/kerblab/sim/ledger_results.hpp"

namespace {

using namespace kerb;
using namespace kerb::lab;

const std::string kOpen =
    "[[entry]]\nname = \"bin\"\nruns = [\"quiet/things-*\"]\nkind = \"false_alarm\"\n"
    "cause = \"motion\"\nhappened = \"a bin | a cone\"\n";
const std::string kFixed =
    "[[entry]]\nname = \"sign\"\nruns = [\"euroncap/CPNA-75-60kmh-v2\"]\ncandidate = \"cascades\"\n"
    "kind = \"miss\"\ncause = \"rule\"\nhappened = \"hidden\"\nfix = \"it stays\"\n"
    "fixed_in = \"1.2\"\nat_s = 2.5\n";

std::vector<LedgerEntry> entries_of(const std::string& text) {
  Ledger ledger = parse_ledger(text, "l.toml");
  for (const schema::Problem& problem : ledger.problems) TEST_FAIL_MESSAGE(problem.line().c_str());
  return ledger.entries;
}

sim::ReportedRun run_of(const char* suite, const char* name, bool passed, const char* reason) {
  sim::ReportedRun run;
  run.suite = suite;
  run.scenario.name = name;
  run.scenario.criteria.no_collision_warning = true;
  run.judgement.verdicts.push_back({"kept", true, "well", false});
  run.judgement.verdicts.push_back({"rule", passed, reason, false});
  return run;
}
sim::Report report_of(const char* model, std::vector<sim::ReportedRun> runs) {
  sim::Report report;
  report.candidate = "product";
  report.version = "0.1.0";
  report.commit = "abc";
  report.models = {{model, "0"}, {"default-grey.kwm", "1"}};
  report.runs = std::move(runs);
  return report;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// --- the file

TEST(entries_are_read_with_their_defaults) {
  const std::vector<LedgerEntry> entries = entries_of(kOpen + kFixed);
  TEST_ASSERT_EQUAL_INT(2, int(entries.size()));
  TEST_ASSERT_EQUAL_STRING("default", entries[0].candidate.c_str());
  TEST_ASSERT_TRUE(entries[0].kind == FailureKind::false_alarm);
  TEST_ASSERT_TRUE(entries[0].cause == FailureCause::motion);
  TEST_ASSERT_FALSE(entries[0].at_s.has_value());
  TEST_ASSERT_TRUE(entries[1].kind == FailureKind::miss);
  TEST_ASSERT_TRUE(entries[1].cause == FailureCause::rule);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, *entries[1].at_s);
  TEST_ASSERT_TRUE(entries[0].is_about("default", "quiet/things-20kmh-v2"));
  TEST_ASSERT_FALSE(entries[0].is_about("cascades", "quiet/things-20kmh-v2"));
  TEST_ASSERT_FALSE(entries[0].is_about("default", "quiet/bend"));
  TEST_ASSERT_TRUE(entries_of("").empty());
}

TEST(what_is_wrong_with_the_file_is_named_with_its_line) {
  struct Case {
    const char *from, *to, *problem;
  };
  for (const Case& c :
       {Case{"cause = \"motion\"", "cause = \"luck\"", "l.toml:5:"},
        Case{"cause = \"motion\"\n", "", "entry[0].cause: must be given"},
        Case{"kind = \"false_alarm\"\n", "", "entry[0].kind: must be given"},
        Case{"\"quiet/things-*\"", "\"things\"", "SUITE/RUN"},
        Case{"[\"quiet/things-*\"]", "[]", "SUITE/RUN"},
        Case{"name = \"bin\"", "name = \"a bin\"", "entry[0].name"},
        Case{"name = \"bin\"", "name = \"sign\"", "must differ"},
        Case{"kind = \"false_alarm\"", "kind = \"false_alarm\"\nfix = \"x\"", "fixed_in"},
        Case{"kind = \"false_alarm\"", "kind = \"false_alarm\"\nat_s = 3", "no pattern"},
        Case{"kind =", "kinds =", "did you mean 'kind'"}}) {
    std::string text = kOpen + kFixed;
    const std::size_t at = text.find(c.from);
    TEST_ASSERT_TRUE_MESSAGE(at != std::string::npos, c.from);
    text.replace(at, std::string{c.from}.size(), c.to);
    const Ledger ledger = parse_ledger(text, "l.toml");
    TEST_ASSERT_TRUE(ledger.entries.empty());
    TEST_ASSERT_FALSE_MESSAGE(ledger.problems.empty(), c.to);
    TEST_ASSERT_TRUE_MESSAGE(has(ledger.problems[0].line(), c.problem),
                             ledger.problems[0].line().c_str());
  }
  TEST_ASSERT_EQUAL_INT(1, int(parse_ledger("[[", "l.toml").problems.size()));
}

// --- results

TEST(the_last_report_counts_and_passed_runs_without_an_entry_are_forgotten) {
  LedgerResults results;
  results.add(report_of("default.kwm", {run_of("quiet", "things-1", false, "one warning"),
                                        run_of("quiet", "bend", true, "")}));
  results.add(report_of("models/default.kwm", {run_of("quiet", "things-1", true, "")}));
  results.add(report_of("cascades.kwm", {run_of("quiet", "things-1", false, "two")}));
  results.keep(entries_of(kOpen));
  TEST_ASSERT_EQUAL_INT(2, int(results.all().size()));
  const LedgerResult& mine = results.all().at({"default", "quiet", "things-1"});
  TEST_ASSERT_TRUE(mine.passed);
  TEST_ASSERT_EQUAL_STRING("no collision warning", mine.result.c_str());
  TEST_ASSERT_EQUAL_STRING("abc", mine.commit.c_str());
  TEST_ASSERT_EQUAL_STRING("two",
                           results.all().at({"cascades", "quiet", "things-1"}).result.c_str());
}

TEST(results_are_read_as_they_were_written) {
  LedgerResults results;
  results.add(report_of("default.kwm", {run_of("quiet", "a \"b\"", false, "x"),
                                        run_of("hours", "drive-0002@7", true, "")}));
  const auto read = LedgerResults::parse(results.render());
  TEST_ASSERT_TRUE(std::holds_alternative<LedgerResults>(read));
  TEST_ASSERT_EQUAL_STRING(results.render().c_str(),
                           std::get<LedgerResults>(read).render().c_str());
  TEST_ASSERT_TRUE(
      std::holds_alternative<LedgerResults>(LedgerResults::parse(LedgerResults{}.render())));
  for (const char* bad : {"", "[]", "{\"runs\": 1}", "{\"runs\": [{}]}", "{\"runs\": [1]}",
                          "{\"runs\": [{\"candidate\": 1}]}"})
    TEST_ASSERT_TRUE_MESSAGE(std::holds_alternative<std::string>(LedgerResults::parse(bad)), bad);
}

TEST(a_stand_in_is_known_by_its_own_name) {
  sim::Report report;
  report.candidate = "never";
  TEST_ASSERT_EQUAL_STRING("never", candidate_of(report).c_str());
}

// --- the page

TEST(an_entry_stands_where_its_runs_say) {
  const LedgerEntry open = entries_of(kOpen)[0], fixed = entries_of(kFixed)[0];
  const auto with = [](const char* model, const char* suite, const char* name, bool passed) {
    LedgerResults results;
    results.add(report_of(model, {run_of(suite, name, passed, "x")}));
    return results;
  };
  TEST_ASSERT_TRUE(state_of(open, {}) == LedgerState::open);
  TEST_ASSERT_TRUE(state_of(fixed, {}) == LedgerState::fixed);
  TEST_ASSERT_TRUE(state_of(open, with("default.kwm", "quiet", "things-1", false)) ==
                   LedgerState::open);
  TEST_ASSERT_TRUE(state_of(open, with("default.kwm", "quiet", "things-1", true)) ==
                   LedgerState::passes);
  TEST_ASSERT_TRUE(state_of(open, with("cascades.kwm", "quiet", "things-1", true)) ==
                   LedgerState::open);
  TEST_ASSERT_TRUE(state_of(fixed, with("cascades.kwm", "euroncap", "CPNA-75-60kmh-v2", true)) ==
                   LedgerState::fixed);
  TEST_ASSERT_TRUE(state_of(fixed, with("cascades.kwm", "euroncap", "CPNA-75-60kmh-v2", false)) ==
                   LedgerState::fails_again);
}

TEST(what_needs_somebody_is_named) {
  std::string unknown = kOpen;
  unknown.replace(unknown.find("motion"), 6, "unknown");
  const std::vector<LedgerEntry> entries = entries_of(unknown + kFixed);
  LedgerResults results;
  results.add(report_of("cascades.kwm", {run_of("euroncap", "CPNA-75-60kmh-v2", false, "late")}));
  results.add(report_of("default.kwm", {run_of("quiet", "things-1", false, "x"),
                                        run_of("quiet", "bend", false, "y")}));
  const LedgerAttention attention = attention_of(entries, results);
  TEST_ASSERT_EQUAL_INT(1, int(attention.unlisted.size()));
  TEST_ASSERT_EQUAL_STRING("bend", attention.unlisted[0].run.c_str());
  TEST_ASSERT_EQUAL_INT(1, int(attention.without_cause.size()));
  TEST_ASSERT_EQUAL_STRING("bin", attention.without_cause[0].c_str());
  TEST_ASSERT_EQUAL_STRING("sign", attention.fail_again[0].c_str());
  TEST_ASSERT_TRUE(attention_of(entries_of(kOpen), {}).empty());
}

TEST(the_page_says_all_of_it) {
  const std::vector<LedgerEntry> entries = entries_of(kOpen + kFixed);
  LedgerResults results;
  results.add(report_of("default.kwm", {run_of("quiet", "things-1", false, "a_b * c|d\ne"),
                                        run_of("quiet", "things-2", true, ""),
                                        run_of("quiet", "bend", false, "new")}));
  const std::string page = render_ledger(entries, results, "../images/ledger");
  for (const char* part :
       {"| motion | 1 | 0 | 1 | 0 | 0 | 0 |\n", "| rule | 0 | 1 | 0 | 0 | 0 | 1 |\n",
        "| all | 1 | 1 | 1 | 0 | 0 | 1 |\n", "\n## Not yet looked at\n",
        "| `quiet/bend` | default | new | abc |\n", "\n## Open\n\n### bin\n",
        "| false alarm | `quiet/things-*`, with default |\n",
        "| what happened | a bin \\| a cone |\n", "| fixed by | open |\n",
        "| now | `quiet/things-1`: **fails**: a\\_b \\* c\\|d e (abc)<br>`quiet/things-2`: passes: "
        "no "
        "collision warning (abc) |\n",
        "\n## Fixed\n\n### sign\n\n![euroncap/CPNA-75-60kmh-v2, 2.50 "
        "s](../images/ledger/sign.jpg)\n",
        "| miss | `euroncap/CPNA-75-60kmh-v2`, with cascades |\n",
        "| fixed by | it stays (1.2) |\n", "| now | not driven since |\n"})
    TEST_ASSERT_TRUE_MESSAGE(has(page, part), part);
  TEST_ASSERT_FALSE(has(page, "## Fails again"));
  TEST_ASSERT_FALSE(has(render_ledger(entries, {}, "p"), "Not yet looked at"));
}

}  // namespace
