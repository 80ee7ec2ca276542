// SPDX-License-Identifier: Apache-2.0
// KERB_TEST_CAN names an interface to use, such as vcan0; as root the test also takes it down and
// up. The tester at the other end is the kernel's ISO-TP too, on sockets of its own.
#include <linux/can.h>
#include <linux/can/isotp.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "drivers/isotp/isotp_link.hpp"
#include "tests/contract/diagnostic_link_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using Bytes = DiagnosticLinkFixture::Bytes;

bool set_up(const std::string& interface, bool up) {
  const UniqueFd control{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(control.get(), SIOCGIFFLAGS, &request) < 0) return false;
  const int flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
  request.ifr_flags = static_cast<short>(flags);
  return ::ioctl(control.get(), SIOCSIFFLAGS, &request) == 0;
}

UniqueFd bound(int type, int protocol, const std::string& interface, std::uint32_t rx,
               std::uint32_t tx) {
  UniqueFd fd{::socket(PF_CAN, type | SOCK_CLOEXEC, protocol)};
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  address.can_addr.tp.rx_id = rx;
  address.can_addr.tp.tx_id = tx;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
    std::perror("bind the tester");
    std::exit(1);
  }
  return fd;
}

}  // namespace

SUITE_MAIN(words) {
  const char* name = std::getenv("KERB_TEST_CAN");
  if (name == nullptr) {
    std::puts("KERB_TEST_CAN is not set: no CAN interface to test with");
    return 77;
  }
  const SystemClock clock;
  IsotpOptions options;
  options.interface = name;
  if (Result<std::unique_ptr<IsotpLink>> probe = IsotpLink::open(options, clock); !probe) {
    std::printf("%s\n", describe(probe.error()).c_str());
    return 77;
  }
  UniqueFd tester, to_all;
  const auto connect = [&] {
    tester = bound(SOCK_DGRAM, CAN_ISOTP, name, options.response_id, options.request_id);
  };
  connect();
  // A request to all control units is a single frame, which the tester sends without ISO-TP.
  to_all = bound(SOCK_RAW, CAN_RAW, name, 0, 0);

  DiagnosticLinkFixture fixture;
  fixture.open = [&]() -> std::unique_ptr<DiagnosticLink> {
    Result<std::unique_ptr<IsotpLink>> link = IsotpLink::open(options, clock);
    if (!link) {
      std::printf("%s\n", describe(link.error()).c_str());
      std::exit(1);
    }
    return std::move(*link);
  };
  fixture.ask = [&](const Bytes& request, bool functional) {
    ssize_t sent = -1;
    if (functional) {
      can_frame frame{};
      frame.can_id = options.functional_id;
      frame.len = 8;
      frame.data[0] = static_cast<std::uint8_t>(request.size());
      for (std::size_t i = 0; i < request.size(); ++i) frame.data[i + 1] = request[i];
      sent = ::write(to_all.get(), &frame, sizeof frame);
    } else {
      sent = ::write(tester.get(), request.data(), request.size());
    }
    if (sent < 0) std::perror("the tester sends");
  };
  fixture.hear = [&]() -> std::optional<Bytes> {
    pollfd ready{tester.get(), POLLIN, 0};
    if (::poll(&ready, 1, 1000) <= 0) return std::nullopt;
    std::array<std::uint8_t, 5000> room{};
    const ssize_t size = ::recv(tester.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (size < 0) return std::nullopt;
    return Bytes{room.begin(), room.begin() + size};
  };
  fixture.stall = [&] { tester.reset(); };
  fixture.resume = connect;
  if (set_up(options.interface, true)) {
    fixture.down = [&] { set_up(options.interface, false); };
    fixture.up = [&] {
      set_up(options.interface, true);
      connect();  // the tester's own socket remembers that the interface was down
    };
  }
  return run_diagnostic_link_suite(fixture);
}
