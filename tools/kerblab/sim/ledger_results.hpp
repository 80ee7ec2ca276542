// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "tools/kerblab/sim/ledger_file.hpp"
#include "tools/simulator/report/report.hpp"

namespace kerb::lab {

/// How a run ended when it was last driven.
struct LedgerResult {
  bool passed = false;
  std::string result;  ///< what the judge says, in words
  std::string commit;  ///< of the program that drove it; its version where that is not known
};

/// What the ledger keeps of reports: the runs that it is about, and those that failed.
class LedgerResults {
 public:
  /// Who drove, and what.
  struct Key {
    std::string candidate, suite, run;
    [[nodiscard]] bool operator<(const Key& other) const {
      return std::tie(candidate, suite, run) < std::tie(other.candidate, other.suite, other.run);
    }
    [[nodiscard]] std::string full_name() const { return fmt::format("{}/{}", suite, run); }
  };

  /// Takes over a report's results; those of runs that are known are replaced.
  void add(const sim::Report& report);
  /// Forgets runs that passed and that no entry is about.
  void keep(const std::vector<LedgerEntry>& entries);
  [[nodiscard]] const std::map<Key, LedgerResult>& all() const noexcept { return results_; }

  /// As JSON, sorted, a line for each run.
  [[nodiscard]] std::string render() const;
  /// What render() wrote, or in one line what is wrong with it. Any bytes are handled.
  [[nodiscard]] static std::variant<LedgerResults, std::string> parse(std::string_view json);

 private:
  std::map<Key, LedgerResult> results_;
};

/// The name by which the ledger knows who drove: its first model, without .kwm; of a stand-in its
/// own.
[[nodiscard]] std::string candidate_of(const sim::Report& report);

}  // namespace kerb::lab
