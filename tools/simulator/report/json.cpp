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
  for (const Verdict& v : verdicts)
    out.push_back({{"rule", v.rule}, {"passed", v.passed}, {"reason", v.reason}});
  return out;
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
  Json warnings = Json::array(), states = Json::array();
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
  return {{"frames", sent.frames},
          {"warnings", std::move(warnings)},
          {"states", std::move(states)},
          {"lists", sent.people.size()},
          {"most_people", most}};
}

Json run_of(const ReportedRun& run) {
  const Scenario& s = run.scenario;
  return {{"suite", run.suite},
          {"group", s.group},
          {"name", s.name},
          {"title", s.title},
          {"file", s.file},
          {"seed", s.seed},
          {"seconds", s.seconds},
          {"passed", run.judgement.passed()},
          {"verdicts", verdicts_of(run.judgement.verdicts)},
          {"warned_before_impact_s", number(run.judgement.warned_before_impact)},
          {"warned_after_half_visible_s", number(run.judgement.warned_after_half_visible)},
          {"truth", truth_of(run.truth)},
          {"said", said_of(run.judgement.sent)},
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
                      {"least_before_impact_s", number(g.least_before_impact)},
                      {"most_after_half_visible_s", number(g.most_after_half_visible)}});
  return {{"name", suite.name},         {"title", suite.title},
          {"runs", suite.runs},         {"passed_runs", suite.passed_runs},
          {"passed", suite.passed},     {"verdicts", verdicts_of(suite.verdicts)},
          {"groups", std::move(groups)}};
}

}  // namespace

std::string render_json(const Report& report) {
  Json out;
  out["kerblab"] = report.version;
  out["candidate"] = report.candidate;
  const bool on_board = report.candidate == "board";  // the latency is not fixed there
  out["latency_s"] = on_board ? Json(nullptr) : Json(report.latency_s);
  if (on_board) out["clock_rate"] = report.clock_rate;
  out["passed"] = report.passed();
  out["suites"] = Json::array();
  for (const SuiteResult& suite : report.suites) out["suites"].push_back(suite_of(suite));
  out["runs"] = Json::array();
  for (const ReportedRun& run : report.runs) out["runs"].push_back(run_of(run));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kerb::sim
