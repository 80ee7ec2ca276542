// SPDX-License-Identifier: Apache-2.0
#include "drivers/watchdog/hardware_watchdog.hpp"

#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "drivers/base/errors.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {

Result<std::unique_ptr<HardwareWatchdog>> HardwareWatchdog::open(
    const HardwareWatchdogOptions& options) {
  using namespace std::chrono_literals;
  const std::string& path = options.device;
  if (options.timeout < 1s || options.timeout > 24h)
    return Error{Errc::invalid_argument, 0, "open watchdog: time-out of 1 s to 24 h",
                 std::string_view{path}};
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return open_error(errno, "open watchdog", path);
  if (!S_ISCHR(status.st_mode))
    return Error{Errc::unsupported, 0, "open watchdog: not a watchdog", std::string_view{path}};
  UniqueFd device{
      fault_point("watchdog.open") ? -1 : ::open(path.c_str(), O_WRONLY | O_CLOEXEC)};  // arms it
  if (!device) return open_error(errno, "open watchdog", path);
  std::unique_ptr<HardwareWatchdog> watchdog{new HardwareWatchdog{std::move(device), path}};
  if (Status ready = watchdog->set_up(options.timeout); !ready) return ready.error();
  return watchdog;
}

Status HardwareWatchdog::set_up(Nanos wanted) {
  const int fd = device_.get();
  watchdog_info info{};
  if (::ioctl(fd, WDIOC_GETSUPPORT, &info) < 0)  // no watchdog: nothing may be written to it
    return Error{Errc::unsupported, errno, "open watchdog: not a watchdog", path_};
  magic_close_ = (info.options & WDIOF_MAGICCLOSE) != 0;
  const auto* identity = reinterpret_cast<const char*>(info.identity);
  identity_ = std::string_view{identity, ::strnlen(identity, sizeof info.identity)};

  const auto give_up = [&](const char* where) {
    const Error error{Errc::io, errno, where, path_};
    static_cast<void>(disarm());
    return error;
  };
  int seconds = static_cast<int>(std::chrono::ceil<std::chrono::seconds>(wanted).count());
  // A fixed time-out is not a failure: the actual one is read back.
  const bool set = ::ioctl(fd, WDIOC_SETTIMEOUT, &seconds) == 0;
  if (!set && errno != EOPNOTSUPP && errno != ENOTTY && errno != EINVAL)
    return give_up("set the watchdog's time-out");
  if (::ioctl(fd, WDIOC_GETTIMEOUT, &seconds) < 0 && !set)
    return give_up("read the watchdog's time-out");
  if (seconds <= 0) {
    errno = EIO;
    return give_up("read the watchdog's time-out");
  }
  timeout_ = std::chrono::seconds{seconds};
  int boot = 0;
  caused_restart_ =
      ::ioctl(fd, WDIOC_GETBOOTSTATUS, &boot) == 0 && boot > 0 && (boot & WDIOF_CARDRESET) != 0;
  if (::ioctl(fd, WDIOC_KEEPALIVE, &boot) < 0 && errno != ENOTTY)
    return give_up("kick the watchdog");
  return Done{};
}

Status HardwareWatchdog::kick() {
  if (!device_) return Error{Errc::gone, 0, "kick the watchdog: disarmed", path_};
  int unused = 0;
  if (fault_point("watchdog.kick")) return use_error(errno, "kick the watchdog", path_.view());
  if (::ioctl(device_.get(), WDIOC_KEEPALIVE, &unused) == 0) return Done{};
  // Old drivers know only the write.
  if (errno == ENOTTY && ::write(device_.get(), "\0", 1) == 1) return Done{};
  return use_error(errno, "kick the watchdog", path_.view());
}

Status HardwareWatchdog::disarm() {
  if (!device_) return Done{};
  // First by ioctl, because only this tells when the watchdog cannot be stopped.
  int stop = WDIOS_DISABLECARD;
  const bool stopped = ::ioctl(device_.get(), WDIOC_SETOPTIONS, &stop) == 0;
  if (!stopped && errno == EBUSY)
    return Error{Errc::unsupported, EBUSY, "stop the watchdog: it cannot be stopped", path_};
  // The magic byte only where that failed: after a stop it would leave the permission to stop with
  // the kernel, and a crash of the next program would go unnoticed.
  if (!stopped && ::write(device_.get(), "V", 1) != 1)
    return use_error(errno, "stop the watchdog", path_.view());
  device_.reset();
  return Done{};
}

}  // namespace kerb
