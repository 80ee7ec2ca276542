// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace kerb::sim {
namespace {

constexpr double kLongest = 1e6;  // seconds

bool same(const std::optional<TonePattern>& a, const std::optional<TonePattern>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->frequency_hz == b->frequency_hz && a->pulses_per_s == b->pulses_per_s &&
         a->duty == b->duty && a->volume == b->volume;
}

double seconds(Nanos at) { return static_cast<double>(at.count()) * 1e-9; }

std::string hex(const CanFrame& frame) {
  std::string text;
  for (std::size_t i = 0; i < frame.size; ++i) text += fmt::format("{:02X}", frame.data[i]);
  return text.empty() ? "-" : text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) break;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<unsigned> hex_number(std::string_view word) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<CanFrame> frame_of(std::string_view id, std::string_view bytes) {
  CanFrame frame;
  const std::optional<unsigned> number_of_id = hex_number(id);
  if (!number_of_id || *number_of_id > 0x7FF) return std::nullopt;
  frame.id = *number_of_id;
  if (bytes == "-") return frame;
  if (bytes.size() % 2 != 0 || bytes.size() > 16) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const std::optional<unsigned> byte = hex_number(bytes.substr(i, 2));
    if (!byte) return std::nullopt;
    frame.data[frame.size++] = static_cast<std::uint8_t>(*byte);
  }
  return frame;
}

/// Puts one line into the trace; false: it is none.
bool take(const std::vector<std::string_view>& words, Nanos at, Trace& trace) {
  const std::string_view kind = words[1];
  if (kind == "can" && words.size() == 4) {
    std::optional<CanFrame> frame = frame_of(words[2], words[3]);
    if (!frame) return false;
    frame->received = at;
    trace.frames.push_back({at, *frame});
    return true;
  }
  if ((kind == "lamp" || kind == "status") && words.size() == 3) {
    if (words[2] != "0" && words[2] != "1") return false;
    note(kind == "lamp" ? trace.warning_lamp : trace.status_lamp, at, words[2] == "1");
    return true;
  }
  if (kind != "tone") return false;
  if (words.size() == 3 && words[2] == "off") {
    note(trace.tone, at, std::nullopt);
    return true;
  }
  if (words.size() != 6) return false;
  TonePattern pattern;
  double* const fields[] = {&pattern.frequency_hz, &pattern.pulses_per_s, &pattern.duty,
                            &pattern.volume};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::optional<double> value = number(words[i + 2]);
    if (!value) return false;
    *fields[i] = *value;
  }
  note(trace.tone, at, pattern);
  return true;
}

}  // namespace

void note(std::vector<Trace::Level>& line, Nanos at, bool on) {
  if ((line.empty() ? false : line.back().on) != on) line.push_back({at, on});
}

void note(std::vector<Trace::Sound>& tone, Nanos at, const std::optional<TonePattern>& pattern) {
  if (!same(tone.empty() ? std::nullopt : tone.back().pattern, pattern))
    tone.push_back({at, pattern});
}

std::string render_trace(const Trace& trace) {
  std::multimap<Nanos, std::string> lines;  // equal times stay in the order they were put in
  const auto put = [&](Nanos at, const std::string& rest) {
    lines.emplace(at, fmt::format("{:.6f} {}\n", seconds(at), rest));
  };
  for (const Trace::Sent& sent : trace.frames)
    put(sent.at, fmt::format("can {:03X} {}", sent.frame.id, hex(sent.frame)));
  for (const Trace::Level& level : trace.warning_lamp)
    put(level.at, fmt::format("lamp {}", level.on ? 1 : 0));
  for (const Trace::Level& level : trace.status_lamp)
    put(level.at, fmt::format("status {}", level.on ? 1 : 0));
  for (const Trace::Sound& sound : trace.tone)
    put(sound.at,
        sound.pattern
            ? fmt::format("tone {:g} {:g} {:g} {:g}", sound.pattern->frequency_hz,
                          sound.pattern->pulses_per_s, sound.pattern->duty, sound.pattern->volume)
            : "tone off");
  std::string text;
  for (const auto& [at, line] : lines) text += line;
  return text;
}

Result<Trace> parse_trace(std::string_view text, std::string_view name) {
  Trace trace;
  Nanos last{};
  int row = 0;
  while (!text.empty()) {
    ++row;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words.front().front() == '#') continue;
    const auto fault = [&](const char* what) {
      return Error{Errc::damaged, 0, "read trace",
                   Text<112>{fmt::format("{}:{}: {}", name, row, what)}};
    };
    const std::optional<double> at = number(words.front());
    if (!at || *at < 0 || *at > kLongest) return fault("does not begin with a time in seconds");
    const Nanos time{static_cast<Nanos::rep>(std::llround(*at * 1e9))};
    if (time < last) return fault("is earlier than the line before");
    last = time;
    if (words.size() < 3 || !take(words, time, trace))
      return fault("is not a can, lamp, status or tone event");
  }
  return trace;
}

}  // namespace kerb::sim
