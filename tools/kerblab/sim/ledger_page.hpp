// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/kerblab/sim/ledger_file.hpp"
#include "tools/kerblab/sim/ledger_results.hpp"

namespace kerb::lab {

/// Where an entry stands, by what it says and how its runs ended last.
enum class LedgerState : std::uint8_t {
  open,
  fails_again,  ///< fixed, but one of its runs failed
  passes,       ///< open, but all of its runs that were driven passed
  fixed         ///< or not driven since
};
[[nodiscard]] LedgerState state_of(const LedgerEntry& entry, const LedgerResults& results);

/// What somebody must look at.
struct LedgerAttention {
  std::vector<LedgerResults::Key> unlisted;  ///< runs that failed and that no entry is about
  std::vector<std::string> without_cause;    ///< entries that are open without a cause
  std::vector<std::string> fail_again;       ///< entries
  [[nodiscard]] bool empty() const noexcept {
    return unlisted.empty() && without_cause.empty() && fail_again.empty();
  }
};
[[nodiscard]] LedgerAttention attention_of(const std::vector<LedgerEntry>& entries,
                                           const LedgerResults& results);

/// The page, in Markdown. It follows from these alone. `pictures`: the folder of the pictures, seen
/// from the page.
[[nodiscard]] std::string render_ledger(const std::vector<LedgerEntry>& entries,
                                        const LedgerResults& results, const std::string& pictures);

}  // namespace kerb::lab
