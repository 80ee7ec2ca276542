// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/socket.h>
#include <sys/un.h>

#include <memory>
#include <string_view>

#include "drivers/base/unique_fd.hpp"
#include "hal/watchdog.hpp"

namespace kerb {

/// Messages to the service manager by sd_notify's protocol. Uses one open, non-blocking socket:
/// libsystemd's sd_notify() opens one for each message and waits when the manager does not read,
/// which a supervised loop must not do. Allocates nothing after open(). One thread at a time.
class ServiceNotifier {
 public:
  /// Fails: not_found (not started as a notifying service: NOTIFY_SOCKET is not set), unsupported
  /// (a kind of address we do not know), io.
  static Result<ServiceNotifier> open();

  Status stopping();  ///< a clean end has begun
  Status alive();     ///< resets the watchdog
  /// Assignments, one per line. Fails: would_block (the manager does not read), gone (no one
  /// listens), io.
  Status send(std::string_view message);

 private:
  ServiceNotifier(UniqueFd socket, const sockaddr_un& address, socklen_t size)
      : socket_{std::move(socket)}, address_{address}, address_size_{size} {}
  UniqueFd socket_;
  sockaddr_un address_;
  socklen_t address_size_;
};

/// systemd's watchdog for a service (WatchdogSec=): restarts the service when it is not kicked.
class SystemdWatchdog final : public Watchdog {
 public:
  /// Fails: not_found (no WatchdogSec= for this service), invalid_argument (WATCHDOG_USEC is
  /// wrong), unsupported, io.
  static Result<std::unique_ptr<SystemdWatchdog>> open();

  Status kick() override;
  /// Sends STOPPING=1: systemd then ends its watchdog and expects the exit.
  Status disarm() override;
  [[nodiscard]] Nanos timeout() const noexcept override { return timeout_; }

 private:
  SystemdWatchdog(ServiceNotifier notifier, Nanos timeout)
      : notifier_{std::move(notifier)}, timeout_{timeout} {}
  ServiceNotifier notifier_;
  Nanos timeout_;
  bool disarmed_ = false;
};

}  // namespace kerb
