// SPDX-License-Identifier: Apache-2.0
#include "tests/board/lamps.hpp"

#include <algorithm>

#include "tests/board/gpio_observer.hpp"

namespace kerb::board {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(8);

LampLevels look(int warning_line, int status_line) {
  const auto warning = observe_line(warning_line);
  const auto status = observe_line(status_line);
  return {warning && status && warning->is_output && status->is_output, warning && warning->is_high,
          status && status->is_high};
}

}  // namespace

LampWatch::LampWatch(int warning_line, int status_line)
    : warning_line_(warning_line), status_line_(status_line), thread_([this] { run(); }) {}

LampWatch::~LampWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  thread_.join();
}

void LampWatch::run() {
  for (;;) {
    const LampLevels levels = look(warning_line_, status_line_);
    const auto now = RealClock::now();
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      if (changes_.empty() || changes_.back().levels != levels) changes_.push_back({now, levels});
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::vector<LampWatch::Change> LampWatch::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

LampLevels LampWatch::now() const {
  const std::lock_guard lock(mutex_);
  return changes_.empty() ? LampLevels{} : changes_.back().levels;
}

std::optional<RealClock::time_point> LampWatch::first(RealClock::time_point from,
                                                      bool LampLevels::*lamp) const {
  const std::lock_guard lock(mutex_);
  std::optional<RealClock::time_point> lit;
  for (const Change& change : changes_) {
    if (change.time < from) {  // lit already?
      lit = change.levels.*lamp ? std::optional(from) : std::nullopt;
      continue;
    }
    if (lit) break;
    if (change.levels.*lamp) lit = change.time;
  }
  return lit;
}

std::optional<RealClock::time_point> LampWatch::status_lit(RealClock::time_point from) const {
  return first(from, &LampLevels::status);
}

std::optional<RealClock::time_point> LampWatch::warning_lit(RealClock::time_point from) const {
  return first(from, &LampLevels::warning);
}

}  // namespace kerb::board
