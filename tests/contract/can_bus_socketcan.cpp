// SPDX-License-Identifier: Apache-2.0
// KERB_TEST_CAN names an interface to use, such as vcan0; as root the test also takes it down and
// up.
#include <linux/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "drivers/socketcan/socketcan_bus.hpp"
#include "tests/contract/can_bus_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

bool set_up(const std::string& interface, bool up) {
  const UniqueFd control{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(control.get(), SIOCGIFFLAGS, &request) < 0) return false;
  const int flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
  request.ifr_flags = static_cast<short>(flags);
  return ::ioctl(control.get(), SIOCSIFFLAGS, &request) == 0;
}

}  // namespace

SUITE_MAIN(words) {
  const char* interface = std::getenv("KERB_TEST_CAN");
  if (interface == nullptr) {
    std::puts("KERB_TEST_CAN is not set: no CAN interface to test with");
    return 77;
  }
  const SystemClock clock;
  SocketCanOptions options;
  options.interface = interface;
  Result<std::unique_ptr<SocketCanBus>> probe = SocketCanBus::open(options, clock);
  if (!probe) {
    std::printf("%s\n", describe(probe.error()).c_str());
    return 77;
  }
  CanBusFixture fixture;
  fixture.clock = &clock;
  fixture.real = true;
  fixture.node = [&](bool fd, std::vector<CanFilter> filters) -> std::unique_ptr<CanBus> {
    SocketCanOptions mine = options;
    mine.fd = fd;
    mine.filters = std::move(filters);
    Result<std::unique_ptr<SocketCanBus>> bus = SocketCanBus::open(mine, clock);
    if (!bus) {
      std::printf("%s\n", describe(bus.error()).c_str());
      std::exit(1);
    }
    return std::move(*bus);
  };
  fixture.fd = (*probe)->fd_ready();
  if (set_up(options.interface, true)) {
    fixture.down = [&] { set_up(options.interface, false); };
    fixture.up = [&] { set_up(options.interface, true); };
  }
  return run_can_bus_suite(fixture);
}
