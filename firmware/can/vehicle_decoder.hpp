// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/vehicle_layout.hpp"
#include "hal/base/result.hpp"
#include "hal/can_bus.hpp"

/// A vehicle's frames, read by its layout. Nothing allocates. Any thread.
namespace kerb::can {

/// A message whose length and checksum are right, as two numbers: its bytes from the first up, and
/// from the first down.
struct VehiclePayload {
  std::uint64_t little = 0, big = 0;
  [[nodiscard]] std::uint64_t get(SignalBits bits) const noexcept;
};

/// The index of the message that the frame is, by its identifier; nothing: none of the layout's.
[[nodiscard]] std::optional<std::size_t> message_of(const VehicleLayout& layout,
                                                    const CanFrame& frame) noexcept;
/// The checksum that the message must have.
[[nodiscard]] std::uint8_t checksum_of(const VehicleMessage& message,
                                       const CanFrame& frame) noexcept;
/// Fails: invalid_argument (another identifier or length, or not a classic frame), damaged
/// (checksum, or a counter that it cannot have).
[[nodiscard]] Result<VehiclePayload> open(const VehicleMessage& message,
                                          const CanFrame& frame) noexcept;
/// Its counter; nothing where the message has none.
[[nodiscard]] std::optional<std::uint8_t> counter_of(const VehicleMessage& message,
                                                     const VehiclePayload& payload) noexcept;

/// Nothing: not available. These read what is in this message; the caller knows that it is.
[[nodiscard]] std::optional<double> read(const NumberSignal& signal,
                                         const VehiclePayload& payload) noexcept;
[[nodiscard]] inline bool read(const FlagSignal& signal, const VehiclePayload& payload) noexcept {
  return payload.get(signal.bits) != 0;
}
/// What a number that stands for something says.
struct Choice {
  std::optional<double> number;  ///< the value's, or the raw one; nothing: not available
  bool is_defined = false;
};
[[nodiscard]] Choice read(const ChoiceSignal& signal, const VehiclePayload& payload,
                          std::uint8_t not_available) noexcept;
/// The turn signal, however the layout tells it.
[[nodiscard]] Choice read_turn_signal(const VehicleLayout& layout,
                                      const VehiclePayload& payload) noexcept;
/// The message that has it; -1: none.
[[nodiscard]] inline int message_of_turn_signal(const VehicleLayout& layout) noexcept {
  return layout.turn_signal.message >= 0 ? layout.turn_signal.message : layout.turn_left.message;
}

}  // namespace kerb::can
