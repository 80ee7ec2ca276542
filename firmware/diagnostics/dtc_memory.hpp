// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/diagnostics/dtc.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/text.hpp"

namespace kerb::diagnostics {

/// Bits of a DTC's status (ISO 14229-1, annex D.2).
namespace status {
inline constexpr std::uint8_t kTestFailed = 0x01;
inline constexpr std::uint8_t kTestFailedThisCycle = 0x02;
inline constexpr std::uint8_t kPending = 0x04;
inline constexpr std::uint8_t kConfirmed = 0x08;
inline constexpr std::uint8_t kNotCompletedSinceClear = 0x10;
inline constexpr std::uint8_t kTestFailedSinceClear = 0x20;
inline constexpr std::uint8_t kNotCompletedThisCycle = 0x40;
inline constexpr std::uint8_t kWarningIndicator = 0x80;  ///< the amber lamp is on for it
inline constexpr std::uint8_t kAfterClear = kNotCompletedSinceClear | kNotCompletedThisCycle;
inline constexpr std::uint8_t kAvailable = 0xFF;  ///< all of them are kept
}  // namespace status

/// What a round knows of the car and of Kerbwatch: for freeze frames and for what a tester reads.
struct Situation {
  Nanos now{};              ///< on the clock
  std::uint32_t utc_s = 0;  ///< since 1970, as far as the board knows
  std::uint32_t run_s = 0;  ///< since the program's start
  std::optional<double> speed_mps;
  Readiness readiness = Readiness::starting;
  HealthReport health{};
};

/// The surroundings of a fault, at its moment. Numbers as they are sent: see docs/diagnostics.md.
struct FreezeFrame {
  std::uint32_t utc_s = 0, run_s = 0;
  std::int16_t speed = 0;      ///< 0.01 m/s; 0x7FFF: not known
  std::uint8_t readiness = 0;  ///< as in KW_Ready
  std::uint8_t state = 0;      ///< of health
  std::int32_t number = 0;     ///< of the cause, in thousandths of its unit
  friend bool operator==(const FreezeFrame&, const FreezeFrame&) = default;
};
[[nodiscard]] FreezeFrame freeze(const Situation& situation, double number) noexcept;

/// What is kept of one code.
struct DtcEntry {
  std::uint8_t status = status::kAfterClear;
  std::uint8_t occurrences = 0;    ///< since it was cleared, up to 255
  std::uint8_t cycles_healed = 0;  ///< operation cycles since it last failed, up to 255
  FreezeFrame first, last;         ///< valid with occurrences > 0
  friend bool operator==(const DtcEntry&, const DtcEntry&) = default;
};

/// All that outlives the program.
struct DtcImage {
  Text<40> cycle;  ///< the operation cycle it is of: the kernel's boot id
  std::array<DtcEntry, kDtcSlots> entries{};
};

/// The trouble codes' history. A fault of the health monitor fails the test of its code at once:
/// the monitor has already waited for its limit. It is pending then, and confirmed when it lasts
/// for kConfirmAfter, or fails in the next operation cycle too. A code heals by kAgingCycles cycles
/// without a failure. Pure logic; one thread; allocates nothing.
class DtcMemory {
 public:
  static constexpr Nanos kConfirmAfter = std::chrono::seconds{2};
  static constexpr int kAgingCycles = 40;

  /// On a car with that many cameras.
  explicit DtcMemory(int cameras) noexcept : cameras_{cameras} {}

  /// Continues what was kept. With another cycle than that of the image, a new one begins.
  void restore(const DtcImage& image, const Text<40>& cycle) noexcept;
  /// One round. The tests of all codes count as completed once health is no longer STARTING.
  void update(const Situation& situation, const HealthMonitor& monitor) noexcept;
  /// Forgets all codes.
  void clear() noexcept;
  void clear(DtcKey key) noexcept;

  [[nodiscard]] int cameras() const noexcept { return cameras_; }
  [[nodiscard]] const DtcEntry& entry(DtcKey key) const noexcept {
    return image_.entries[slot_of(key)];
  }
  /// Calls `visit(key, entry)` for each code that this car can have, in the order of the codes.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (int c = 1; c < kCauseCount; ++c) {
      const Cause cause = static_cast<Cause>(c);
      for (int camera = 0; camera < (is_of_camera(cause) ? cameras_ : 1); ++camera)
        visit(DtcKey{cause, camera}, entry({cause, camera}));
    }
  }
  [[nodiscard]] const DtcImage& image() const noexcept { return image_; }
  /// Whether anything has changed since the last call.
  [[nodiscard]] bool take_change() noexcept;

 private:
  void failed(DtcKey key, const Situation& situation, double number) noexcept;
  void passed(DtcKey key, bool completed) noexcept;

  int cameras_;
  DtcImage image_;
  std::array<Nanos, kDtcSlots> since_{};  ///< it has failed without a break
  bool changed_ = false;
};

}  // namespace kerb::diagnostics
