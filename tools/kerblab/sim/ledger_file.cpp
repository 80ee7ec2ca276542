// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/ledger_file.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "firmware/schema/parse.hpp"
#include "firmware/schema/reader.hpp"
#include "firmware/schema/schema.hpp"

namespace kerb::lab {
namespace {

constexpr const char* kKinds[] = {"false_alarm", "miss"};
constexpr const char* kCauses[] = {"unknown", "detection", "placement", "motion",
                                   "path",    "rule",      "judge"};
constexpr std::size_t kMostRunNames = 64, kLongestRunName = 200;

using RunNames = std::vector<std::string>;

bool is_run_name(const schema::Node& item) {
  if (item.kind != schema::Node::Kind::text || item.text.size() > kLongestRunName) return false;
  const std::size_t slash = item.text.rfind('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < item.text.size();
}
std::string allowed_run_names(const schema::Field&) {
  return "an array of 1.." + std::to_string(kMostRunNames) + " texts \"SUITE/RUN\"";
}
void read_run_names(schema::Reader& reader, const schema::Field& field, const schema::Node& node,
                    void* to, const std::string& key) {
  if (node.kind != schema::Node::Kind::list || node.items.empty() ||
      node.items.size() > kMostRunNames || !std::ranges::all_of(node.items, is_run_name))
    return reader.refuse(key, node, "must be " + allowed_run_names(field));
  RunNames& out = *static_cast<RunNames*>(to);
  out.clear();
  for (const schema::Node& item : node.items) out.push_back(item.text);
}
constexpr schema::Custom kRunNames{"array", allowed_run_names, read_run_names,
                                   &schema::kTypeOf<RunNames>};

constexpr schema::Field kEntry[] = {
    schema::text<&LedgerEntry::name>("name", 1, 64, schema::TextRule::name,
                                     "Name, of the heading and of the picture.")
        .by_default("none"),
    schema::custom<&LedgerEntry::runs>(
        "runs", 0, 0, "", "Runs that failed, \"SUITE/RUN\", as shell patterns (*, ?, [...]).",
        kRunNames)
        .by_default("none"),
    schema::text<&LedgerEntry::candidate>(
        "candidate", 1, 64, schema::TextRule::name,
        "The detector's model, without .kwm, with which they failed; or a stand-in."),
    schema::choice<&LedgerEntry::kind>("kind", kKinds, "What kind of failure."),
    schema::choice<&LedgerEntry::cause>("cause", kCauses, "Cause."),
    schema::text<&LedgerEntry::happened>("happened", 1, 1000, schema::TextRule::printable,
                                         "What happened.")
        .by_default("none"),
    schema::text<&LedgerEntry::fix>("fix", 0, 1000, schema::TextRule::printable,
                                    "What fixed it; empty: open."),
    schema::text<&LedgerEntry::fixed_in>("fixed_in", 0, 64, schema::TextRule::printable,
                                         "Version or commit that has the fix."),
    schema::number<&LedgerEntry::at_s>("at_s", 0, 3600, "s",
                                       "Moment of the picture, in the first of the runs, which "
                                       "must then be no pattern; none: no picture.")
        .by_default("none"),
};
constexpr schema::Table kEntryTable = schema::table_of<LedgerEntry>("entry", "A failure.", kEntry);

struct LedgerDraft {
  std::vector<LedgerEntry> entries;
};
constexpr schema::Field kLedger[] = {
    schema::tables<&LedgerDraft::entries>("entry", 0, 1000, "A failure.", kEntryTable)};
constexpr schema::Table kLedgerTable =
    schema::table_of<LedgerDraft>("", "False alarms and misses.", kLedger);

void check_entries(schema::Reader& reader, const std::vector<LedgerEntry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    const std::string key = "entry[" + std::to_string(i) + "].";
    const auto need = [&](bool holds, const char* name, const char* rule) {
      if (!holds) reader.report(key + name, "", rule);
    };
    for (const char* name : {"name", "runs", "kind", "cause", "happened"})
      need(reader.has(key + name), name, "must be given");
    need(entry.fix.empty() == entry.fixed_in.empty(), "fixed_in", "goes together with fix");
    need(!entry.at_s ||
             (!entry.runs.empty() && entry.runs.front().find_first_of("*?[") == std::string::npos),
         "at_s", "needs a first run that is no pattern");
    need(std::none_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const LedgerEntry& other) { return other.name == entry.name; }),
         "name", "must differ from those of other entries");
  }
}

Ledger ledger_of(std::variant<schema::Node, schema::Problem> tree) {
  if (auto* const problem = std::get_if<schema::Problem>(&tree)) return {{}, {std::move(*problem)}};
  LedgerDraft draft;
  schema::Reader reader;
  reader.read(kLedgerTable, std::get<schema::Node>(tree), draft);
  if (reader.ok()) check_entries(reader, draft.entries);
  if (!reader.ok()) return {{}, reader.problems()};
  return {std::move(draft.entries), {}};
}

}  // namespace

const char* name_of(FailureKind kind) noexcept {
  return kind == FailureKind::miss ? "miss" : "false alarm";
}
const char* name_of(FailureCause cause) noexcept { return kCauses[static_cast<int>(cause)]; }

bool LedgerEntry::is_about(std::string_view candidate_name, const std::string& run) const {
  return candidate == candidate_name && std::ranges::any_of(runs, [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), run.c_str(), 0) == 0;
         });
}

Ledger read_ledger(const std::string& path) { return ledger_of(schema::read_tree(path)); }

Ledger parse_ledger(std::string_view text, const std::string& name) {
  return ledger_of(schema::parse_tree(text, name));
}

const schema::Table& ledger_table() { return kLedgerTable; }

}  // namespace kerb::lab
