// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "firmware/types/vehicle_body.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// Where a signal's bits stand in a message, numbered as in a DBC file: bit 0..7 of byte 0, then
/// those of byte 1. `start` is the lowest bit of a little-endian signal ("@1"), the highest of a
/// big-endian one ("@0").
struct SignalBits {
  std::uint8_t start = 0, length = 0;  ///< length 0: the vehicle does not have the signal
  bool big_endian = false;
  bool operator==(const SignalBits&) const = default;
};

/// A signal that stands for a number: (raw * factor + offset) * unit, in SI units.
struct NumberSignal {
  int message = -1;  ///< index in VehicleLayout::messages; -1: the vehicle does not have it
  SignalBits bits{};
  bool is_signed = false;
  std::int64_t raw_min = 0, raw_max = 0;  ///< a raw number outside says "not available"
  double factor = 1, offset = 0, unit = 1;
  SignalBits valid{};     ///< of the same message: 0 says "not available"
  SignalBits negative{};  ///< of the same message: 1 turns the sign
  bool operator==(const NumberSignal&) const = default;
};

/// A signal whose raw numbers each mean something.
struct ChoiceSignal {
  struct Meaning {
    std::uint32_t raw = 0;
    std::uint8_t value = 0;  ///< of TurnSignal or Gear
    bool operator==(const Meaning&) const = default;
  };
  static constexpr std::size_t kMostMeanings = 32;
  int message = -1;
  SignalBits bits{};
  std::array<Meaning, kMostMeanings> meanings{};
  int meaning_count = 0;
  std::optional<std::uint8_t> other{};  ///< of every other number; none: it is implausible
  bool operator==(const ChoiceSignal&) const = default;
};

/// A signal that is on where it is not 0.
struct FlagSignal {
  int message = -1;
  SignalBits bits{};
  bool operator==(const FlagSignal&) const = default;
};

/// A signal that counts, of up to 8 bits; 0 says that the vehicle does not.
struct CountSignal {
  int message = -1;
  SignalBits bits{};
  bool operator==(const CountSignal&) const = default;
};

enum class Checksum : std::uint8_t {
  none,
  crc8_j1850,  ///< CRC-8/SAE-J1850: polynomial 0x1D, start 0xFF, final XOR 0xFF
  crc8_e2e1,   ///< as AUTOSAR E2E profile 1 has it: the same polynomial, start 0, final XOR 0
  exclusive_or
};

/// A message of the vehicle. A checksum covers the data id (its low byte, then its high byte),
/// where there is one, and then all bytes of the message but its own, in their order.
struct VehicleMessage {
  std::uint32_t id = 0;
  bool extended = false;  ///< an identifier of 29 bits
  std::uint8_t size = 8;  ///< bytes
  Nanos cycle{};          ///< from one to the next
  Nanos stale{};          ///< so long without one, its signals are stale; 0: as VehicleLimits says
  SignalBits counter{};   ///< none: a repeated message is not noticed
  int counter_values = 16;  ///< it runs from 0 to one less
  Checksum checksum = Checksum::none;
  std::uint8_t checksum_byte = 0;  ///< its place
  std::optional<std::uint16_t> data_id{};
  bool operator==(const VehicleMessage&) const = default;
};

/// How a vehicle tells its motion: which messages it sends, and which bits are what. Plain data;
/// [can.layout] of the configuration makes it from a DBC file, VehicleSignals reads by it.
struct VehicleLayout {
  static constexpr std::size_t kMostMessages = 8;
  std::array<VehicleMessage, kMostMessages> messages{};
  int message_count = 0;
  NumberSignal speed, yaw_rate;  ///< backwards is negative; to the left is positive
  NumberSignal steering;         ///< of the front wheels; to the left is positive
  ChoiceSignal turn_signal;      ///< or the two flags after it
  FlagSignal turn_left, turn_right;
  ChoiceSignal gear;
  FlagSignal off_button, confirm_button;
  NumberSignal lamp_brightness, sound_volume;  ///< dials, 0..1: of the dashboard, of warnings
  CountSignal ignition_cycle;  ///< another number with each ignition; in the buttons' message
  bool operator==(const VehicleLayout&) const = default;

  [[nodiscard]] std::span<const VehicleMessage> all_messages() const noexcept {
    return std::span{messages}.first(static_cast<std::size_t>(message_count));
  }
};

/// The messages of firmware/can/kerbwatch.dbc: VEH_Motion, VEH_Body and VEH_Driver. A test compares
/// them with the file.
[[nodiscard]] constexpr VehicleLayout kerbwatch_layout() noexcept {
  using std::chrono::milliseconds;
  VehicleLayout out;
  const auto message = [&](std::uint32_t id, int cycle_ms, std::uint16_t data_id) {
    VehicleMessage& m = out.messages[static_cast<std::size_t>(out.message_count)];
    m.id = id;
    m.cycle = milliseconds{cycle_ms};
    m.counter = {8, 4};
    m.checksum = Checksum::crc8_j1850;
    m.data_id = data_id;
    return out.message_count++;
  };
  const auto number = [](int of, std::uint8_t start, double factor, std::uint8_t valid) {
    NumberSignal signal;
    signal.message = of;
    signal.bits = {start, 16};
    signal.is_signed = true;
    signal.raw_min = -32767;
    signal.raw_max = 32767;
    signal.factor = factor;
    signal.valid = {valid, 1};
    return signal;
  };
  const auto choice = [](int of, SignalBits bits, std::uint8_t not_available) {
    ChoiceSignal signal;
    signal.message = of;
    signal.bits = bits;
    for (std::uint8_t i = 0; i < 4; ++i) signal.meanings[i] = {i, i};
    signal.meanings[4] = {not_available, not_available};
    signal.meaning_count = 5;
    return signal;
  };
  const int motion = message(0x120, 20, 0x4B01), body = message(0x2A0, 100, 0x4B02),
            driver = message(0x2B0, 100, 0x4B08);
  out.speed = number(motion, 16, 0.01, 12);
  out.yaw_rate = number(motion, 32, 0.0005, 13);
  out.steering = number(motion, 48, 0.00005, 14);
  out.turn_signal = choice(body, {12, 3}, static_cast<std::uint8_t>(TurnSignal::not_available));
  out.gear = choice(body, {16, 4}, static_cast<std::uint8_t>(Gear::not_available));
  const auto dial = [](int of, std::uint8_t start) {
    NumberSignal signal;
    signal.message = of;
    signal.bits = {start, 7};
    signal.raw_min = 1;  // 0: not told, as by a vehicle that knows nothing of it
    signal.raw_max = 101;
    signal.factor = 0.01;
    signal.offset = -0.01;
    return signal;
  };
  out.lamp_brightness = dial(body, 24);
  out.sound_volume = dial(body, 32);
  out.off_button = {driver, {12, 1}};
  out.confirm_button = {driver, {13, 1}};
  out.ignition_cycle = {driver, {16, 8}};
  return out;
}

}  // namespace kerb
