// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/simulator/report/page.hpp"
#include "tools/simulator/report/report.hpp"

namespace kerb::sim {
namespace {

constexpr std::size_t kMostReasons = 8;

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) word = word << 8 | (j < left ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= left ? kLetters[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string badge(bool passed, const char* good = "passed", const char* bad = "failed") {
  return fmt::format("<span class=\"badge {}\">{}</span>", passed ? "good" : "bad",
                     passed ? good : bad);
}

std::string seconds_or_dash(const std::optional<double>& s) {
  return s ? fmt::format("{:.2f}&nbsp;s", *s) : std::string{"–"};
}

std::string group_of(const Scenario& scenario) {
  return scenario.group.empty() ? scenario.name : scenario.group;
}

/// What a run came to, in a few words, for its line.
std::string in_short(const ReportedRun& run) {
  const Judgement& j = run.judgement;
  for (const Verdict& v : j.verdicts)
    if (!v.passed) return escaped(v.reason);
  const Criteria& asks = run.scenario.criteria;
  if (asks.collision_warning_after_half_visible_s && j.warned_after_half_visible)
    return fmt::format("warned {:.2f} s after half visible", *j.warned_after_half_visible);
  if (asks.collision_warning_before_impact_s && j.warned_before_impact)
    return fmt::format("warned {:.2f} s before impact", *j.warned_before_impact);
  for (const char* rule : {"information_within", "fault_told_within", "no_collision_warning"})
    for (const Verdict& v : j.verdicts)
      if (v.rule == rule) return escaped(v.reason);
  return "";
}

std::string head(const Report& report) {
  std::size_t passed = 0;
  double simulated = 0, took = 0;
  long frames = 0;
  for (const ReportedRun& run : report.runs) {
    if (run.judgement.passed()) ++passed;
    simulated += run.scenario.seconds;
    took += run.took_s;
    frames += run.frames;
  }
  std::string who =
      report.candidate == "product"
          ? "the firmware, in process"
          : fmt::format("a stand-in, <b>{}</b>, not the firmware", escaped(report.candidate));
  std::string pace = std::isnan(report.latency_s)
                         ? std::string{"with several latencies"}
                         : fmt::format("results are available {:.0f} ms after each picture",
                                       report.latency_s * 1000);
  std::string program = escaped(report.version);
  if (!report.commit.empty()) program += fmt::format(" ({})", escaped(report.commit));
  for (const FileId& model : report.models)
    program += fmt::format(", {} {}", escaped(model.name), escaped(model.crc32));
  if (report.candidate == "board") {
    who = "the firmware on the board";
    pace = fmt::format("played {:g} times slower than real time; all times here are the scenario's",
                       1 / report.clock_rate);
  }
  return fmt::format(
      "<header><h1>Kerbwatch proving ground {}</h1><p>{} of {} runs passed. Judged: {}. {:.1f} "
      "minutes of traffic{} in {:.1f} s{}; {}. kerblab {}.</p></header>",
      badge(report.passed()), passed, report.runs.size(), who, simulated / 60,
      frames > 0 ? fmt::format(", {} pictures,", frames) : "", took,
      frames > 0 ? "" : ", without pictures", pace, program);
}

std::string false_warnings(const Silence& silence) {
  if (silence.runs == 0) return "–";
  const Interval rate = silence.per_hour_95();
  return fmt::format("{} in {:.1f}&nbsp;min<br><span class=\"sub\">{:.1f}…{:.1f} per hour</span>",
                     silence.collision_warnings, silence.seconds / 60, rate.low, rate.high);
}

std::string suite_table(const SuiteResult& suite) {
  std::string rows;
  for (const GroupResult& g : suite.groups) {
    const double share = g.runs > 0 ? 100.0 * g.passed_runs / g.runs : 0;
    const Interval sure = wilson_interval(g.passed_runs, g.runs);
    rows += fmt::format(
        "<tr><th scope=\"row\"><button class=\"link\" data-find=\"{}\">{}</button></th><td "
        "class=\"num\">{}/{}</td><td class=\"wide\"><span class=\"meter\"><i "
        "style=\"width:{:.0f}%\" "
        "class=\"{}\"></i></span></td><td class=\"num wide\">{:.0f}…{:.0f}&nbsp;%</td><td "
        "class=\"num wide\">{:.0f}&nbsp;%</td><td "
        "class=\"num\">{}<br><span class=\"sub\">{}</span></td><td class=\"num wide\">{}<br><span "
        "class=\"sub\">{}</span></td><td class=\"num wide\">{}</td><td>{}</td></tr>",
        escaped(g.name), escaped(g.name), g.passed_runs, g.runs, share, g.passed ? "good" : "bad",
        100 * sure.low, 100 * sure.high, 100 * g.share, seconds_or_dash(g.least_before_impact),
        seconds_or_dash(g.median_before_impact), seconds_or_dash(g.most_after_half_visible),
        seconds_or_dash(g.median_after_half_visible), false_warnings(g.silence), badge(g.passed));
  }
  std::string notes;
  if (suite.silence.runs > 0)
    notes += fmt::format("<p>Collision warnings where none is allowed: {}</p>",
                         false_warnings(suite.silence));
  for (const Verdict& v : suite.verdicts)
    notes += fmt::format("<p>{} {}</p>", badge(v.passed), escaped(v.reason));
  return fmt::format(
      "<section class=\"card\"><h2>{} {}</h2><p class=\"sub\">{}{}{} of {} runs "
      "passed</p><table><thead><tr><th>scenario</th><th class=\"num\">passed</th><th "
      "class=\"wide\"></th><th "
      "class=\"num wide\" title=\"95 % interval of the share that passes (Wilson)\">95 %</th><th "
      "class=\"num wide\">needed</th><th class=\"num\" title=\"shortest time from the warning to "
      "the impact, and the median\">shortest before impact, median</th><th class=\"num wide\" "
      "title=\"longest time from half visible to the warning, and the median\">longest after half "
      "visible, median</th><th class=\"num wide\" title=\"collision warnings in runs that allow "
      "none, and the 95 % interval of their rate\">false collision "
      "warnings</th><th></th></tr></thead><tbody>{}</tbody></table>{}</section>",
      escaped(suite.name), badge(suite.passed), escaped(suite.title),
      suite.title.empty() ? "" : " · ", suite.passed_runs, suite.runs, rows, notes);
}

std::string reasons(const Report& report) {
  std::map<std::string, int> counts;
  for (const ReportedRun& run : report.runs)
    for (const Verdict& v : run.judgement.verdicts)
      if (!v.passed) ++counts[v.rule];
  if (counts.empty()) return "";
  std::vector<std::pair<std::string, int>> sorted{counts.begin(), counts.end()};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.size() > kMostReasons) sorted.resize(kMostReasons);
  std::string rows;
  for (const auto& [rule, count] : sorted)
    rows += fmt::format(
        "<tr><th scope=\"row\"><button class=\"link\" data-find=\"{0}\">{0}</button></th><td "
        "class=\"num\">{1}</td></tr>",
        escaped(rule), count);
  return "<section class=\"card\"><h2>What failed</h2><table class=\"slim\"><thead><tr><th>rule"
         "</th><th class=\"num\">runs</th></tr></thead><tbody>" +
         rows + "</tbody></table></section>";
}

std::string pictures(const ReportedRun& run) {
  if (run.pictures.empty()) return "";
  std::string out = "<div class=\"pictures\">";
  for (const Picture& p : run.pictures)
    out += fmt::format(
        "<figure><img loading=\"lazy\" decoding=\"async\" width=\"{}\" height=\"{}\" alt=\"{}\" "
        "src=\"data:image/jpeg;base64,{}\"><figcaption><b>{:.2f} s</b> {}</figcaption></figure>",
        p.width, p.height, escaped(p.caption), base64(p.jpeg), p.t, escaped(p.caption));
  return out + "</div>";
}

std::string run_details(const ReportedRun& run) {
  const bool passed = run.judgement.passed();
  std::string verdicts, failed;
  for (const Verdict& v : run.judgement.verdicts) {
    verdicts += fmt::format(
        "<tr class=\"{}\"><td>{}</td><td class=\"rule wide\">{}</td><td>{}</td></tr>",
        v.passed ? "good" : "bad", v.passed ? "✓" : "✗", escaped(v.rule), escaped(v.reason));
    if (!v.passed) failed += " " + v.rule;
  }
  const Scenario& s = run.scenario;
  return fmt::format(
      "<details class=\"run {}\" data-text=\"{}\"><summary><span class=\"tick\">{}</span><span "
      "class=\"name\">{}</span><span class=\"short\">{}</span></summary><div "
      "class=\"inside\">{}<p class=\"sub\">{:.1f} s{}, seed {}{}</p>{}{}<table "
      "class=\"verdicts\"><tbody>{}</tbody></table></div></details>",
      passed ? "good" : "bad",
      escaped(run.suite + " " + group_of(s) + " " + s.name + " " + s.title + failed),
      passed ? "✓" : "✗", escaped(s.name), in_short(run),
      s.title.empty() ? "" : fmt::format("<p>{}</p>", escaped(s.title)), s.seconds,
      run.source.empty()
          ? fmt::format(", {} {}", s.people.size(), s.people.size() == 1 ? "person" : "people")
          : "",
      s.seed, s.file.empty() ? "" : ", " + escaped(s.file), pictures(run),
      run.source.empty() ? render_time_line(run) : "", verdicts);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string render_html(const Report& report) {
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light "
      "dark\"><title>Kerbwatch proving ground: {}</title><style>{}</style></head><body><main>",
      report.passed() ? "passed" : "failed", kPageStyle);
  out += head(report);
  for (const SuiteResult& suite : report.suites) out += suite_table(suite);
  out += reasons(report);
  out +=
      "<section><h2>Runs</h2><div class=\"tools\"><input id=\"find\" type=\"search\" "
      "placeholder=\"find a run, a scenario, a rule\" aria-label=\"find\"><label><input "
      "id=\"only\" type=\"checkbox\"> failed only</label><span id=\"count\"></span></div>";
  std::string suite, group;
  for (const ReportedRun& run : report.runs) {
    if (run.suite != suite || group_of(run.scenario) != group) {
      suite = run.suite;
      group = group_of(run.scenario);
      out +=
          fmt::format("<h3>{} <span class=\"sub\">{}</span></h3>", escaped(group), escaped(suite));
    }
    out += run_details(run);
  }
  out += "</section></main><script>";
  out += kPageScript;
  out += "</script></body></html>\n";
  return out;
}

}  // namespace kerb::sim
