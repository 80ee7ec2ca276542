// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/ledger_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace kerb::lab {
namespace {

using LedgerJson = nlohmann::ordered_json;

/// What the judge says of a run, in a few words.
std::string result_text(const sim::ReportedRun& run) {
  const sim::Judgement& j = run.judgement;
  std::string reasons;
  for (const sim::Verdict& v : j.verdicts)
    if (!v.passed) reasons += (reasons.empty() ? "" : "; ") + v.reason;
  if (!reasons.empty()) return reasons;
  const sim::Criteria& asks = run.scenario.criteria;
  if (asks.collision_warning_after_half_visible_s && j.warned_after_half_visible)
    return fmt::format("collision warning {:.2f} s after half visible",
                       *j.warned_after_half_visible);
  if (j.warned_before_impact)
    return fmt::format("collision warning {:.2f} s before impact", *j.warned_before_impact);
  return asks.no_collision_warning ? "no collision warning" : "passed";
}

}  // namespace

std::string candidate_of(const sim::Report& report) {
  if (report.models.empty()) return report.candidate;
  return std::filesystem::path{report.models.front().name}.stem().string();
}

void LedgerResults::add(const sim::Report& report) {
  const std::string candidate = candidate_of(report);
  for (const sim::ReportedRun& run : report.runs)
    results_[{candidate, run.suite, run.scenario.name}] = {
        run.judgement.passed(), result_text(run),
        report.commit.empty() ? report.version : report.commit};
}

void LedgerResults::keep(const std::vector<LedgerEntry>& entries) {
  std::erase_if(results_, [&](const auto& item) {
    return item.second.passed && std::ranges::none_of(entries, [&](const LedgerEntry& entry) {
             return entry.is_about(item.first.candidate, item.first.full_name());
           });
  });
}

std::string LedgerResults::render() const {
  std::string out = "{\"runs\": [";
  const char* gap = "\n";
  for (const auto& [key, result] : results_) {
    const LedgerJson one{
        {"candidate", key.candidate}, {"suite", key.suite},      {"run", key.run},
        {"passed", result.passed},    {"result", result.result}, {"commit", result.commit}};
    out += gap + one.dump(-1, ' ', false, LedgerJson::error_handler_t::replace);
    gap = ",\n";
  }
  return out + "\n]}\n";
}

std::variant<LedgerResults, std::string> LedgerResults::parse(std::string_view json) {
  const std::string wrong = "is not what kerblab sim ledger writes";
  try {
    const LedgerJson from = LedgerJson::parse(json);
    if (!from.is_object() || !from.contains("runs") || !from["runs"].is_array()) return wrong;
    LedgerResults out;
    for (const LedgerJson& run : from["runs"])
      out.results_[{run.at("candidate").get<std::string>(), run.at("suite").get<std::string>(),
                    run.at("run").get<std::string>()}] = {run.at("passed").get<bool>(),
                                                          run.at("result").get<std::string>(),
                                                          run.at("commit").get<std::string>()};
    return out;
  } catch (const LedgerJson::exception&) {
    return wrong;
  }
}

}  // namespace kerb::lab
