// SPDX-License-Identifier: Apache-2.0
#include "hal/base/fault_plan.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace kerb {
namespace {

struct NamedErrno {
  const char* name;
  int number;
};
constexpr NamedErrno kErrnos[] = {
    {"EIO", EIO},       {"ENODEV", ENODEV},     {"ENOSPC", ENOSPC},       {"EAGAIN", EAGAIN},
    {"EPERM", EPERM},   {"ENOBUFS", ENOBUFS},   {"ENOMEM", ENOMEM},       {"EFBIG", EFBIG},
    {"EBUSY", EBUSY},   {"ENETDOWN", ENETDOWN}, {"ETIMEDOUT", ETIMEDOUT}, {"EINVAL", EINVAL},
    {"ENOENT", ENOENT}, {"EROFS", EROFS},       {"EACCES", EACCES},       {"EMFILE", EMFILE}};

template <typename T>
bool read_number(std::string_view text, T& out) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && last == end;
}

bool read_errno(std::string_view text, int& out) {
  for (const NamedErrno& known : kErrnos) {
    if (text != known.name) continue;
    out = known.number;
    return true;
  }
  return read_number(text, out) && out > 0;
}

bool read_ms(std::string_view text, Nanos& out) {
  std::int64_t ms = 0;
  if (!read_number(text, ms) || ms < 0 || ms > 100'000'000) return false;
  out = std::chrono::milliseconds{ms};
  return true;
}

bool read_calls(std::string_view text, std::uint64_t& first, std::uint64_t& last) {
  const std::size_t dash = text.find('-');
  if (!read_number(text.substr(0, dash), first) || first == 0) return false;
  last = first;
  return dash == std::string_view::npos ||
         (read_number(text.substr(dash + 1), last) && last >= first);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// What is before the next `mark`, which is taken away with it.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

}  // namespace

bool FaultPlan::parse_word(std::string_view word, Rule& rule) {
  const std::string_view key = take(word, '=');
  if (key == "calls") return read_calls(word, rule.first, rule.last);
  if (key == "from") return read_ms(word, rule.from);
  if (key == "to") return read_ms(word, rule.to);
  if (key != "chance") return false;
  const std::string text{word};  // std::from_chars of a double is younger than our compilers
  char* end = nullptr;
  rule.chance = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && rule.chance >= 0 && rule.chance <= 1;
}

bool FaultPlan::parse_rule(std::string_view text, Rule& rule) {
  std::string_view name = take(text, ':');
  rule.prefix = !name.empty() && name.back() == '*';
  if (rule.prefix) name.remove_suffix(1);
  if (name.empty() && !rule.prefix) return false;
  rule.name = std::string{name};
  std::string_view kind = take(text, ':');
  const std::string_view what = take(kind, '=');
  if (what == "fail") {
    rule.fault.kind = Fault::Kind::fail;
    if (!read_errno(kind, rule.fault.error)) return false;
  } else if (what == "hang") {
    rule.fault.kind = Fault::Kind::hang;
    if (!read_ms(kind, rule.fault.hang)) return false;
  } else if (what == "no_memory" && kind.empty()) {
    rule.fault.kind = Fault::Kind::no_memory;
  } else {
    return false;
  }
  while (!text.empty())
    if (!parse_word(take(text, ':'), rule)) return false;
  return true;
}

Result<FaultPlan> FaultPlan::parse(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    const std::string_view part = take(text, ';');
    if (part.empty()) continue;
    std::uint64_t seed = 0;
    if (part.substr(0, 5) == "seed=" && read_number(part.substr(5), seed)) {
      plan.random_ = SplitMix64{seed};
      continue;
    }
    Rule rule;
    if (!parse_rule(part, rule))
      return Error{Errc::invalid_argument, 0, "read a rule of faults", part};
    plan.rules_.push_back(std::move(rule));
  }
  return plan;
}

std::optional<Fault> FaultPlan::at(std::string_view name, Nanos since_start) {
  if (rules_.empty()) return std::nullopt;
  auto calls = std::find_if(calls_.begin(), calls_.end(),
                            [name](const Calls& known) { return known.name == name; });
  if (calls == calls_.end()) calls = calls_.insert(calls_.end(), Calls{std::string{name}});
  const std::uint64_t call = ++calls->count;
  for (const Rule& rule : rules_) {
    const bool named =
        rule.prefix ? name.substr(0, rule.name.size()) == rule.name : name == rule.name;
    if (!named || call < rule.first || call > rule.last) continue;
    if (since_start < rule.from || since_start >= rule.to) continue;
    if (rule.chance < 1 && static_cast<double>(random_.next() >> 11) * 0x1p-53 >= rule.chance)
      continue;
    return rule.fault;
  }
  return std::nullopt;
}

}  // namespace kerb
