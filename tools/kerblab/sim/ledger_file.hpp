// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/schema/problem.hpp"

namespace kerb::schema {
struct Table;
}

/// The ledger: false alarms and misses of the suites' runs, each with its cause and what fixed it.
namespace kerb::lab {

enum class FailureKind : std::uint8_t { false_alarm, miss };
enum class FailureCause : std::uint8_t {
  unknown,    ///< not yet looked at
  detection,  ///< not found, or found where nobody is
  placement,  ///< put at the wrong place on the road
  motion,     ///< a wrong velocity, or a right one believed late
  path,       ///< the car's own path
  rule,       ///< when a warning begins, stays and ends
  judge       ///< the scenario or the judge asks for what cannot be had
};
[[nodiscard]] const char* name_of(FailureKind kind) noexcept;
[[nodiscard]] const char* name_of(FailureCause cause) noexcept;

/// One failure, of a run or of a family of runs.
struct LedgerEntry {
  std::string name;                   ///< of its picture, too: letters, digits, '-' and '_'
  std::vector<std::string> runs;      ///< "SUITE/RUN" each, as shell patterns (*, ?, [...])
  std::string candidate = "default";  ///< the model's name, or the stand-in's
  FailureKind kind = FailureKind::false_alarm;
  FailureCause cause = FailureCause::unknown;
  std::string happened;        ///< in words
  std::string fix, fixed_in;   ///< what, and the version or commit; both or neither
  std::optional<double> at_s;  ///< of the picture, in the first of the runs; none: no picture
  [[nodiscard]] bool is_about(std::string_view candidate_name, const std::string& run) const;
};

struct Ledger {
  std::vector<LedgerEntry> entries;
  std::vector<schema::Problem>
      problems;  ///< none where the file is good; then there are no entries
};

/// A TOML file with a table [[entry]] for each.
[[nodiscard]] Ledger read_ledger(const std::string& path);
/// The same of a text; `name` replaces the file's name.
[[nodiscard]] Ledger parse_ledger(std::string_view text, const std::string& name);

/// The table of such a file as a whole, for its reference.
[[nodiscard]] const schema::Table& ledger_table();

}  // namespace kerb::lab
