// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/can.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/base/unique_fd.hpp"
#include "drivers/socketcan/can_link.hpp"
#include "drivers/socketcan/restart_backoff.hpp"
#include "hal/can_bus.hpp"

namespace kerb {

struct SocketCanOptions {
  std::string interface = "can0";
  bool fd = true;                  ///< send and receive CAN FD where the interface is set up for it
  std::vector<CanFilter> filters;  ///< done by the kernel; none: everything is received
  bool restart = true;  ///< put the controller back on the bus after bus-off; needs CAP_NET_ADMIN
  Nanos first_restart = std::chrono::milliseconds{100};  ///< doubled at each attempt in a row
  Nanos longest_restart = std::chrono::seconds{5};
};

/// A CAN interface of the Linux kernel (real, vcan, vxcan, slcan). One thread at a time.
///
/// Time stamps are the kernel's, of the frame's arrival, converted to the Clock, so that a late
/// reader does not make a frame look newer.
///
/// Bus-off: send() fails with gone, state() is bus_off. receive() restarts the controller, with
/// back-off, where permitted; otherwise, or where restart-ms is set on the interface, the kernel
/// does it. No outside help is needed in either case. Where neither is so, restart_refusal() tells.
///
/// Down: receive() notices it even when no one sends. That call fails with gone at once; later ones
/// wait their time-out first, so that a loop does not spin. An interface that is unplugged and
/// returns under the same name is found again.
///
/// Frames that the controller itself lost also count as overruns. Nothing here allocates after
/// open().
class SocketCanBus final : public CanBus {
 public:
  /// An interface that exists but is down can be opened, with state() down. `clock` must outlive
  /// the bus. Fails: invalid_argument (name or filter), not_found (no such interface), unsupported
  /// (not a CAN interface, or no CAN in this kernel), io.
  static Result<std::unique_ptr<SocketCanBus>> open(const SocketCanOptions& options,
                                                    const Clock& clock);

  Status send(const CanFrame& frame) override;
  Result<CanFrame> receive(Nanos timeout) override;
  [[nodiscard]] CanState state() const noexcept override { return state_; }
  [[nodiscard]] CanCounters counters() const noexcept override { return counters_; }
  [[nodiscard]] std::optional<Error> restart_refusal() const noexcept override {
    return restart_refusal_;
  }
  /// Whether a bus-off would end by itself: this process may restart the controller, or the kernel
  /// does (restart-ms), or it is of a kind that knows no bus-off (vcan). For the start: it may wait
  /// some milliseconds.
  [[nodiscard]] bool recovers_from_bus_off() const noexcept;
  /// Whether FD frames can be sent now: the option and the interface's MTU both allow it.
  [[nodiscard]] bool fd_ready() const noexcept { return fd_ready_; }

 private:
  SocketCanBus(const SocketCanOptions& options, const Clock& clock, socketcan::CanLink link);
  Status connect(const socketcan::LinkFacts& facts);
  Result<CanFrame> wait_while_down(Nanos timeout);
  std::optional<Result<CanFrame>> read_one();
  void take_error_frame(const canfd_frame& frame);
  void take_control_messages(const msghdr& message, Nanos& received);
  void set_state(CanState state);
  void check_link(int err = 0);
  void tend_bus();
  [[nodiscard]] Error fail(Errc code, int err, const char* where) const;

  const SocketCanOptions options_;
  const Clock& clock_;
  std::vector<can_filter> filters_;
  socketcan::CanLink link_;
  socketcan::RestartBackoff backoff_;
  UniqueFd socket_;
  int index_ = 0;           // of the interface the socket is bound to
  bool fd_frames_ = false;  // the socket takes FD frames
  bool fd_ready_ = false;   // and the interface does
  CanState state_ = CanState::down;
  Nanos next_check_{};     // when to ask the driver for its state again, while it is not active
  Nanos last_received_{};  // stamps never go back
  std::uint32_t socket_drops_ = 0;  // the kernel's count for this socket
  std::optional<Error> restart_refusal_;
  CanCounters counters_;
};

}  // namespace kerb
