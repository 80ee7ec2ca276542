// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "firmware/diagnostics/identity.hpp"
#include "firmware/diagnostics/life.hpp"
#include "firmware/diagnostics/uds.hpp"

/// The data that a tester reads by identifier (DID). Those from 0xFD00 on are Kerbwatch's own; all
/// have a fixed length. docs/diagnostics.md describes them.
namespace kerb::diagnostics {

namespace did {
inline constexpr std::uint16_t kSession = 0xF186;
inline constexpr std::uint16_t kSoftware = 0xF189;
inline constexpr std::uint16_t kSerial = 0xF18C;
inline constexpr std::uint16_t kVin = 0xF190;
inline constexpr std::uint16_t kSystem = 0xF197;
inline constexpr std::uint16_t kModel = 0xFD00;
inline constexpr std::uint16_t kModelCrc = 0xFD01;
inline constexpr std::uint16_t kCalibration = 0xFD02;
inline constexpr std::uint16_t kDecisions = 0xFD03;
// Of freeze frames, and of now.
inline constexpr std::uint16_t kUtc = 0xFD10;
inline constexpr std::uint16_t kRun = 0xFD11;
inline constexpr std::uint16_t kSpeed = 0xFD12;
inline constexpr std::uint16_t kReadiness = 0xFD13;
inline constexpr std::uint16_t kState = 0xFD14;
inline constexpr std::uint16_t kNumber = 0xFD15;
inline constexpr std::uint16_t kCause = 0xFD16;  ///< of now alone: a freeze frame's is its DTC
// Counters of the product's life: LifeCounters.
inline constexpr std::uint16_t kDistance = 0xFD30;  ///< 0.1 km
inline constexpr std::uint16_t kRunTime = 0xFD31;   ///< s; of that, ACTIVE and ready
inline constexpr std::uint16_t kActiveTime = 0xFD32;
inline constexpr std::uint16_t kReadyTime = 0xFD33;
inline constexpr std::uint16_t kStarts = 0xFD34;
inline constexpr std::uint16_t kInterrupted = 0xFD35;
inline constexpr std::uint16_t kInformations = 0xFD36;
inline constexpr std::uint16_t kCollisions = 0xFD37;
inline constexpr std::uint16_t kFaults = 0xFD38;  ///< 2 bytes for each of kFaultCounters causes
/// Of the outputs, in the order of Output: to read, and to control.
inline constexpr std::uint16_t kFirstOutput = 0xFD20;
}  // namespace did

/// Appends the value of an identifier that tells who answers, or the situation now. False: there is
/// no such identifier, or this car has no value for it; nothing is appended then.
bool append_identifier(Response& out, std::uint16_t id, const Identity& identity,
                       const Situation& situation) noexcept;
/// Appends one of the counters; what is past its range is its greatest number. False: no such
/// identifier.
bool append_counter(Response& out, std::uint16_t id, const LifeCounters& life) noexcept;
/// Appends a freeze frame: the number of its identifiers, then each with its value.
void append_frame(Response& out, const FreezeFrame& frame) noexcept;

}  // namespace kerb::diagnostics
