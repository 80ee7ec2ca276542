// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/simulator/report/merge.hpp"

namespace kerb::sim {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number(const Json& from, const char* key) {
  const auto found = from.find(key);
  return found == from.end() || found->is_null() ? std::nullopt
                                                 : std::optional{found->get<double>()};
}

std::vector<Verdict> verdicts_of(const Json& list) {
  std::vector<Verdict> out;
  for (const Json& v : list)
    out.push_back({v.at("rule").get<std::string>(), v.at("passed").get<bool>(),
                   v.at("reason").get<std::string>(), v.value("common", false)});
  return out;
}

ReportedRun run_of(const Json& from) {
  ReportedRun run;
  run.suite = from.at("suite").get<std::string>();
  Scenario& s = run.scenario;
  s.name = from.at("name").get<std::string>();
  s.group = from.at("group").get<std::string>();
  s.title = from.at("title").get<std::string>();
  s.file = from.at("file").get<std::string>();
  s.seed = from.at("seed").get<std::uint32_t>();
  s.variation = from.at("variation").get<bool>();
  s.suite_seed = from.at("suite_seed").get<std::uint32_t>();
  s.street.left_hand = from.at("left_hand").get<bool>();
  s.seconds = from.at("seconds").get<double>();
  const Json& asks = from.at("criteria");
  s.criteria.share = asks.at("share").get<double>();
  s.criteria.no_collision_warning = asks.at("no_collision_warning").get<bool>();
  s.criteria.collision_warning_before_impact_s = number(asks, "collision_warning_before_impact_s");
  s.criteria.collision_warning_after_half_visible_s =
      number(asks, "collision_warning_after_half_visible_s");
  run.judgement.verdicts = verdicts_of(from.at("verdicts"));
  run.judgement.warned_before_impact = number(from, "warned_before_impact_s");
  run.judgement.warned_after_half_visible = number(from, "warned_after_half_visible_s");
  for (const Json& w : from.at("said").at("warnings")) {
    const auto level = w.at("level").get<std::string>();
    Sent::Warning warning;
    for (const WarningLevel one : {WarningLevel::information, WarningLevel::collision})
      if (level == name_of(one)) warning.level = one;
    warning.begin = w.at("begin_s").get<double>();
    warning.end = w.at("end_s").get<double>();
    run.judgement.sent.warnings.push_back(warning);
  }
  run.false_informations = from.at("false_informations").get<int>();
  run.frames = from.at("pictures").get<int>();
  run.took_s = from.at("took_s").get<double>();
  run.drawing_s = from.at("drawing_s").get<double>();
  run.source = from.dump();
  return run;
}

Report report_of(const Json& from) {
  Report out;
  out.version = from.at("kerblab").get<std::string>();
  out.commit = from.at("commit").get<std::string>();
  out.candidate = from.at("candidate").get<std::string>();
  for (const Json& model : from.at("models"))
    out.models.push_back(
        {model.at("name").get<std::string>(), model.at("crc32").get<std::string>()});
  out.configuration_crc32 = from.at("configuration_crc32").get<std::string>();
  const bool on_board = out.candidate == "board";
  out.latency_s =
      number(from, "latency_s").value_or(on_board ? 0 : std::numeric_limits<double>::quiet_NaN());
  out.clock_rate = number(from, "clock_rate").value_or(1);
  for (const Json& run : from.at("runs")) out.runs.push_back(run_of(run));
  std::vector<SuiteRules> rules;
  for (const Json& suite : from.at("suites"))
    rules.push_back({suite.at("name").get<std::string>(), suite.at("title").get<std::string>(),
                     number(suite, "most_informations_per_10min")});
  sum_up(out, rules);
  return out;
}

}  // namespace

std::variant<Report, std::string> parse_report(std::string_view json) {
  try {
    const Json from = Json::parse(json);
    if (!from.is_object() || !from.contains("kerblab") || !from.contains("runs"))
      return std::string{"is not a report of kerblab sim run"};
    if (!from.contains("commit"))
      return std::string{"is a report of an older kerblab, which does not name its candidate"};
    return report_of(from);
  } catch (const Json::exception& error) {
    return std::string{"is not a report of kerblab sim run: "} + error.what();
  }
}

}  // namespace kerb::sim
