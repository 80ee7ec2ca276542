// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/can_bus.hpp"
#include "hal/tone.hpp"

namespace kerb::sim {

/// All outputs of a firmware in one run, as seen from outside: frames on the bus, levels of the
/// lamps' lines, and the sound. Times are the scenario's, in order within each list. The judge gets
/// only this and the truth.
struct Trace {
  struct Sent {
    Nanos at{};
    CanFrame frame;
  };
  struct Level {
    Nanos at{};
    bool on = false;
  };
  struct Sound {
    Nanos at{};
    std::optional<TonePattern> pattern;  ///< nothing: silence
  };
  std::vector<Sent> frames;
  std::vector<Level> warning_lamp, status_lamp;  ///< every level that was driven, repeats left out
  std::vector<Sound> tone;                       ///< every change of what sounds
};

/// Adds a level or a sound, unless it is what was there already. They start off, and silent.
void note(std::vector<Trace::Level>& line, Nanos at, bool on);
void note(std::vector<Trace::Sound>& tone, Nanos at, const std::optional<TonePattern>& pattern);

/// One line for each event, by time: "1.230000 can 220 8F10...", "1.230000 lamp 1",
/// "1.230000 status 0", "1.230000 tone 1000 8 0.5 0.8", "1.230000 tone off". Lines that begin with
/// '#' say nothing.
[[nodiscard]] std::string render_trace(const Trace& trace);
/// The inverse. Fails, naming the line: damaged.
[[nodiscard]] Result<Trace> parse_trace(std::string_view text, std::string_view name);

}  // namespace kerb::sim
