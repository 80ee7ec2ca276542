// SPDX-License-Identifier: Apache-2.0
#include "drivers/socketcan/can_codec.hpp"

#include <linux/can/error.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kerb::socketcan {

WireFrame encode(const CanFrame& frame) noexcept {
  WireFrame wire;
  wire.frame.can_id = frame.id;
  if (frame.extended) wire.frame.can_id |= CAN_EFF_FLAG;
  if (frame.remote) wire.frame.can_id |= CAN_RTR_FLAG;
  wire.frame.len = frame.size;
  if (frame.fd && frame.bit_rate_switch) wire.frame.flags = CANFD_BRS;
  const std::size_t room = frame.fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
  if (!frame.remote)
    std::memcpy(wire.frame.data, frame.data.data(), std::min<std::size_t>(frame.size, room));
  wire.size = frame.fd ? CANFD_MTU : CAN_MTU;
  return wire;
}

std::optional<CanFrame> decode(const canfd_frame& frame, std::size_t size) noexcept {
  if ((size != CAN_MTU && size != CANFD_MTU) || is_error_frame(frame)) return std::nullopt;
  CanFrame out;
  out.fd = size == CANFD_MTU;
  out.extended = (frame.can_id & CAN_EFF_FLAG) != 0;
  out.remote = (frame.can_id & CAN_RTR_FLAG) != 0;
  out.id = frame.can_id & (out.extended ? CAN_EFF_MASK : CAN_SFF_MASK);
  out.bit_rate_switch = out.fd && (frame.flags & CANFD_BRS) != 0;
  out.size = frame.len;
  if (!is_valid(out)) return std::nullopt;
  if (!out.remote) std::memcpy(out.data.data(), frame.data, out.size);
  return out;
}

can_filter encode(const CanFilter& filter) noexcept {
  const std::uint32_t bits = filter.extended ? CAN_EFF_MASK : CAN_SFF_MASK;
  return {.can_id = (filter.id & bits) | (filter.extended ? CAN_EFF_FLAG : 0U),
          .can_mask = (filter.mask & bits) | CAN_EFF_FLAG};
}

bool is_error_frame(const canfd_frame& frame) noexcept {
  return (frame.can_id & CAN_ERR_FLAG) != 0;
}

ErrorReport decode_error(const canfd_frame& frame) noexcept {
  ErrorReport report;
  // A frame may carry several classes; the gravest state it names is the one the controller is in.
  if ((frame.can_id & CAN_ERR_RESTARTED) != 0) {
    report.restarted = true;
    report.state = CanState::active;
  }
  if ((frame.can_id & CAN_ERR_CRTL) != 0) {
    const unsigned control = frame.data[1];
    if ((control & (CAN_ERR_CRTL_RX_PASSIVE | CAN_ERR_CRTL_TX_PASSIVE)) != 0)
      report.state = CanState::passive;
    else if ((control & (CAN_ERR_CRTL_RX_WARNING | CAN_ERR_CRTL_TX_WARNING)) != 0)
      report.state = CanState::warning;
    else if ((control & CAN_ERR_CRTL_ACTIVE) != 0)
      report.state = CanState::active;
    report.receive_overflow = (control & CAN_ERR_CRTL_RX_OVERFLOW) != 0;
  }
  if ((frame.can_id & CAN_ERR_BUSOFF) != 0) report.state = CanState::bus_off;
  return report;
}

Errc send_failure(int err) noexcept {
  switch (err) {
    case ENOBUFS:  // the interface's transmit queue is full
    case EAGAIN:   // our share of it is
    case ENOMEM:
      return Errc::would_block;
    case EMSGSIZE:
    case EINVAL:  // the frame was checked before: what is left is its kind
      return Errc::unsupported;
    default:
      return means_down(err) ? Errc::gone : Errc::io;
  }
}

bool means_down(int err) noexcept {
  return err == ENETDOWN || err == ENODEV || err == ENXIO || err == EADDRNOTAVAIL;
}

Nanos arrival(Nanos real_stamp, Nanos real_now, Nanos mono_now) noexcept {
  const Nanos age = real_now - real_stamp;
  const bool plausible = age >= Nanos::zero() && age <= std::chrono::seconds{1};
  return plausible ? mono_now - age : mono_now;
}

}  // namespace kerb::socketcan
