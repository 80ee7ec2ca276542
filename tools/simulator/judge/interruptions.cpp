// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/interruptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kerb::sim {
namespace {

/// When there was no warning of the level.
std::vector<Sent::Stretch> holes(const Sent& sent, WarningLevel level, double begin, double end) {
  std::vector<Sent::Stretch> out;
  double from = begin;
  for (const Sent::Warning& w : sent.warnings) {
    if (w.level < level || w.end <= from) continue;
    if (w.begin >= end) break;
    if (w.begin > from + kTimeSlack) out.push_back({from, w.begin});
    from = w.end;
  }
  if (from < end - kTimeSlack) out.push_back({from, end});
  return out;
}

double sum_of(const std::vector<Sent::Stretch>& stretches) {
  double sum = 0;
  for (const Sent::Stretch& s : stretches) sum += s.end - s.begin;
  return sum;
}

/// Of those in danger at a time, who is touched first.
const Danger* first_touched(const std::vector<Danger>& dangers, double t) {
  const Danger* first = nullptr;
  for (const Danger& d : dangers)
    if (t >= d.begin - kTimeSlack && t < d.end && (first == nullptr || d.touch < first->touch))
      first = &d;
  return first;
}

/// When the collision warning of this danger began.
std::optional<double> begin_of(const Danger& danger, const Truth& truth, const Sent& sent) {
  const double known = danger.evident + kSeeingTime_s;
  for (const Sent::Warning& w : sent.warnings) {
    if (w.level != WarningLevel::collision || w.begin >= danger.end) continue;
    if (first_touched(truth.dangers, w.begin) == &danger) return w.begin;
    if (known < danger.end && w.end > known) return std::max(w.begin, known);
  }
  return std::nullopt;
}

/// The stretch with the longest silence so far.
struct Worst {
  WarningLevel level = WarningLevel::collision;
  double begin = 0, end = 0, silent = -1;
  bool hit = false;
  Sent::Stretch hole;  // the longest one

  void take(const Sent& sent, WarningLevel of, double from, double to, bool ends_in_contact) {
    const std::vector<Sent::Stretch> all = holes(sent, of, from, to);
    if (sum_of(all) <= silent) return;
    level = of;
    begin = from;
    end = to;
    silent = sum_of(all);
    hit = ends_in_contact;
    const auto longest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.end - a.begin < b.end - b.begin;
    });
    hole = longest == all.end() ? Sent::Stretch{} : *longest;
  }
};

}  // namespace

double silent_between(const Sent& sent, WarningLevel level, double begin, double end) {
  return sum_of(holes(sent, level, begin, end));
}

std::optional<Verdict> judge_not_interrupted(const Truth& truth, const Sent& sent,
                                             const CommonRules& rules, bool informs) {
  Worst worst;
  for (const Danger& danger : truth.dangers)
    if (const std::optional<double> begin = begin_of(danger, truth, sent))
      worst.take(sent, WarningLevel::collision, *begin, danger.end, danger.hit);
  if (informs)
    for (const Truth::Close& close : truth.close) {
      const auto first = std::ranges::find_if(sent.warnings, [&](const Sent::Warning& w) {
        return w.end > close.begin && w.begin < close.end;
      });
      if (first != sent.warnings.end())
        worst.take(sent, WarningLevel::information, std::max(first->begin, close.begin), close.end,
                   false);
    }
  if (worst.silent < 0) return std::nullopt;
  const char* what = worst.level == WarningLevel::collision ? "collision warning" : "information";
  const std::string stretch =
      fmt::format("{} from {:.2f} s {} at {:.2f} s", what, worst.begin,
                  worst.hit                                ? "to the impact"
                  : worst.level == WarningLevel::collision ? "until the danger was gone"
                                                           : "until nobody was close",
                  worst.end);
  const bool passed = worst.silent <= rules.longest_silence + kTimeSlack;
  if (worst.silent <= kTimeSlack)
    return Verdict{kNotInterrupted, true, stretch + ", without a break"};
  return Verdict{
      kNotInterrupted, passed,
      fmt::format("{}: silent for {:.2f} s, at most {:.2f} allowed; longest from {:.2f} "
                  "to {:.2f} s",
                  stretch, worst.silent, rules.longest_silence, worst.hole.begin, worst.hole.end)};
}

}  // namespace kerb::sim
