// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "hal/can_bus.hpp"

/// The messages of other_vehicle.dbc, put together byte by byte: shares nothing with what reads
/// them.
namespace kerb::test::other_vehicle {

inline CanFrame frame_of(std::uint32_t id, bool extended, std::uint8_t size) {
  CanFrame out;
  out.id = id;
  out.extended = extended;
  out.size = size;
  return out;
}
inline std::uint8_t byte_of(long value) { return static_cast<std::uint8_t>(value & 0xFF); }

/// CRC-8 as AUTOSAR E2E profile 1 has it, bit by bit.
inline std::uint8_t e2e1(std::uint16_t data_id, const CanFrame& frame, int bytes) {
  unsigned crc = 0;
  const auto add = [&](unsigned byte) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 0x80u) != 0 ? (crc << 1 ^ 0x1Du) & 0xFFu : crc << 1;
  };
  add(data_id & 0xFFu);
  add(data_id >> 8u);
  for (int i = 0; i < bytes; ++i) add(frame.data[static_cast<std::size_t>(i)]);
  return static_cast<std::uint8_t>(crc);
}

inline CanFrame brake_1(double speed_kmh, int counter, bool good = true) {
  CanFrame out = frame_of(416, false, 8);
  const long raw = std::lround((speed_kmh + 50) / 0.01);
  out.data[0] = byte_of(raw >> 8);
  out.data[1] = byte_of(raw);
  out.data[2] = good ? 1 : 0;
  out.data[3] = 0xA5;  // the pressure, of which nobody here knows
  out.data[6] = byte_of(counter);
  out.data[7] = e2e1(0x1234, out, 7);
  return out;
}
/// To the left is positive, of the steering wheel to the right.
inline CanFrame dynamics_2(double yaw_degps, double wheel_deg, int counter) {
  CanFrame out = frame_of(0x0CF00627, true, 6);
  const long yaw = std::lround(std::abs(yaw_degps) / 0.02), wheel = std::lround(wheel_deg / 0.1);
  out.data[1] = byte_of((yaw >> 8 & 0x1F) | (yaw_degps < 0 ? 0x20 : 0));
  out.data[2] = byte_of(yaw);
  out.data[3] = byte_of(wheel >> 8);
  out.data[4] = byte_of(wheel);
  out.data[5] = byte_of(counter << 4);
  return out;
}
/// `dimmer` 0..12, 15: not told; `volume_percent` 20..140.
inline CanFrame comfort_3(int left, int right, int gear, bool off = false, bool menu = false,
                          int dimmer = 15, int volume_percent = 140) {
  CanFrame out = frame_of(900, false, 4);
  out.data[1] = byte_of(left | right << 1);
  out.data[2] = byte_of(gear | dimmer << 4);
  out.data[3] = byte_of((off ? 0x40 : 0) | (menu ? 0x80 : 0) | (140 - volume_percent) / 5);
  out.data[0] = out.data[1] ^ out.data[2] ^ out.data[3];
  return out;
}

}  // namespace kerb::test::other_vehicle
