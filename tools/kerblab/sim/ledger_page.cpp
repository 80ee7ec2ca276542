// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/ledger_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kerb::lab {
namespace {

constexpr std::size_t kMostListed = 8;  // results of one entry's runs

constexpr const char* kPageHead = R"(# Ledger of false alarms and misses

This page has every false alarm and every miss that was found in the suites of the
[simulator](../simulator.md#keep-the-ledger): what was seen, its cause, and what fixed it or that it is open. It is
made from `ledger.toml`, which people write, and `ledger.json`, which has how each of these runs ended when it was
last driven; neither this page nor `ledger.json` is written by hand.

```sh
kerblab sim run --suite euroncap --report euroncap.json
kerblab sim ledger euroncap.json            # the last results, this page, and what is not yet looked at
```

| cause | means |
|---|---|
| detection | somebody is not found, or somebody is found where nobody is |
| placement | a person is put at the wrong place on the road |
| motion | a wrong velocity is believed, or a right one late |
| path | the car's own path is not where it drives |
| rule | when a warning begins, stays and ends |
| judge | the scenario asks for what cannot be had |

In the images, light boxes are the truth, thin ones detections, amber ones people whom the firmware follows, with their
distance, and red ones those with whom it expects a contact.
)";

struct StateWords {
  LedgerState state;
  const char *heading, *words;
};
constexpr StateWords kStates[] = {
    {LedgerState::open, "Open", "open"},
    {LedgerState::fails_again, "Fails again", "fails again"},
    {LedgerState::passes, "Passes, not explained", "passes, not explained"},
    {LedgerState::fixed, "Fixed", "fixed"}};

/// Text in a cell of a table, in one line; `plain`: without the meaning that Markdown gives to
/// characters.
std::string cell(const std::string& text, bool plain = false) {
  std::string out;
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    if (c == '|' || (plain && (c == '*' || c == '_' || c == '<' || c == '`'))) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::pair<std::string, const LedgerResult*>> results_of(const LedgerEntry& entry,
                                                                    const LedgerResults& results) {
  std::vector<std::pair<std::string, const LedgerResult*>> out;
  for (const auto& [key, result] : results.all()) {
    std::string run = key.full_name();
    if (entry.is_about(key.candidate, run)) out.emplace_back(std::move(run), &result);
  }
  return out;
}

std::string now_text(const LedgerEntry& entry, const LedgerResults& results) {
  const auto found = results_of(entry, results);
  if (found.empty()) return "not driven since";
  const auto passed = std::ranges::count_if(found, [](const auto& r) { return r.second->passed; });
  std::string out;
  std::size_t listed = 0;
  for (const bool of_passed : {false, true})
    for (const auto& [run, result] : found) {
      if (result->passed != of_passed || ++listed > kMostListed) continue;
      if (!out.empty()) out += "<br>";
      if (found.size() > 1) out += fmt::format("`{}`: ", run);
      out += fmt::format("{}: {} ({})", result->passed ? "passes" : "**fails**",
                         cell(result->result, true), cell(result->commit, true));
    }
  if (listed > kMostListed)
    out +=
        fmt::format("<br>and {} more; {} of {} pass", listed - kMostListed, passed, found.size());
  return out;
}

std::string section(const LedgerEntry& entry, const LedgerResults& results,
                    const std::string& pictures) {
  std::string out = fmt::format("\n### {}\n\n", entry.name);
  if (entry.at_s)
    out += fmt::format("![{}, {:.2f} s]({}/{}.jpg)\n\n", entry.runs.front(), *entry.at_s, pictures,
                       entry.name);
  std::string runs;
  for (const std::string& run : entry.runs) runs += (runs.empty() ? "`" : ", `") + cell(run) + "`";
  out +=
      fmt::format("| {} | {}, with {} |\n|---|---|\n", name_of(entry.kind), runs, entry.candidate);
  out += fmt::format("| what happened | {} |\n", cell(entry.happened));
  out +=
      fmt::format("| cause | {} |\n", entry.cause == FailureCause::unknown ? "not yet looked at"
                                                                           : name_of(entry.cause));
  out +=
      fmt::format("| fixed by | {} |\n",
                  entry.fix.empty() ? "open" : cell(entry.fix) + " (" + cell(entry.fixed_in) + ")");
  out += fmt::format("| now | {} |\n", now_text(entry, results));
  return out;
}

std::string summary(const std::vector<LedgerEntry>& entries, const LedgerResults& results) {
  std::string out = "\n| cause | false alarms | misses |";
  for (const StateWords& s : kStates) out += fmt::format(" {} |", s.words);
  out += "\n|---|---|---|---|---|---|---|\n";
  constexpr FailureCause kCauseOrder[] = {
      FailureCause::detection, FailureCause::placement, FailureCause::motion, FailureCause::path,
      FailureCause::rule,      FailureCause::judge,     FailureCause::unknown};
  std::array<int, 2> all_kinds{};
  std::array<int, std::size(kStates)> all_states{};
  for (const FailureCause cause : kCauseOrder) {
    std::array<int, 2> kinds{};
    std::array<int, std::size(kStates)> states{};
    for (const LedgerEntry& entry : entries) {
      if (entry.cause != cause) continue;
      ++kinds[static_cast<std::size_t>(entry.kind)];
      ++states[static_cast<std::size_t>(state_of(entry, results))];
    }
    if (kinds[0] + kinds[1] == 0) continue;
    out += fmt::format("| {} | {} | {} | {} |\n",
                       cause == FailureCause::unknown ? "not yet looked at" : name_of(cause),
                       kinds[0], kinds[1], fmt::join(states, " | "));
    for (std::size_t i = 0; i < kinds.size(); ++i) all_kinds[i] += kinds[i];
    for (std::size_t i = 0; i < states.size(); ++i) all_states[i] += states[i];
  }
  return out + fmt::format("| all | {} | {} | {} |\n", all_kinds[0], all_kinds[1],
                           fmt::join(all_states, " | "));
}

}  // namespace

LedgerState state_of(const LedgerEntry& entry, const LedgerResults& results) {
  const auto found = results_of(entry, results);
  const bool fails = std::ranges::any_of(found, [](const auto& r) { return !r.second->passed; });
  if (entry.fix.empty()) return fails || found.empty() ? LedgerState::open : LedgerState::passes;
  return fails ? LedgerState::fails_again : LedgerState::fixed;
}

LedgerAttention attention_of(const std::vector<LedgerEntry>& entries,
                             const LedgerResults& results) {
  LedgerAttention out;
  for (const auto& item : results.all())
    if (!item.second.passed && std::ranges::none_of(entries, [&](const LedgerEntry& entry) {
          return entry.is_about(item.first.candidate, item.first.full_name());
        }))
      out.unlisted.push_back(item.first);
  for (const LedgerEntry& entry : entries) {
    const LedgerState state = state_of(entry, results);
    if (state == LedgerState::fails_again) out.fail_again.push_back(entry.name);
    if (state == LedgerState::open && entry.cause == FailureCause::unknown)
      out.without_cause.push_back(entry.name);
  }
  return out;
}

std::string render_ledger(const std::vector<LedgerEntry>& entries, const LedgerResults& results,
                          const std::string& pictures) {
  std::string out = kPageHead;
  out += summary(entries, results);
  const LedgerAttention attention = attention_of(entries, results);
  if (!attention.unlisted.empty()) {
    out +=
        "\n## Not yet looked at\n\nThese runs failed, and no entry is about them.\n\n"
        "| run | with | the judge | commit |\n|---|---|---|---|\n";
    for (const LedgerResults::Key& key : attention.unlisted) {
      const LedgerResult& result = results.all().at(key);
      out += fmt::format("| `{}` | {} | {} | {} |\n", cell(key.full_name()), cell(key.candidate),
                         cell(result.result, true), cell(result.commit, true));
    }
  }
  for (const StateWords& s : kStates) {
    std::string sections;
    for (const LedgerEntry& entry : entries)
      if (state_of(entry, results) == s.state) sections += section(entry, results, pictures);
    if (!sections.empty()) out += fmt::format("\n## {}\n", s.heading) + sections;
  }
  return out;
}

}  // namespace kerb::lab
