// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kerb::diagnostics {
namespace {

using namespace status;

/// Rounded, and cut off at the type's limits; what is no number is 0.
template <typename T>
T rounded(double value) noexcept {
  if (std::isnan(value)) return 0;
  constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(std::round(value), kLow, kHigh));
}

void raise(std::uint8_t& counter) noexcept {
  if (counter < 255) ++counter;
}

/// The end of an operation cycle, and the start of the next.
void next_cycle(DtcEntry& e) noexcept {
  const bool completed = (e.status & kNotCompletedThisCycle) == 0;
  const bool failed = (e.status & kTestFailedThisCycle) != 0;
  if (completed && !failed) {
    e.status &= static_cast<std::uint8_t>(~kPending);
    if (e.occurrences > 0) raise(e.cycles_healed);
    if (e.cycles_healed >= DtcMemory::kAgingCycles) {
      e.status &= static_cast<std::uint8_t>(~kConfirmed);
      e.occurrences = e.cycles_healed = 0;
      e.first = e.last = {};
    }
  }
  e.status &= static_cast<std::uint8_t>(~(kTestFailed | kTestFailedThisCycle | kWarningIndicator));
  e.status |= kNotCompletedThisCycle;
}

}  // namespace

FreezeFrame freeze(const Situation& s, double number) noexcept {
  FreezeFrame out;
  out.utc_s = s.utc_s;
  out.run_s = s.run_s;
  constexpr std::int16_t kUnknown = std::numeric_limits<std::int16_t>::max();
  out.speed = kUnknown;
  if (s.speed_mps)
    out.speed = std::min<std::int16_t>(rounded<std::int16_t>(*s.speed_mps * 100), kUnknown - 1);
  out.readiness = static_cast<std::uint8_t>(s.readiness);
  out.state = static_cast<std::uint8_t>(s.health.state);
  out.number = rounded<std::int32_t>(number * 1000);
  return out;
}

void DtcMemory::restore(const DtcImage& image, const Text<40>& cycle) noexcept {
  image_ = image;
  changed_ = !(image.cycle == cycle);
  image_.cycle = cycle;
  for (std::size_t i = 0; i < image_.entries.size(); ++i) {
    DtcEntry& e = image_.entries[i];
    if (changed_) next_cycle(e);
    // The program starts again in the same cycle: whether the fault is still there will show.
    e.status &= static_cast<std::uint8_t>(~(kTestFailed | kWarningIndicator));
    since_[i] = {};
  }
}

void DtcMemory::update(const Situation& situation, const HealthMonitor& monitor) noexcept {
  const bool completed = situation.health.state != HealthState::starting;
  each([&](DtcKey key, const DtcEntry& before) {
    const std::uint8_t status = before.status;
    if (monitor.severity(key.cause, key.camera) != PartState::fine)
      failed(key, situation, monitor.number(key.cause, key.camera));
    else
      passed(key, completed);
    if (entry(key).status != status) changed_ = true;
  });
}

void DtcMemory::failed(DtcKey key, const Situation& situation, double number) noexcept {
  const std::size_t i = slot_of(key);
  DtcEntry& e = image_.entries[i];
  if ((e.status & kTestFailed) == 0) {
    since_[i] = situation.now;
    e.last = freeze(situation, number);
    if (e.occurrences == 0) e.first = e.last;
    raise(e.occurrences);
    e.cycles_healed = 0;
    // Pending, but not of this cycle: it fails in two of them.
    if ((e.status & (kPending | kTestFailedThisCycle)) == kPending) e.status |= kConfirmed;
  }
  if (situation.now - since_[i] >= kConfirmAfter) e.status |= kConfirmed;
  e.status |=
      kTestFailed | kTestFailedThisCycle | kPending | kTestFailedSinceClear | kWarningIndicator;
  e.status &= static_cast<std::uint8_t>(~kAfterClear);
}

void DtcMemory::passed(DtcKey key, bool completed) noexcept {
  DtcEntry& e = image_.entries[slot_of(key)];
  e.status &= static_cast<std::uint8_t>(~(kTestFailed | kWarningIndicator));
  if (completed) e.status &= static_cast<std::uint8_t>(~kAfterClear);
}

void DtcMemory::clear() noexcept {
  each([&](DtcKey key, const DtcEntry&) { clear(key); });
}

void DtcMemory::clear(DtcKey key) noexcept {
  image_.entries[slot_of(key)] = {};
  changed_ = true;
}

bool DtcMemory::take_change() noexcept { return std::exchange(changed_, false); }

}  // namespace kerb::diagnostics
