// SPDX-License-Identifier: Apache-2.0
// kerblab sim merge: reports of parts of suites, as one.
#include "tools/simulator/report/merge.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/report_files.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string report, html;
  bool mixed = false;
};

int merge(const MergeOptions& o) {
  std::vector<std::string> outputs;
  for (const std::string& path : {o.report, o.html}) {
    if (path.empty()) continue;
    if (Status ok = check_output(path); !ok) return fail(ok.error());
    outputs.push_back(path);
  }
  if (Status ok = check_apart(outputs, o.files); !ok) return fail(ok.error());
  if (Status ok = check_distinct(outputs); !ok) return fail(ok.error());
  const std::optional<std::vector<sim::NamedReport>> parts = read_reports(o.files);
  if (!parts) return kBadInput;
  std::variant<sim::Report, std::string> merged = sim::merge_reports(*parts, o.mixed);
  if (const auto* problem = std::get_if<std::string>(&merged)) return fail(*problem);
  const auto& report = std::get<sim::Report>(merged);
  if (!o.report.empty())
    if (Status ok = write_output(o.report, sim::render_json(report)); !ok) return fail(ok.error());
  if (!o.html.empty())
    if (Status ok = write_output(o.html, sim::render_html(report)); !ok) return fail(ok.error());
  std::size_t given = 0;
  for (const sim::NamedReport& part : *parts) given += part.report.runs.size();
  double simulated = 0;
  for (const sim::ReportedRun& run : report.runs) simulated += run.scenario.seconds;
  const std::size_t twice = given - report.runs.size();
  fmt::print(o.report == "-" || o.html == "-" ? stderr : stdout,
             "{}{}: {} runs of {} reports, {:.0f} s of traffic{}\n", render_summary(report),
             report.passed() ? "passed" : "FAILED", report.runs.size(), parts->size(), simulated,
             twice == 0 ? "" : fmt::format("; {} were there twice, with the same result", twice));
  return report.passed() ? 0 : kSomeFailed;
}

}  // namespace

void add_sim_merge(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("merge", "Merge reports of sim run and sum them up as one");
  command->footer(
      "For suites that were run in parts: several calls, seeds or machines. The result is a "
      "report\n"
      "as sim run writes it, with groups, shares and intervals of all runs together. A run that "
      "is\n"
      "in several reports counts once; it must have the same result in each. Reports of another\n"
      "program, model, configuration or latency are refused unless --mixed.\n"
      "Example:\n"
      "  kerblab sim merge a.json b.json --report all.json --html all.html\n"
      "Exit codes: 0 all passed, 1 some failed, 2 bad input.");
  const auto o = std::make_shared<MergeOptions>();
  command->add_option("report-file", o->files, "Reports, as sim run --report writes them")
      ->required()
      ->option_text("REPORT...")
      ->check(not_empty);
  add_name_option(*command, "--report", o->report,
                  "Write the merged report as JSON to this file; - is stdout");
  add_name_option(*command, "--html", o->html,
                  "Write it as one self-contained HTML page, without pictures and time lines");
  command->add_flag("--mixed", o->mixed, "Merge reports of different candidates");
  run_when_chosen(*command, action, [o] { return merge(*o); });
}

}  // namespace kerb::lab
