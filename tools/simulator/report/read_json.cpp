// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/simulator/report/merge.hpp"

namespace kerb::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // tables in tables: a report has 5

/// A value that a report cannot have.
struct WrongValue {
  std::string key;
};

std::optional<double> number(const Json& from, const char* key) {
  const auto found = from.find(key);
  return found == from.end() || found->is_null() ? std::nullopt
                                                 : std::optional{found->get<double>()};
}
double number_within(const Json& from, const char* key, double low, double high) {
  const auto value = from.at(key).get<double>();
  if (!(value >= low && value <= high)) throw WrongValue{key};
  return value;
}
/// A whole number from 0 that T can hold.
template <typename T>
T count(const Json& from, const char* key) {
  const Json& value = from.at(key);
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<T>::max()})
    throw WrongValue{key};
  return static_cast<T>(value.get<std::uint64_t>());
}
const Json& list(const Json& from, const char* key) {
  const Json& value = from.at(key);
  if (!value.is_array()) throw WrongValue{key};
  return value;
}

/// Whether it nests deeper than a report: what prints it again goes down into it.
bool is_too_deep(std::string_view json) {
  int depth = 0;
  bool text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (text && c == '\\') {
      ++i;
    } else if (c == '"') {
      text = !text;
    } else if (!text && (c == '[' || c == '{')) {
      if (++depth > kDeepest) return true;
    } else if (!text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

std::vector<Verdict> verdicts_of(const Json& verdicts) {
  std::vector<Verdict> out;
  for (const Json& v : verdicts)
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
  s.seed = count<std::uint32_t>(from, "seed");
  s.variation = from.at("variation").get<bool>();
  s.suite_seed = count<std::uint32_t>(from, "suite_seed");
  s.street.left_hand = from.at("left_hand").get<bool>();
  s.seconds = number_within(from, "seconds", 0, 1e6);
  const Json& asks = from.at("criteria");
  s.criteria.share = number_within(asks, "share", 0, 1);
  s.criteria.no_collision_warning = asks.at("no_collision_warning").get<bool>();
  s.criteria.collision_warning_before_impact_s = number(asks, "collision_warning_before_impact_s");
  s.criteria.collision_warning_after_half_visible_s =
      number(asks, "collision_warning_after_half_visible_s");
  run.judgement.verdicts = verdicts_of(list(from, "verdicts"));
  run.judgement.warned_before_impact = number(from, "warned_before_impact_s");
  run.judgement.warned_after_half_visible = number(from, "warned_after_half_visible_s");
  for (const Json& w : list(from.at("said"), "warnings")) {
    const auto level = w.at("level").get<std::string>();
    Sent::Warning warning;
    warning.level = level == name_of(WarningLevel::collision) ? WarningLevel::collision
                                                              : WarningLevel::information;
    if (level != name_of(warning.level)) throw WrongValue{"level"};
    warning.begin = w.at("begin_s").get<double>();
    warning.end = w.at("end_s").get<double>();
    run.judgement.sent.warnings.push_back(warning);
  }
  run.false_informations = count<int>(from, "false_informations");
  run.frames = count<int>(from, "pictures");
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
  for (const Json& model : list(from, "models"))
    out.models.push_back(
        {model.at("name").get<std::string>(), model.at("crc32").get<std::string>()});
  out.configuration_crc32 = from.at("configuration_crc32").get<std::string>();
  const bool on_board = out.candidate == "board";
  out.latency_s =
      number(from, "latency_s").value_or(on_board ? 0 : std::numeric_limits<double>::quiet_NaN());
  out.clock_rate = number(from, "clock_rate").value_or(1);
  for (const Json& run : list(from, "runs")) out.runs.push_back(run_of(run));
  std::vector<SuiteRules> rules;
  for (const Json& suite : list(from, "suites"))
    rules.push_back({suite.at("name").get<std::string>(), suite.at("title").get<std::string>(),
                     number(suite, "most_informations_per_10min")});
  sum_up(out, rules);
  return out;
}

}  // namespace

std::variant<Report, std::string> parse_report(std::string_view json) {
  if (is_too_deep(json)) return std::string{"is not a report of kerblab sim run: nests too deep"};
  try {
    const Json from = Json::parse(json);
    if (!from.is_object() || !from.contains("kerblab") || !from.contains("runs"))
      return std::string{"is not a report of kerblab sim run"};
    if (!from.contains("commit"))
      return std::string{"is a report of an older kerblab, which does not name its candidate"};
    return report_of(from);
  } catch (const WrongValue& wrong) {
    return "is not a report of kerblab sim run: no possible value of " + wrong.key;
  } catch (const Json::exception& error) {
    return std::string{"is not a report of kerblab sim run: "} + error.what();
  }
}

}  // namespace kerb::sim
