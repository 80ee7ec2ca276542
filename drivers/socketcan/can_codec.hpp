// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/can.h>

#include <cstddef>
#include <optional>

#include "hal/base/result.hpp"
#include "hal/can_bus.hpp"

namespace kerb::socketcan {

// Conversion between SocketCAN's data and ours. Pure functions, no state.

/// What to write to a CAN_RAW socket: `size` is CAN_MTU or CANFD_MTU.
struct WireFrame {
  canfd_frame frame{};
  std::size_t size = 0;
};
[[nodiscard]] WireFrame encode(const CanFrame& frame) noexcept;

/// What was read from a CAN_RAW socket: `size` bytes. Nothing when it is no data or remote frame
/// that ISO 11898 allows. `received` is left at zero.
[[nodiscard]] std::optional<CanFrame> decode(const canfd_frame& frame, std::size_t size) noexcept;

/// The kernel's form of a filter: a standard id's filter never passes an extended id, nor the
/// reverse.
[[nodiscard]] can_filter encode(const CanFilter& filter) noexcept;

/// What an error frame reports.
struct ErrorReport {
  std::optional<CanState> state;  ///< the controller's new state, when the frame tells
  bool restarted = false;         ///< the controller came back from bus-off
  bool receive_overflow = false;  ///< the controller itself lost a frame
};
[[nodiscard]] bool is_error_frame(const canfd_frame& frame) noexcept;
[[nodiscard]] ErrorReport decode_error(const canfd_frame& frame) noexcept;

/// What a failed send() means to the caller, by errno: would_block, gone, unsupported,
/// invalid_argument or io.
[[nodiscard]] Errc send_failure(int err) noexcept;
/// Whether this errno means that the interface is down or was removed.
[[nodiscard]] bool means_down(int err) noexcept;

/// When a frame arrived, on CLOCK_MONOTONIC, from the kernel's CLOCK_REALTIME stamp and both clocks
/// read together. A stamp in the future or more than a second old means that the wall clock was set
/// meanwhile: then it is `mono_now`.
[[nodiscard]] Nanos arrival(Nanos real_stamp, Nanos real_now, Nanos mono_now) noexcept;

}  // namespace kerb::socketcan
