// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kerb {

/// The parts of the self-test at the start. The numbers are those of the health cause
/// self_test_failed: append, never renumber.
enum class TestPart : std::uint8_t {
  detector = 1,      ///< the detector finds the person of a built-in picture
  warning_lamp = 2,  ///< the red lamp was lit and put out
  status_lamp = 3,   ///< the amber lamp was lit
  sound = 4,         ///< the loudspeaker takes its commands
  watchdog = 5,      ///< it is armed and fed
  storage = 6        ///< a file can be written, synced, read again and removed
};
inline constexpr int kTestParts = 6;
inline constexpr std::array<TestPart, kTestParts> kAllTestParts{
    TestPart::detector, TestPart::warning_lamp, TestPart::status_lamp,
    TestPart::sound,    TestPart::watchdog,     TestPart::storage};

/// The numbers are those of the CAN message.
enum class TestResult : std::uint8_t {
  not_run = 0,  ///< not yet, or there is no such part
  passed = 1,
  failed = 2
};

[[nodiscard]] constexpr const char* name_of(TestPart part) noexcept {
  constexpr const char* kNames[] = {"detector", "warning_lamp", "status_lamp",
                                    "sound",    "watchdog",     "storage"};
  return kNames[static_cast<std::size_t>(part) - 1];
}
[[nodiscard]] constexpr const char* name_of(TestResult result) noexcept {
  constexpr const char* kNames[] = {"not_run", "passed", "failed", "unknown"};
  return kNames[static_cast<std::size_t>(result) & 3U];  // off the bus may come any two bits
}

struct SelfTestReport {
  std::array<TestResult, kTestParts> results{};

  [[nodiscard]] constexpr TestResult& operator[](TestPart part) noexcept {
    return results[static_cast<std::size_t>(part) - 1];
  }
  [[nodiscard]] constexpr TestResult operator[](TestPart part) const noexcept {
    return results[static_cast<std::size_t>(part) - 1];
  }
  friend bool operator==(const SelfTestReport&, const SelfTestReport&) = default;
};

}  // namespace kerb
