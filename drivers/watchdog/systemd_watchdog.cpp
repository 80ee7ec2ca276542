// SPDX-License-Identifier: Apache-2.0
#include "drivers/watchdog/systemd_watchdog.hpp"

#include <systemd/sd-daemon.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace kerb {

Result<ServiceNotifier> ServiceNotifier::open() {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0')
    return Error{Errc::not_found, 0, "notify the service manager: NOTIFY_SOCKET is not set"};
  const std::size_t size = std::strlen(path);
  sockaddr_un address{};
  if ((*path != '/' && *path != '@') || size < 2 || size >= sizeof address.sun_path)
    return Error{Errc::unsupported, 0, "notify the service manager: NOTIFY_SOCKET", path};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, size);
  if (*path == '@') address.sun_path[0] = '\0';  // a name outside the file system
  UniqueFd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!socket) return Error{Errc::io, errno, "make a socket to the service manager", path};
  return ServiceNotifier{std::move(socket), address,
                         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size)};
}

Status ServiceNotifier::stopping() { return send("STOPPING=1"); }
Status ServiceNotifier::alive() { return send("WATCHDOG=1"); }

Status ServiceNotifier::send(std::string_view message) {
  // Not connected, so that a restarted manager is found again.
  const ssize_t sent =
      ::sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&address_), address_size_);
  if (sent == static_cast<ssize_t>(message.size())) return Done{};
  const int err = sent < 0 ? errno : EMSGSIZE;
  const Errc code = err == EAGAIN || err == ENOBUFS        ? Errc::would_block
                    : err == ENOENT || err == ECONNREFUSED ? Errc::gone
                                                           : Errc::io;
  return Error{code, err, "notify the service manager"};
}

Result<std::unique_ptr<SystemdWatchdog>> SystemdWatchdog::open() {
  std::uint64_t microseconds = 0;
  const int enabled = ::sd_watchdog_enabled(0, &microseconds);
  if (enabled < 0) {
    const char* value = std::getenv("WATCHDOG_USEC");
    return Error{Errc::invalid_argument, -enabled, "read WATCHDOG_USEC", value};
  }
  constexpr std::uint64_t kLongest = 24ULL * 3600 * 1'000'000;
  if (enabled == 0 || microseconds > kLongest)
    return Error{Errc::not_found, 0, "open systemd's watchdog: no WatchdogSec= for this service"};
  Result<ServiceNotifier> notifier = ServiceNotifier::open();
  if (!notifier) return notifier.error();
  return std::unique_ptr<SystemdWatchdog>{
      new SystemdWatchdog{std::move(*notifier), std::chrono::microseconds{microseconds}}};
}

Status SystemdWatchdog::kick() {
  if (disarmed_) return Error{Errc::gone, 0, "kick systemd's watchdog: disarmed"};
  if (Status sent = notifier_.alive(); !sent)
    return Error{Errc::io, sent.error().native, "kick systemd's watchdog"};
  return Done{};
}

Status SystemdWatchdog::disarm() {
  if (disarmed_) return Done{};
  if (Status sent = notifier_.stopping(); !sent) return sent;
  disarmed_ = true;
  return Done{};
}

}  // namespace kerb
