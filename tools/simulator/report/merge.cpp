// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/report/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace kerb::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeveral = "several";  // in the place of what is not the same

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string models_of(const Report& report) {
  std::string out;
  for (const FileId& model : report.models)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", model.name, model.crc32);
  return or_none(out);
}

bool same_models(const Report& a, const Report& b) {
  return std::ranges::equal(a.models, b.models, {}, &FileId::crc32, &FileId::crc32);
}

/// What of the candidate differs, in words; empty: nothing.
std::string difference(const Report& a, const Report& b) {
  const auto differ = [](const char* what, const std::string& x, const std::string& y) {
    return fmt::format("another {}: {}, not {}", what, or_none(y), or_none(x));
  };
  if (a.candidate != b.candidate) return differ("candidate", a.candidate, b.candidate);
  if (a.version != b.version) return differ("version of kerblab", a.version, b.version);
  if (a.commit != b.commit) return differ("commit of kerblab", a.commit, b.commit);
  if (!same_models(a, b)) return differ("model", models_of(a), models_of(b));
  if (a.configuration_crc32 != b.configuration_crc32)
    return differ("configuration", a.configuration_crc32, b.configuration_crc32);
  if (a.latency_s != b.latency_s && !(std::isnan(a.latency_s) && std::isnan(b.latency_s)))
    return differ("latency", fmt::format("{:g} s", a.latency_s),
                  fmt::format("{:g} s", b.latency_s));
  if (a.clock_rate != b.clock_rate)
    return differ("clock rate", fmt::format("{:g}", a.clock_rate),
                  fmt::format("{:g}", b.clock_rate));
  return "";
}

/// Where they differ, neither counts.
void blend(Report& into, const Report& other) {
  const auto text = [](std::string& a, const std::string& b) {
    if (a != b) a = kSeveral;
  };
  if (!same_models(into, other)) into.models = {{kSeveral, ""}};
  text(into.candidate, other.candidate);
  text(into.version, other.version);
  text(into.commit, other.commit);
  text(into.configuration_crc32, other.configuration_crc32);
  if (into.latency_s != other.latency_s) into.latency_s = std::numeric_limits<double>::quiet_NaN();
}

/// A run without what depends on the machine.
Json result_of(const ReportedRun& run) {
  Json out = Json::parse(run.source);
  for (const char* key : {"took_s", "drawing_s"}) out.erase(key);
  return out;
}

/// The first key in which two results differ.
std::string differing_key(const Json& a, const Json& b) {
  for (const auto& [key, value] : a.items())
    if (!b.contains(key) || b.at(key) != value) return key;
  return "keys";
}

}  // namespace

std::variant<Report, std::string> merge_reports(const std::vector<NamedReport>& parts, bool mixed) {
  if (parts.empty()) return std::string{"there is no report"};
  Report out = parts.front().report;
  out.runs.clear();
  out.suites.clear();
  std::vector<SuiteRules> rules;
  struct Known {
    const NamedReport* part;
    const ReportedRun* run;
  };
  std::map<std::pair<std::string, std::string>, Known> known;
  for (const NamedReport& part : parts) {
    const std::string other = difference(parts.front().report, part.report);
    if (!other.empty() && !mixed)
      return fmt::format("{}: is of {} as in {} (--mixed merges them all the same)", part.name,
                         other, parts.front().name);
    blend(out, part.report);
    for (const SuiteResult& suite : part.report.suites) {
      const auto same = std::ranges::find(rules, suite.name, &SuiteRules::name);
      if (same == rules.end()) {
        rules.push_back({suite.name, suite.title, suite.most_informations_per_10min});
      } else if (same->most_informations_per_10min != suite.most_informations_per_10min) {
        return fmt::format("{}: the suite {} has other rules than in the reports before it",
                           part.name, suite.name);
      }
    }
    for (const ReportedRun& run : part.report.runs) {
      const auto [at, is_new] =
          known.try_emplace({run.suite, run.scenario.name}, Known{&part, &run});
      if (is_new) {
        out.runs.push_back(run);
        continue;
      }
      const Json before = result_of(*at->second.run), now = result_of(run);
      if (before != now)
        return fmt::format("{}: the run {}/{} has another result than in {}: see {}", part.name,
                           run.suite, run.scenario.name, at->second.part->name,
                           differing_key(before, now));
    }
  }
  sum_up(out, rules);
  return out;
}

}  // namespace kerb::sim
