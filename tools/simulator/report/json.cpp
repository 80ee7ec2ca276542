// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/simulator/report/report.hpp"

namespace kerb::sim {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1e4) / 1e4; }
Json number(const std::optional<double>& value) {
  return value ? Json(rounded(*value)) : Json(nullptr);
}

Json verdicts_of(const std::vector<Verdict>& verdicts) {
  Json out = Json::array();
  for (const Verdict& v : verdicts) {
    out.push_back({{"rule", v.rule}, {"passed", v.passed}, {"reason", v.reason}});
    if (v.common) out.back()["common"] = true;
  }
  return out;
}

Json criteria_of(const Criteria& c) {
  Json out{{"share", c.share},
           {"no_collision_warning", c.no_collision_warning},
           {"impact_expected", c.impact_expected}};
  const auto add = [&out](const char* key, const auto& value) {
    if (value) out[key] = *value;
  };
  add("collision_warning_before_impact_s", c.collision_warning_before_impact_s);
  add("collision_warning_after_half_visible_s", c.collision_warning_after_half_visible_s);
  add("collision_warning_after_fault_s", c.collision_warning_after_fault_s);
  add("information_within_s", c.information_within_s);
  add("most_informations", c.most_informations);
  add("most_identity_changes", c.most_identity_changes);
  add("fault_told_within_s", c.fault_told_within_s);
  return out;
}

Json interval_of(const Interval& interval) {
  const auto one = [](double value) {
    return std::isfinite(value) ? Json(rounded(value)) : Json();
  };
  return Json::array({one(interval.low), one(interval.high)});
}

Json silence_of(const Silence& silence) {
  if (silence.runs == 0) return nullptr;
  return {{"runs", silence.runs},
          {"minutes", rounded(silence.seconds / 60)},
          {"collision_warnings", silence.collision_warnings},
          {"per_hour", rounded(silence.per_hour())},
          {"per_hour_95", interval_of(silence.per_hour_95())}};
}

Json truth_of(const Truth& truth) {
  Json out;
  out["impact"] = nullptr;
  if (truth.contact)
    out["impact"] = {{"at_s", rounded(truth.contact->t)},
                     {"person", truth.contact->person},
                     {"across", rounded(truth.contact->across)},
                     {"front", truth.contact->front},
                     {"car_mps", rounded(truth.contact_mps)}};
  out["seen_s"] = number(truth.seen);
  out["half_visible_s"] = number(truth.half_visible);
  if (truth.light)
    out["light"] = {{"at_s", rounded(truth.light->at)},
                    {"light_at_person_lux", rounded(truth.light->lux)},
                    {"contrast", rounded(truth.light->contrast)},
                    {"noise", rounded(truth.light->noise)},
                    {"pixels", rounded(truth.light->pixels)},
                    {"too_dark", too_dark(*truth.light)}};
  Json close = Json::array();
  for (const Truth::Close& c : truth.close)
    close.push_back(
        {{"person", c.person}, {"begin_s", rounded(c.begin)}, {"end_s", rounded(c.end)}});
  out["close"] = std::move(close);
  return out;
}

Json said_of(const Sent& sent) {
  Json warnings = Json::array(), states = Json::array(), limited = Json::array();
  for (const Sent::Stretch& told : sent.limited_view)
    limited.push_back({{"begin_s", rounded(told.begin)}, {"end_s", rounded(told.end)}});
  for (const Sent::Warning& w : sent.warnings)
    warnings.push_back({{"level", name_of(w.level)},
                        {"begin_s", rounded(w.begin)},
                        {"end_s", rounded(w.end)},
                        {"ttc_s", number(w.ttc)}});
  for (const Sent::State& s : sent.states)
    states.push_back({{"at_s", rounded(s.at)},
                      {"state", name_of(s.health.state)},
                      {"cause", name_of(s.health.cause)},
                      {"number", rounded(s.health.number)}});
  int most = 0;
  for (const Sent::People& p : sent.people) most = std::max(most, p.count);
  return {{"frames", sent.frames},       {"warnings", std::move(warnings)},
          {"states", std::move(states)}, {"limited_view", std::move(limited)},
          {"lists", sent.people.size()}, {"most_people", most}};
}

Json run_of(const ReportedRun& run) {
  if (!run.source.empty()) return Json::parse(run.source);
  const Scenario& s = run.scenario;
  return {{"suite", run.suite},
          {"group", s.group},
          {"name", s.name},
          {"title", s.title},
          {"file", s.file},
          {"seed", s.seed},
          {"variation", s.variation},
          {"suite_seed", s.suite_seed},
          {"left_hand", s.street.left_hand},
          {"seconds", s.seconds},
          {"criteria", criteria_of(s.criteria)},
          {"passed", run.judgement.passed()},
          {"verdicts", verdicts_of(run.judgement.verdicts)},
          {"warned_before_impact_s", number(run.judgement.warned_before_impact)},
          {"warned_after_half_visible_s", number(run.judgement.warned_after_half_visible)},
          {"truth", truth_of(run.truth)},
          {"said", said_of(run.judgement.sent)},
          {"false_informations", idle_informations(run.truth, run.judgement.sent, {})},
          {"pictures", run.frames},
          {"took_s", rounded(run.took_s)},
          {"drawing_s", rounded(run.drawing_s)}};
}

Json suite_of(const SuiteResult& suite) {
  Json groups = Json::array();
  for (const GroupResult& g : suite.groups)
    groups.push_back({{"name", g.name},
                      {"runs", g.runs},
                      {"passed_runs", g.passed_runs},
                      {"share", g.share},
                      {"passed", g.passed},
                      {"passed_share_95", interval_of(wilson_interval(g.passed_runs, g.runs))},
                      {"least_before_impact_s", number(g.least_before_impact)},
                      {"median_before_impact_s", number(g.median_before_impact)},
                      {"most_after_half_visible_s", number(g.most_after_half_visible)},
                      {"median_after_half_visible_s", number(g.median_after_half_visible)},
                      {"never_warned", g.never_warned},
                      {"silence", silence_of(g.silence)}});
  Json rule = nullptr;
  if (suite.most_informations_per_10min) rule = *suite.most_informations_per_10min;
  return {{"name", suite.name},
          {"title", suite.title},
          {"runs", suite.runs},
          {"passed_runs", suite.passed_runs},
          {"passed", suite.passed},
          {"passed_share_95", interval_of(wilson_interval(suite.passed_runs, suite.runs))},
          {"silence", silence_of(suite.silence)},
          {"most_informations_per_10min", std::move(rule)},
          {"verdicts", verdicts_of(suite.verdicts)},
          {"groups", std::move(groups)}};
}

}  // namespace

std::string render_json(const Report& report) {
  Json out;
  out["kerblab"] = report.version;
  out["commit"] = report.commit;
  out["candidate"] = report.candidate;
  out["models"] = Json::array();
  for (const FileId& model : report.models)
    out["models"].push_back({{"name", model.name}, {"crc32", model.crc32}});
  out["configuration_crc32"] = report.configuration_crc32;
  const bool on_board = report.candidate == "board";  // the latency is not fixed there
  out["latency_s"] = on_board || std::isnan(report.latency_s) ? Json() : Json(report.latency_s);
  if (on_board) out["clock_rate"] = report.clock_rate;
  out["passed"] = report.passed();
  out["suites"] = Json::array();
  for (const SuiteResult& suite : report.suites) out["suites"].push_back(suite_of(suite));
  out["runs"] = Json::array();
  for (const ReportedRun& run : report.runs) out["runs"].push_back(run_of(run));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kerb::sim
