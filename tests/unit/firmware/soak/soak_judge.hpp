// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "hal/base/clock.hpp"

namespace kerb::test {

/// One round as the world sees it: what is true, and what the driver and the bus are told.
struct SoakRound {
  Nanos now{};
  // What is true.
  bool danger = false;     ///< somebody who has been seen for long enough is about to be hit
  bool nobody = false;     ///< there is nobody, and has been nobody for a while
  bool faulty = false;     ///< there is a fault
  bool must_show = false;  ///< there is one that must be told by now
  bool amber_works = true, red_works = true, bus_works = true;  ///< and have worked for long enough
  bool bitten = false;                                          ///< the watchdog
  // What is told.
  bool ready = false, active = false;  ///< KW_Ready, KW_Status
  bool decided = false;                ///< a collision warning
  bool heard = false;                  ///< of one, on the bus
  bool amber = false, red = false;     ///< the lamps, as lit
};

/// Compares each round with what must hold whatever is broken:
///
/// - silent: ready, somebody in danger, and no collision warning (decided, on the lamp and on the
///   bus, as far as these work) for more than kSilent;
/// - dark: the amber lamp is dark while it is not ready, or not ACTIVE;
/// - unnoticed: the amber lamp is dark although a fault must be told by now;
/// - stays: not ready kReady, or not ACTIVE kActive, after the last fault has ended;
/// - false_alarm: a collision warning without anybody;
/// - bitten: the watchdog would have restarted the board.
///
/// A breach is counted once for each time it begins. Pure logic.
class SoakJudge {
 public:
  static constexpr Nanos kSilent = std::chrono::milliseconds{200};
  static constexpr Nanos kReady = std::chrono::seconds{3};
  static constexpr Nanos kActive = kReady + std::chrono::seconds{1};  // and health.recover_ms

  void take(const SoakRound& round);
  /// Somebody who was in danger has been passed. Whether any warning was due is not known.
  [[nodiscard]] std::uint64_t breaches() const noexcept { return breaches_; }
  /// By name; the first of each with its time.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& by_name() const noexcept {
    return by_name_;
  }
  /// In words, of the last breach that began in this round; nothing where none did.
  [[nodiscard]] const std::optional<std::string>& fresh() const noexcept { return fresh_; }
  [[nodiscard]] Nanos longest_recovery() const noexcept { return longest_recovery_; }
  [[nodiscard]] std::uint64_t recoveries() const noexcept { return recoveries_; }
  /// Rounds in which a warning was due, and in which it was given.
  [[nodiscard]] std::uint64_t due() const noexcept { return due_; }
  [[nodiscard]] std::uint64_t given() const noexcept { return given_; }

 private:
  void hold(const char* name, bool broken, Nanos now);

  std::map<std::string, std::uint64_t> by_name_;
  std::map<std::string, bool> broken_;
  std::optional<std::string> fresh_;
  std::optional<Nanos> silent_since_, healed_at_;
  bool was_faulty_ = false;
  std::uint64_t breaches_ = 0, recoveries_ = 0, due_ = 0, given_ = 0;
  Nanos longest_recovery_{};
};

}  // namespace kerb::test
