// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "firmware/can/messages.hpp"
#include "firmware/types/vehicle_layout.hpp"
#include "hal/base/result.hpp"
#include "hal/can_bus.hpp"

/// kerbwatch.dbc in C++. Every message is a classic frame of 8 bytes: byte 0 the CRC (see
/// crc8.hpp), the low half of byte 1 the counter. Encoding rounds to the nearest step and saturates
/// at the range; NaN is sent as "not available". Nothing allocates. Any thread.
namespace kerb::can {

[[nodiscard]] CanFrame encode(const StatusMessage& message) noexcept;
[[nodiscard]] CanFrame encode(const WarningMessage& message) noexcept;
[[nodiscard]] CanFrame encode(const ReadyMessage& message) noexcept;
[[nodiscard]] CanFrame encode(const VehicleMotion& message) noexcept;
[[nodiscard]] CanFrame encode(const VehicleBody& message) noexcept;
[[nodiscard]] CanFrame encode(const VehicleDriver& message) noexcept;
[[nodiscard]] CanFrame encode(const ServiceMessage& message) noexcept;

inline constexpr int kMaxObjectFrames = 2 * kMaxObjects;

/// The object list as frames, two an object (place, then motion), all with this counter; an empty
/// list is one frame that says so. The first kMaxObjects are sent. Returns how many frames of `out`
/// were written.
int encode_objects(std::span<const ObjectMessage> objects, std::uint8_t counter,
                   std::span<CanFrame, kMaxObjectFrames> out) noexcept;

/// The inverse. Fail: invalid_argument (another message, or not 8 classic bytes), damaged (CRC). An
/// enumeration's number the bus does not define is kept as it came; decode_service() refuses it
/// (and a wrong magic number) with damaged, because it asks for an action.
[[nodiscard]] Result<StatusMessage> decode_status(const CanFrame& frame) noexcept;
[[nodiscard]] Result<WarningMessage> decode_warning(const CanFrame& frame) noexcept;
[[nodiscard]] Result<ReadyMessage> decode_ready(const CanFrame& frame) noexcept;
[[nodiscard]] Result<VehicleMotion> decode_vehicle_motion(const CanFrame& frame) noexcept;
[[nodiscard]] Result<VehicleBody> decode_vehicle_body(const CanFrame& frame) noexcept;
[[nodiscard]] Result<VehicleDriver> decode_vehicle_driver(const CanFrame& frame) noexcept;
/// The buttons of a vehicle with another layout; of a message without a counter it is 0.
[[nodiscard]] Result<VehicleDriver> decode_vehicle_driver(const VehicleLayout& layout,
                                                          const CanFrame& frame) noexcept;
[[nodiscard]] Result<ServiceMessage> decode_service(const CanFrame& frame) noexcept;

/// One frame of the object list: the half of an object that `part` names; the other half is
/// untouched.
struct ObjectFrame {
  enum class Part : std::uint8_t { place = 0, motion = 1 };
  Part part = Part::place;
  int index = 0;  ///< 0..count-1
  int count = 0;  ///< objects in this list; 0: nobody, and `object` says nothing
  std::uint8_t counter = 0;
  ObjectMessage object;
};
[[nodiscard]] Result<ObjectFrame> decode_objects(const CanFrame& frame) noexcept;

}  // namespace kerb::can
