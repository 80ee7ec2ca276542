// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/simulator/report/report.hpp"

/// Reports of parts of suites, driven in several calls or on several machines, as one.
namespace kerb::sim {

/// A report from what render_json() wrote, without its pictures and time lines; or in one line what
/// is wrong with it. Any bytes are handled.
[[nodiscard]] std::variant<Report, std::string> parse_report(std::string_view json);

struct NamedReport {
  std::string name;  ///< its file
  Report report;
};
/// All runs of all reports, summed up anew. A run that several have must have come to the same in
/// each and counts once. Reports of different candidates (program, models, configuration, latency)
/// are merged only if `mixed`. Otherwise: in one line, why not.
[[nodiscard]] std::variant<Report, std::string> merge_reports(const std::vector<NamedReport>& parts,
                                                              bool mixed);

}  // namespace kerb::sim
