// SPDX-License-Identifier: Apache-2.0
#include "tests/board/ear.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/board/sound.hpp"

namespace kerb::board {
namespace {

constexpr double kChunk = 0.05;                  // real seconds of sound looked at together
constexpr double kHeardOn = 0.25;                // a tone goes on so long after its last chunk
constexpr std::size_t kKept = 5 * Sound::kRate;  // samples
constexpr int kLoud = 1000;                      // of 32768

}  // namespace

Ear::~Ear() {
  stop_ = true;
  thread_.join();
}

std::vector<Ear::Loud> Ear::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

void Ear::run() {
  try {
    listen();
  } catch (const BoardError& error) {
    std::fprintf(stderr, "ear: %s\n", error.what());
  }
}

void Ear::listen() {
  Sound sound("hw:Loopback,1,0", Sound::Direction::record);
  while (!stop_) {
    const std::vector<std::int16_t> samples = sound.record(kChunk);
    const auto now = RealClock::now();
    const bool loud = std::any_of(samples.begin(), samples.end(),
                                  [](std::int16_t s) { return std::abs(int{s}) > kLoud; });
    const std::lock_guard lock(mutex_);
    const bool goes_on = !heard_.empty() && Seconds(now - heard_.back().end).count() < kHeardOn;
    if (loud && !goes_on)
      heard_.push_back(
          {now - std::chrono::duration_cast<RealClock::duration>(Seconds(kChunk)), now, {}});
    if (loud) heard_.back().end = now;
    if ((loud || goes_on) && heard_.back().samples.size() < kKept)
      heard_.back().samples.insert(heard_.back().samples.end(), samples.begin(), samples.end());
  }
}

}  // namespace kerb::board
